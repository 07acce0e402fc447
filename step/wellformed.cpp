#include "step/wellformed.hpp"

#include <algorithm>

#include "fmt/format.h"

namespace faultline::step {
namespace {

template <class Use>
void each_root(Program& program, const Use& use) {
  for (Command& command : program.commands)
    for (Op& op : command.ops) use(op.e);
  for (Invariant& invariant : program.invariants) use(invariant.e);
  for (Progress& progress : program.progress) {
    use(progress.p);
    use(progress.q);
  }
}

struct Finding {
  std::string text;
};

// Throws the first finding: what follows may rest on it.
class Ranges {
 public:
  explicit Ranges(const Program& program) : program_(program) {}

  void run() {
    types();
    for (std::size_t i = 0; i < program_.exprs.size(); ++i) {
      where_ = fmt::format("expression {}", i);
      look(program_.exprs[i], static_cast<ExprId>(i));
    }
    for (std::size_t i = 0; i < program_.commands.size(); ++i) {
      where_ = fmt::format("command {}", i);
      look(program_.commands[i]);
    }
    where_ = "property";
    for (const Invariant& invariant : program_.invariants) expr(invariant.e);
    for (const Progress& progress : program_.progress) {
      expr(progress.p);
      expr(progress.q);
    }
  }

 private:
  void in(std::size_t id, std::size_t size, const char* what) const {
    if (id >= size) throw Finding{fmt::format("{}: {} {}", where_, what, id)};
  }
  void global(std::size_t id) const { in(id, program_.globals.size(), "global"); }
  void local(std::size_t id) const { in(id, program_.locals.size(), "local"); }
  void handle(std::size_t id) const { in(id, program_.handles.size(), "handle"); }
  void place(std::size_t id) const { in(id, program_.places.size(), "place"); }
  void await(std::size_t id) const { in(id, program_.awaits.size(), "await"); }
  void pc_set(std::size_t id) const { in(id, program_.pc_sets.size(), "set of positions"); }
  void expr(std::size_t id) const { in(id, program_.exprs.size(), "expression"); }
  // What the flat states of the search have room for.
  void types() const {
    std::size_t bits = 4;
    for (const ObjectType& type : program_.types) bits = std::max(bits, type.bits.size());
    if (bits > max_object_bits || program_.types.size() > (bits > 4 ? max_types_large : max_types))
      throw Finding{fmt::format("{} types of objects with up to {} bits", program_.types.size(), bits)};
  }
  void bit(Id type, std::size_t id) const { in(id, program_.types[type].bits.size(), "bit"); }

  // Operands come before what is made of them, so that no expression is part of itself.
  void look(const Expr& e, ExprId id) const {
    for (unsigned i = 0; i < operand_count(e.op); ++i) in(e.operand(i), id, "operand");
    switch (e.op) {
      case ExprOp::global: global(e.a); break;
      case ExprOp::local:
      case ExprOp::other_local: local(e.a); break;
      case ExprOp::handle_null:
      case ExprOp::other_null: handle(e.a); break;
      case ExprOp::handle_is_place:
      case ExprOp::other_is_place:
        handle(e.a);
        place(e.b);
        break;
      case ExprOp::handles_equal:
      case ExprOp::other_is_mine:
        handle(e.a);
        handle(e.b);
        break;
      case ExprOp::place_null: place(e.a); break;
      case ExprOp::places_equal:
        place(e.a);
        place(e.b);
        break;
      case ExprOp::object_bit:
        handle(e.a);
        bit(program_.handles[e.a].type, e.b);
        break;
      case ExprOp::place_bit:
        place(e.a);
        bit(program_.places[e.a].type, e.b);
        break;
      case ExprOp::pc_in:
      case ExprOp::other_pc_in: pc_set(e.a); break;
      case ExprOp::i_await_other: await(e.a); break;
      default: break;
    }
  }

  void look(const Op& op) const {
    expr(op.e);
    switch (op.code) {
      case OpCode::set_global: global(op.a); break;
      case OpCode::set_local:
      case OpCode::others_set_local: local(op.a); break;
      case OpCode::clear_handle:
      case OpCode::fresh:
      case OpCode::others_clear_handle: handle(op.a); break;
      case OpCode::handle_from_place:
        handle(op.a);
        place(op.b);
        break;
      case OpCode::handle_from_handle:
        handle(op.a);
        handle(op.b);
        break;
      case OpCode::clear_place: place(op.a); break;
      case OpCode::place_from_handle:
        place(op.a);
        handle(op.b);
        break;
      case OpCode::set_object_bit:
        handle(op.a);
        bit(program_.handles[op.a].type, op.b);
        break;
      case OpCode::await_others: await(op.a); break;
      default: break;
    }
  }

  void look(const Command& command) const {
    in(command.from, program_.locations.size(), "position");
    in(command.to, program_.locations.size(), "position");
    for (const Op& op : command.ops) look(op);
    for (const std::uint32_t cover : command.covers) in(cover, program_.coverage.size(), "coverage");
    for (const Note& note : command.notes)
      if (note.entry != no_id) in(note.entry, program_.entries.size(), "entry");
  }

  const Program& program_;
  std::string where_;
};

}  // namespace

void drop_unused_exprs(Program& program) {
  std::vector<bool> used(program.exprs.size(), false);
  if (!used.empty()) used[0] = true;
  each_root(program, [&](ExprId e) { used[e] = true; });
  // Operands have smaller numbers than what is made of them.
  for (std::size_t i = used.size(); i-- > 0;) {
    const Expr& e = program.exprs[i];
    for (unsigned o = 0; used[i] && o < operand_count(e.op); ++o) used[e.operand(o)] = true;
  }
  std::vector<ExprId> number(used.size());
  std::vector<Expr> kept;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    number[i] = static_cast<ExprId>(kept.size());
    Expr e = program.exprs[i];
    for (unsigned o = 0; o < operand_count(e.op); ++o) e.operand(o) = number[e.operand(o)];
    kept.push_back(e);
  }
  program.exprs = std::move(kept);
  each_root(program, [&](ExprId& e) { e = number[e]; });
}

std::string malformed(const Program& program) {
  try {
    Ranges(program).run();
  } catch (const Finding& finding) {
    return finding.text;
  }
  return {};
}

}  // namespace faultline::step
