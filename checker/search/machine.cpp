#include "checker/search/machine.hpp"

#include <algorithm>

namespace faultline::check::search {

using step::Expr;
using step::ExprId;
using step::ExprOp;
using step::Op;
using step::OpCode;

Machine::Machine(const step::Program& program, std::uint32_t max_cpus) : program_(program), layout_(program, max_cpus) {
  for (const auto& set : program.pc_sets) {
    std::vector<Byte> bytes(program.locations.size());
    std::copy_n(set.begin(), std::min(set.size(), bytes.size()), bytes.begin());
    pc_sets_.push_back(std::move(bytes));
  }
  for (const step::Location& location : program.locations) acknowledges_.push_back(location.acknowledges);
  find_masks();
  std::size_t fresh = 0;
  for (std::uint32_t i = 0; i < program.commands.size(); ++i) {
    compile(i);
    const auto& ops = program.commands[i].ops;
    fresh = std::max(fresh, static_cast<std::size_t>(std::count_if(
                                ops.begin(), ops.end(), [](const Op& op) { return op.code == OpCode::fresh; })));
  }
  scratch_.resize((fresh + 2) * layout_.size());
}

// An expression that reads one variable only is a set of its values.
void Machine::find_masks() {
  struct Reads {
    enum class What : std::uint8_t { constant, one, many } what = What::constant;
    ExprOp op = ExprOp::constant;
    ExprId variable = 0;
  };
  std::vector<Reads> reads(program_.exprs.size());
  std::vector<Byte> known(program_.exprs.size());
  const auto both = [](Reads a, const Reads& b) {
    if (b.what == Reads::What::constant) return a;
    if (a.what == Reads::What::constant) return b;
    if (a.what == Reads::What::one && b.what == a.what && a.op == b.op && a.variable == b.variable) return a;
    a.what = Reads::What::many;
    return a;
  };
  const auto find = [&](auto& self, ExprId id) -> Reads {
    if (known[id] != 0) return reads[id];
    const Expr& e = program_.exprs[id];
    Reads r;
    if (e.op == ExprOp::global || e.op == ExprOp::local || e.op == ExprOp::other_local) {
      r = {Reads::What::one, e.op, e.a};
    } else if (const unsigned n = step::operand_count(e.op); n > 0 && e.op != ExprOp::any_cpu) {
      for (unsigned i = 0; i < n; ++i) r = both(r, self(self, e.operand(i)));
    } else if (e.op != ExprOp::constant) {
      r.what = Reads::What::many;
    }
    known[id] = 1;
    return reads[id] = r;
  };
  // Evaluates with the one variable set to `v`.
  const auto value = [&](auto& self, ExprId id, std::uint32_t v) -> std::uint32_t {
    const Expr& e = program_.exprs[id];
    const auto of = [&](ExprId operand) { return self(self, operand, v); };
    switch (e.op) {
      case ExprOp::constant: return static_cast<std::uint32_t>(e.value);
      case ExprOp::in: {
        const std::uint32_t x = of(e.a);
        return x < 64 && (e.value >> x & 1) != 0 ? 1 : 0;
      }
      case ExprOp::lnot: return of(e.a) == 0 ? 1 : 0;
      case ExprOp::land: return of(e.a) != 0 && of(e.b) != 0 ? 1 : 0;
      case ExprOp::lor: return of(e.a) != 0 || of(e.b) != 0 ? 1 : 0;
      case ExprOp::eq: return of(e.a) == of(e.b) ? 1 : 0;
      case ExprOp::lt: return of(e.a) < of(e.b) ? 1 : 0;
      case ExprOp::le: return of(e.a) <= of(e.b) ? 1 : 0;
      case ExprOp::add: return (of(e.a) + of(e.b)) & 0xff;
      case ExprOp::sub: return (of(e.a) - of(e.b)) & 0xff;
      case ExprOp::bit_and: return of(e.a) & of(e.b);
      case ExprOp::ite: return of(e.a) != 0 ? of(e.b) : of(e.c);
      default: return v;  // the variable
    }
  };
  masks_.resize(program_.exprs.size());
  for (ExprId id = 0; id < program_.exprs.size(); ++id) {
    const Reads r = find(find, id);
    if (r.what != Reads::What::one) continue;
    const auto& variables = r.op == ExprOp::global ? program_.globals : program_.locals;
    const std::uint32_t max = variables[r.variable].max;
    if (max > 63) continue;
    Mask& mask = masks_[id];
    mask.of = r.op == ExprOp::global  ? Mask::Of::global
              : r.op == ExprOp::local ? Mask::Of::local
                                      : Mask::Of::other_local;
    mask.index = static_cast<std::uint16_t>(r.variable);
    for (std::uint32_t v = 0; v <= max; ++v) {
      if (value(value, id, v) != 0) mask.values |= std::uint64_t{1} << v;
    }
  }
}

void Machine::add_tests(const Op& op, std::uint32_t& witnesses) {
  Test t;
  t.e = op.e;
  if (op.code == OpCode::none || op.code == OpCode::some) {
    t.kind = op.code == OpCode::none ? Test::Kind::none : Test::Kind::some;
    if (op.code == OpCode::some) t.witness = witnesses++;
    tests_.push_back(t);
    return;
  }
  const Expr& e = program_.exprs[op.e];
  const Mask& mask = masks_[op.e];
  if (mask.of == Mask::Of::global || mask.of == Mask::Of::local) {
    t.kind = mask.of == Mask::Of::global ? Test::Kind::global : Test::Kind::local;
    t.index = mask.index;
    t.values = mask.values;
  } else if (e.op == ExprOp::land) {
    for (const ExprId operand : {e.a, e.b}) {
      Op part = op;
      part.e = operand;
      add_tests(part, witnesses);
    }
    return;
  }
  tests_.push_back(t);
}

void Machine::compile(std::uint32_t index) {
  const step::Command& command = program_.commands[index];
  Code code;
  code.index = index;
  code.to = command.to;
  code.violation = command.violation.has_value();
  code.bound = code.violation && command.violation->kind == step::Kind::bound;
  code.first_test = static_cast<std::uint32_t>(tests_.size());
  code.first_op = static_cast<std::uint32_t>(ops_.size());
  std::uint32_t witnesses = 0;
  bool leading = true;
  for (const Op& op : command.ops) {
    leading = leading && step::is_guard(op.code);
    if (leading) {
      add_tests(op, witnesses);
      continue;
    }
    ops_.push_back(op);
    switch (op.code) {
      case OpCode::some: ops_.back().value = static_cast<std::uint8_t>(witnesses++); break;
      case OpCode::set_global:
      case OpCode::fresh:  // a reused address is seen by those who still name it
      case OpCode::clear_place:
      case OpCode::place_from_handle:
      case OpCode::set_object_bit:
      case OpCode::others_set_local:
      case OpCode::others_clear_handle: code.changes_shared = true; break;
      default: break;
    }
    const bool sets = op.code == OpCode::set_global || op.code == OpCode::set_local;
    if (op.code == OpCode::others_set_local)
      code.sets_others_locals = true;
    else if (!sets && !step::is_guard(op.code))
      code.changes_names = true;
  }
  code.witnesses = witnesses;
  code.last_test = static_cast<std::uint32_t>(tests_.size());
  code.last_op = static_cast<std::uint32_t>(ops_.size());
  codes_.push_back(code);
}

bool Machine::test(const Test& t, const Byte* s, std::uint32_t me, bool violation, World world) const {
  switch (t.kind) {
    case Test::Kind::global: return (t.values >> s[Layout::global_at + t.index] & 1) != 0;
    case Test::Kind::local: return (t.values >> layout_.local(s, me, t.index) & 1) != 0;
    case Test::Kind::truth: return truth(s, me, me, t.e);
    case Test::Kind::none: return world == World::alone || !any_other(s, me, t.e);
    case Test::Kind::some:
      return world == World::alone || (world == World::open && (!violation || t.witness >= witnesses_)) ||
             any_other(s, me, t.e);
  }
  return false;
}

bool Machine::passes(const Code& code, const Byte* s, std::uint32_t me, World world) const {
  for (std::uint32_t i = code.first_test; i < code.last_test; ++i) {
    if (!test(tests_[i], s, me, code.violation, world)) return false;
  }
  return true;
}

bool Machine::any_other(const Byte* s, std::uint32_t me, ExprId e) const {
  for (std::uint32_t j = 0; j < s[0]; ++j) {
    if (j != me && truth(s, me, j, e)) return true;
  }
  return false;
}

bool Machine::truth(const Byte* s, std::uint32_t me, std::uint32_t other, ExprId e) const {
  const Mask& mask = masks_[e];
  switch (mask.of) {
    case Mask::Of::global: return (mask.values >> s[Layout::global_at + mask.index] & 1) != 0;
    case Mask::Of::local: return (mask.values >> layout_.local(s, me, mask.index) & 1) != 0;
    case Mask::Of::other_local: return (mask.values >> layout_.local(s, other, mask.index) & 1) != 0;
    case Mask::Of::nothing: break;
  }
  return evaluate(s, me, other, e) != 0;
}

std::uint32_t Machine::evaluate(const Byte* s, std::uint32_t me, std::uint32_t other, ExprId id) const {
  const Expr& e = program_.exprs[id];
  const Byte* my_handles = layout_.cpu(s, me) + layout_.handle_at;
  const auto value = [&](ExprId operand) { return evaluate(s, me, other, operand); };
  const auto holds = [&](ExprId operand) { return truth(s, me, other, operand); };
  const auto place = [&](ExprId p) { return s[layout_.place_at + p]; };
  const auto bit = [&](Byte object, ExprId b) { return (s[layout_.object_at + object] >> b & 1) != 0; };
  switch (e.op) {
    case ExprOp::constant: return static_cast<std::uint32_t>(e.value);
    case ExprOp::global: return s[Layout::global_at + e.a];
    case ExprOp::local: return layout_.local(s, me, e.a);
    case ExprOp::in: {
      const std::uint32_t v = value(e.a);
      return v < 64 && (e.value >> v & 1) != 0;
    }
    case ExprOp::lnot: return !holds(e.a);
    case ExprOp::land: return holds(e.a) && holds(e.b);
    case ExprOp::lor: return holds(e.a) || holds(e.b);
    case ExprOp::eq: return value(e.a) == value(e.b);
    case ExprOp::lt: return value(e.a) < value(e.b);
    case ExprOp::le: return value(e.a) <= value(e.b);
    case ExprOp::add: return (value(e.a) + value(e.b)) & 0xff;
    case ExprOp::sub: return (value(e.a) - value(e.b)) & 0xff;
    case ExprOp::bit_and: return value(e.a) & value(e.b);
    case ExprOp::ite: return holds(e.a) ? value(e.b) : value(e.c);
    case ExprOp::handle_null: return my_handles[e.a] == 0;
    case ExprOp::handle_is_place: return my_handles[e.a] == place(e.b);
    case ExprOp::handles_equal: return my_handles[e.a] == my_handles[e.b];
    case ExprOp::place_null: return place(e.a) == 0;
    case ExprOp::places_equal: return place(e.a) == place(e.b);
    case ExprOp::object_bit: return bit(my_handles[e.a], e.b);
    case ExprOp::place_bit: return bit(place(e.a), e.b);
    case ExprOp::pc_in: return pc_sets_[e.a][layout_.pc(s, me)];
    case ExprOp::other_local: return layout_.local(s, other, e.a);
    case ExprOp::other_pc_in: return pc_sets_[e.a][layout_.pc(s, other)];
    case ExprOp::other_null: return layout_.handle(s, other, e.a) == 0;
    case ExprOp::other_is_mine: {
      const Byte theirs = layout_.handle(s, other, e.a);
      return theirs != 0 && theirs == my_handles[e.b];
    }
    case ExprOp::other_is_place: {
      const Byte theirs = layout_.handle(s, other, e.a);
      return theirs != 0 && theirs == place(e.b);
    }
    case ExprOp::i_await_other: return layout_.await(s, me, e.a) >> other & 1;
    case ExprOp::any_cpu:
      for (std::uint32_t j = 0; j < s[0]; ++j) {
        if (truth(s, me, j, e.a)) return 1;
      }
      return 0;
  }
  return 0;
}

void Machine::apply(Byte* s, std::uint32_t me, const Op& op) const {
  Byte* handles = layout_.cpu(s, me) + layout_.handle_at;
  switch (op.code) {
    case OpCode::set_global: s[Layout::global_at + op.a] = static_cast<Byte>(evaluate(s, me, me, op.e)); break;
    case OpCode::set_local: layout_.local(s, me, op.a) = static_cast<Byte>(evaluate(s, me, me, op.e)); break;
    case OpCode::clear_handle: handles[op.a] = 0; break;
    case OpCode::handle_from_place: handles[op.a] = s[layout_.place_at + op.b]; break;
    case OpCode::handle_from_handle: handles[op.a] = handles[op.b]; break;
    case OpCode::clear_place: s[layout_.place_at + op.a] = 0; break;
    case OpCode::place_from_handle: s[layout_.place_at + op.a] = handles[op.b]; break;
    case OpCode::set_object_bit:
      if (handles[op.a] != 0) {
        Byte& object = s[layout_.object_at + handles[op.a]];
        const auto bit = static_cast<Byte>(1U << op.b);
        object = static_cast<Byte>(op.value != 0 ? object | bit : object & ~bit);
      }
      break;
    case OpCode::others_set_local:
    case OpCode::others_clear_handle:
    case OpCode::await_others:
      for (std::uint32_t j = 0; j < s[0]; ++j) {
        if (j == me || !truth(s, me, j, op.e)) continue;
        if (op.code == OpCode::others_set_local) layout_.local(s, j, op.a) = op.value;
        if (op.code == OpCode::others_clear_handle) layout_.handle(s, j, op.a) = 0;
        if (op.code == OpCode::await_others) layout_.set_await(s, me, op.a, layout_.await(s, me, op.a) | 1U << j);
      }
      break;
    case OpCode::assume:
    case OpCode::none:
    case OpCode::some:
    case OpCode::fresh: break;  // run() does these
  }
}

void Machine::acknowledge(Byte* s, const Acknowledgement& ack) const {
  const step::AwaitKind& kind = program_.awaits[ack.kind];
  for (const step::Id h : kind.clears_handles) layout_.handle(s, ack.me, h) = 0;
  for (const step::Id l : kind.clears_locals) layout_.local(s, ack.me, l) = 0;
  layout_.set_await(s, ack.sender, ack.kind, layout_.await(s, ack.sender, ack.kind) & ~(1U << ack.me));
}

std::uint64_t Machine::named(const Byte* s) const {
  std::uint64_t names = 0;
  for (std::uint32_t p = 0; p < layout_.places; ++p) names |= std::uint64_t{1} << s[layout_.place_at + p];
  for (std::uint32_t i = 0; i < s[0]; ++i) {
    for (std::uint32_t h = 0; h < layout_.handles; ++h) names |= std::uint64_t{1} << layout_.handle(s, i, h);
  }
  return names;
}

}  // namespace faultline::check::search
