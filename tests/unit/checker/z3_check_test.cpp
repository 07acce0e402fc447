// Z3 as a judge: it must agree with the own judge, and the queries must mean what they claim.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "checker/smt/solver.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/unit/checker/certificate_sets.hpp"

namespace faultline::check {
namespace {

using namespace faultline::testing;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void expect_accepted(const step::Program& program, const ViewSet& set) {
  const Judgement judgement = z3_check(program, set);
  EXPECT_TRUE(judgement.accepted) << judgement.obligation << ": " << judgement.detail;
}

void expect_rejected(const step::Program& program, const ViewSet& set, const std::string& what) {
  const Judgement judgement = z3_check(program, set);
  EXPECT_FALSE(judgement.accepted) << what;
  EXPECT_FALSE(judgement.undecided) << judgement.detail;
}

// The obligations that fail, each on its own.
std::vector<std::string> failing(const step::Program& program, const ViewSet& set) {
  std::vector<std::string> names;
  smt::Solver solver;
  for (const Query& query : queries(program, set)) {
    if (solver.solve(query.text).answer != smt::Answer::unsat) names.push_back(query.name);
  }
  return names;
}

TEST(Z3Check, AcceptsWhatTheSearchProved) {
  expect_accepted(small_flush(), proved_views(small_flush()));
  expect_accepted(small_reuse(), proved_views(small_reuse()));
  expect_accepted(room_for_two(2), proved_views(room_for_two(2)));
  expect_accepted(pmd_race({}), proved_views(pmd_race({})));
  expect_accepted(thp_tables(ThpTables::unstable), proved_views(thp_tables(ThpTables::unstable)));
}

TEST(Z3Check, AcceptsTheProjectionsOfReachableStates) {
  expect_accepted(small_flush(), projected_views(small_flush(), 3));
}

TEST(Z3Check, RejectsTheSmallSetWithoutAnyOneOfItsViews) {
  const step::Program program = small_flush();
  const ViewSet set = proved_views(program);
  const std::size_t stride = testing::sanitized ? 7 : 1;
  for (std::size_t v = 0; v < set.views.size(); v += stride)
    expect_rejected(program, without(set, v), std::to_string(v));
}

TEST(Z3Check, RejectsLargeSetsWithoutOneView) {
  std::mt19937 random(1);
  for (const step::Program& program : {thp_tables(ThpTables::unstable), pmd_race({}), small_reuse()}) {
    const ViewSet set = proved_views(program);
    for (std::size_t n = 0; n < testing::some_of(8); ++n) {
      const std::size_t v = random() % set.views.size();
      expect_rejected(program, without(set, v), std::to_string(v));
    }
  }
}

TEST(Z3Check, RejectsTheSafeSetForEveryMutant) {
  const ViewSet set = proved_views(thp_tables(ThpTables::unstable));
  const auto mutants = testing::sanitized ? std::vector{3} : std::vector{1, 2, 3, 4, 5, 7, 8, 9};
  for (const int mutant : mutants) {
    expect_rejected(thp_tables(ThpTables::unstable, mutant), set, "mutant " + std::to_string(mutant));
  }
  for (const ThpTables variant : {ThpTables::base, ThpTables::present, ThpTables::none}) {
    expect_rejected(thp_tables(variant), set, "a variant with the race");
  }
}

TEST(Z3Check, RejectsAllThatAnUnsafeModelReaches) {
  if (testing::sanitized) GTEST_SKIP() << "the release run does this";
  EXPECT_THAT(failing(small_flush(true), projected_views(small_flush(true), 3)), ElementsAre("safety"));
}

TEST(Z3Check, PicturesRespectTheCpusOfALine) {
  const ViewSet set = proved_views(room_for_two(2));
  EXPECT_THAT(failing(room_for_two(2), set), ElementsAre());
  EXPECT_THAT(failing(room_for_two(3), set), ElementsAre("interference"));
  EXPECT_THAT(failing(room_for_two(2), proved_views(room_for_two(1))), ElementsAre("initial"));
}

TEST(Z3Check, SeesViolationsThatTakeMoreCpusThanAView) {
  for (const int too_many : {2, 3, 4}) {
    for (const bool as_invariant : {false, true}) {
      const step::Program program = crowd(too_many, as_invariant);
      EXPECT_THAT(failing(program, projected_views(program, 2)), ElementsAre("safety")) << too_many << as_invariant;
    }
  }
}

TEST(Z3Check, AsksFiveThings) {
  const step::Program program = small_flush();
  const std::vector<Query> all = queries(program, proved_views(program));
  std::vector<std::string> names;
  for (const Query& query : all) names.push_back(query.name);
  EXPECT_THAT(names, ElementsAre("initial", "symmetry", "safety", "own_step", "interference"));
}

TEST(Z3Check, JudgesViewsOfThree) {
  for (const step::Program& program : {room_for_two(2), small_flush()}) {
    const ViewSet set = proved_views(program, 3);
    expect_accepted(program, set);
    for (std::size_t v = 0; v < set.views.size(); v += 1 + set.views.size() / 5)
      expect_rejected(program, without(set, v), std::to_string(v));
    if (testing::sanitized) return;  // minutes for the rest
  }
  expect_accepted(thp_tables(ThpTables::unstable), proved_views(thp_tables(ThpTables::unstable), 3));
}

TEST(Z3Check, AgreesWithTheOwnJudgeOnSetsWithHoles) {
  const step::Program program = small_flush();
  const ViewSet set = proved_views(program);
  std::mt19937 random(5);
  for (std::size_t n = 0; n < testing::some_of(30); ++n) {
    ViewSet some = set;
    for (int holes = 1 + static_cast<int>(random() % 3); holes > 0; --holes)
      some = without(some, random() % some.views.size());
    EXPECT_EQ(own_check(program, some).accepted, z3_check(program, some).accepted) << n;
  }
}

TEST(Z3Check, TheTextDependsOnTheSetOnly) {
  const step::Program program = testing::sanitized ? small_flush() : thp_tables(ThpTables::unstable);
  const ViewSet set = proved_views(program);
  const std::vector<Query> one = queries(program, set);
  const std::vector<Query> other = queries(program, shuffled(program, set, 11));
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t n = 0; n < one.size(); ++n) EXPECT_TRUE(one[n].text == other[n].text) << one[n].name;
}

TEST(Z3Check, RunsOutOfTime) {
  const step::Program program = thp_tables(ThpTables::unstable);
  const Judgement judgement = z3_check(program, proved_views(program), {1e-6});
  EXPECT_FALSE(judgement.accepted);
}

}  // namespace
}  // namespace faultline::check
