// Limits: what the watch says, and that every long computation that looks at it ends without an answer, not with a
// wrong one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "checker/certificate.hpp"
#include "checker/deadlock.hpp"
#include "checker/search/state_set.hpp"
#include "checker/smt/unrolling.hpp"
#include "tests/unit/checker/certificate_sets.hpp"

namespace faultline::check {
namespace {

using namespace faultline::testing;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StrEq;

Limits no_time() {
  Limits limits;
  limits.seconds = 1e-9;
  return limits;
}

Limits no_memory() {
  Limits limits;
  limits.process_bytes = 1;
  return limits;
}

TEST(Watch, SaysWhichLimitIsReached) {
  EXPECT_EQ(Watch({}).over(1'000'000'000'000, 1'000'000'000'000), nullptr);
  EXPECT_STREQ(Watch(no_time()).over(), "time limit");
  EXPECT_STREQ(Watch(no_memory()).over(), "memory limit");
  EXPECT_THROW(Watch(no_memory()).check(), OverLimit);
  Limits own;
  own.memory_bytes = 100;
  EXPECT_EQ(Watch(own).over(1000, 100), nullptr);
  EXPECT_STREQ(Watch(own).over(0, 101), "memory limit");
  Limits process;
  process.process_bytes = std::uint64_t{1} << 40U;
  EXPECT_EQ(Watch(process).over(), nullptr);
  EXPECT_STREQ(Watch(process).over(process.process_bytes), "memory limit");
}

TEST(Watch, TicksLookNowAndThen) {
  const Watch watch(no_time());
  const auto many = [&] {
    for (int n = 0; n < 1000; ++n) watch.tick();
  };
  EXPECT_THROW(many(), OverLimit);
}

TEST(Watch, KnowsTheTimeThatIsLeft) {
  EXPECT_EQ(Watch({}).left(), 0) << "none";
  EXPECT_EQ(Watch(no_time()).left(), 0.001) << "not none";
  Limits hour;
  hour.seconds = 3600;
  EXPECT_GT(Watch(hour).left(), 3000);
}

TEST(ResidentBytes, FollowWhatIsUsed) {
  const std::uint64_t before = resident_bytes();
  EXPECT_GT(before, 100'000U);
  const std::vector<char> used(64'000'000, 1);
  EXPECT_GT(resident_bytes(), before + 60'000'000);
  EXPECT_EQ(used.back(), 1);
}

TEST(Growth, IsNeverLessThanWhatIsTaken) {
  search::StateSet set(3);
  std::mt19937_64 random(7);
  constexpr int together = 500;
  for (int turn = 0; turn < 400; ++turn) {
    const std::uint64_t before = set.bytes(), growth = set.growth(together);
    for (int n = 0; n < together; ++n) {
      const std::uint64_t state[] = {random(), random(), random()};
      set.insert(state);
    }
    ASSERT_LE(set.bytes(), before + growth) << set.size();
  }
  std::vector<int> v;
  for (int n = 0; n < 1000; ++n) {
    const std::size_t room = v.capacity();
    const std::uint64_t bytes = growth(v, 1);
    v.push_back(n);
    if (v.capacity() != room) {
      ASSERT_LE(v.capacity() * sizeof(int), bytes) << n;
    }
  }
}

TEST(Judges, AreUndecidedAtALimit) {
  const step::Program program = thp_tables(ThpTables::unstable);
  const ViewSet set = proved_views(program);
  for (const Limits& limits : {no_time(), no_memory()}) {
    const Judgement own = own_check(program, set, limits);
    EXPECT_FALSE(own.accepted);
    EXPECT_TRUE(own.undecided);
    EXPECT_THAT(own.detail, AnyOf(StrEq("time limit"), StrEq("memory limit")));
    EXPECT_THROW(static_cast<void>(queries(program, set, limits)), OverLimit);
    const Judgement z3 = z3_check(program, set, limits);
    EXPECT_FALSE(z3.accepted);
    EXPECT_TRUE(z3.undecided);
    EXPECT_THAT(z3.detail, HasSubstr("limit"));
    EXPECT_FALSE(deadlock_free(program, set, limits).proved);
  }
}

// Z3 is interrupted wherever it is.
TEST(Judges, Z3IsInterrupted) {
  const step::Program program = thp_tables(ThpTables::unstable);
  const ViewSet set = proved_views(program);
  int undecided = 0;
  for (double seconds = 0.001; seconds < 1; seconds *= 2) {
    Limits limits;
    limits.seconds = seconds;
    const Judgement z3 = z3_check(program, set, limits);
    EXPECT_TRUE(z3.accepted || z3.undecided) << z3.obligation << z3.detail;
    if (z3.undecided) {
      EXPECT_THAT(z3.detail, HasSubstr("time limit")) << seconds;
      ++undecided;
    }
  }
  EXPECT_GT(undecided, 0);
}

// To build the question can take as long as to answer it.
TEST(Unrolling, EndsAtALimitBeforeItAsks) {
  smt::Terms terms;
  std::vector<smt::Term> claims;
  for (int n = 0; n < 1000; ++n) claims.push_back(terms.variable("x." + std::to_string(n)));
  const Watch watch(no_time()), forever({});
  EXPECT_THROW(smt::Unrolling(terms, {}, watch).claim(claims, 0), OverLimit);
  EXPECT_NO_THROW(smt::Unrolling(terms, {}, forever).claim(claims, 0));
}

// The search itself, or the search for the shortest trace: a trace is the shortest one or none.
TEST(Search, ATraceIsWholeOrAbsent) {
  const step::Program program = thp_tables(ThpTables::base);
  ExplicitOptions options;
  options.cpus = 2;
  const ExplicitResult whole = explore(program, options);
  ASSERT_EQ(whole.violations.size(), 1U);
  int cut = 0;
  for (double seconds = 1e-5; seconds < 1; seconds *= 1.3) {
    options.limits.seconds = seconds;
    const ExplicitResult result = explore(program, options);
    EXPECT_EQ(result.complete, !result.violations.empty()) << result.reason;
    if (result.complete) {
      EXPECT_EQ(result.violations[0].steps.size(), whole.violations[0].steps.size());
    } else {
      EXPECT_THAT(result.reason, HasSubstr("time limit: a"));
      ++cut;
    }
  }
  EXPECT_GT(cut, 0);
}

}  // namespace
}  // namespace faultline::check
