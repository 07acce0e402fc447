// The fast search against the reference interpreter: the same steps, the same states up to renaming, the same
// violations, on the reference models and on random programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "checker/explicit.hpp"
#include "checker/search/closed.hpp"
#include "checker/search/successors.hpp"
#include "checker/views.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/random_program.hpp"
#include "tests/support/replaying.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/states.hpp"

namespace faultline::check {
namespace {

using testing::Form;
using testing::RandomShape;

// The steps of a state as the search takes them, against each CPU's moves, one by one.
void same_successors(search::Closed& closed, search::Successors& successors, const std::vector<std::uint64_t>& key) {
  std::vector<search::Byte> s(closed.layout().size());
  std::vector<std::uint64_t> next(closed.words());
  std::map<std::pair<std::uint32_t, std::vector<std::uint64_t>>, std::uint32_t> fast, slow;
  successors.write_to(next.data());
  successors.look_at(key.data());
  const bool goes_on = successors.each([&](const search::Move& move, std::uint32_t times) {
    const bool violation = move.code != nullptr && move.code->violation;
    fast[{move.code != nullptr ? move.code->index : no_command, violation ? std::vector<std::uint64_t>{} : next}] +=
        times;
  });
  closed.decode(key.data(), s.data());
  ASSERT_EQ(std::memcmp(s.data(), successors.flat(), s.size()), 0);
  ASSERT_EQ(goes_on, !closed.deadlocked(s.data()));
  for (std::uint32_t me = 0; me < closed.cpus(); ++me) {
    closed.moves(s.data(), me, [&](const search::Move& move, const search::Byte* to) {
      std::vector<std::uint64_t> after;
      if (move.code == nullptr || !move.code->violation) {
        after.resize(closed.words());
        closed.encode(to, after.data());
      }
      ++slow[{move.code != nullptr ? move.code->index : no_command, after}];
    });
  }
  ASSERT_EQ(fast, slow);
}

// Every step of every reachable state: flat machine against interpreter.
void same_steps(const step::Program& program, std::uint32_t n, std::size_t limit) {
  search::Closed closed(program, step::cpus_per_line(program, n), search::Merge::cpus);
  search::Successors successors(closed);
  std::vector<search::Byte> s(closed.layout().size());
  std::vector<std::uint64_t> key(closed.words()), packed(closed.words());
  std::map<Form, std::vector<std::uint64_t>> keys;
  std::map<std::vector<std::uint64_t>, Form> forms;
  std::size_t count = 0;
  testing::for_each_reachable(program, n, [&](const step::State& state) {
    if (++count > limit) return;
    closed.layout().from_state(state, s.data());
    // Canonical form: exact.
    closed.encode(s.data(), key.data());
    const Form form = testing::form(program, state);
    const auto [k, new_form] = keys.emplace(form, key);
    const auto [f, new_key] = forms.emplace(key, form);
    ASSERT_EQ(k->second, key);
    ASSERT_EQ(f->second, form);
    ASSERT_EQ(new_form, new_key);
    // Packing: nothing lost.
    closed.encode_plain(s.data(), packed.data());
    std::vector<search::Byte> back(closed.layout().size());
    closed.decode(packed.data(), back.data());
    ASSERT_EQ(testing::plain_form(program, closed.layout().to_state(back.data())), testing::plain_form(program, state));
    // Steps.
    if (new_key) same_successors(closed, successors, key);
    std::multiset<std::tuple<std::uint32_t, std::uint32_t, Form>> fast, slow;
    for (std::uint32_t me = 0; me < closed.cpus(); ++me) {
      closed.moves(s.data(), me, [&](const search::Move& move, const search::Byte* next) {
        fast.emplace(me, move.code != nullptr ? move.code->index : no_command,
                     testing::plain_form(program, closed.layout().to_state(next)));
      });
    }
    for (const testing::Successor& successor : testing::successors(program, state)) {
      slow.emplace(successor.cpu, successor.command, testing::plain_form(program, successor.state));
    }
    ASSERT_EQ(fast, slow);
  });
}

TEST(SearchOracle, StepsOfReferenceModels) {
  same_steps(testing::pmd_race({}), 1, testing::some_of(10'000));
  same_steps(testing::pmd_race({}), 2, testing::some_of(2'000));
  same_steps(testing::thp_tables(testing::ThpTables::unstable), 3, testing::some_of(4'430));
  same_steps(testing::thp_tables(testing::ThpTables::base, 6), 2, testing::some_of(10'000));
}

// What plain breadth-first search with the interpreter finds.
struct Oracle {
  bool complete = true;
  std::uint64_t orbits = 0;
  std::map<std::pair<step::Kind, std::string>, std::size_t> steps;  // shortest trace of each
  std::vector<step::State> states;                                  // one of each orbit
};

Oracle search_plainly(const step::Program& program, std::uint32_t n, std::size_t limit) {
  Oracle oracle;
  std::set<Form> seen, orbits;
  std::vector<step::State> level, next;
  const auto add = [&](const step::State& state) {
    if (!seen.insert(testing::plain_form(program, state)).second) return;
    next.push_back(state);
    if (orbits.insert(testing::form(program, state)).second) oracle.states.push_back(state);
  };
  add(step::initial_state(program, step::cpus_per_line(program, n)));
  for (std::size_t depth = 0; !next.empty() && oracle.complete; ++depth) {
    level = std::move(next);
    next.clear();
    for (const step::State& state : level) {
      const auto found = [&](step::Kind kind, const std::string& name, std::size_t steps) {
        oracle.steps.try_emplace({kind, name}, steps);
      };
      for (const step::Invariant& invariant : program.invariants) {
        if (!step::holds(program, state, invariant)) found(step::Kind::invariant, invariant.name, depth);
      }
      if (step::deadlocked(program, state)) found(step::Kind::deadlock, "", depth);
      for (const testing::Successor& successor : testing::successors(program, state)) {
        const bool acknowledges = successor.command == no_command;
        if (!acknowledges && program.commands[successor.command].violation) {
          const step::Violation& violation = *program.commands[successor.command].violation;
          found(violation.kind, violation.name, depth + 1);
        } else {
          add(successor.state);
        }
      }
    }
    oracle.complete = seen.size() <= limit;
  }
  oracle.orbits = orbits.size();
  return oracle;
}

struct Tally {
  std::size_t searched = 0, violated = 0, proved = 0;
};

void compare(const step::Program& program, std::uint32_t n, const Oracle& oracle, Tally& tally) {
  ++tally.searched;
  std::vector<Counterexample> examples;
  for (const bool reduction : {true, false}) {
    ExplicitOptions options;
    options.cpus = n;
    options.reduction = reduction;
    options.all_kinds = true;
    const ExplicitResult all = explore(program, options);
    ASSERT_TRUE(all.complete);
    if (reduction) {
      ASSERT_EQ(all.states, oracle.orbits);
    } else if (const auto pool = testing::pool_states(program, n, 10'000)) {
      ASSERT_EQ(all.states, *pool);
    }
    std::map<std::pair<step::Kind, std::string>, std::size_t> steps;
    for (const Counterexample& example : all.violations) {
      steps[{example.violation.kind, example.violation.name}] = example.steps.size();
      ASSERT_EQ(testing::replay(program, example), "");
    }
    ASSERT_EQ(steps, oracle.steps);
    options.all_kinds = false;
    const ExplicitResult first = explore(program, options);
    ASSERT_EQ(first.violations.size(), oracle.steps.empty() ? 0U : 1U);
    if (oracle.steps.empty()) continue;
    std::size_t fewest = no_command;
    for (const auto& [kind, count] : oracle.steps) fewest = std::min(fewest, count);
    ASSERT_EQ(first.violations[0].steps.size(), fewest);
    ASSERT_EQ(testing::replay(program, first.violations[0]), "");
    examples.push_back(first.violations[0]);
  }
  if (examples.empty()) return;
  ++tally.violated;
  // The same trace with and without the reduction.
  ASSERT_EQ(examples[0].violation.message, examples[1].violation.message);
  for (std::size_t i = 0; i < examples[0].steps.size(); ++i) {
    ASSERT_EQ(examples[0].steps[i].command, examples[1].steps[i].command);
    ASSERT_EQ(examples[0].steps[i].cpu, examples[1].steps[i].cpu);
  }
}

void compare_views(const step::Program& program, std::uint32_t k, const std::map<std::uint32_t, Oracle>& oracles,
                   Tally& tally) {
  ViewsOptions options;
  options.k = k;
  options.max_views = 3'000;
  const ViewsResult result = views(program, options);
  if (!result.proved) return;
  ++tally.proved;
  std::set<Form> forms;
  for (const step::State& view : result.set.views) ASSERT_TRUE(forms.insert(testing::form(program, view)).second);
  for (const auto& [n, oracle] : oracles) {
    if (oracle.states.front().cpus < k) continue;
    for (const auto& [kind, steps] : oracle.steps) ASSERT_EQ(kind.first, step::Kind::deadlock);
    for (const step::State& state : oracle.states) {
      testing::for_each_subset(
          state, k, [&](const step::State& part) { ASSERT_TRUE(forms.contains(testing::form(program, part))); });
    }
  }
}

// `./test --full` tries far more.
Tally random_programs(std::uint64_t first, const RandomShape& shape) {
  Tally tally;
  const std::uint64_t last = first + (std::getenv("FAULTLINE_FULL") != nullptr ? 2000 : testing::some_of(50));
  for (std::uint64_t seed = first; seed < last; ++seed) {
    const step::Program program = testing::random_program(seed, shape);
    std::map<std::uint32_t, Oracle> oracles;
    for (const std::uint32_t n : {1U, 2U, 3U}) {
      Oracle oracle = search_plainly(program, n, 600);
      if (!oracle.complete) break;
      compare(program, n, oracle, tally);
      oracles.emplace(n, std::move(oracle));
      if (::testing::Test::HasFatalFailure()) {
        ADD_FAILURE() << "seed " << seed << ", " << n << " CPUs";
        return tally;
      }
    }
    if (oracles.empty()) continue;
    for (const std::uint32_t k : {1U, 2U, 3U}) {
      compare_views(program, k, oracles, tally);
      if (::testing::Test::HasFatalFailure()) {
        ADD_FAILURE() << "seed " << seed << ", views of " << k;
        return tally;
      }
    }
  }
  return tally;
}

void expect_work_done(const Tally& tally) {
  EXPECT_GT(tally.searched, testing::some_of(20));
  if (testing::sanitized) return;  // too few for the rest
  EXPECT_GT(tally.violated, 10U);
  EXPECT_GT(tally.proved, 3U);
}

// CPUs at one place, each with an object that no other names: what is marked there tells them apart.
TEST(SearchOracle, MarksOfObjectsThatOneCpuHolds) {
  testing::ProgramBuilder b("marks", "base");
  const step::Id h = b.handle("h", b.type("object_t", {"freed", "mark"}));
  const step::Id line = b.line("line", 0), handler = b.handler("f");
  const step::Id idle = b.idle(line), unmarked = b.at(line, handler), made = b.at(line, handler);
  b.command(idle, unmarked, "alloc").fresh(h);
  b.command(unmarked, made, "mark").set_bit(h, 1, true);
  b.command(unmarked, made, "leave it");
  b.command(made, idle, "drop it").clear_handle(h);
  const step::Program program = b.finish();
  Tally tally;
  for (const std::uint32_t n : {1U, 2U, 3U}) {
    const Oracle oracle = search_plainly(program, n, 10'000);
    ASSERT_EQ(oracle.orbits, n == 1 ? 4U : n == 2 ? 10U : 20U);  // n of: idle, unmarked, made with a mark, made without
    compare(program, n, oracle, tally);
  }
}

TEST(SearchOracle, RandomProgramsWithoutObjects) { expect_work_done(random_programs(0, {false, false, true})); }
TEST(SearchOracle, RandomProgramsWithObjects) { expect_work_done(random_programs(10'000, {true, false, false})); }
TEST(SearchOracle, RandomProgramsWithAwaits) { expect_work_done(random_programs(20'000, {false, true, true})); }
TEST(SearchOracle, RandomProgramsWithEverything) { expect_work_done(random_programs(30'000, {true, true, true})); }

}  // namespace
}  // namespace faultline::check
