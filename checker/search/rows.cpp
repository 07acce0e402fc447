#include "checker/search/rows.hpp"

#include <algorithm>
#include <bit>

namespace faultline::check::search {

using step::ExprOp;
using step::OpCode;

Rows::Rows(Closed& closed) : closed_(closed) {
  const step::Program& program = closed.program();
  const Cells& cells = closed.canonical().cells();
  cell_bits_ = cells.bits(0) + static_cast<std::uint32_t>(std::bit_width(program.locations.size()));
  const Fields& globals = closed.packing().globals();
  usable_ =
      closed.merge() == Merge::cpus && globals.words() == 1 && cells.words() == 1 && globals.bits(0) + cell_bits_ <= 64;
  for (const step::Command& command : program.commands) guards_.push_back(guards(command));
  for (std::size_t pc = 0; pc < program.locations.size(); ++pc) {
    const auto first = guards_.begin() + program.first[pc], last = guards_.begin() + program.first[pc + 1];
    complete_.push_back(std::all_of(first, last, [](const Guards& g) { return g.tabulated; }) ? 1 : 0);
  }
  all_ = usable_ && closed.canonical().is_plain() && closed.layout().places == 0 &&
         std::find(complete_.begin(), complete_.end(), 0) == complete_.end();
}

// Whether the expression is about the actor alone (and globals), or about the other CPU alone.
bool Rows::reads_only(step::ExprId id, bool of_other) const {
  const step::Expr& e = closed_.program().exprs[id];
  switch (e.op) {
    case ExprOp::constant: return true;
    case ExprOp::global:
    case ExprOp::local:
    case ExprOp::pc_in: return !of_other;
    case ExprOp::other_local:
    case ExprOp::other_pc_in: return of_other;
    default: break;
  }
  const unsigned n = step::operand_count(e.op);
  for (unsigned i = 0; i < n; ++i) {
    if (!reads_only(e.operand(i), of_other)) return false;
  }
  return n > 0 && e.op != ExprOp::any_cpu;
}

Rows::Guards Rows::guards(const step::Command& command) {
  Guards guards;
  bool leading = true;
  for (const step::Op& op : command.ops) {
    leading = leading && step::is_guard(op.code);
    if (op.code == OpCode::none || op.code == OpCode::some) {
      if (!leading || !reads_only(op.e, true)) return {};
      const auto fact = static_cast<std::size_t>(std::find(facts_.begin(), facts_.end(), op.e) - facts_.begin());
      if (fact == most_facts) return {};
      if (fact == facts_.size()) facts_.push_back(op.e);
      (op.code == OpCode::none ? guards.none : guards.some) |= 1U << fact;
    } else if (op.code == OpCode::assume || op.code == OpCode::set_global || op.code == OpCode::set_local) {
      if (!reads_only(op.e, false)) return {};
    } else {
      return {};
    }
  }
  guards.tabulated = true;
  return guards;
}

Rows::Row Rows::make(const Byte* s, std::uint32_t me) {
  Machine& machine = closed_.machine();
  const std::uint32_t pc = closed_.layout().pc(s, me);
  Row row;
  row.pc = pc;
  row.complete = complete_[pc] != 0;
  for (std::size_t f = 0; f < facts_.size(); ++f) {
    if (machine.truth(s, me, me, facts_[f])) row.facts |= 1U << f;  // it is the other CPU here
  }
  row.first = row.last = static_cast<std::uint32_t>(outcomes_.size());
  if (!row.complete) return row;
  for (const Code* code = machine.begin(pc); code != machine.end(pc); ++code) {
    machine.run(*code, s, me, World::alone, [&](const Byte* next) {
      Outcome outcome;
      outcome.code = code;
      outcome.none = guards_[code->index].none;
      outcome.some = guards_[code->index].some;
      closed_.packing().globals().write(next, &outcome.globals);
      closed_.canonical().cells().write(closed_.layout().cpu(next, me), &outcome.cell);
      outcomes_.push_back(outcome);
    });
  }
  row.last = static_cast<std::uint32_t>(outcomes_.size());
  return row;
}

void Rows::trim() {
  if (rows_.size() < most_rows) return;
  known_ = StateSet(1);
  rows_.clear();
  recent_.assign(recent_.size(), {});
  outcomes_.clear();
}

}  // namespace faultline::check::search
