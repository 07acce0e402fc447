// State counts and lengths of shortest traces that independent tools found for the two reference models.
#include <gtest/gtest.h>

#include <string>

#include "checker/explicit.hpp"
#include "step/load.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/states.hpp"

namespace faultline::check {
namespace {

using testing::pmd_race;
using testing::thp_tables;
using testing::ThpTables;

ExplicitResult search(const step::Program& program, std::uint32_t cpus, bool reduction = true) {
  ExplicitOptions options;
  options.cpus = cpus;
  options.reduction = reduction;
  return explore(program, options);
}

TEST(ExplicitCounts, PmdRaceOrbits) {
  const step::Program program = pmd_race({});
  const std::uint64_t orbits[] = {1440, 7068, 25635, 76359, 197817, 461241};
  const std::uint32_t depths[] = {27, 33, 39, 45, 51, 57};
  for (std::uint32_t n = 1; n <= 6; ++n) {
    const ExplicitResult result = search(program, n);
    EXPECT_TRUE(result.complete) << result.reason;
    EXPECT_TRUE(result.violations.empty());
    EXPECT_EQ(result.states, orbits[n - 1]) << n;
    EXPECT_EQ(result.depth + 1, depths[n - 1]) << n;
    if (n == 5) {
      EXPECT_EQ(result.transitions, 1'396'910U);
    }
    if (n == 6) {
      EXPECT_EQ(result.transitions, 3'669'137U);
    }
  }
}

TEST(ExplicitCounts, PmdRacePlain) {
  const step::Program program = pmd_race({});
  const std::uint64_t states[] = {1440, 12825, 116358}, transitions[] = {5073, 56466, 613017};
  for (std::uint32_t n = 1; n <= 3; ++n) {
    const ExplicitResult result = search(program, n, false);
    EXPECT_EQ(result.states, states[n - 1]) << n;
    EXPECT_EQ(result.transitions, transitions[n - 1]) << n;
    ASSERT_EQ(result.within.size(), result.depth + 1) << n;
    EXPECT_EQ(result.within.front(), 1U) << n;
    EXPECT_EQ(result.within.back(), states[n - 1]) << n;
  }
}

// Plain states keep CPUs apart and name objects from a pool.
TEST(ExplicitCounts, PlainStatesOfModels) {
  int compared = 0;
  for (const char* name : {"thp_fault", "thp_fault_munmap", "khugepaged_collapse"}) {
    const step::Loaded loaded = step::load(std::string(FAULTLINE_SOURCE_DIR "/models/thp/") + name + ".fl");
    for (const step::Variant& variant : loaded.variants) {
      ExplicitOptions options;
      options.cpus = 1;
      options.reduction = false;
      options.all_kinds = true;
      EXPECT_EQ(explore(variant.program, options).states, testing::pool_states(variant.program, 1, 10'000'000))
          << name << ' ' << variant.name;
      ++compared;
    }
  }
  EXPECT_GE(compared, 11);
}

TEST(ExplicitCounts, PmdRaceShortestTraces) {
  const struct {
    testing::PmdRace which;
    std::size_t steps;
  } cases[] = {{{0, false, true, 0}, 18}, {{1, false, true, 0}, 14}, {{2, false, true, 0}, 14},
               {{2, true, true, 1}, 11},  {{2, true, true, 2}, 8},   {{2, true, true, 3}, 12}};
  for (const auto& c : cases) {
    for (const std::uint32_t n : {1U, 2U, 3U}) {
      for (const bool reduction : {true, false}) {
        const ExplicitResult result = search(pmd_race(c.which), n, reduction);
        ASSERT_EQ(result.violations.size(), 1U);
        EXPECT_EQ(result.violations[0].violation.kind, step::Kind::assertion);
        EXPECT_EQ(result.violations[0].steps.size(), c.steps) << c.which.version << ' ' << c.which.bad;
        EXPECT_EQ(result.depth, c.steps);
      }
    }
  }
}

TEST(ExplicitCounts, PmdRaceSafeVersions) {
  for (const testing::PmdRace& which : {testing::PmdRace{0, false, false, 0},
                                        {1, false, false, 0},
                                        {2, false, false, 0},
                                        {0, true, true, 0},
                                        {1, true, true, 0},
                                        {2, true, true, 0}}) {
    const ExplicitResult result = search(pmd_race(which), 3);
    EXPECT_TRUE(result.complete);
    EXPECT_TRUE(result.violations.empty());
  }
}

TEST(ExplicitCounts, ThpTables) {
  const step::Program safe = thp_tables(ThpTables::unstable);
  const std::uint64_t states[] = {53, 641, 4430, 23376};
  for (std::uint32_t n = 1; n <= 4; ++n) {
    const ExplicitResult result = search(safe, n);
    EXPECT_TRUE(result.complete) << result.reason;
    EXPECT_TRUE(result.violations.empty());
    EXPECT_EQ(result.states, states[n - 1]) << n;
  }
  const std::size_t steps[] = {18, 14, 14};
  for (const ThpTables variant : {ThpTables::base, ThpTables::present, ThpTables::none}) {
    EXPECT_TRUE(search(thp_tables(variant), 1).violations.empty());
    for (const bool reduction : {true, false}) {
      const ExplicitResult result = search(thp_tables(variant), 2, reduction);
      ASSERT_EQ(result.violations.size(), 1U);
      EXPECT_EQ(result.violations[0].steps.size(), steps[static_cast<std::size_t>(variant)]);
      EXPECT_EQ(result.violations[0].violation.message, "not a page table");
    }
  }
}

TEST(ExplicitCounts, ThpTablesMutants) {
  const struct {
    int mutant;
    std::uint32_t cpus;
    std::size_t steps;
  } cases[] = {{1, 1, 13}, {2, 1, 11}, {3, 2, 12}, {4, 2, 15}, {5, 1, 15}, {7, 2, 9}, {8, 2, 12}, {9, 2, 14}};
  for (const auto& c : cases) {
    const step::Program program = thp_tables(ThpTables::unstable, c.mutant);
    if (c.cpus == 2) {
      EXPECT_TRUE(search(program, 1).violations.empty()) << c.mutant;
    }
    const ExplicitResult result = search(program, c.cpus);
    ASSERT_EQ(result.violations.size(), 1U) << c.mutant;
    EXPECT_EQ(result.violations[0].steps.size(), c.steps) << c.mutant;
  }
}

}  // namespace
}  // namespace faultline::check
