// One op after the other, as program.hpp words them. A state is copied only when the first op that changes something is
// reached, so a command that is not enabled costs no copy; `fresh` branches by recursion.
#include "step/interpreter.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace faultline::step {
namespace {

// Bit n: some place or some handle names object n. Bit 0 may be set too and means nothing.
std::uint64_t named(const Program& program, const State& state) {
  std::uint64_t names = 0;
  for (std::size_t p = 0; p < program.places.size(); ++p) names |= std::uint64_t{1} << state.places[p];
  for (std::size_t i = 0; i < state.cpus; ++i) {
    for (std::size_t h = 0; h < program.handles.size(); ++h) names |= std::uint64_t{1} << state.cpu[i].handles[h];
  }
  return names;
}

// Forgets the objects that nobody names.
void forget_unnamed(const Program& program, State& state) {
  if (state.objects == 0) return;
  const std::uint64_t names = named(program, state) & ~std::uint64_t{1};
  for (std::size_t n = 1; n <= state.objects; ++n) {
    if ((names >> n & 1) == 0) state.bits[n] = state.types[n] = 0;
  }
  state.objects = names == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(std::bit_width(names) - 1);
}

bool truth(const Program& program, const State& state, std::size_t me, std::size_t other, ExprId e) {
  return evaluate(program, state, me, other, e) != 0;
}

bool passes(const Program& program, const State& state, std::size_t me, const Op& op, bool others_may_exist) {
  if (op.code == OpCode::assume) return truth(program, state, me, me, op.e);
  if (op.code == OpCode::some && others_may_exist) return true;
  for (std::size_t j = 0; j < state.cpus; ++j) {
    if (j != me && truth(program, state, me, j, op.e)) return op.code == OpCode::some;
  }
  return op.code == OpCode::none;
}

void set_bit(std::uint8_t& bits, Id bit, bool on) {
  const auto mask = static_cast<std::uint8_t>(1u << bit);
  bits = static_cast<std::uint8_t>(on ? bits | mask : bits & ~mask);
}

// Every op but the guards and `fresh`.
void apply(const Program& program, State& state, std::size_t me, const Op& op) {
  CpuState& cpu = state.cpu[me];
  switch (op.code) {
    case OpCode::assume:
    case OpCode::none:
    case OpCode::some:
    case OpCode::fresh: break;
    case OpCode::set_global:
      state.globals[op.a] = static_cast<std::uint8_t>(evaluate(program, state, me, me, op.e));
      break;
    case OpCode::set_local: cpu.locals[op.a] = static_cast<std::uint8_t>(evaluate(program, state, me, me, op.e)); break;
    case OpCode::clear_handle: cpu.handles[op.a] = 0; break;
    case OpCode::handle_from_place: cpu.handles[op.a] = state.places[op.b]; break;
    case OpCode::handle_from_handle: cpu.handles[op.a] = cpu.handles[op.b]; break;
    case OpCode::clear_place: state.places[op.a] = 0; break;
    case OpCode::place_from_handle: state.places[op.a] = cpu.handles[op.b]; break;
    case OpCode::set_object_bit:
      if (const std::uint8_t object = cpu.handles[op.a]; object != 0) set_bit(state.bits[object], op.b, op.value != 0);
      break;
    case OpCode::others_set_local:
    case OpCode::others_clear_handle:
    case OpCode::await_others:
      // None of the three changes what `e` reads of the CPUs still to be looked at.
      for (std::size_t j = 0; j < state.cpus; ++j) {
        if (j == me || !truth(program, state, me, j, op.e)) continue;
        if (op.code == OpCode::others_set_local) state.cpu[j].locals[op.a] = op.value;
        if (op.code == OpCode::others_clear_handle) state.cpu[j].handles[op.a] = 0;
        if (op.code == OpCode::await_others) cpu.awaits[op.a] = static_cast<std::uint16_t>(cpu.awaits[op.a] | 1u << j);
      }
      break;
  }
}

class Runner {
 public:
  Runner(const Program& program, std::size_t me, const Command& command, World world,
         const std::function<void(const State&)>& found)
      : program_(program), me_(me), command_(command), found_(found) {
    others_may_exist_ = world == World::open && !command.violation;
  }

  void start(const State& state) {
    std::size_t next = 0;
    for (; next < command_.ops.size() && is_guard(command_.ops[next].code); ++next) {
      if (!passes(program_, state, me_, command_.ops[next], others_may_exist_)) return;
    }
    State copy = state;
    go_on(copy, next);
  }

 private:
  void go_on(State& state, std::size_t next) {
    for (; next < command_.ops.size(); ++next) {
      const Op& op = command_.ops[next];
      if (is_guard(op.code)) {
        if (!passes(program_, state, me_, op, others_may_exist_)) return;
      } else if (op.code == OpCode::fresh) {
        return fresh(state, op, next + 1);
      } else {
        apply(program_, state, me_, op);
      }
    }
    if (command_.violation) {
      if (violated_) return;
      violated_ = true;
    } else {
      state.cpu[me_].pc = command_.to;
    }
    forget_unnamed(program_, state);
    found_(state);
  }

  void fresh(State& state, const Op& op, std::size_t next) {
    const Id type = program_.handles[op.a].type;
    const std::uint64_t names = named(program_, state) | 1;
    for (std::uint8_t n = 1; program_.has_alloc_reuse && n <= state.objects; ++n) {
      if ((names >> n & 1) == 0 || state.types[n] != type || (state.bits[n] & 1) == 0) continue;
      State reused = state;
      reused.bits[n] = 0;
      reused.cpu[me_].handles[op.a] = n;
      go_on(reused, next);
    }
    if (~names == 0) throw std::length_error("more than 63 objects in one state");
    const auto name = static_cast<std::uint8_t>(std::countr_one(names));
    state.objects = std::max(state.objects, name);
    state.bits[name] = 0;
    state.types[name] = static_cast<std::uint8_t>(type);
    state.cpu[me_].handles[op.a] = name;
    go_on(state, next);
  }

  const Program& program_;
  std::size_t me_;
  const Command& command_;
  const std::function<void(const State&)>& found_;
  bool others_may_exist_ = false;
  bool violated_ = false;
};

}  // namespace

std::uint32_t evaluate(const Program& program, const State& state, std::size_t me, std::size_t other, ExprId id) {
  const Expr& e = program.exprs[id];
  const auto value = [&](ExprId operand) { return evaluate(program, state, me, other, operand); };
  const CpuState& cpu = state.cpu[me];
  const CpuState& that = state.cpu[other];
  switch (e.op) {
    case ExprOp::constant: return static_cast<std::uint32_t>(e.value);
    case ExprOp::global: return state.globals[e.a];
    case ExprOp::local: return cpu.locals[e.a];
    case ExprOp::in: {
      const std::uint32_t v = value(e.a);
      return v < 64 && (e.value >> v & 1) != 0;
    }
    case ExprOp::lnot: return value(e.a) == 0;
    case ExprOp::land: return value(e.a) != 0 && value(e.b) != 0;
    case ExprOp::lor: return value(e.a) != 0 || value(e.b) != 0;
    case ExprOp::eq: return value(e.a) == value(e.b);
    case ExprOp::lt: return value(e.a) < value(e.b);
    case ExprOp::le: return value(e.a) <= value(e.b);
    case ExprOp::add: return (value(e.a) + value(e.b)) & 0xff;
    case ExprOp::sub: return (value(e.a) - value(e.b)) & 0xff;
    case ExprOp::bit_and: return value(e.a) & value(e.b);
    case ExprOp::ite: return value(e.a) != 0 ? value(e.b) : value(e.c);
    case ExprOp::handle_null: return cpu.handles[e.a] == 0;
    case ExprOp::handle_is_place: return cpu.handles[e.a] == state.places[e.b];
    case ExprOp::handles_equal: return cpu.handles[e.a] == cpu.handles[e.b];
    case ExprOp::place_null: return state.places[e.a] == 0;
    case ExprOp::places_equal: return state.places[e.a] == state.places[e.b];
    case ExprOp::object_bit: return cpu.handles[e.a] != 0 && (state.bits[cpu.handles[e.a]] >> e.b & 1) != 0;
    case ExprOp::place_bit: return state.places[e.a] != 0 && (state.bits[state.places[e.a]] >> e.b & 1) != 0;
    case ExprOp::pc_in: return program.pc_sets[e.a][cpu.pc];
    case ExprOp::other_local: return that.locals[e.a];
    case ExprOp::other_pc_in: return program.pc_sets[e.a][that.pc];
    case ExprOp::other_null: return that.handles[e.a] == 0;
    case ExprOp::other_is_mine: return that.handles[e.a] != 0 && that.handles[e.a] == cpu.handles[e.b];
    case ExprOp::other_is_place: return that.handles[e.a] != 0 && that.handles[e.a] == state.places[e.b];
    case ExprOp::i_await_other: return cpu.awaits[e.a] >> other & 1;
    case ExprOp::any_cpu:
      for (std::size_t j = 0; j < state.cpus; ++j) {
        if (evaluate(program, state, me, j, e.a) != 0) return 1;
      }
      return 0;
  }
  return 0;
}

bool holds(const Program& program, const State& state, const Invariant& invariant) {
  return evaluate(program, state, 0, 0, invariant.e) != 0;
}

void run(const Program& program, const State& state, std::size_t me, const Command& command, World world,
         const std::function<void(const State&)>& found) {
  if (state.cpu[me].pc == command.from) Runner(program, me, command, world, found).start(state);
}

bool can_acknowledge(const Program& program, const State& state, std::size_t me, std::size_t sender, std::size_t kind) {
  return me != sender && (state.cpu[sender].awaits[kind] >> me & 1) != 0 &&
         program.locations[state.cpu[me].pc].can_acknowledge(kind);
}

State acknowledge(const Program& program, State state, std::size_t me, std::size_t sender, std::size_t kind) {
  const AwaitKind& await = program.awaits[kind];
  for (const Id handle : await.clears_handles) state.cpu[me].handles[handle] = 0;
  for (const Id local : await.clears_locals) state.cpu[me].locals[local] = 0;
  std::uint16_t& bits = state.cpu[sender].awaits[kind];
  bits = static_cast<std::uint16_t>(bits & ~(1u << me));
  forget_unnamed(program, state);
  return state;
}

}  // namespace faultline::step
