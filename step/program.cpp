#include "step/program.hpp"

namespace faultline::step {

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::assertion: return "assert";
    case Kind::invariant: return "invariant";
    case Kind::transition: return "transition";
    case Kind::lock_missing: return "lock_missing";
    case Kind::lock_unbalanced: return "lock_unbalanced";
    case Kind::lock_recursion: return "lock_recursion";
    case Kind::lock_order: return "lock_order";
    case Kind::sleep_atomic: return "sleep_atomic";
    case Kind::leak: return "leak";
    case Kind::double_free: return "double_free";
    case Kind::use_after_free: return "use_after_free";
    case Kind::stale_tlb: return "stale_tlb";
    case Kind::flush_missing: return "flush_missing";
    case Kind::mixed_size: return "mixed_size";
    case Kind::ensures: return "ensures";
    case Kind::deadlock: return "deadlock";
    case Kind::progress: return "progress";
    case Kind::bound: return "bound";
  }
  return "?";
}

unsigned operand_count(ExprOp op) {
  switch (op) {
    case ExprOp::in:
    case ExprOp::lnot:
    case ExprOp::any_cpu: return 1;
    case ExprOp::land:
    case ExprOp::lor:
    case ExprOp::eq:
    case ExprOp::lt:
    case ExprOp::le:
    case ExprOp::add:
    case ExprOp::sub:
    case ExprOp::bit_and: return 2;
    case ExprOp::ite: return 3;
    default: return 0;
  }
}

bool ends_deadlock(const Program& program, Id pc) {
  const Location& location = program.locations[pc];
  return location.handler != no_id || program.lines[location.line].once;
}

std::vector<std::uint32_t> cpus_per_line(const Program& program, std::uint32_t n) {
  std::vector<std::uint32_t> result;
  result.reserve(program.lines.size());
  for (const Line& line : program.lines) result.push_back(line.cpus == 0 ? n : line.cpus);
  return result;
}

}  // namespace faultline::step
