// The reference interpreter, op by op: each test makes one command and looks at what it does to a state made by hand.
#include "step/interpreter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/programs.hpp"

namespace faultline::step {
namespace {

using testing::CommandBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::ProgramBuilder;
using ::testing::SizeIs;

class Interpreter : public ::testing::Test {
 protected:
  Interpreter() : b("ops") {
    g = b.global("g", 3);
    l = b.local("l", 3);
    thing = b.type("thing", {"freed", "zero"});
    other_type = b.type("other", {"freed"});
    p = b.place("p", thing);
    q = b.place("q", thing);
    h = b.handle("h", thing);
    i = b.handle("i", thing);
    of_other_type = b.handle("j", other_type);
    flush = b.await("flush", {h}, {l});
    handler = b.handler("handler");
    line = b.line("cpu", 0);
    idle = b.idle(line);
    at = b.at(line, handler);
    then = b.at(line, handler);
    state.cpus = 2;
    state.cpu[0].pc = at;
    state.cpu[1].pc = at;
  }

  CommandBuilder command() { return b.command(at, then, "command"); }

  std::vector<State> run_all(World world = World::closed, std::size_t me = 0) {
    program = b.finish();
    std::vector<State> found;
    for (const Command& command : program.commands) {
      run(program, state, me, command, world, [&](const State& next) { found.push_back(next); });
    }
    return found;
  }
  State run_one() {
    std::vector<State> found = run_all();
    EXPECT_THAT(found, SizeIs(1));
    return found.empty() ? State{} : found.front();
  }
  std::uint32_t value(ExprId e, std::size_t me = 0, std::size_t other = 1) {
    program = b.finish();
    return evaluate(program, state, me, other, e);
  }
  // Object n of type `thing` with these bits, known to nobody yet.
  void object(std::uint8_t n, std::uint8_t bits = 0) {
    state.objects = std::max(state.objects, n);
    state.types[n] = static_cast<std::uint8_t>(thing);
    state.bits[n] = bits;
  }

  ProgramBuilder b;
  Program program;
  State state;
  Id g{}, l{}, thing{}, other_type{}, p{}, q{}, h{}, i{}, of_other_type{}, flush{}, handler{}, line{}, idle{}, at{},
      then{};
};

TEST_F(Interpreter, InitialStateHasTheCpusOfEachLineIdle) {
  b.line("second", 2);
  program = b.finish();
  program.globals[g].init = 2;
  const State initial = initial_state(program, cpus_per_line(program, 3));
  EXPECT_EQ(initial.cpus, 5);
  EXPECT_EQ(initial.globals[g], 2);
  EXPECT_EQ(initial.cpu[2].pc, idle);
  EXPECT_EQ(initial.cpu[3].pc, program.lines[1].idle);
  EXPECT_EQ(initial.cpu[4].pc, program.lines[1].idle);
  EXPECT_THROW(static_cast<void>(initial_state(program, {15, 2})), std::length_error);
}

TEST_F(Interpreter, KindsHaveTheNamesOfTheModels) {
  EXPECT_STREQ(to_string(Kind::assertion), "assert");
  EXPECT_STREQ(to_string(Kind::lock_missing), "lock_missing");
  EXPECT_STREQ(to_string(Kind::bound), "bound");
}

// --- expressions ---

TEST_F(Interpreter, NumbersAndComparisons) {
  state.globals[g] = 2;
  state.cpu[0].locals[l] = 3;
  state.cpu[1].locals[l] = 1;
  const ExprId global = b.op(ExprOp::global, g);
  const ExprId local = b.op(ExprOp::local, l);
  EXPECT_EQ(value(global), 2U);
  EXPECT_EQ(value(local), 3U);
  EXPECT_EQ(value(local, 1), 1U);
  EXPECT_EQ(value(b.op(ExprOp::other_local, l)), 1U);
  EXPECT_EQ(value(b.op(ExprOp::add, global, local)), 5U);
  EXPECT_EQ(value(b.op(ExprOp::sub, local, global)), 1U);
  EXPECT_EQ(value(b.op(ExprOp::sub, global, local)), 255U);
  EXPECT_EQ(value(b.op(ExprOp::bit_and, global, local)), 2U);
  EXPECT_EQ(value(b.op(ExprOp::eq, global, local)), 0U);
  EXPECT_EQ(value(b.op(ExprOp::lt, global, local)), 1U);
  EXPECT_EQ(value(b.op(ExprOp::lt, local, local)), 0U);
  EXPECT_EQ(value(b.op(ExprOp::le, local, local)), 1U);
  EXPECT_EQ(value(b.op(ExprOp::le, local, global)), 0U);
  EXPECT_EQ(value(b.op(ExprOp::in, global, 0, 0, 0b0101)), 1U);
  EXPECT_EQ(value(b.op(ExprOp::in, local, 0, 0, 0b0101)), 0U);
  EXPECT_EQ(value(b.op(ExprOp::in, b.constant(200), 0, 0, ~std::uint64_t{0})), 0U);
  EXPECT_EQ(value(b.op(ExprOp::ite, b.constant(1), global, local)), 2U);
  EXPECT_EQ(value(b.op(ExprOp::ite, b.constant(0), global, local)), 3U);
}

TEST_F(Interpreter, LogicTakesAnyNumberForTrue) {
  const ExprId two = b.constant(2);
  const ExprId zero = b.constant(0);
  EXPECT_EQ(value(b.lnot(two)), 0U);
  EXPECT_EQ(value(b.lnot(zero)), 1U);
  EXPECT_EQ(value(b.land(two, two)), 1U);
  EXPECT_EQ(value(b.land(two, zero)), 0U);
  EXPECT_EQ(value(b.lor(zero, two)), 1U);
  EXPECT_EQ(value(b.lor(zero, zero)), 0U);
}

TEST_F(Interpreter, LooksAtObjects) {
  object(1, 2);
  object(2);
  state.places[p] = 1;
  state.cpu[0].handles[h] = 1;
  state.cpu[1].handles[h] = 1;
  state.cpu[1].handles[i] = 2;
  EXPECT_EQ(value(b.op(ExprOp::handle_null, h)), 0U);
  EXPECT_EQ(value(b.op(ExprOp::handle_null, i)), 1U);
  EXPECT_EQ(value(b.op(ExprOp::handle_is_place, h, p)), 1U);
  EXPECT_EQ(value(b.op(ExprOp::handle_is_place, i, q)), 1U) << "both null";
  EXPECT_EQ(value(b.op(ExprOp::handle_is_place, h, q)), 0U);
  EXPECT_EQ(value(b.op(ExprOp::handles_equal, h, i)), 0U);
  EXPECT_EQ(value(b.op(ExprOp::handles_equal, i, i)), 1U) << "both null";
  EXPECT_EQ(value(b.op(ExprOp::place_null, p)), 0U);
  EXPECT_EQ(value(b.op(ExprOp::place_null, q)), 1U);
  EXPECT_EQ(value(b.op(ExprOp::places_equal, p, q)), 0U);
  EXPECT_EQ(value(b.op(ExprOp::object_bit, h, 1)), 1U);
  EXPECT_EQ(value(b.op(ExprOp::object_bit, h, 0)), 0U);
  EXPECT_EQ(value(b.op(ExprOp::object_bit, i, 1)), 0U) << "null has no bits";
  EXPECT_EQ(value(b.op(ExprOp::place_bit, p, 1)), 1U);
  EXPECT_EQ(value(b.op(ExprOp::place_bit, q, 1)), 0U);
  EXPECT_EQ(value(b.op(ExprOp::other_null, i)), 0U);
  EXPECT_EQ(value(b.op(ExprOp::other_is_mine, h, h)), 1U);
  EXPECT_EQ(value(b.op(ExprOp::other_is_mine, i, h)), 0U);
  EXPECT_EQ(value(b.op(ExprOp::other_is_mine, of_other_type, i)), 0U) << "null is nobody's";
  EXPECT_EQ(value(b.op(ExprOp::other_is_place, h, p)), 1U);
  EXPECT_EQ(value(b.op(ExprOp::other_is_place, of_other_type, q)), 0U) << "null is in no place";
}

TEST_F(Interpreter, LooksAtPositionsAndWaits) {
  state.cpu[1].pc = then;
  state.cpu[0].awaits[flush] = 1U << 1;
  const Id set = b.pc_set({then});
  EXPECT_EQ(value(b.op(ExprOp::pc_in, set)), 0U);
  EXPECT_EQ(value(b.op(ExprOp::other_pc_in, set)), 1U);
  EXPECT_EQ(value(b.op(ExprOp::i_await_other, flush)), 1U);
  EXPECT_EQ(value(b.op(ExprOp::i_await_other, flush), 1, 0), 0U);
  EXPECT_EQ(value(b.op(ExprOp::any_cpu, b.op(ExprOp::other_pc_in, set))), 1U);
  EXPECT_EQ(value(b.op(ExprOp::any_cpu, b.op(ExprOp::other_pc_in, b.pc_set({idle})))), 0U);
}

TEST_F(Interpreter, AnyCpuOfAnInvariantLooksAtAllCpus) {
  const ExprId second = b.op(ExprOp::any_cpu, b.op(ExprOp::eq, b.op(ExprOp::other_local, l), b.constant(2)));
  b.invariant("nobody has 2", b.lnot(second));
  program = b.finish();
  EXPECT_TRUE(holds(program, state, program.invariants[0]));
  state.cpu[1].locals[l] = 2;
  EXPECT_FALSE(holds(program, state, program.invariants[0]));
}

// --- guards ---

TEST_F(Interpreter, ACommandRunsOnlyFromItsPosition) {
  command();
  state.cpu[0].pc = then;
  EXPECT_THAT(run_all(), IsEmpty());
}

TEST_F(Interpreter, TheActorMovesAndNobodyElse) {
  command();
  const State next = run_one();
  EXPECT_EQ(next.cpu[0].pc, then);
  EXPECT_EQ(next.cpu[1], state.cpu[1]);
}

TEST_F(Interpreter, AssumeSeesWhatEarlierOpsLeft) {
  command().set_global(g, 1).assume(b.global_is(g, 1));
  command().set_global(g, 2).assume(b.global_is(g, 1));
  EXPECT_EQ(run_one().globals[g], 1);
}

TEST_F(Interpreter, NoneAndSomeLookAtTheOthersOnly) {
  const ExprId has_one = b.op(ExprOp::eq, b.op(ExprOp::other_local, l), b.constant(1));
  command().none(has_one).set_global(g, 1);
  command().some(has_one).set_global(g, 2);
  state.cpu[0].locals[l] = 1;  // the actor does not count
  EXPECT_EQ(run_one().globals[g], 1);
  state.cpu[1].locals[l] = 1;
  EXPECT_EQ(run_one().globals[g], 2);
}

TEST_F(Interpreter, InAnOpenWorldSomebodyUnseenMayBeTheOne) {
  const ExprId has_one = b.op(ExprOp::eq, b.op(ExprOp::other_local, l), b.constant(1));
  command().some(has_one).set_global(g, 2);
  command().none(has_one).set_global(g, 1);
  b.violation(at, Kind::assertion, "seen").some(has_one);
  EXPECT_THAT(run_all(World::closed), SizeIs(1));
  EXPECT_THAT(run_all(World::open), SizeIs(2)) << "but a violation must be seen";
}

// --- updates ---

TEST_F(Interpreter, SetsGlobalsAndLocals) {
  state.globals[g] = 2;
  command()
      .set_local(l, b.op(ExprOp::add, b.op(ExprOp::global, g), b.constant(1)))
      .set_global(g, b.op(ExprOp::local, l));
  const State next = run_one();
  EXPECT_EQ(next.cpu[0].locals[l], 3);
  EXPECT_EQ(next.cpu[1].locals[l], 0);
  EXPECT_EQ(next.globals[g], 3);
}

TEST_F(Interpreter, MovesHandlesAndPlaces) {
  object(1);
  object(2, 2);
  state.places[p] = 1;
  state.cpu[0].handles[i] = 2;
  command().handle_from_place(h, p).place_from_handle(q, i).clear_handle(i);
  const State next = run_one();
  EXPECT_EQ(next.cpu[0].handles[h], 1);
  EXPECT_EQ(next.cpu[0].handles[i], 0);
  EXPECT_EQ(next.places[p], 1);
  EXPECT_EQ(next.places[q], 2);
  EXPECT_EQ(next.bits[2], 2);
}

TEST_F(Interpreter, CopiesHandlesInOrder) {
  object(1);
  state.cpu[0].handles[h] = 1;
  command().handle_from_handle(i, h).clear_handle(h).handle_from_handle(h, i);
  const State next = run_one();
  EXPECT_EQ(next.cpu[0].handles[h], 1);
  EXPECT_EQ(next.cpu[0].handles[i], 1);
}

TEST_F(Interpreter, AnObjectThatNobodyNamesIsGone) {
  object(1, 3);
  state.places[p] = 1;
  command().clear_place(p);
  const State next = run_one();
  EXPECT_EQ(next.objects, 0);
  EXPECT_EQ(next.bits[1], 0);
}

TEST_F(Interpreter, ObjectBitsAreSeenThroughEveryName) {
  object(1);
  state.places[p] = 1;
  state.cpu[0].handles[h] = 1;
  state.cpu[1].handles[i] = 1;
  const ExprId seen = b.op(ExprOp::object_bit, i, 1);
  command().set_bit(h, 1, true).set_bit(i, 0, true);  // i is null: nothing
  const State next = run_one();
  EXPECT_EQ(next.bits[1], 2);
  EXPECT_EQ(evaluate(program, next, 1, 1, seen), 1U);
}

TEST_F(Interpreter, ClearsBits) {
  object(1, 3);
  state.cpu[0].handles[h] = 1;
  command().set_bit(h, 0, false);
  EXPECT_EQ(run_one().bits[1], 2);
}

TEST_F(Interpreter, OthersAreChangedWhereTheConditionHolds) {
  state.cpus = 3;
  state.cpu[2].pc = at;
  state.cpu[1].locals[l] = 1;
  object(1);
  for (std::size_t c = 0; c < 3; ++c) state.cpu[c].handles[h] = 1;
  const ExprId has_one = b.op(ExprOp::eq, b.op(ExprOp::other_local, l), b.constant(1));
  command().others_clear_handle(h, has_one).await_others(flush, has_one).others_set_local(l, 3, has_one);
  const State next = run_one();
  EXPECT_THAT(std::vector<int>({next.cpu[0].locals[l], next.cpu[1].locals[l], next.cpu[2].locals[l]}),
              ElementsAre(0, 3, 0));
  EXPECT_THAT(std::vector<int>({next.cpu[0].handles[h], next.cpu[1].handles[h], next.cpu[2].handles[h]}),
              ElementsAre(1, 0, 1));
  EXPECT_EQ(next.cpu[0].awaits[flush], 1U << 1);
}

// --- fresh ---

TEST_F(Interpreter, FreshIsNew) {
  object(1, 2);  // not freed
  state.places[p] = 1;
  command().fresh(h);
  const State next = run_one();
  EXPECT_EQ(next.cpu[0].handles[h], 2);
  EXPECT_EQ(next.types[2], thing);
  EXPECT_EQ(next.bits[2], 0);
  EXPECT_EQ(next.bits[1], 2);
}

TEST_F(Interpreter, FreshMayReuseAFreedObjectOfItsTypeThatIsStillNamed) {
  object(1, 3);
  object(2, 1);
  object(3, 1);
  state.types[3] = static_cast<std::uint8_t>(other_type);
  state.cpu[1].handles[i] = 1;              // freed and named
  state.cpu[1].handles[of_other_type] = 3;  // freed and named, of another type; 2 is named by nobody
  command().fresh(h);
  const std::vector<State> found = run_all();
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].cpu[0].handles[h], 1);
  EXPECT_EQ(found[0].bits[1], 0) << "all bits are cleared";
  EXPECT_EQ(found[1].cpu[0].handles[h], 2);
  EXPECT_EQ(found[1].bits[1], 3);
  EXPECT_EQ(found[1].bits[2], 0);
}

TEST_F(Interpreter, FreshReusesNothingWhereTheModelSaysSo) {
  object(1, 1);
  state.cpu[1].handles[i] = 1;
  command().fresh(h);
  program = b.finish();
  program.has_alloc_reuse = false;
  int outcomes = 0;
  run(program, state, 0, program.commands[0], World::closed, [&](const State&) { ++outcomes; });
  EXPECT_EQ(outcomes, 1);
}

TEST_F(Interpreter, GuardsAfterFreshJudgeEachOutcome) {
  object(1, 1);
  state.places[p] = 1;
  command().fresh(h).assume(b.op(ExprOp::handle_is_place, h, p));
  EXPECT_EQ(run_one().cpu[0].handles[h], 1);
}

TEST_F(Interpreter, FreshSaysSoWhenNamesRunOut) {
  state.cpus = max_cpus;
  for (std::uint8_t n = 1; n <= max_objects; ++n) {
    object(n);
    const std::size_t slot = n - 1U;
    state.cpu[slot / 4].handles[slot % 4] = n;
  }
  b.handle("k", thing);
  command().fresh(h);
  EXPECT_THROW(static_cast<void>(run_all()), std::length_error);
}

// --- violations ---

TEST_F(Interpreter, AnEnabledViolationYieldsTheStateItIsIn) {
  b.violation(at, Kind::leak, "leak").assume(b.global_is(g, 1));
  EXPECT_THAT(run_all(), IsEmpty());
  state.globals[g] = 1;
  const State there = run_one();
  EXPECT_EQ(there, state);
}

// --- acknowledgements ---

TEST_F(Interpreter, AcknowledgesOnlyWhatIsAwaited) {
  object(1);
  state.cpu[1].handles[h] = 1;
  state.cpu[1].handles[i] = 1;
  state.cpu[1].locals[l] = 2;
  program = b.finish();
  EXPECT_FALSE(can_acknowledge(program, state, 1, 0, flush));
  state.cpu[0].awaits[flush] = 1U << 1;
  EXPECT_TRUE(can_acknowledge(program, state, 1, 0, flush));
  EXPECT_FALSE(can_acknowledge(program, state, 0, 1, flush));
  const State next = acknowledge(program, state, 1, 0, flush);
  EXPECT_EQ(next.cpu[0].awaits[flush], 0);
  EXPECT_EQ(next.cpu[1].handles[h], 0);
  EXPECT_EQ(next.cpu[1].handles[i], 1);
  EXPECT_EQ(next.cpu[1].locals[l], 0);
  EXPECT_EQ(next.cpu[1].pc, at);
}

TEST_F(Interpreter, NoAcknowledgementWithInterruptsOff) {
  b.location(at).acknowledges = 0;
  program = b.finish();
  state.cpu[0].awaits[flush] = 1U << 1;
  EXPECT_FALSE(can_acknowledge(program, state, 1, 0, flush));
}

TEST_F(Interpreter, TwoInitiatorsAwaitTheSameCpuOnTheirOwn) {
  state.cpus = 3;
  state.cpu[2].pc = at;
  state.cpu[0].awaits[flush] = 1U << 2;
  state.cpu[1].awaits[flush] = 1U << 2 | 1U << 0;
  program = b.finish();
  const State next = acknowledge(program, state, 2, 1, flush);
  EXPECT_EQ(next.cpu[0].awaits[flush], 1U << 2);
  EXPECT_EQ(next.cpu[1].awaits[flush], 1U << 0);
}

}  // namespace
}  // namespace faultline::step
