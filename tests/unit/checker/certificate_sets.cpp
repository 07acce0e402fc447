#include "tests/unit/checker/certificate_sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "checker/certificate_text.hpp"
#include "step/interpreter.hpp"

namespace faultline::testing {

using check::ViewSet;
using step::ExprOp;
using step::Kind;
using step::Program;
using step::State;

namespace {

Program small_model(bool without_flush, bool remembers) {
  ProgramBuilder b("small_flush", without_flush ? "no_flush" : "base");
  const Id lock = b.global("lock");
  const Id thing = b.type("thing");
  const Id place = b.place("p", thing);
  const Id mine = b.handle("mine", thing);
  const Id tlb = b.handle("tlb", thing);
  const Id flush = b.await("flush", {tlb});
  const Id handler = b.handler("handler");
  const Id line = b.line("cpu", 0);
  const Id idle = b.idle(line);
  const Id has = b.at(line, handler);
  const Id publishes = b.at(line, handler);
  const Id locked = b.at(line, handler);
  const Id unlinked = b.at(line, handler);
  const Id waits = b.at(line, handler);
  const Id flushed = b.at(line, handler);
  const Id done = b.at(line, handler);
  const ExprId empty = b.op(ExprOp::place_null, place);
  const ExprId mapped = b.op(ExprOp::other_is_mine, tlb, mine);
  const auto take_lock = [&](Id from, Id to) {
    b.command(from, to, "lock").assume(b.global_is(lock, 0)).set_global(lock, 1).may_block();
  };
  b.command(idle, idle, "touch").assume(b.lnot(empty)).handle_from_place(tlb, place);
  if (remembers) b.command(idle, idle, "remember").handle_from_place(b.handle("seen", thing), place);
  b.command(idle, has, "alloc").fresh(mine);
  take_lock(has, publishes);
  b.command(publishes, done, "publish").assume(empty).place_from_handle(place, mine).clear_handle(mine);
  b.command(publishes, flushed, "too late").assume(b.lnot(empty));
  take_lock(idle, locked);
  b.command(locked, done, "nothing there").assume(empty);
  b.command(locked, unlinked, "unlink").assume(b.lnot(empty)).handle_from_place(mine, place).clear_place(place);
  b.command(unlinked, without_flush ? flushed : waits, "send").clear_handle(tlb).await_others(flush, b.always());
  b.command(waits, flushed, "wait").none(b.op(ExprOp::i_await_other, flush)).may_block();
  b.violation(flushed, Kind::stale_tlb, "free of what a TLB maps").some(mapped);
  b.command(flushed, done, "free").none(mapped).set_bit(mine, 0, true).clear_handle(mine);
  b.command(done, idle, "unlock").set_global(lock, 0);
  return b.finish();
}

}  // namespace

Program small_flush(bool without_flush) { return small_model(without_flush, false); }
Program small_reuse() { return small_model(false, true); }

Program room_for_two(int cpus) {
  ProgramBuilder b("room", std::to_string(cpus));
  const Id inside = b.global("inside", 3);
  const Id visitor = b.line("visitor", cpus);
  const Id room = b.at(visitor, b.handler("visit"));
  const Id watcher = b.line("watcher", 0);
  const Id looking = b.at(watcher, b.handler("look"));
  const ExprId number = b.op(ExprOp::global, inside);
  b.violation(b.idle(visitor), Kind::assertion, "no room").assume(b.global_is(inside, 2));
  b.command(b.idle(visitor), room, "enter")
      .assume(b.lnot(b.global_is(inside, 2)))
      .set_global(inside, b.op(ExprOp::add, number, b.constant(1)));
  b.command(room, b.idle(visitor), "leave").set_global(inside, b.op(ExprOp::sub, number, b.constant(1)));
  b.command(b.idle(watcher), looking, "look");
  b.command(looking, b.idle(watcher), "go");
  return b.finish();
}

Program crowd(int too_many, bool as_invariant) {
  ProgramBuilder b("crowd", std::to_string(too_many));
  const Id line = b.line("cpu", 0);
  const Id handler = b.handler("enter");
  // Which door a CPU came through tells the witnesses apart.
  std::vector<Id> doors;
  for (int n = 0; n < too_many; ++n) doors.push_back(b.at(line, handler));
  for (const Id door : doors) {
    b.command(b.idle(line), door, "in");
    b.command(door, b.idle(line), "out");
  }
  if (as_invariant) {
    ExprId all = b.always();
    for (const Id door : doors) all = b.land(all, b.op(ExprOp::any_cpu, b.op(ExprOp::other_pc_in, b.pc_set({door}))));
    b.invariant("not all doors", b.lnot(all));
  } else {
    auto violation = b.violation(doors.front(), Kind::assertion, "all doors");
    for (std::size_t n = 1; n < doors.size(); ++n) violation.some(b.op(ExprOp::other_pc_in, b.pc_set({doors[n]})));
  }
  return b.finish();
}

ViewSet proved_views(const Program& program, std::uint32_t k) {
  check::ViewsOptions options;
  options.k = k;
  check::ViewsResult result = check::views(program, options);
  EXPECT_TRUE(result.proved) << result.reason;
  return std::move(result.set);
}

namespace {

// Only the chosen CPUs, in this order.
State projection(const Program& program, const State& state, const std::vector<std::size_t>& cpus) {
  State view = state;
  view.cpus = 0;
  view.cpu = {};
  for (const std::size_t i : cpus) {
    step::CpuState& cpu = view.cpu[view.cpus++];
    cpu = state.cpu[i];
    cpu.awaits = {};
    for (std::size_t kind = 0; kind < program.awaits.size(); ++kind) {
      for (std::size_t j = 0; j < cpus.size(); ++j) {
        const unsigned bit = state.cpu[i].awaits[kind] >> cpus[j] & 1u;
        cpu.awaits[kind] = static_cast<std::uint16_t>(cpu.awaits[kind] | bit << j);
      }
    }
  }
  return view;
}

// Renames the objects: the n-th new name goes to whom it is given first, starting at the end.
State renamed(const Program& program, const State& view) {
  State result = view;
  result.objects = 0;
  result.bits = {};
  result.types = {};
  std::array<std::uint8_t, step::max_objects + 1> name{};
  const auto rename = [&](std::uint8_t& object) {
    if (object == 0) return;
    if (name[object] == 0) {
      name[object] = ++result.objects;
      result.bits[result.objects] = view.bits[object];
      result.types[result.objects] = view.types[object];
    }
    object = name[object];
  };
  for (std::size_t i = view.cpus; i-- > 0;) {
    for (std::size_t h = program.handles.size(); h-- > 0;) rename(result.cpu[i].handles[h]);
  }
  for (std::size_t p = program.places.size(); p-- > 0;) rename(result.places[p]);
  return result;
}

std::string key(const Program& program, const State& state) {
  return check::view_lines(program, {state.cpus, {state}}).front();
}

}  // namespace

ViewSet projected_views(const Program& program, std::uint32_t n, std::uint32_t k) {
  std::vector<State> states{initial_state(program, cpus_per_line(program, n))};
  std::set<std::string> seen{key(program, states.front())};
  const auto add = [&](const State& state) {
    if (seen.insert(key(program, state)).second) states.push_back(renamed(program, state));
  };
  ViewSet set{k, {}};
  std::set<std::string> seen_views;
  for (std::size_t s = 0; s < states.size(); ++s) {
    const State state = states[s];
    for (std::size_t i = 0; i < state.cpus; ++i) {
      for (const step::Command& command : program.commands) {
        if (!command.violation) step::run(program, state, i, command, step::World::closed, add);
      }
      for (std::size_t j = 0; j < state.cpus; ++j) {
        for (std::size_t kind = 0; kind < program.awaits.size(); ++kind) {
          if (can_acknowledge(program, state, i, j, kind)) add(acknowledge(program, state, i, j, kind));
        }
      }
    }
    std::vector<bool> chosen(state.cpus, false);
    std::fill(chosen.begin(), chosen.begin() + k, true);
    do {
      std::vector<std::size_t> cpus;
      for (std::size_t i = 0; i < state.cpus; ++i) {
        if (chosen[i]) cpus.push_back(i);
      }
      const State view = renamed(program, projection(program, state, cpus));
      if (seen_views.insert(key(program, view)).second) set.views.push_back(view);
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
  }
  return set;
}

ViewSet without(ViewSet set, std::size_t view) {
  set.views.erase(set.views.begin() + static_cast<std::ptrdiff_t>(view));
  return set;
}

ViewSet shuffled(const Program& program, const ViewSet& set, unsigned seed) {
  std::mt19937 random(seed);
  ViewSet result = set;
  std::shuffle(result.views.begin(), result.views.end(), random);
  std::vector<std::size_t> order(set.k);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (State& view : result.views) {
    std::shuffle(order.begin(), order.end(), random);
    view = renamed(program, projection(program, view, order));
  }
  return result;
}

}  // namespace faultline::testing
