// Lowering of sequence counts. A seqcount is one bit, whether it is odd; a reader keeps one bit, whether it has changed
// since the reader began, which every writer sets. Generations do not wrap, since there are none.
#include "fmt/format.h"
#include "step/paths.hpp"

namespace faultline::step {

using dsl::FlowNode;
using dsl::Index;
using dsl::nothing;

ExprId PathBuilder::is_odd(const Path& path, const FlowNode& node) {
  if (node.object == nothing) return global(context_.layout.global[node.shared]);
  return bit_of(path.ref[node.object], context_.layout.field_bits[flow_.refs[node.object].resource][node.field]);
}

void PathBuilder::seq_write(Path path, const FlowNode& node) {
  const bool begins = node.expr->value == 1;
  path.notes.push_back({node.span, node.text, ""});
  in_object(path, node, [&](Path p) {
    const Next wrong = [&](Path q) {
      violation(std::move(q), begins ? Kind::assertion : Kind::lock_unbalanced,
                begins ? "a write of the seqcount begins within another one"
                       : "a write of the seqcount ends that has not begun",
                node.span);
    };
    const Next write = [&](Path q) {
      if (begins) tell_readers(q, node);
      set_odd(q, node, begins);
      if (begins) return tell_oneself(std::move(q), node, 0);
      go(std::move(q), node);
    };
    split(p, is_odd(p, node), begins ? wrong : write, begins ? write : wrong);
  });
}

// When a write begins, and no more when it ends: nobody can have begun to read in between.
void PathBuilder::tell_readers(Path& path, const FlowNode& node) {
  const Id h = node.object != nothing ? in_handle(path, node.object) : no_id;
  for (const Watcher& w : context_.layout.watchers) {
    const bool of_this = node.object == nothing
                             ? w.shared == node.shared
                             : w.resource == flow_.refs[node.object].resource && w.field == node.field;
    if (!of_this) continue;
    ExprId who = exprs_.make(ExprOp::other_pc_in, w.positions);
    if (w.handle != no_id) who = exprs_.land(exprs_.make(ExprOp::other_is_mine, w.handle, h), who);
    op(path, OpCode::others_set_local, w.local, 0, 1, who);
  }
}

void PathBuilder::set_odd(Path& path, const FlowNode& node, bool odd) {
  if (node.object != nothing) {
    const Id bit = context_.layout.field_bits[flow_.refs[node.object].resource][node.field];
    op(path, OpCode::set_object_bit, in_handle(path, node.object), bit, odd ? 1 : 0);
  } else {
    const Id g = context_.layout.global[node.shared];
    op(path, OpCode::set_global, g, 0, 0, exprs_.constant(odd ? 1 : 0));
    path.known[global(g)] = odd ? 2 : 1;
  }
  changed(path);
}

// What this CPU itself has begun to read, and still compares.
void PathBuilder::tell_oneself(Path path, const FlowNode& node, std::size_t var) {
  if (var == flow_.vars.size() || node.next[0] == nothing) return go(std::move(path), node);
  const dsl::FlowPlace& since = flow_.vars[var].sequence;
  const bool another =
      since.shared != node.shared || since.field != node.field ||
      (node.object != nothing && flow_.refs[since.object].resource != flow_.refs[node.object].resource);
  if (!since.known() || another || !live_.vars[node.next[0]][var]) return tell_oneself(std::move(path), node, var + 1);
  const ExprId this_one =
      node.object == nothing ? exprs_.constant(1) : same(path.ref[since.object], path.ref[node.object]);
  split(
      path, this_one,
      [&](Path p) {
        p.var[var] = exprs_.constant(1);
        tell_oneself(std::move(p), node, var + 1);
      },
      [&](Path p) { tell_oneself(std::move(p), node, var + 1); });
}

void PathBuilder::seq_begin(Path path, const FlowNode& node) {
  in_object(path, node, [&](Path p) {
    if (!assume(p, is_odd(p, node), false)) return;
    if (!node.text.empty()) p.notes.push_back({node.span, node.text, ""});
    p.may_block = true;
    p.var[node.var] = exprs_.constant(0);
    go(std::move(p), node);
  });
}

void PathBuilder::seq_retry(Path path, const FlowNode& node) {
  in_object(path, node, [&](Path p) {
    if (!node.text.empty()) p.notes.push_back({node.span, node.text, ""});
    p.var[node.var] = translate(p, *node.expr);
    go(std::move(p), node);
  });
}

}  // namespace faultline::step
