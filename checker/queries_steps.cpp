// Symbolic execution of the step IR, written from step/program.hpp: one op after the other, each on what the ops before
// it left. A number is a list of cases, one term for each value it can have.
#include <algorithm>
#include <map>

#include "checker/queries_picture.hpp"

namespace faultline::check {

using smt::no;
using smt::Term;
using smt::yes;
using step::ExprOp;
using step::OpCode;

namespace {

std::uint32_t combined(ExprOp op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
    case ExprOp::eq: return a == b;
    case ExprOp::lt: return a < b;
    case ExprOp::le: return a <= b;
    case ExprOp::add: return (a + b) & 0xff;
    case ExprOp::sub: return (a - b) & 0xff;
    default: return a & b;
  }
}

}  // namespace

Picture::Cases Picture::cases(const SymbolicState& state, std::size_t me, std::size_t other, step::ExprId id) {
  const step::Expr& e = program_.expr(id);
  const auto of_number = [](const Number& number) {
    Cases result;
    for (std::size_t v = 0; v < number.size(); ++v) {
      if (!number[v].is_false()) result.emplace_back(static_cast<std::uint32_t>(v), number[v]);
    }
    return result;
  };
  switch (e.op) {
    case ExprOp::constant: return {{static_cast<std::uint32_t>(e.value), yes}};
    case ExprOp::global: return of_number(state.globals[e.a]);
    case ExprOp::local: return of_number(state.cpus[me].locals[e.a]);
    case ExprOp::other_local: return of_number(state.cpus[other].locals[e.a]);
    case ExprOp::eq:
    case ExprOp::lt:
    case ExprOp::le:
    case ExprOp::add:
    case ExprOp::sub:
    case ExprOp::bit_and: return cases_of_two(state, me, other, e);
    case ExprOp::ite: {
      const Term condition = truth(state, me, other, e.a);
      std::map<std::uint32_t, std::vector<Term>> when;
      for (const auto& [v, t] : cases(state, me, other, e.b)) when[v].push_back(terms_.both(condition, t));
      for (const auto& [v, t] : cases(state, me, other, e.c)) when[v].push_back(terms_.both(!condition, t));
      Cases result;
      for (const auto& [v, list] : when) result.emplace_back(v, terms_.any(list));
      return result;
    }
    default: {
      const Term t = truth(state, me, other, id);
      return {{0, !t}, {1, t}};
    }
  }
}

Picture::Cases Picture::cases_of_two(const SymbolicState& state, std::size_t me, std::size_t other,
                                     const step::Expr& e) {
  std::map<std::uint32_t, std::vector<Term>> when;
  const Cases right = cases(state, me, other, e.b);
  for (const auto& [a, is_a] : cases(state, me, other, e.a)) {
    for (const auto& [b, is_b] : right) when[combined(e.op, a, b)].push_back(terms_.both(is_a, is_b));
  }
  Cases result;
  for (const auto& [v, list] : when) result.emplace_back(v, terms_.any(list));
  return result;
}

Term Picture::truth(const SymbolicState& state, std::size_t me, std::size_t other, step::ExprId id) {
  const step::Expr& e = program_.expr(id);
  const SymbolicCpu& cpu = state.cpus[me];
  const SymbolicCpu& that = state.cpus[other];
  const auto operand = [&](step::ExprId operand_id) { return truth(state, me, other, operand_id); };
  const auto equal = [&](const Reference& a, const Reference& b) {  // both null included
    return terms_.either(same(state, a, b), terms_.both(null(state, a), null(state, b)));
  };
  switch (e.op) {
    case ExprOp::lnot: return !operand(e.a);
    case ExprOp::land: return terms_.both(operand(e.a), operand(e.b));
    case ExprOp::lor: return terms_.either(operand(e.a), operand(e.b));
    case ExprOp::in: {
      std::vector<Term> inside;
      for (const auto& [v, t] : cases(state, me, other, e.a)) {
        if (v < 64 && (e.value >> v & 1) != 0) inside.push_back(t);
      }
      return terms_.any(std::move(inside));
    }
    case ExprOp::handle_null: return null(state, cpu.handles[e.a]);
    case ExprOp::handle_is_place: return equal(cpu.handles[e.a], state.places[e.b]);
    case ExprOp::handles_equal: return equal(cpu.handles[e.a], cpu.handles[e.b]);
    case ExprOp::place_null: return null(state, state.places[e.a]);
    case ExprOp::places_equal: return equal(state.places[e.a], state.places[e.b]);
    case ExprOp::object_bit: return bit(state, cpu.handles[e.a], e.b);
    case ExprOp::place_bit: return bit(state, state.places[e.a], e.b);
    case ExprOp::pc_in: return position_in(cpu.position, program_.pc_sets[e.a]);
    case ExprOp::other_pc_in: return position_in(that.position, program_.pc_sets[e.a]);
    case ExprOp::other_null: return null(state, that.handles[e.a]);
    case ExprOp::other_is_mine: return same(state, that.handles[e.a], cpu.handles[e.b]);
    case ExprOp::other_is_place: return same(state, that.handles[e.a], state.places[e.b]);
    case ExprOp::i_await_other: return cpu.awaits[e.a][other];
    case ExprOp::any_cpu: {
      std::vector<Term> some;
      for (std::size_t j = 0; j < state.cpus.size(); ++j) some.push_back(truth(state, me, j, e.a));
      return terms_.any(std::move(some));
    }
    default: {
      std::vector<Term> not_zero;
      for (const auto& [v, t] : cases(state, me, other, id)) {
        if (v != 0) not_zero.push_back(t);
      }
      return terms_.any(std::move(not_zero));
    }
  }
}

SymbolicStep Picture::run(std::size_t me, const step::Command& command, step::World world) {
  SymbolicStep step{state_.cpus[me].position[command.from], state_};
  fresh_used_ = 0;
  const bool must_see = world == step::World::closed || command.violation.has_value();
  for (const step::Op& op : command.ops) apply(step, me, op, must_see);
  Number& position = step.after.cpus[me].position;
  position.assign(position.size(), no);
  position[command.to] = yes;
  return step;
}

void Picture::apply(SymbolicStep& step, std::size_t me, const step::Op& op, bool must_see) {
  SymbolicState& state = step.after;
  SymbolicCpu& cpu = state.cpus[me];
  const auto for_others = [&](const auto& act) {
    for (std::size_t j = 0; j < state.cpus.size(); ++j) {
      if (j != me) act(j, truth(state, me, j, op.e));
    }
  };
  const auto evaluated = [&]() {
    Number number;
    for (const auto& [v, t] : cases(state, me, me, op.e)) {
      if (v >= number.size()) number.resize(v + 1, no);
      number[v] = t;
    }
    return number;
  };
  switch (op.code) {
    case OpCode::assume: step.enabled = terms_.both(step.enabled, truth(state, me, me, op.e)); break;
    case OpCode::none: for_others([&](std::size_t, Term t) { step.enabled = terms_.both(step.enabled, !t); }); break;
    case OpCode::some: {
      std::vector<Term> witnesses;
      for_others([&](std::size_t, Term t) { witnesses.push_back(t); });
      if (must_see) step.enabled = terms_.both(step.enabled, terms_.any(std::move(witnesses)));
      break;
    }
    case OpCode::set_global: state.globals[op.a] = evaluated(); break;
    case OpCode::set_local: cpu.locals[op.a] = evaluated(); break;
    case OpCode::clear_handle: cpu.handles[op.a].kept = no; break;
    case OpCode::handle_from_place: cpu.handles[op.a] = state.places[op.b]; break;
    case OpCode::handle_from_handle: cpu.handles[op.a] = cpu.handles[op.b]; break;
    case OpCode::fresh: fresh(step, me, op.a); break;
    case OpCode::clear_place: state.places[op.a].kept = no; break;
    case OpCode::place_from_handle: state.places[op.a] = cpu.handles[op.b]; break;
    case OpCode::set_object_bit: {
      const Reference object = cpu.handles[op.a];
      for (std::size_t slot = 0; slot < state.bits.size(); ++slot) {
        if (slots_[slot].type != slots_[object.slot].type) continue;
        const Term affected = terms_.both(object.kept, same_slots(slot, object.slot));
        Term& bit = state.bits[slot][op.b];
        bit = op.value != 0 ? terms_.either(bit, affected) : terms_.both(bit, !affected);
      }
      break;
    }
    case OpCode::others_set_local:
      for_others([&](std::size_t j, Term t) {
        Number& local = state.cpus[j].locals[op.a];
        if (op.value >= local.size()) local.resize(op.value + 1u, no);
        for (std::size_t v = 0; v < local.size(); ++v) {
          local[v] = v == op.value ? terms_.either(t, local[v]) : terms_.both(!t, local[v]);
        }
      });
      break;
    case OpCode::others_clear_handle:
      for_others([&](std::size_t j, Term t) {
        Reference& handle = state.cpus[j].handles[op.a];
        handle.kept = terms_.both(handle.kept, !t);
      });
      break;
    case OpCode::await_others:
      for_others([&](std::size_t j, Term t) { cpu.awaits[op.a][j] = terms_.either(cpu.awaits[op.a][j], t); });
      break;
  }
}

// A new object, or one that is freed and still named: then its bits are cleared.
void Picture::fresh(SymbolicStep& step, std::size_t me, step::Id handle) {
  const step::Id type = program_.handles[handle].type;
  std::size_t slot = slots_.size();
  std::size_t nth = 0;  // fresh slots are used again by other commands, not twice in one
  for (const std::size_t candidate : fresh_slots_) {
    if (nth++ >= fresh_used_ && slots_[candidate].type == type) {
      slot = candidate;
      fresh_used_ = nth;
      break;
    }
  }
  if (slot == slots_.size()) {
    add_slot("fresh" + std::to_string(fresh_slots_.size() + 1), type, false);
    fresh_slots_.push_back(slot);
    fresh_used_ = fresh_slots_.size();
  }
  SymbolicState& state = step.after;
  state.bits.resize(slots_.size());
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    if (s == slot || slots_[s].type != type || state.bits[s].empty()) continue;
    const Term reused = same_slots(s, slot);
    step.enabled =
        terms_.both(step.enabled, program_.has_alloc_reuse ? terms_.implies(reused, state.bits[s][0]) : !reused);
    for (Term& bit : state.bits[s]) bit = terms_.both(bit, !reused);
  }
  state.bits[slot].assign(program_.types[type].bits.size(), no);
  state.cpus[me].handles[handle] = {slot, yes};
}

SymbolicStep Picture::acknowledge(std::size_t me, std::size_t sender, std::size_t kind) {
  std::vector<bool> can_acknowledge;
  for (const step::Location& location : program_.locations) can_acknowledge.push_back(location.can_acknowledge(kind));
  SymbolicStep step{
      terms_.both(state_.cpus[sender].awaits[kind][me], position_in(state_.cpus[me].position, can_acknowledge)),
      state_};
  SymbolicCpu& cpu = step.after.cpus[me];
  for (const step::Id handle : program_.awaits[kind].clears_handles) cpu.handles[handle].kept = no;
  for (const step::Id local : program_.awaits[kind].clears_locals) {
    cpu.locals[local].assign(cpu.locals[local].size(), no);
    cpu.locals[local][0] = yes;
  }
  step.after.cpus[sender].awaits[kind][me] = no;
  return step;
}

}  // namespace faultline::check
