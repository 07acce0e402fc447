// Traces are replayed from the initial state, whatever is nondeterministic in them, and claims about their end are not
// believed.
#include "step/replay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "step/interpreter.hpp"
#include "tests/support/programs.hpp"

namespace faultline::step {
namespace {

using ::testing::HasSubstr;
using testing::ProgramBuilder;
using What = ReplayEnd::What;

// The number of the only command with this text.
std::uint32_t named(const Program& program, const std::string& text) {
  for (std::uint32_t c = 0; c < program.commands.size(); ++c) {
    if (program.commands[c].notes.front().text == text) return c;
  }
  ADD_FAILURE() << "no command " << text;
  return 0;
}

// Two locks taken in both orders; an assertion under both; a counter.
struct TwoLocks {
  TwoLocks() : b("two_locks") {
    const Id first = b.global("first");
    const Id second = b.global("second");
    const Id count = b.global("count", 3);
    const Id forth = b.handler("forth");
    const Id back = b.handler("back");
    const Id line = b.line("cpu", 0);
    const Id idle = b.idle(line);
    const Id has_first = b.at(line, forth);
    const Id has_both = b.at(line, forth);
    const Id has_second = b.at(line, back);
    const auto lock = [&](Id from, Id to, Id global, const char* text) {
      b.command(from, to, text).assume(b.global_is(global, 0)).set_global(global, 1).may_block();
    };
    lock(idle, has_first, first, "first");
    lock(has_first, has_both, second, "then second");
    b.command(has_both, idle, "unlock").set_global(first, 0).set_global(second, 0);
    b.violation(has_both, Kind::assertion, "counted twice").assume(b.global_is(count, 2));
    lock(idle, has_second, second, "second");
    b.command(has_second, has_second, "count")
        .assume(b.lnot(b.global_is(count, 3)))
        .set_global(count, b.op(ExprOp::add, b.op(ExprOp::global, count), b.constant(1)));
    b.command(has_second, idle, "then first").assume(b.global_is(first, 0)).set_global(second, 0).may_block();
    b.invariant("at most two", b.global_in(count, 0b0111));
    program = b.finish();
  }
  ProgramBuilder b;
  Program program;

  std::vector<ReplayStep> steps(const std::vector<std::pair<std::uint32_t, std::string>>& list) const {
    std::vector<ReplayStep> result;
    for (const auto& [cpu, text] : list) result.push_back({cpu, named(program, text)});
    return result;
  }
};

TEST(Replay, RunsToAViolation) {
  const TwoLocks m;
  const auto trace = m.steps({{1, "second"},
                              {1, "count"},
                              {1, "count"},
                              {1, "then first"},
                              {0, "first"},
                              {0, "then second"},
                              {0, "counted twice"}});
  const Replay result = replay(m.program, {2}, trace, {What::violation, 0, 0});
  EXPECT_TRUE(result.ok) << result.why;
  ASSERT_EQ(result.states.size(), trace.size() + 1);
  EXPECT_EQ(result.states.front(), initial_state(m.program, {2}));
  EXPECT_EQ(result.states.back().globals[2], 2);
}

TEST(Replay, RefusesAStepThatCannotRun) {
  const TwoLocks m;
  const auto trace =
      m.steps({{1, "second"}, {1, "count"}, {1, "then first"}, {0, "first"}, {0, "then second"}, {0, "counted twice"}});
  const Replay result = replay(m.program, {2}, trace, {What::violation, 0, 0});
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.why, HasSubstr("step 6 cannot run"));
}

TEST(Replay, RefusesATraceWithoutItsViolation) {
  const TwoLocks m;
  EXPECT_FALSE(replay(m.program, {2}, m.steps({{1, "second"}}), {What::violation, 0, 0}).ok);
  EXPECT_FALSE(replay(m.program, {2}, {}, {What::violation, 0, 0}).ok);
}

TEST(Replay, RefusesWhatIsNotThere) {
  const TwoLocks m;
  EXPECT_FALSE(replay(m.program, {1}, {{1, 0}}, {What::deadlock, 0, 0}).ok) << "no such CPU";
  EXPECT_FALSE(replay(m.program, {1}, {{0, 99}}, {What::deadlock, 0, 0}).ok) << "no such command";
  EXPECT_FALSE(replay(m.program, {1}, {}, {What::invariant, 7, 0}).ok) << "no such invariant";
  EXPECT_FALSE(replay(m.program, {1}, {}, {What::lasso, 0, 0}).ok) << "no such progress property";
}

TEST(Replay, KnowsABrokenInvariant) {
  const TwoLocks m;
  auto trace = m.steps({{0, "second"}, {0, "count"}, {0, "count"}});
  EXPECT_FALSE(replay(m.program, {1}, trace, {What::invariant, 0, 0}).ok);
  trace.push_back({0, named(m.program, "count")});
  EXPECT_TRUE(replay(m.program, {1}, trace, {What::invariant, 0, 0}).ok);
}

TEST(Replay, KnowsADeadlock) {
  const TwoLocks m;
  // With the counter at its end, the second CPU can only wait for `first`.
  auto trace = m.steps({{0, "first"}, {1, "second"}, {1, "count"}, {1, "count"}});
  EXPECT_FALSE(replay(m.program, {3}, trace, {What::deadlock, 0, 0}).ok) << "it can still count";
  trace.push_back({1, named(m.program, "count")});
  const Replay result = replay(m.program, {3}, trace, {What::deadlock, 0, 0});
  EXPECT_TRUE(result.ok) << "that the third CPU is idle is no help: " << result.why;
  EXPECT_TRUE(deadlocked(m.program, result.states.back()));
  EXPECT_FALSE(deadlocked(m.program, result.states.front())) << "all are idle";
}

// CPU 0 awaits the others; everybody remembers an object that is freed and may come back.
struct Flush {
  Flush() : b("flush") {
    const Id thing = b.type("thing");
    const Id place = b.place("p", thing);
    const Id mine = b.handle("mine", thing);
    const Id tlb = b.handle("tlb", thing);
    const Id kind = b.await("flush", {tlb});
    const Id done = b.global("done");
    const Id handler = b.handler("handler");
    const Id line = b.line("cpu", 0);
    const Id idle = b.idle(line);
    const Id has = b.at(line, handler);
    const Id published = b.at(line, handler);
    const Id waiting = b.at(line, handler);
    const Id freed = b.at(line, handler);
    b.command(idle, has, "alloc").assume(b.global_is(done, 0)).set_global(done, 1).fresh(mine);
    b.command(has, published, "publish").place_from_handle(place, mine);
    b.command(idle, idle, "touch").assume(b.lnot(b.op(ExprOp::place_null, place))).handle_from_place(tlb, place);
    b.command(published, waiting, "send").clear_place(place).await_others(kind, b.always());
    b.command(waiting, freed, "wait").none(b.op(ExprOp::i_await_other, kind)).may_block();
    b.command(published, freed, "no flush").clear_place(place);
    b.command(freed, has, "free, alloc again").set_bit(mine, 0, true).fresh(mine);
    b.violation(has, Kind::stale_tlb, "somebody still maps it").some(b.op(ExprOp::other_is_mine, tlb, mine));
    b.progress("flush ends", b.op(ExprOp::pc_in, b.pc_set({waiting})), b.op(ExprOp::pc_in, b.pc_set({freed})));
    program = b.finish();
  }
  ProgramBuilder b;
  Program program;
  std::uint32_t command(const std::string& text) const { return named(program, text); }
};

TEST(Replay, FollowsEveryOutcomeOfFresh) {
  const Flush m;
  // The address must have been reused; a new object would not be in anybody's TLB.
  const std::vector<ReplayStep> trace{
      {0, m.command("alloc")},    {0, m.command("publish")},           {1, m.command("touch")},
      {0, m.command("no flush")}, {0, m.command("free, alloc again")}, {0, m.command("somebody still maps it")}};
  const Replay result = replay(m.program, {2}, trace, {What::violation, 0, 0});
  EXPECT_TRUE(result.ok) << result.why;
}

TEST(Replay, AcknowledgementsAreSteps) {
  const Flush m;
  std::vector<ReplayStep> trace{{0, m.command("alloc")}, {0, m.command("publish")}, {1, m.command("touch")},
                                {0, m.command("send")},  {1, acknowledgement},      {0, m.command("wait")}};
  EXPECT_FALSE(replay(m.program, {3}, trace, {What::deadlock, 0, 0}).ok) << "CPU 2 has not acknowledged";
  trace.insert(trace.begin() + 4, {2, acknowledgement});
  trace.push_back({0, m.command("free, alloc again")});
  trace.push_back({0, m.command("somebody still maps it")});
  EXPECT_FALSE(replay(m.program, {3}, trace, {What::violation, 0, 0}).ok) << "the TLB is empty";
  trace.resize(trace.size() - 2);
  EXPECT_THAT(replay(m.program, {3}, trace, {What::deadlock, 0, 0}).why, HasSubstr("still move"));
  trace.push_back({1, acknowledgement});
  EXPECT_THAT(replay(m.program, {3}, trace, {What::deadlock, 0, 0}).why, HasSubstr("step 8 cannot run"));
}

TEST(Replay, AnAcknowledgementToComeIsNoDeadlock) {
  const Flush m;
  const std::vector<ReplayStep> trace{{0, m.command("alloc")}, {0, m.command("publish")}, {0, m.command("send")}};
  EXPECT_FALSE(replay(m.program, {2}, trace, {What::deadlock, 0, 0}).ok);
}

// A CPU that waits for a flag, and one that raises and lowers it, or does something else.
struct Waiter {
  explicit Waiter(bool blocks) : b("waiter") {
    const Id flag = b.global("flag");
    const Id wait = b.handler("wait");
    const Id toggle = b.handler("toggle");
    const Id line = b.line("cpu", 0);
    const Id idle = b.idle(line);
    const Id waiting = b.at(line, wait);
    const Id raised = b.at(line, toggle);
    b.command(idle, waiting, "wait");
    auto seen = b.command(waiting, idle, "seen").assume(b.global_is(flag, 1));
    if (blocks) seen.may_block();
    b.command(idle, raised, "raise").assume(b.global_is(flag, 0)).set_global(flag, 1);
    b.command(raised, idle, "lower").set_global(flag, 0);
    b.command(idle, idle, "nothing");
    b.progress("seen", b.op(ExprOp::pc_in, b.pc_set({waiting})), b.op(ExprOp::pc_in, b.pc_set({idle})));
    program = b.finish();
  }
  ProgramBuilder b;
  Program program;
  std::uint32_t command(const std::string& text) const { return named(program, text); }
};

TEST(Replay, ALassoMustBeFair) {
  const Waiter weak(false);
  const Waiter strong(true);
  const std::vector<ReplayStep> trace{
      {0, weak.command("wait")}, {1, weak.command("raise")}, {1, weak.command("lower")}};
  EXPECT_TRUE(replay(weak.program, {2}, trace, {What::lasso, 0, 1}).ok) << "the step is not possible all the time";
  EXPECT_THAT(replay(strong.program, {2}, trace, {What::lasso, 0, 1}).why, HasSubstr("not fair"))
      << "a wait_event that is possible again and again happens";
}

TEST(Replay, ALassoMustCloseAndKeepSomebodyWaiting) {
  const Waiter m(true);
  const ReplayStep wait{0, m.command("wait")};
  const ReplayStep nothing{1, m.command("nothing")};
  EXPECT_TRUE(replay(m.program, {2}, {wait, nothing}, {What::lasso, 0, 1}).ok);
  EXPECT_THAT(replay(m.program, {2}, {wait, nothing}, {What::lasso, 0, 0}).why, HasSubstr("does not lead back"));
  EXPECT_THAT(replay(m.program, {2}, {nothing, nothing}, {What::lasso, 0, 1}).why, HasSubstr("no CPU waits"));
}

TEST(Replay, TheThpRaceOnTwoCpus) {
  // MADV_DONTNEED between the look and the walk: the 2011 race, by hand.
  const Program program = testing::thp_tables(testing::ThpTables::none);
  State state = initial_state(program, {2});
  const auto find = [&](std::size_t cpu, const std::string& text) {
    for (std::uint32_t c = program.first[state.cpu[cpu].pc]; c < program.first[state.cpu[cpu].pc + 1U]; ++c) {
      bool enabled = false;
      run(program, state, cpu, program.commands[c], World::closed, [&](const State&) { enabled = true; });
      if (enabled && program.commands[c].notes.front().text == text) return c;
    }
    ADD_FAILURE() << "CPU " << cpu << " cannot do " << text;
    return 0U;
  };
  std::vector<ReplayStep> trace;
  const auto go = [&](std::uint32_t cpu, const std::string& text) {
    const std::uint32_t c = find(cpu, text);
    trace.push_back({cpu, c});
    State next = state;
    run(program, state, cpu, program.commands[c], World::closed, [&](const State& s) { next = s; });
    state = next;
  };
  for (const char* text : {"fault: pmd_none", "pte_alloc_one() for the deposit", "spin_lock(page_table_lock)",
                           "pmd_none: true", "*pmd = huge", "spin_unlock"}) {
    go(0, text);
  }
  // CPU 0 is idle again with a huge pmd, so this fault began on the other one before.
  trace.insert(trace.begin(), {1, named(program, "fault: pmd_none")});
  state.cpu[1].pc = program.commands[trace.front().command].to;
  go(1, "no huge page");
  go(1, "no table needed");
  for (const char* text : {"spin_lock(page_table_lock)", "huge", "*pmd = none"}) go(0, text);
  go(1, "pmd_trans_huge: false");
  go(1, "not a page table");
  const Replay result = replay(program, {2}, trace, {What::violation, 0, 0});
  EXPECT_TRUE(result.ok) << result.why;
  ASSERT_FALSE(result.states.empty());
  EXPECT_EQ(result.states.back().globals[0], 0);
  std::swap(trace[9], trace[12]);
  EXPECT_FALSE(replay(program, {2}, trace, {What::violation, 0, 0}).ok);
}

}  // namespace
}  // namespace faultline::step
