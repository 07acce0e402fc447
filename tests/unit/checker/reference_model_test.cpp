// models/reference/pmd_race.fl against the numbers of other model checkers. For B_v2f they were counted by Spin
// (-DNOREDUCE), Rumur without and with symmetry, and a program written for the purpose; for the other variants by that
// program and, where it says so, by Rumur. tests/differential/reference runs Spin and Rumur anew.
#include <gtest/gtest.h>

#include <stdexcept>

#include "checker/explicit.hpp"
#include "checker/views.hpp"
#include "step/load.hpp"

namespace faultline::check {
namespace {

const step::Program& variant(const std::string& name) {
  static const step::Loaded loaded = step::load(FAULTLINE_SOURCE_DIR "/models/reference/pmd_race.fl");
  for (const step::Variant& v : loaded.variants) {
    if (v.name != name) continue;
    EXPECT_FALSE(v.diagnostics.has_errors());
    return v.program;
  }
  throw std::invalid_argument("no variant " + name);
}

ExplicitResult search(const std::string& name, std::uint32_t cpus, bool reduction, bool all_kinds = false) {
  ExplicitOptions options;
  options.cpus = cpus;
  options.reduction = reduction;
  options.all_kinds = all_kinds;
  return explore(variant(name), options);
}

struct Count {
  std::uint64_t states = 0, transitions = 0;
};

void expect_plain(const std::string& name, const std::vector<Count>& counts) {
  for (std::uint32_t n = 1; n <= counts.size(); ++n) {
    const ExplicitResult result = search(name, n, false);
    EXPECT_TRUE(result.complete) << result.reason;
    EXPECT_TRUE(result.violations.empty()) << name;
    EXPECT_EQ(result.states, counts[n - 1].states) << name << ' ' << n;
    EXPECT_EQ(result.transitions, counts[n - 1].transitions) << name << ' ' << n;
  }
}

TEST(ReferenceModel, PlainCounts) {
  expect_plain("B_v2f", {{1440, 5073}, {12825, 56466}, {116358, 613017}});
  expect_plain("B_v1f", {{1440, 5073}, {12825, 56466}, {116358, 613017}});
  expect_plain("B_v0f", {{1350, 4697}, {10305, 44852}, {82389, 429392}});
}

// The CPU of MADV_DONTNEED goes round an empty step in A: one transition more for each state than the tools that leave
// the process out.
TEST(ReferenceModel, PlainCountsWithoutZap) {
  const std::vector<Count> v0 = {{325, 836}, {2257, 7820}, {18262, 79424}};
  const std::vector<Count> v1 = {{342, 901}, {2848, 10004}, {26401, 115663}};
  for (const auto& [name, counts] : {std::pair{"A_v0", v0}, {"A_v1", v1}, {"A_v2", v1}}) {
    std::vector<Count> with_step = counts;
    for (Count& count : with_step) count.transitions += count.states;
    expect_plain(name, with_step);
  }
}

TEST(ReferenceModel, Orbits) {
  const std::uint64_t orbits[] = {1440, 7068, 25635, 76359, 197817, 461241};
  const std::uint32_t levels[] = {27, 33, 39, 45, 51, 57};
  for (std::uint32_t n = 1; n <= 6; ++n) {
    const ExplicitResult result = search("B_v2f", n, true);
    EXPECT_TRUE(result.complete) << result.reason;
    EXPECT_EQ(result.states, orbits[n - 1]) << n;
    EXPECT_EQ(result.depth + 1, levels[n - 1]) << n;
    if (n == 5) {
      EXPECT_EQ(result.transitions, 1'396'910U);
    }
    if (n == 6) {
      EXPECT_EQ(result.transitions, 3'669'137U);
    }
  }
}

TEST(ReferenceModel, ShortestTraces) {
  const struct {
    const char* variant;
    std::size_t steps;
    const char* message;
  } cases[] = {{"B_v0", 18, "pte_offset_map() on a pmd that is not a page table"},
               {"B_v1", 14, "pte_offset_map() on a pmd that is not a page table"},
               {"B_v2", 14, "pte_offset_map() on a pmd that is not a page table"},
               {"B_bad1", 11, "a populated pmd is overwritten"},
               {"B_bad2", 8, "pte_offset_map() on a pmd that is not a page table"},
               {"B_bad3", 12, "pte_offset_map() on a pmd that is not a page table"}};
  for (const auto& c : cases) {
    for (const std::uint32_t n : {1U, 2U}) {
      for (const bool reduction : {true, false}) {
        const ExplicitResult result = search(c.variant, n, reduction);
        ASSERT_EQ(result.violations.size(), 1U) << c.variant;
        EXPECT_EQ(result.violations[0].violation.kind, step::Kind::assertion);
        EXPECT_EQ(result.violations[0].violation.message, c.message);
        EXPECT_EQ(result.violations[0].steps.size(), c.steps) << c.variant;
      }
    }
  }
}

// `expect … violates assert` says that nothing else is violated either.
TEST(ReferenceModel, NothingButAssertions) {
  for (const char* name : {"base", "B_v0", "B_v1", "B_v2", "B_bad1", "B_bad2", "B_bad3"}) {
    const ExplicitResult result = search(name, 2, true, true);
    EXPECT_TRUE(result.complete) << result.reason;
    ASSERT_EQ(result.violations.size(), 1U) << name;
    EXPECT_EQ(result.violations[0].violation.kind, step::Kind::assertion);
  }
}

TEST(ReferenceModel, SafeForAnyNumber) {
  for (const char* name : {"A_v0", "A_v1", "A_v2", "B_v0f", "B_v1f", "B_v2f"}) {
    ViewsOptions options;
    options.k = 2;
    const ViewsResult result = views(variant(name), options);
    EXPECT_TRUE(result.proved) << name << ' ' << result.reason;
  }
}

TEST(ReferenceModel, BrokenOnesAreNotProved) {
  for (const char* name : {"base", "B_v0", "B_v1", "B_v2", "B_bad1", "B_bad2", "B_bad3"}) {
    EXPECT_FALSE(views(variant(name), {}).proved) << name;
  }
}

}  // namespace
}  // namespace faultline::check
