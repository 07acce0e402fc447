// The printed trace: really shortest, fewest switches, first in source order; what it says about the shared state;
// deadlock, invariants, bounds, limits and coverage.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "checker/explicit.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/random_program.hpp"
#include "tests/support/replaying.hpp"
#include "tests/support/states.hpp"

namespace faultline::check {
namespace {

using step::ExprOp;
using step::Id;
using step::Kind;
using testing::ProgramBuilder;
using testing::thp_tables;
using testing::ThpTables;

ExplicitResult search(const step::Program& program, std::uint32_t cpus) {
  ExplicitOptions options;
  options.cpus = cpus;
  return explore(program, options);
}

// Context switches, and where each step stands in the source.
using Cost = std::pair<std::size_t, std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>>;

std::tuple<std::uint32_t, std::uint32_t, std::uint32_t> place(const step::Program& program, std::uint32_t command) {
  if (command == no_command) return {0, 0, 0};
  return {program.commands[command].span.line, program.commands[command].span.column, command + 1};
}

Cost cost(const step::Program& program, const Counterexample& example) {
  Cost cost;
  for (std::size_t i = 0; i < example.steps.size(); ++i) {
    if (i > 0 && example.steps[i].cpu != example.steps[i - 1].cpu) ++cost.first;
    cost.second.push_back(place(program, example.steps[i].command));
  }
  return cost;
}

// The least cost over all traces of so many steps, by going through all of them with the interpreter.
Cost least_cost(const step::Program& program, std::uint32_t n, std::size_t steps) {
  struct Way {
    step::State state;
    std::uint32_t last = 0;
    Cost cost;
  };
  std::map<std::pair<testing::Form, std::uint32_t>, Way> level;
  const step::State start = step::initial_state(program, step::cpus_per_line(program, n));
  level[{testing::plain_form(program, start), no_command}] = {start, no_command, {}};
  std::optional<Cost> best;
  const auto offer = [&](const Cost& cost) {
    if (!best || cost < *best) best = cost;
  };
  for (std::size_t depth = 0;; ++depth) {
    if (depth == steps) {
      for (const auto& [key, way] : level) {
        bool ends = step::deadlocked(program, way.state);
        for (const step::Invariant& invariant : program.invariants)
          ends = ends || !step::holds(program, way.state, invariant);
        if (ends) offer(way.cost);
      }
      return best.value();
    }
    std::map<std::pair<testing::Form, std::uint32_t>, Way> next;
    for (const auto& [key, way] : level) {
      for (const testing::Successor& successor : testing::successors(program, way.state)) {
        Cost longer = way.cost;
        if (way.last != no_command && way.last != successor.cpu) ++longer.first;
        longer.second.push_back(place(program, successor.command));
        if (successor.command != no_command && program.commands[successor.command].violation) {
          if (depth + 1 == steps) offer(longer);
          continue;
        }
        Way& to = next[{testing::plain_form(program, successor.state), successor.cpu}];
        if (to.cost.second.empty() || longer < to.cost) to = {successor.state, successor.cpu, longer};
      }
    }
    level = std::move(next);
  }
}

void expect_best(const step::Program& program, std::uint32_t n) {
  const ExplicitResult result = search(program, n);
  ASSERT_EQ(result.violations.size(), 1U);
  EXPECT_EQ(testing::replay(program, result.violations[0]), "");
  EXPECT_EQ(cost(program, result.violations[0]), least_cost(program, n, result.violations[0].steps.size()));
  std::uint32_t seen = 0;
  for (const TraceStep& step : result.violations[0].steps) {
    EXPECT_LE(step.cpu, seen);
    if (step.cpu == seen) ++seen;
  }
}

TEST(ExplicitTraces, BestOfReferenceModels) {
  expect_best(thp_tables(ThpTables::none), 2);
  for (const int mutant : {1, 2, 5}) expect_best(thp_tables(ThpTables::unstable, mutant), 1);
  for (const int mutant : {3, 7, 8}) expect_best(thp_tables(ThpTables::unstable, mutant), 2);
  for (const int bad : {1, 2, 3}) expect_best(testing::pmd_race({2, true, true, bad}), 1);
  expect_best(testing::pmd_race({1, false, true, 0}), 1);
}

TEST(ExplicitTraces, BestOfRandomPrograms) {
  std::size_t traces = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const step::Program program = testing::random_program(seed, {true, true, true});
    for (const std::uint32_t n : {1U, 2U, 3U}) {
      ExplicitOptions options;
      options.cpus = n;
      options.limits.memory_bytes = 200'000;
      const ExplicitResult result = explore(program, options);
      if (result.violations.empty() || result.states > 400) continue;
      ++traces;
      expect_best(program, n);
      if (::testing::Test::HasFailure()) FAIL() << "seed " << seed << ", " << n << " CPUs";
    }
  }
  EXPECT_GT(traces, 60U);
}

TEST(ExplicitTraces, SharedStateIsTold) {
  const ExplicitResult result = search(thp_tables(ThpTables::none), 2);
  ASSERT_EQ(result.violations.size(), 1U);
  const std::vector<TraceStep>& steps = result.violations[0].steps;
  std::vector<std::string> changes;
  for (const TraceStep& step : steps) {
    ASSERT_EQ(step.state.size(), 2U);
    EXPECT_EQ(step.state[0].name, "pmd");
    for (const SharedValue& value : step.changed) changes.push_back(value.name + " " + value.value);
  }
  const std::vector<std::string> expected = {"page_table_lock held", "pmd huge(t1)", "page_table_lock free",
                                             "page_table_lock held", "pmd none"};
  EXPECT_EQ(changes, expected);
  EXPECT_EQ(steps.front().handler, "page_fault");
  EXPECT_TRUE(steps.front().starts);
  EXPECT_EQ(steps.back().notes.front().text, "not a page table");
  EXPECT_EQ(result.violations[0].scope.per_line, std::vector<std::uint32_t>{2});
}

TEST(ExplicitTraces, ObjectsAreNamedAsTheyAppear) {
  ProgramBuilder b("names");
  const Id page = b.type("page_t"), table = b.type("pgtable_t"), point = b.type("point");
  const Id state = b.global("pmd", 1, {"none", "huge"});
  const Id p = b.place("pmd.page", page), t = b.place("pmd.pt", table), loose = b.place("slot", point);
  const Id hp = b.handle("p", page), ht = b.handle("t", table), hq = b.handle("q", point);
  const Id line = b.line("cpu", 1), handler = b.handler("fault");
  const Id a = b.at(line, handler), c = b.at(line, handler), d = b.at(line, handler), e = b.at(line, handler);
  b.entry({"pmd", "pmd_t", state, {{"none", {}}, {"huge", {p, t}}}, {p, t}});
  b.command(b.idle(line), a, "alloc").fresh(hp).fresh(ht).fresh(hq);
  b.command(a, c, "huge").set_global(state, 1).place_from_handle(p, hp).place_from_handle(t, ht);
  b.command(c, d, "another").fresh(hp).place_from_handle(loose, hq);
  b.command(d, e, "again").place_from_handle(p, hp);
  b.violation(e, Kind::assertion, "here");
  const step::Program program = b.finish();
  const ExplicitResult result = search(program, 1);
  ASSERT_EQ(result.violations.size(), 1U);
  std::vector<std::string> states;
  for (const TraceStep& step : result.violations[0].steps)
    states.push_back(step.state[0].value + " " + step.state[1].value);
  const std::vector<std::string> expected = {"none null", "huge(p1, t1) null", "huge(p1, t1) o1", "huge(p2, t1) o1",
                                             "huge(p2, t1) o1"};
  EXPECT_EQ(states, expected);
}

// Two handlers that take two locks in opposite order.
step::Program crossed_locks() {
  ProgramBuilder b("crossed");
  const Id first = b.global("a"), second = b.global("b");
  const Id lock_a = b.lock("a", first), lock_b = b.lock("b", second);
  const Id line = b.line("cpu", 0), up = b.handler("up"), down = b.handler("down");
  const Id u = b.at(line, up), u2 = b.at(line, up), d = b.at(line, down), d2 = b.at(line, down);
  const auto lock = [&](Id from, Id to, Id global, Id id) {
    b.command(from, to, "spin_lock").assume(b.global_is(global, 0)).set_global(global, 1).may_block();
    b.location(from).wait = step::Location::Wait::lock;
    b.location(from).waits_lock = id;
  };
  lock(b.idle(line), u, first, lock_a);
  lock(u, u2, second, lock_b);
  lock(b.idle(line), d, second, lock_b);
  lock(d, d2, first, lock_a);
  b.command(u2, b.idle(line), "unlock").set_global(first, 0).set_global(second, 0);
  b.command(d2, b.idle(line), "unlock").set_global(first, 0).set_global(second, 0);
  return b.finish();
}

TEST(ExplicitTraces, Deadlock) {
  const step::Program program = crossed_locks();
  EXPECT_TRUE(search(program, 1).violations.empty());
  for (const std::uint32_t n : {2U, 3U}) {  // the third is idle and could start, if it got a lock: that does not help
    const ExplicitResult result = search(program, n);
    ASSERT_EQ(result.violations.size(), 1U);
    EXPECT_EQ(result.violations[0].violation.kind, Kind::deadlock);
    EXPECT_EQ(result.violations[0].violation.message,
              "nobody inside a handler can move: cpu 0 waits for b, cpu 1 waits for a");
    EXPECT_EQ(result.violations[0].steps.size(), 2U);
    EXPECT_EQ(testing::replay(program, result.violations[0]), "");
  }
  ExplicitOptions options;
  options.deadlock = false;
  EXPECT_TRUE(explore(program, options).violations.empty());
}

TEST(ExplicitTraces, ABrokenInvariantAddsNoStep) {
  ProgramBuilder b("invariant");
  const Id flag = b.global("flag");
  const Id line = b.line("cpu", 0), handler = b.handler("set");
  const Id a = b.at(line, handler);
  b.command(b.idle(line), a, "start");
  b.command(a, b.idle(line), "set").set_global(flag, 1);
  b.invariant("flag_is_clear", b.global_is(flag, 0));
  const ExplicitResult result = search(b.finish(), 2);
  ASSERT_EQ(result.violations.size(), 1U);
  EXPECT_EQ(result.violations[0].violation.kind, Kind::invariant);
  EXPECT_EQ(result.violations[0].violation.name, "flag_is_clear");
  EXPECT_EQ(result.violations[0].steps.size(), 2U);
}

TEST(ExplicitTraces, ABoundIsNoViolation) {
  ProgramBuilder b("bound");
  const Id line = b.line("cpu", 0), handler = b.handler("h");
  const Id a = b.at(line, handler);
  b.command(b.idle(line), a, "start");
  b.violation(a, Kind::bound, "counter is full");
  const ExplicitResult result = search(b.finish(), 1);
  EXPECT_TRUE(result.bound_hit);
  EXPECT_TRUE(result.violations.empty());
}

TEST(ExplicitTraces, EveryKindWithItsShortest) {
  // Seven steps in a row, each of which may go wrong.
  ProgramBuilder b("kinds");
  const Id line = b.line("cpu", 0), handler = b.handler("h");
  Id at = b.idle(line);
  for (const Kind kind : {Kind::leak, Kind::assertion, Kind::leak, Kind::stale_tlb}) {
    const Id next = b.at(line, handler);
    b.command(at, next, "go on");
    b.violation(next, kind, "wrong");
    at = next;
  }
  ExplicitOptions options;
  options.all_kinds = true;
  const step::Program program = b.finish();
  const ExplicitResult result = explore(program, options);
  std::vector<std::pair<Kind, std::size_t>> found;
  for (const Counterexample& example : result.violations)
    found.emplace_back(example.violation.kind, example.steps.size());
  const std::vector<std::pair<Kind, std::size_t>> expected = {
      {Kind::leak, 2}, {Kind::assertion, 3}, {Kind::stale_tlb, 5}};
  EXPECT_EQ(found, expected);
  options.all_kinds = false;
  EXPECT_EQ(explore(program, options).violations.size(), 1U);
}

TEST(ExplicitTraces, Limits) {
  ExplicitOptions options;
  options.cpus = 6;
  options.limits.memory_bytes = 100'000;
  const ExplicitResult memory = explore(testing::pmd_race({}), options);
  EXPECT_FALSE(memory.complete);
  EXPECT_EQ(memory.reason.substr(0, 13), "memory limit:");
  options.limits = {};
  options.limits.seconds = 1e-9;
  const ExplicitResult time = explore(testing::pmd_race({}), options);
  EXPECT_FALSE(time.complete);
  EXPECT_EQ(time.reason, "time limit: all states within 0 steps were covered");
  options.cpus = 20;
  const ExplicitResult many = explore(testing::pmd_race({}), options);
  EXPECT_FALSE(many.complete);
  EXPECT_NE(many.reason, "");
}

TEST(ExplicitTraces, Coverage) {
  step::Program program = testing::pmd_race({2, true, true, 0});
  for (std::uint32_t c = 0; c < program.commands.size(); ++c) {
    program.coverage.emplace_back();
    program.commands[c].covers = {c};
  }
  const ExplicitResult result = search(program, 1);
  ASSERT_EQ(result.covered.size(), program.commands.size());
  for (std::uint32_t c = 0; c < program.commands.size(); ++c) {
    EXPECT_EQ(result.covered[c], !program.commands[c].violation.has_value()) << program.commands[c].notes[0].text;
  }
}

}  // namespace
}  // namespace faultline::check
