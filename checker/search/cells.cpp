#include "checker/search/cells.hpp"

#include <algorithm>
#include <numeric>

namespace faultline::check::search {
namespace {

using step::Op;
using step::OpCode;

// The greatest value that a local can have between two commands: what the last write of any of them leaves.
std::uint32_t greatest(const step::Program& program, step::Id local) {
  std::uint32_t max = program.locals[local].init;
  for (const step::Command& command : program.commands) {
    if (command.violation) continue;
    std::uint32_t left = 0;
    for (const Op& op : command.ops) {
      if (op.a != local) continue;
      if (op.code == OpCode::others_set_local) max = std::max<std::uint32_t>(max, op.value);
      if (op.code != OpCode::set_local) continue;
      const step::Expr& e = program.exprs[op.e];
      left = e.op == step::ExprOp::constant ? static_cast<std::uint32_t>(e.value) : program.locals[local].max;
    }
    max = std::max(max, left);
  }
  return max;
}

}  // namespace

bool lasts(const step::Program& program, step::Id handle) {
  return std::any_of(program.commands.begin(), program.commands.end(), [&](const step::Command& command) {
    bool set = false;
    for (const Op& op : command.ops) {
      if (op.a != handle) continue;
      if (op.code == OpCode::clear_handle) set = false;
      if (op.code == OpCode::handle_from_place || op.code == OpCode::handle_from_handle || op.code == OpCode::fresh)
        set = true;
    }
    return set && !command.violation;
  });
}

Cells::Cells(const step::Program& program, const Layout& layout) {
  pcs_.resize(program.locations.size());
  std::iota(pcs_.begin(), pcs_.end(), std::uint16_t{0});
  const auto line = [&](std::uint16_t pc) { return program.locations[pc].line; };
  std::stable_sort(pcs_.begin(), pcs_.end(), [&](auto a, auto b) { return line(a) < line(b); });
  ranks_.resize(pcs_.size());
  for (std::size_t i = 0; i < pcs_.size(); ++i) ranks_[pcs_[i]] = static_cast<std::uint16_t>(i);
  for (step::Id l = 0; l < program.lines.size(); ++l) {
    const auto first = std::find_if(pcs_.begin(), pcs_.end(), [&](auto pc) { return line(pc) >= l; });
    first_rank_.push_back(static_cast<std::uint32_t>(first - pcs_.begin()));
  }
  for (step::Id l = 0; l < layout.locals; ++l) locals_.add(Layout::local_at + l, greatest(program, l));
  locals_.close();
}

}  // namespace faultline::check::search
