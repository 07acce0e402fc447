// The datalog engine derives what the view engine searches for, so the two must agree to the last pair: as many ordered
// pairs of CPUs as the views have rows, and a violation derivable iff the views cannot exclude one.
#include "checker/datalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "checker/engines.hpp"
#include "checker/queries_table.hpp"
#include "checker/views.hpp"
#include "step/load.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/random_program.hpp"
#include "tests/support/sanitized.hpp"

namespace faultline::check {
namespace {

using namespace faultline::testing;
using step::ExprOp;

DatalogResult derive(const step::Program& program) { return datalog(program, {}); }

// `seen` counts the programs that are proved.
void expect_equal(const step::Program& program, const ViewsResult& found, const std::string& what, std::size_t& seen) {
  const DatalogResult derived = derive(program);
  ASSERT_EQ(derived.proved, found.proved) << what << ": " << derived.reason << " against " << found.reason;
  if (!found.proved) {
    EXPECT_NE(derived.reason, "") << what;
    return;
  }
  ++seen;
  ASSERT_EQ(derived.pairs, table_of(program, found.set).rows.size()) << what;
}

ViewsResult views_of(const step::Program& program) { return views(program, {}); }

TEST(Datalog, PmdRace) {
  const std::vector<int> versions = testing::sanitized ? std::vector{2} : std::vector{0, 1, 2};
  const std::size_t safe = 3 * versions.size();  // all but those that have the race and somebody to lose it to
  std::size_t proved = 0;
  for (const int version : versions) {
    for (const bool fix : {false, true}) {
      for (const bool zap : {false, true}) {
        const step::Program program = pmd_race({version, fix, zap, 0});
        expect_equal(program, views_of(program), "version " + std::to_string(version), proved);
      }
    }
  }
  EXPECT_EQ(proved, safe);
  for (const int bad : {1, 2, 3}) {
    const step::Program program = pmd_race({2, true, true, bad});
    expect_equal(program, views_of(program), "bad " + std::to_string(bad), proved);
  }
  EXPECT_EQ(proved, safe);
}

TEST(Datalog, ObjectsAndAwaits) {
  const DatalogResult derived = derive(thp_tables(ThpTables::unstable));
  EXPECT_TRUE(derived.proved) << derived.reason;
  EXPECT_EQ(derived.pairs, 4172U);
  for (const ThpTables variant : {ThpTables::base, ThpTables::present, ThpTables::none})
    EXPECT_FALSE(derive(thp_tables(variant)).proved);
  for (const int mutant : {1, 2, 3, 4, 5, 7, 8, 9})
    EXPECT_FALSE(derive(thp_tables(ThpTables::unstable, mutant)).proved) << mutant;
}

TEST(Datalog, TheModelOfThePatchOfApril2011) {
  if (std::getenv("FAULTLINE_FULL") == nullptr) GTEST_SKIP() << "takes a quarter of a minute";
  std::size_t proved = 0;
  for (const auto& variant : step::load(FAULTLINE_SOURCE_DIR "/models/thp/thp_fault.fl").variants)
    expect_equal(variant.program, views_of(variant.program), variant.name, proved);
  EXPECT_GT(proved, 0U);
}

// Every mixture of objects, awaits and lines, lines of 2 CPUs included: a picture of three has no room for three.
void compare_random(std::uint64_t first, std::uint64_t last, std::size_t most, std::size_t& compared,
                    std::size_t& proved) {
  for (std::uint64_t seed = first; seed < last; ++seed) {
    step::Program program = random_program(seed, {seed % 4 != 3, seed % 3 != 2, seed % 5 > 2});
    if (seed % 5 == 4) program.lines[1].cpus = 2;
    if (seed % 10 == 3) program.lines[0].cpus = 2;
    ViewsOptions options;
    options.max_views = most;
    const ViewsResult found = views(program, options);
    if (found.set.views.size() > most) continue;
    ++compared;
    expect_equal(program, found, "seed " + std::to_string(seed), proved);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// Small programs that tell apart which objects three CPUs can have in common, and what a reused address was to each.
TEST(Datalog, ObjectsOfThree) {
  std::size_t proved = 0;
  for (const std::uint64_t seed : {31U, 37U, 48U, 132U, 265U}) {
    const step::Program program = random_program(seed, {true, false, false});
    expect_equal(program, views_of(program), "seed " + std::to_string(seed), proved);
  }
  for (const std::uint64_t seed : {31U, 126U, 164U, 251U}) {
    const step::Program program = random_program(seed, {true, true, false});
    expect_equal(program, views_of(program), "seed " + std::to_string(seed), proved);
  }
  EXPECT_EQ(proved, 9U);
}

// Two CPUs name the only object; the third takes it from one of them and reuses its address in the same step. That the
// two had it in common does not hinder it.
TEST(Datalog, TakenAndReusedInOneStep) {
  ProgramBuilder b("reuse");
  const Id stage = b.global("stage", 2);
  const Id loses = b.local("loses");
  const Id type = b.type("object_t");
  const Id place = b.place("p", type);
  const Id handle = b.handle("h", type);
  const Id any = b.line("any", 0);
  const Id handler = b.handler("h");
  const Id made = b.at(any, handler), kept = b.at(any, handler), lost = b.at(any, handler), taken = b.at(any, handler);
  const ExprId here = b.land(b.global_is(stage, 1), b.lnot(b.op(ExprOp::place_null, place)));
  b.command(b.idle(any), made, "make")
      .assume(b.global_is(stage, 0))
      .set_global(stage, 1)
      .fresh(handle)
      .place_from_handle(place, handle);
  b.command(b.idle(any), kept, "look").assume(here).handle_from_place(handle, place);
  b.command(b.idle(any), lost, "look").assume(here).handle_from_place(handle, place).set_local(loses, 1);
  b.command(kept, kept, "free").set_bit(handle, 0, true).clear_place(place);
  b.command(b.idle(any), taken, "take")
      .assume(b.global_is(stage, 1))
      .set_global(stage, 2)
      .others_clear_handle(handle, b.op(ExprOp::other_local, loses))
      .fresh(handle)
      .place_from_handle(place, handle);
  const step::Program program = b.finish();
  std::size_t proved = 0;
  expect_equal(program, views_of(program), "reuse", proved);
  EXPECT_EQ(proved, 1U);
}

TEST(Datalog, EqualsTheViewsOfRandomPrograms) {
  std::size_t compared = 0, proved = 0;
  if (std::getenv("FAULTLINE_FULL") == nullptr) {
    compare_random(0, testing::some_of(80), 100, compared, proved);
    EXPECT_GT(compared, testing::some_of(50));
    EXPECT_GT(proved, testing::some_of(15));
  } else {
    compare_random(0, 3000, 1000, compared, proved);
    EXPECT_GT(compared, 2000U);
    EXPECT_GT(proved, 500U);
  }
}

// A sender on one CPU lets the others know; it is wrong when two of them have heard of it. Only a picture of three
// shows that, and it takes every kind of clause.
TEST(Datalog, EveryKindOfClauseIsMissed) {
  ProgramBuilder b("three");
  const Id sent = b.global("sent");
  const Id deaf = b.local("deaf");
  const Id kind = b.await("a", {}, {deaf});
  const Id any = b.line("any", 0);
  const Id one = b.line("one", 1);
  const Id here = b.at(any, b.handler("listen"));
  const Id there = b.at(one, b.handler("send"));
  b.command(b.idle(any), here, "listen").set_local(deaf, 1);
  b.command(b.idle(one), there, "send").set_global(sent, 1).await_others(kind, b.always());
  const ExprId hears = b.lnot(b.op(ExprOp::other_local, deaf));
  b.violation(here, step::Kind::assertion, "two have heard")
      .assume(b.global_is(sent, 1))
      .assume(b.local_is(deaf, 0))
      .some(b.land(hears, b.op(ExprOp::other_pc_in, b.pc_set({here}))));
  const step::Program program = b.finish();
  EXPECT_FALSE(derive(program).proved);
  EXPECT_EQ(ask(*find_engine("datalog"), program, {}).answer, Answer::unknown);
  for (const Clause clause : all_clauses) {
    DatalogOptions options;
    std::erase(options.clauses, clause);
    const DatalogResult derived = datalog(program, options);
    EXPECT_TRUE(derived.proved) << static_cast<int>(clause) << ": " << derived.reason;
  }
}

TEST(Datalog, WhatItCannotExcludeHasALine) {
  ProgramBuilder b("wrong");
  const Id g = b.global("g", 1);
  const Id any = b.line("any", 0);
  const Id pc = b.at(any, b.handler("h"));
  b.command(b.idle(any), pc, "start").set_global(g, 1);
  b.violation(pc, step::Kind::assertion, "never").assume(b.global_is(g, 1));
  step::Program program = b.finish();
  const std::string line = std::to_string(program.commands.back().span.line);
  EXPECT_EQ(derive(program).reason, "cannot exclude: assert: never at line " + line);
  program.commands.back().violation->kind = step::Kind::bound;
  EXPECT_EQ(derive(program).reason, "a value may leave its declared range at line " + line);
  program.commands.back().violation.reset();
  EXPECT_TRUE(derive(program).proved);
  program.invariants.push_back({"low", program.commands.back().ops.front().e, {}});
  EXPECT_EQ(derive(program).reason, "cannot exclude: invariant low");
}

TEST(Datalog, RefusesWhatTwoCpusCannotShow) {
  ProgramBuilder b("shapes");
  const Id any = b.line("any", 0);
  const Id pc = b.at(any, b.handler("h"));
  b.command(b.idle(any), pc, "start");
  const ExprId there = b.op(ExprOp::other_pc_in, b.pc_set({pc}));
  const ExprId somebody = b.op(ExprOp::any_cpu, there);
  step::Program program = b.finish();
  const Engine& engine = *find_engine("datalog");
  EXPECT_EQ(engine.refuses(program, {}), "");
  EXPECT_FALSE(takes(engine, {2, {}}));
  step::Program three = program;
  three.exprs.push_back({ExprOp::land, somebody, somebody, 0, 0});
  const auto two_of_them = static_cast<ExprId>(three.exprs.size() - 1);
  three.invariants.push_back({"i", two_of_them, {}});
  EXPECT_EQ(datalog_refuses(three), "");
  three.exprs.push_back({ExprOp::land, two_of_them, somebody, 0, 0});
  three.invariants.back().e = two_of_them + 1;
  EXPECT_EQ(datalog_refuses(three), "an invariant speaks of more than 2 CPUs");
  three = program;
  step::Command& wrong = three.commands.back();
  wrong.violation.emplace();
  wrong.ops = {{step::OpCode::some, 0, 0, 0, there}};
  EXPECT_EQ(datalog_refuses(three), "");
  wrong.ops.push_back(wrong.ops.front());
  EXPECT_EQ(datalog_refuses(three), "it takes more than 2 CPUs to see a violation");
  program.lines[0].cpus = 2;
  EXPECT_NE(engine.refuses(program, {}), "");
}

TEST(Datalog, LimitsAreNotProofs) {
  const step::Program program = thp_tables(ThpTables::unstable);
  DatalogOptions options;
  options.limits.seconds = 0.05;
  const DatalogResult late = datalog(program, options);
  EXPECT_FALSE(late.proved);
  EXPECT_THAT(late.reason, ::testing::EndsWith("time limit"));
  options.limits = {};
  options.limits.memory_bytes = 1;
  EXPECT_FALSE(datalog(program, options).proved);
  EXPECT_EQ(datalog(program, options).reason, "memory limit");
}

}  // namespace
}  // namespace faultline::check
