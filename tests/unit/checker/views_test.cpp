// The view engine on the reference models: what it proves, what it must not prove, and that nothing reachable is
// missing.
#include "checker/views.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/programs.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/states.hpp"

namespace faultline::check {
namespace {

using testing::pmd_race;
using testing::thp_tables;
using testing::ThpTables;

ViewsResult run(const step::Program& program, std::uint32_t k = 2) {
  ViewsOptions options;
  options.k = k;
  return views(program, options);
}

TEST(Views, ThpTablesProved) {
  const step::Program program = thp_tables(ThpTables::unstable);
  const ViewsResult two = run(program);
  EXPECT_TRUE(two.proved) << two.reason;
  EXPECT_EQ(two.set.views.size(), 2172U);
  const ViewsResult three = run(program, 3);
  EXPECT_TRUE(three.proved) << three.reason;
  EXPECT_EQ(three.set.views.size(), 12418U);
  EXPECT_FALSE(run(program, 1).proved);
}

TEST(Views, ThpTablesUnsafeVariantsAreNotProved) {
  for (const ThpTables variant : {ThpTables::base, ThpTables::present, ThpTables::none}) {
    for (const std::uint32_t k : {1U, 2U, 3U}) {
      const ViewsResult result = run(thp_tables(variant), k);
      EXPECT_FALSE(result.proved);
      EXPECT_NE(result.reason, "");
    }
  }
}

TEST(Views, ThpTablesMutantsAreNotProved) {
  for (const int mutant : {1, 2, 3, 4, 5, 7, 8, 9}) {
    for (const std::uint32_t k : {2U, 3U})
      EXPECT_FALSE(run(thp_tables(ThpTables::unstable, mutant), k).proved) << mutant;
  }
}

TEST(Views, PmdRace) {
  for (const int version : {0, 1, 2}) {
    for (const std::uint32_t k : {1U, 2U, 3U}) {
      EXPECT_TRUE(run(pmd_race({version, true, true, 0}), k).proved) << version;
      EXPECT_TRUE(run(pmd_race({version, false, false, 0}), k).proved) << version;
      EXPECT_FALSE(run(pmd_race({version, false, true, 0}), k).proved) << version;
    }
  }
  for (const int bad : {1, 2, 3}) EXPECT_FALSE(run(pmd_race({2, true, true, bad})).proved) << bad;
}

// Every k CPUs of every state that N CPUs reach look like a view.
void nothing_missing(const step::Program& program, std::uint32_t k, std::uint32_t cpus, bool all_concrete = false) {
  const ViewsResult result = run(program, k);
  ASSERT_TRUE(result.proved) << result.reason;
  std::set<testing::Form> views;
  for (const step::State& view : result.set.views) EXPECT_TRUE(views.insert(testing::form(program, view)).second);
  std::set<testing::Form> concrete;
  testing::for_each_reachable(program, cpus, [&](const step::State& state) {
    testing::for_each_subset(state, k, [&](const step::State& part) {
      const testing::Form form = testing::form(program, part);
      concrete.insert(form);
      ASSERT_TRUE(views.contains(form));
    });
  });
  EXPECT_GT(concrete.size(), 0U);
  if (all_concrete) {
    EXPECT_EQ(concrete.size(), views.size());
  }
}

TEST(Views, NothingReachableIsMissing) {
  nothing_missing(pmd_race({}), 2, 2);
  nothing_missing(thp_tables(ThpTables::unstable), 2, 3);
  if (testing::sanitized) return;
  nothing_missing(thp_tables(ThpTables::unstable), 3, 3);
  nothing_missing(pmd_race({}), 3, 2);
}

TEST(Views, ExactOnThpTables) {
  if (testing::sanitized) GTEST_SKIP() << "half a minute beside sanitizers";
  nothing_missing(thp_tables(ThpTables::unstable), 2, 4, true);
}

TEST(Views, LinesHaveTheirCpus) {
  const step::Program program = pmd_race({});
  for (const step::State& view : run(program, 3).set.views) {
    std::vector<std::uint32_t> count(program.lines.size());
    for (std::size_t i = 0; i < view.cpus; ++i) ++count[program.locations[view.cpu[i].pc].line];
    for (std::size_t l = 1; l < count.size(); ++l) EXPECT_LE(count[l], 1U);
  }
}

TEST(Views, FiredIsWhatSomeNumberOfCpusRuns) {
  const step::Program program = thp_tables(ThpTables::unstable);
  const ViewsResult result = run(program);
  for (std::size_t c = 0; c < program.commands.size(); ++c) {
    if (program.commands[c].violation) {
      EXPECT_FALSE(result.fired[c]) << c;
    }
  }
  std::size_t fired = 0;
  for (const bool f : result.fired) fired += f ? 1 : 0;
  EXPECT_GT(fired, 50U);
}

TEST(Views, LimitsAreNotProofs) {
  ViewsOptions options;
  options.max_views = 100;
  const ViewsResult few = views(thp_tables(ThpTables::unstable), options);
  EXPECT_FALSE(few.proved);
  EXPECT_EQ(few.reason, "more than 100 views");
  options = {};
  options.limits.memory_bytes = 1;
  EXPECT_EQ(views(thp_tables(ThpTables::unstable), options).reason, "memory limit");
  EXPECT_FALSE(run(thp_tables(ThpTables::unstable), 0).proved);
}

}  // namespace
}  // namespace faultline::check
