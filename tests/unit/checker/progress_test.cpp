// Progress for a fixed number of CPUs. Every lasso is replayed by the reference interpreter, which judges fairness
// itself.
#include "checker/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "tests/support/programs.hpp"
#include "tests/support/random_program.hpp"
#include "tests/support/replaying.hpp"
#include "tests/support/states.hpp"

namespace faultline::check {
namespace {

using step::ExprOp;
using step::Id;
using testing::ProgramBuilder;

ProgressResult check_one(const step::Program& program, std::uint32_t cpus) {
  ProgressOptions options;
  options.cpus = cpus;
  const auto results = check_progress(program, options);
  EXPECT_EQ(results.size(), program.progress.size());
  if (results.front().violation) {
    EXPECT_EQ(testing::replay(program, *results.front().violation), "");
  }
  EXPECT_EQ(results.front().answer == Answer::violated, results.front().violation.has_value());
  return results.front();
}

// running(handler) ~> !running(handler)
void add_returns(step::Program& program, Id handler) {
  std::vector<bool> set;
  for (const step::Location& location : program.locations) set.push_back(location.handler == handler);
  program.pc_sets.push_back(set);
  const auto add = [&](step::Expr e) {
    program.exprs.push_back(e);
    return static_cast<step::ExprId>(program.exprs.size() - 1);
  };
  const auto running = add({ExprOp::pc_in, static_cast<step::ExprId>(program.pc_sets.size() - 1), 0, 0, 0});
  program.progress.push_back({"returns", running, add({ExprOp::lnot, running, 0, 0, 0}), {}});
}

TEST(Progress, HandlersOfTheReferenceModelsReturn) {
  for (const std::uint32_t cpus : {1U, 2U}) {
    for (Id handler = 0; handler < 5; ++handler) {
      step::Program program = testing::pmd_race({});
      add_returns(program, handler);
      EXPECT_EQ(check_one(program, cpus).answer, Answer::proved) << handler;
    }
    for (Id handler = 0; handler < 3; ++handler) {
      step::Program program = testing::thp_tables(testing::ThpTables::unstable);
      add_returns(program, handler);
      EXPECT_EQ(check_one(program, cpus + 1).answer, Answer::proved) << handler;
    }
  }
}

TEST(Progress, WithoutStrongFairnessLocksStarve) {
  step::Program program = testing::pmd_race({});
  for (step::Command& command : program.commands) command.may_block = false;
  add_returns(program, 0);
  EXPECT_EQ(check_one(program, 1).answer, Answer::violated);
}

// One CPU spins until another clears a flag.
step::Program spinner(bool other_is_inside) {
  ProgramBuilder b("spinner");
  const Id flag = b.global("flag");
  const Id spins = b.handler("spin"), clears = b.handler("clear");
  const Id one = b.line("one", 1), two = b.line("two", 1);
  const Id spin = b.at(one, spins), last = b.at(two, clears);
  // The spinner starts only once the other is inside, or only when it is not.
  b.command(b.idle(one), spin, "start").assume(b.global_is(flag, other_is_inside ? 1 : 0));
  b.command(spin, b.idle(one), "flag is clear").assume(b.global_is(flag, other_is_inside ? 0 : 1));
  b.command(spin, spin, "flag is set").assume(b.global_is(flag, other_is_inside ? 1 : 0));
  b.command(b.idle(two), last, "set").assume(b.global_is(flag, 0)).set_global(flag, 1);
  b.command(last, b.idle(two), "clear").set_global(flag, 0);
  step::Program program = b.finish();
  add_returns(program, spins);
  return program;
}

TEST(Progress, SpinningWaitsForSomebodyInsideAHandlerOnly) {
  // The other is inside and must go on; but the spinner may look only while the flag is set again: weak fairness lets
  // it.
  const ProgressResult inside = check_one(spinner(true), 1);
  EXPECT_EQ(inside.answer, Answer::violated);
  // Nobody need start a handler.
  const ProgressResult outside = check_one(spinner(false), 1);
  ASSERT_EQ(outside.answer, Answer::violated);
  EXPECT_EQ(outside.violation->loop, 1U);
  EXPECT_EQ(outside.violation->steps.size(), 2U);  // start, and "flag is set" for ever
}

TEST(Progress, NothingNeedHappen) {
  ProgramBuilder b("never");
  const Id flag = b.global("flag");
  const Id line = b.line("cpu", 0);
  b.handler("set");
  b.command(b.idle(line), b.idle(line), "set").assume(b.global_is(flag, 0)).set_global(flag, 1);
  b.command(b.idle(line), b.idle(line), "clear").assume(b.global_is(flag, 1)).set_global(flag, 0);
  b.progress("cleared", b.global_is(flag, 1), b.global_is(flag, 0));
  const ProgressResult result = check_one(b.finish(), 2);
  ASSERT_EQ(result.answer, Answer::violated);
  EXPECT_EQ(result.violation->steps.size(), 1U);
  EXPECT_EQ(result.violation->loop, 1U);
}

// A flush waits for all others; they acknowledge at any time, unless interrupts are off for ever.
step::Program flusher(bool interrupts_off) {
  ProgramBuilder b("flusher");
  const Id kind = b.await("flush", {});
  const Id flushes = b.handler("flush"), works = b.handler("work");
  const Id line = b.line("cpu", 0);
  const Id wait = b.at(line, flushes), a = b.at(line, works), c = b.at(line, works);
  b.command(b.idle(line), wait, "flush").await_others(kind, b.always());
  b.command(wait, b.idle(line), "done").none(b.op(ExprOp::i_await_other, kind)).may_block();
  b.command(b.idle(line), a, "work");
  b.command(a, c, "more");
  b.command(c, a, "and more");
  for (const Id pc : {a, c}) b.location(pc).acknowledges = interrupts_off ? 0 : 0xff;
  step::Program program = b.finish();
  add_returns(program, flushes);
  return program;
}

TEST(Progress, FlushesAreAcknowledged) {
  EXPECT_EQ(check_one(flusher(false), 2).answer, Answer::proved);
  EXPECT_EQ(check_one(flusher(false), 3).answer, Answer::proved);
  EXPECT_EQ(check_one(flusher(true), 2).answer, Answer::violated);
}

// A scheduler that throws dice is fair with probability one, and so is one that after a while starts no more handlers.
// True if q stays due for very long.
bool starves(const step::Program& program, std::uint32_t cpus, std::mt19937_64& random, std::uint64_t start_odds) {
  const step::Progress& progress = program.progress.front();
  step::State state = step::initial_state(program, step::cpus_per_line(program, cpus));
  std::vector<std::size_t> due(state.cpus);  // since so many steps
  for (std::size_t n = 0; n < 4000; ++n) {
    std::size_t longest = 0;
    for (std::size_t me = 0; me < state.cpus; ++me) {
      const bool p = step::evaluate(program, state, me, me, progress.p) != 0;
      const bool q = step::evaluate(program, state, me, me, progress.q) != 0;
      due[me] = !q && (p || due[me] > 0) ? due[me] + 1 : 0;
      longest = std::max(longest, due[me]);
    }
    if (longest > 2000) return true;
    std::vector<step::State> next;
    for (const testing::Successor& successor : testing::successors(program, state)) {
      const bool starts = successor.command != no_command && program.commands[successor.command].starts;
      if (successor.command != no_command && program.commands[successor.command].violation) continue;
      if (starts && (n > 2000 || random() % start_odds != 0)) continue;
      next.push_back(successor.state);
    }
    if (!next.empty()) state = next[random() % next.size()];
  }
  return false;
}

TEST(Progress, RandomPrograms) {
  std::mt19937_64 random(1);
  std::size_t proved = 0, violated = 0;
  const std::uint64_t last = std::getenv("FAULTLINE_FULL") != nullptr ? 3000 : 150;
  for (std::uint64_t seed = 0; seed < last; ++seed) {
    step::Program program = testing::random_program(seed, {seed % 2 == 0, true, seed % 3 == 0});
    // A violation ends a run; these are about runs that go on.
    std::erase_if(program.commands, [](const step::Command& command) { return command.violation.has_value(); });
    program.first.assign(program.locations.size() + 1, 0);
    for (const step::Command& command : program.commands) ++program.first[command.from + 1U];
    for (std::size_t pc = 0; pc < program.locations.size(); ++pc) program.first[pc + 1] += program.first[pc];
    add_returns(program, 0);
    ProgressOptions options;
    options.limits.memory_bytes = 400'000;
    const ProgressResult result = check_progress(program, options).front();
    if (result.answer == Answer::unknown || result.states > 300) continue;
    if (result.violation) {
      ++violated;
      ASSERT_EQ(testing::replay(program, *result.violation), "") << seed;
    } else {
      ++proved;
      for (const std::uint64_t odds : {1U, 4U, 50U}) ASSERT_FALSE(starves(program, 2, random, odds)) << seed;
    }
  }
  EXPECT_GT(proved, 10U);
  EXPECT_GT(violated, 10U);
}

TEST(Progress, LimitsAreUnknown) {
  step::Program program = testing::pmd_race({});
  add_returns(program, 0);
  ProgressOptions options;
  options.limits.memory_bytes = 1;
  const auto results = check_progress(program, options);
  EXPECT_EQ(results.front().answer, Answer::unknown);
  EXPECT_EQ(results.front().reason, "memory limit");
}

}  // namespace
}  // namespace faultline::check
