// Any number of threads gives the states that one gives, with the same numbers, and sees the same in them.
#include "checker/search/crew.hpp"

#include <gtest/gtest.h>

#include <string>

#include "checker/explicit.hpp"
#include "step/load.hpp"
#include "tests/support/programs.hpp"

namespace faultline::check::search {
namespace {

using testing::pmd_race;

step::Program thp_fault(const std::string& variant) {
  step::Loaded loaded = step::load(FAULTLINE_SOURCE_DIR "/models/thp/thp_fault.fl", {variant});
  return std::move(loaded.variants.at(0).program);
}

struct Walk {
  std::vector<std::uint64_t> words;  // of all states, in order
  StateSet::Index size = 0;
  std::vector<StateSet::Index> levels;
  std::vector<std::uint32_t> groups;
  std::vector<Byte> fired;
  std::uint64_t transitions = 0;
  bool ended = true;
  friend bool operator==(const Walk&, const Walk&) = default;
};

// Small chunks, so that all threads have something to do from the first levels on.
Walk walk(const step::Program& program, std::uint32_t cpus, unsigned threads, StateSet::Index most = StateSet::none) {
  Crew crew({program, step::cpus_per_line(program, cpus), Merge::cpus, true, threads, 3, 0});
  StateSet states(crew.closed().words());
  std::vector<std::uint64_t> key(crew.closed().words());
  crew.closed().encode(crew.closed().initial().data(), key.data());
  states.insert(key.data());
  Walk result;
  result.levels = {0, 1};
  const auto may_go_on = [&](std::size_t more) { return states.size() + more <= most; };
  for (std::uint32_t level = 0; result.ended && result.levels[level] < result.levels[level + 1]; ++level) {
    result.ended = crew.expand(states, result.levels[level], result.levels[level + 1], level, false, may_go_on);
    result.levels.push_back(states.size());
  }
  result.size = states.size();
  for (StateSet::Index i = 0; i < states.size(); ++i)
    result.words.insert(result.words.end(), states[i], states[i] + key.size());
  result.groups = crew.seen().groups.steps;
  result.fired = crew.seen().fired;
  result.transitions = crew.seen().transitions;
  return result;
}

void expect_same(const step::Program& program, std::uint32_t cpus, StateSet::Index most = StateSet::none) {
  const Walk one = walk(program, cpus, 1, most);
  EXPECT_GT(one.size, 50U);
  EXPECT_EQ(one.ended, most == StateSet::none);
  for (const unsigned threads : {2U, 3U, 8U}) EXPECT_TRUE(walk(program, cpus, threads, most) == one) << threads;
}

TEST(Crew, ThreadsDoNotMatter) {
  expect_same(pmd_race({}), 3);
  expect_same(thp_fault("unstable"), 2);
  expect_same(thp_fault("base"), 2);  // goes on past violations
}

TEST(Crew, NorDoTheyAtALimit) {
  expect_same(pmd_race({}), 3, 1'000);
  expect_same(thp_fault("unstable"), 2, 1'500);
}

// What is thrown in a level comes out of it, and the same level can be looked at again.
TEST(Crew, ALevelThatEndedEarlyCanBeLookedAtAgain) {
  const step::Program program = pmd_race({});
  const std::vector<std::uint32_t> lines = step::cpus_per_line(program, 3);
  for (const unsigned threads : {1U, 3U}) {
    Crew crew({program, lines, Merge::cpus, true, threads, 3, 0});
    StateSet states(crew.closed().words());
    std::vector<std::uint64_t> key(crew.closed().words());
    crew.closed().encode(crew.closed().initial().data(), key.data());
    states.insert(key.data());
    std::vector<StateSet::Index> levels = {0, 1};
    for (std::uint32_t level = 0; levels[level] < levels[level + 1]; ++level) {
      int asked = 0;
      const auto throws = [&](std::size_t) -> bool {
        if (++asked == 3) throw OverLimit("memory limit");
        return true;
      };
      const bool few = (levels[level + 1] - levels[level] + 2) / 3 < 3;
      if (few)
        EXPECT_TRUE(crew.expand(states, levels[level], levels[level + 1], level, false, throws));
      else
        EXPECT_THROW((void)crew.expand(states, levels[level], levels[level + 1], level, false, throws), OverLimit);
      EXPECT_TRUE(
          crew.expand(states, levels[level], levels[level + 1], level, false, [](std::size_t) { return true; }));
      levels.push_back(states.size());
    }
    const Walk whole = walk(program, 3, 1);
    EXPECT_EQ(levels, whole.levels);
    for (StateSet::Index i = 0; i < states.size(); ++i)
      ASSERT_TRUE(std::equal(states[i], states[i] + key.size(), &whole.words[i * key.size()])) << i;
  }
}

TEST(Crew, ExploreSaysTheSame) {
  for (const char* variant : {"base", "unstable"}) {
    const step::Program program = thp_fault(variant);
    ExplicitOptions options;
    options.cpus = 3;
    options.limits.threads = 1;
    const ExplicitResult one = explore(program, options);
    options.limits.threads = 4;
    const ExplicitResult four = explore(program, options);
    EXPECT_EQ(one.states, four.states);
    EXPECT_EQ(one.transitions, four.transitions);
    EXPECT_EQ(one.depth, four.depth);
    EXPECT_EQ(one.within, four.within);
    EXPECT_EQ(one.covered, four.covered);
    ASSERT_EQ(one.violations.size(), four.violations.size());
    for (std::size_t v = 0; v < one.violations.size(); ++v) {
      ASSERT_EQ(one.violations[v].steps.size(), four.violations[v].steps.size());
      EXPECT_EQ(one.violations[v].violation.message, four.violations[v].violation.message);
    }
  }
}

}  // namespace
}  // namespace faultline::check::search
