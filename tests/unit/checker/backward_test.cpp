// Backward coverability: what it proves and finds, within views that prove nothing by themselves and within none at
// all.
#include "checker/backward.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "checker/coverability/judge.hpp"
#include "checker/engine.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/random_program.hpp"
#include "tests/support/replaying.hpp"
#include "tests/support/sanitized.hpp"

namespace faultline::check {
namespace {

const std::uint64_t random_programs = testing::sanitized ? 40 : 150;

using step::Id;
using step::Kind;
using testing::pmd_race;
using testing::PmdRace;
using testing::ProgramBuilder;
using testing::thp_tables;
using testing::ThpTables;

ViewSet around(const step::Program& program, std::uint32_t k) {
  ViewsOptions options;
  options.k = k;
  options.all = true;
  ViewsResult result = views(program, options);
  EXPECT_TRUE(result.closed) << result.reason;
  return result.set;
}

// Every state of one CPU that the declarations allow: nothing is pruned. For programs without objects.
ViewSet everything(const step::Program& program) {
  ViewSet set;
  set.k = 1;
  for (step::Id pc = 0; pc < program.locations.size(); ++pc) {
    step::State state;
    state.cpus = 1;
    state.cpu[0].pc = pc;
    const std::size_t globals = program.globals.size(), slots = globals + program.locals.size();
    for (std::size_t slot = 0; slot < slots;) {
      set.views.push_back(state);
      for (slot = 0; slot < slots; ++slot) {  // the next one, as a number with these digits
        const bool global = slot < globals;
        std::uint8_t& digit = global ? state.globals[slot] : state.cpu[0].locals[slot - globals];
        const std::uint8_t max = global ? program.globals[slot].max : program.locals[slot - globals].max;
        digit = digit == max ? std::uint8_t{0} : static_cast<std::uint8_t>(digit + 1);
        if (digit != 0) break;
      }
    }
  }
  return set;
}

void expect_violated(const step::Program& program, const BackwardResult& result, std::size_t steps) {
  ASSERT_TRUE(result.example) << result.reason;
  EXPECT_FALSE(result.proved);
  EXPECT_EQ(result.example->steps.size(), steps);
  EXPECT_EQ(testing::replay(program, *result.example), "");
}

TEST(Backward, PmdRaceWithoutPruning) {
  if (testing::sanitized) GTEST_SKIP() << "a minute beside sanitizers; the next test goes the same ways";
  for (const int version : std::getenv("FAULTLINE_FULL") != nullptr ? std::vector{0, 1, 2} : std::vector{2}) {
    const step::Program safe = pmd_race({version, true, true, 0});
    const BackwardResult result = backward(safe, everything(safe), {});
    EXPECT_TRUE(result.proved) << result.reason;
    EXPECT_GT(result.pictures, 100U);
    const step::Program unsafe = pmd_race({version, false, true, 0});
    expect_violated(unsafe, backward(unsafe, everything(unsafe), {}), version == 0 ? 18 : 14);
  }
}

TEST(Backward, PmdRaceWithinViews) {
  const std::vector<std::pair<PmdRace, std::size_t>> unsafe = {{{0, false, true, 0}, 18}, {{1, false, true, 0}, 14},
                                                               {{2, false, true, 0}, 14}, {{2, true, true, 1}, 11},
                                                               {{2, true, true, 2}, 8},   {{2, true, true, 3}, 12}};
  for (const std::uint32_t k : {1U, 2U}) {
    for (const auto& [which, steps] : unsafe) {
      const step::Program program = pmd_race(which);
      expect_violated(program, backward(program, around(program, k), {}), steps);
    }
    for (const int version : {0, 1, 2}) {
      const step::Program program = pmd_race({version, true, true, 0});
      EXPECT_TRUE(backward(program, around(program, k), {}).proved) << version;
    }
  }
}

TEST(Backward, ThpTablesWithinPairs) {
  const std::vector<std::pair<ThpTables, std::size_t>> unsafe = {
      {ThpTables::base, 18}, {ThpTables::present, 14}, {ThpTables::none, 14}};
  for (const auto& [variant, steps] : unsafe) {
    const step::Program program = thp_tables(variant);
    expect_violated(program, backward(program, around(program, 2), {}), steps);
  }
  for (const int mutant : {1, 2, 3, 4, 5, 7, 8, 9}) {
    const step::Program program = thp_tables(ThpTables::unstable, mutant);
    const BackwardResult result = backward(program, around(program, 2), {});
    ASSERT_TRUE(result.example) << mutant << result.reason;
    EXPECT_EQ(testing::replay(program, *result.example), "");
  }
  const step::Program safe = thp_tables(ThpTables::unstable);
  EXPECT_TRUE(backward(safe, around(safe, 2), {}).proved);
}

// A CPU that raised the flag stays where it is, and whoever sees the flag looks whether anybody is there. That somebody
// must be is no matter of any two CPUs, nor of what can be said backwards.
TEST(Backward, APathThatDoesNotRunIsNoCounterexample) {
  ProgramBuilder b("spurious");
  const Id flag = b.global("flag");
  const Id line = b.line("any", 0);
  const Id handler = b.handler("h");
  const Id raised = b.at(line, handler), alone = b.at(line, handler);
  b.command(b.idle(line), raised, "raise").assume(b.global_is(flag, 0)).set_global(flag, 1);
  b.command(b.idle(line), alone, "look")
      .assume(b.global_is(flag, 1))
      .none(b.op(step::ExprOp::other_pc_in, b.pc_set({raised})));
  b.violation(alone, Kind::assertion, "alone");
  const step::Program program = b.finish();
  for (const std::uint32_t k : {1U, 2U}) {
    const BackwardResult result = backward(program, around(program, k), {});
    EXPECT_FALSE(result.proved);
    EXPECT_FALSE(result.example);
    EXPECT_NE(result.reason.find("does not run with 2 CPUs"), std::string::npos) << result.reason;
  }
}

// Two CPUs of a line would meet; the line has as many as it says.
TEST(Backward, ALineHasItsCpus) {
  for (const int cpus : {1, 2}) {
    ProgramBuilder b("line");
    const Id any = b.line("any", 0), fixed = b.line("fixed", cpus);
    const Id handler = b.handler("h");
    const Id there = b.at(fixed, handler), start = b.at(any, handler);
    b.command(b.idle(any), start, "begin");
    b.command(b.idle(fixed), there, "go");
    b.violation(there, Kind::assertion, "two").some(b.op(step::ExprOp::other_pc_in, b.pc_set({there})));
    const step::Program program = b.finish();
    const BackwardResult result = backward(program, around(program, 1), {});
    EXPECT_EQ(result.proved, cpus == 1);
    if (cpus == 2) expect_violated(program, result, 3);
  }
}

TEST(Backward, ABoundIsNoViolation) {
  ProgramBuilder b("bound");
  const Id line = b.line("any", 0);
  const Id there = b.at(line, b.handler("h"));
  b.command(b.idle(line), there, "go");
  b.violation(there, Kind::bound, "too many");
  const step::Program program = b.finish();
  const BackwardResult result = backward(program, around(program, 1), {});
  EXPECT_FALSE(result.proved);
  EXPECT_FALSE(result.example);
  EXPECT_EQ(result.reason, "a value may leave its declared range");
}

TEST(Backward, LimitsAreNotProofs) {
  const step::Program program = thp_tables(ThpTables::unstable);
  BackwardOptions options;
  options.max_pictures = 200;
  const BackwardResult result = backward(program, around(program, 1), options);
  EXPECT_FALSE(result.proved);
  EXPECT_EQ(result.reason, "more than 200 pictures");
}

// The judge of what prunes: no view may be missing.
TEST(Backward, TheJudgeMissesEveryView) {
  for (const std::uint32_t k : {1U, 2U}) {
    for (const bool objects : {false, true}) {
      const step::Program program =
          objects ? testing::random_program(4, {true, true, false}) : pmd_race({2, false, true, 0});
      const ViewSet set = around(program, k);
      EXPECT_TRUE(coverability::judge_closed(program, set).accepted);
      for (std::size_t v = 0; v < set.views.size(); v += 1 + set.views.size() / 40) {
        ViewSet less = set;
        less.views.erase(less.views.begin() + static_cast<std::ptrdiff_t>(v));
        EXPECT_FALSE(coverability::judge_closed(program, less).accepted) << "view " << v << " of " << k << " CPUs";
      }
    }
  }
}

// Never proved where some number of CPUs violates; and it decides most of them.
TEST(Backward, AgreesWithTheExplicitSearchOnRandomPrograms) {
  const bool all = std::getenv("FAULTLINE_FULL") != nullptr;
  const std::uint64_t last = all ? 6000 : random_programs;
  std::size_t proved = 0, violated = 0;
  for (std::uint64_t seed = 1; seed <= last; ++seed) {
    testing::RandomShape shape;
    shape.objects = seed % 3 != 0;
    shape.awaits = seed % 2 == 0;
    shape.several_lines = seed % 5 == 0;
    const step::Program program = testing::random_program(seed, shape);
    Question any;
    any.limits.seconds = 0.5;
    const Finding finding = ask(*find_engine("backward"), program, any);
    proved += finding.answer == Answer::proved ? 1 : 0;
    violated += finding.answer == Answer::violated ? 1 : 0;
    for (std::uint32_t n = 1; finding.answer == Answer::proved && n <= (all ? 4U : 3U); ++n) {
      Question fixed{n, {}};
      fixed.limits.seconds = 0.5;
      const Finding searched = ask(*find_engine("explicit"), program, fixed);
      EXPECT_EQ(contradiction(any, finding, fixed, searched), "") << "seed " << seed << " with " << n << " CPUs";
      if (searched.answer == Answer::unknown) break;
    }
  }
  EXPECT_GT(proved, last / 2);
  EXPECT_GT(violated, last / 5);
}

}  // namespace
}  // namespace faultline::check
