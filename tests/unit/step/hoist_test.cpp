// Guards first, and every step as before.
#include "step/hoist.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "step/load.hpp"
#include "step/wellformed.hpp"
#include "tests/support/random_program.hpp"
#include "tests/support/states.hpp"

namespace faultline::step {
namespace {

bool guards_lead(const Program& program) {
  return std::all_of(program.commands.begin(), program.commands.end(), [](const Command& c) {
    return std::is_partitioned(c.ops.begin(), c.ops.end(), [](const Op& op) { return is_guard(op.code); });
  });
}

std::multiset<std::pair<std::uint32_t, std::string>> steps(const Program& program,
                                                           const std::vector<testing::Successor>& successors) {
  std::multiset<std::pair<std::uint32_t, std::string>> result;
  for (const testing::Successor& s : successors) {
    const bool violation = s.command != 0xffffffff && program.commands[s.command].violation;
    result.emplace(s.command, violation ? "violation" : testing::plain_form(program, s.state));
  }
  return result;
}

// Every step of the first `limit` reachable states.
void same_steps(const Program& before, const Program& after, std::uint32_t cpus, std::size_t limit) {
  std::vector<State> work = {initial_state(before, cpus_per_line(before, cpus))};
  std::set<std::string> seen = {testing::plain_form(before, work.front())};
  for (std::size_t i = 0; i < std::min(work.size(), limit); ++i) {
    const State state = work[i];
    const auto successors = testing::successors(before, state);
    ASSERT_EQ(steps(before, successors), steps(after, testing::successors(after, state)));
    for (const testing::Successor& s : successors) {
      if (s.command != 0xffffffff && before.commands[s.command].violation) continue;
      if (seen.insert(testing::plain_form(before, s.state)).second) work.push_back(s.state);
    }
  }
}

TEST(GuardsFirst, Models) {
  int moved = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(FAULTLINE_SOURCE_DIR "/models")) {
    if (file.path().extension() != ".fl") continue;
    for (const Variant& variant : load(file.path()).variants) {
      const Program after = guards_first(variant.program);
      EXPECT_TRUE(guards_lead(after));
      EXPECT_EQ(malformed(after), "");
      if (!guards_lead(variant.program)) ++moved;
      same_steps(variant.program, after, 2, 300);
    }
  }
  EXPECT_GE(moved, 8);
}

TEST(GuardsFirst, RandomPrograms) {
  int compared = 0, outside = 0, moved = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    testing::RandomShape shape;
    shape.several_lines = seed % 2 == 0;
    const Program before = testing::random_program(seed, shape);
    try {
      const Program after = guards_first(before);
      EXPECT_TRUE(guards_lead(after)) << seed;
      EXPECT_EQ(malformed(after), "") << seed;
      if (!guards_lead(before)) ++moved;
      same_steps(before, after, 2, 200);
      if (HasFailure()) FAIL() << "seed " << seed;
      ++compared;
    } catch (const std::domain_error&) {
      ++outside;
    }
  }
  std::cout << compared << " compared, " << moved << " with guards moved, " << outside << " outside\n";
  EXPECT_GT(compared, 100);
  EXPECT_GT(moved, 30);
}

}  // namespace
}  // namespace faultline::step
