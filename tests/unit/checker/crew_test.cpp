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

// A crew with small chunks, whose threads all have something to do from the second level on, and the initial state.
struct Search {
  Search(const step::Program& program, std::uint32_t cpus, unsigned threads)
      : crew({program, step::cpus_per_line(program, cpus), Merge::cpus, true, threads, 3}),
        states(crew.closed().words()) {
    std::vector<std::uint64_t> key(crew.closed().words());
    crew.closed().encode(crew.closed().initial().data(), key.data());
    states.insert(key.data());
  }
  [[nodiscard]] bool more() const { return levels[levels.size() - 2] < levels.back(); }
  bool expand(const Crew::MayGoOn& may_go_on) {
    const auto level = static_cast<std::uint32_t>(levels.size() - 2);
    return crew.expand(states, levels[level], levels[level + 1], level, false, may_go_on);
  }
  [[nodiscard]] std::vector<std::uint64_t> words() const {  // of all states, in order
    std::vector<std::uint64_t> all;
    for (StateSet::Index i = 0; i < states.size(); ++i) all.insert(all.end(), states[i], states[i] + states.words());
    return all;
  }

  Crew crew;
  StateSet states;
  std::vector<StateSet::Index> levels = {0, 1};
};

struct Walk {
  std::vector<std::uint64_t> words;
  std::vector<StateSet::Index> levels;
  std::vector<std::uint32_t> groups;
  std::vector<Byte> fired;
  std::uint64_t transitions = 0;
  bool ended = true;
  friend bool operator==(const Walk&, const Walk&) = default;
};

Walk walk(const step::Program& program, std::uint32_t cpus, unsigned threads, StateSet::Index most = StateSet::none) {
  Search search(program, cpus, threads);
  Walk result;
  while (result.ended && search.more()) {
    result.ended = search.expand([&](std::size_t more) { return search.states.size() + more <= most; });
    search.levels.push_back(search.states.size());
  }
  EXPECT_EQ(search.crew.threads(), threads) << "they all had a part in it";
  result.words = search.words();
  result.levels = search.levels;
  result.groups = search.crew.seen().groups.steps;
  result.fired = search.crew.seen().fired;
  result.transitions = search.crew.seen().transitions;
  return result;
}

void expect_same(const step::Program& program, std::uint32_t cpus, StateSet::Index most = StateSet::none) {
  const Walk one = walk(program, cpus, 1, most);
  EXPECT_GT(one.levels.back(), 50U);
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
  const Walk whole = walk(program, 3, 1);
  for (const unsigned threads : {1U, 3U}) {
    Search search(program, 3, threads);
    int thrown = 0;
    while (search.more()) {
      int asked = 0;
      try {
        (void)search.expand([&](std::size_t) -> bool {
          if (++asked == 3) throw OverLimit("memory limit");
          return true;
        });
        EXPECT_LT(asked, 3);
      } catch (const OverLimit&) {
        ++thrown;
      }
      EXPECT_TRUE(search.expand([](std::size_t) { return true; }));
      search.levels.push_back(search.states.size());
    }
    EXPECT_GT(thrown, 10);
    EXPECT_EQ(search.levels, whole.levels);
    EXPECT_EQ(search.words(), whole.words);
  }
}

// CPUs take `handles` objects each, one CPU after the other, and keep them.
step::Program hoard(std::size_t cpus, std::size_t handles) {
  testing::ProgramBuilder b("hoard", "base");
  const step::Id turn = b.global("turn", 15);
  const step::Id thing = b.type("thing");
  std::vector<step::Id> of;
  for (std::size_t h = 0; h < handles; ++h) of.push_back(b.handle("h" + std::to_string(h), thing));
  for (std::size_t i = 0; i < cpus; ++i) {
    const std::string name = "cpu" + std::to_string(i);
    const step::Id line = b.line(name, 1);
    auto take = b.command(b.idle(line), b.at(line, b.handler(name)), "take");
    take.assume(b.global_is(turn, static_cast<int>(i))).set_global(turn, static_cast<int>(i) + 1);
    for (const step::Id handle : of) take.fresh(handle);
  }
  return b.finish();
}

// 63 objects have names. One more is no proof, and no endless search either.
TEST(Crew, TooManyObjectsIsNoProof) {
  for (const bool reduction : {true, false}) {
    for (const unsigned threads : {1U, 2U}) {
      ExplicitOptions options;
      options.deadlock = false;
      options.reduction = reduction;
      options.worth_a_thread = 0;
      options.limits.threads = threads;
      const ExplicitResult all = explore(hoard(9, 7), options);
      EXPECT_TRUE(all.complete) << all.reason;
      EXPECT_EQ(all.states, 10U);
      const ExplicitResult more = explore(hoard(8, 8), options);
      EXPECT_FALSE(more.complete);
      EXPECT_EQ(more.reason, "more than 63 objects in one state");
      EXPECT_EQ(more.states, 8U);
    }
  }
}

TEST(Crew, ExploreSaysTheSame) {
  for (const char* variant : {"base", "unstable"}) {
    const step::Program program = thp_fault(variant);
    ExplicitOptions options;
    options.cpus = 3;
    options.worth_a_thread = 0;
    options.limits.threads = 1;
    const ExplicitResult one = explore(program, options);
    options.limits.threads = 4;
    const ExplicitResult four = explore(program, options);
    EXPECT_EQ(one.complete, four.complete);
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
