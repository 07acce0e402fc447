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
  const Next write = [&](Path p) {
    const Id h = node.object != nothing ? in_handle(p, node.object) : no_id;
    for (const Watcher& w : context_.layout.watchers) {
      const bool of_this = node.object == nothing
                               ? w.shared == node.shared
                               : w.resource == flow_.refs[node.object].resource && w.field == node.field;
      if (!of_this) continue;
      ExprId who = exprs_.make(ExprOp::other_pc_in, w.positions);
      if (w.handle != no_id) who = exprs_.land(exprs_.make(ExprOp::other_is_mine, w.handle, h), who);
      op(p, OpCode::others_set_local, w.local, 0, 1, who);
    }
    if (node.object != nothing) {
      op(p, OpCode::set_object_bit, h, context_.layout.field_bits[flow_.refs[node.object].resource][node.field],
         begins ? 1 : 0);
    } else {
      const Id g = context_.layout.global[node.shared];
      op(p, OpCode::set_global, g, 0, 0, exprs_.constant(begins ? 1 : 0));
      p.known[global(g)] = begins ? 2 : 1;
    }
    changed(p);
    // what this CPU itself has begun to read
    const std::function<void(Path, std::size_t)> own = [&](Path q, std::size_t v) {
      while (v < flow_.vars.size() &&
             !(flow_.vars[v].sequence && flow_.vars[v].seq_shared == node.shared &&
               flow_.vars[v].seq_field == node.field && node.next[0] != nothing && live_.vars[node.next[0]][v]))
        ++v;
      if (v == flow_.vars.size()) return go(std::move(q), node);
      const auto set = [&, v](Path r) {
        r.var[v] = exprs_.constant(1);
        own(std::move(r), v + 1);
      };
      if (node.object == nothing) return set(std::move(q));
      split(q, same(q.ref[flow_.vars[v].seq_object], q.ref[node.object]), set,
            [&, v](Path r) { own(std::move(r), v + 1); });
    };
    own(std::move(p), 0);
  };
  in_object(path, node, [&](Path p) {
    const Next wrong = [&](Path q) {
      violation(std::move(q), begins ? Kind::assertion : Kind::lock_unbalanced,
                begins ? "a write of the seqcount begins within another one"
                       : "a write of the seqcount ends that has not begun",
                node.span);
    };
    split(p, is_odd(p, node), begins ? wrong : write, begins ? write : wrong);
  });
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
