// Flow builder: sequence counts. What read_seqcount_begin() gives is no number here, only whether the count has changed
// since; so it may be kept, copied and given to read_seqcount_retry(), and nothing else. Wrap-around does not exist.
#include <algorithm>

#include "dsl/flow_build.hpp"

namespace faultline::dsl {

namespace {

bool reads(const FlowExprPtr& e, Index var) {
  return e && ((e->kind == FlowExprKind::var && e->a == var) || reads(e->left, var) || reads(e->right, var));
}

bool is_var(const FlowExprPtr& e) { return e && e->kind == FlowExprKind::var; }

}  // namespace

Target FlowBuilder::sequence(const Expr& expr) {
  const Target found = target(expr, true);
  if (found.type.kind != TypeKind::sequence)
    fail("FL0302", expr.span, fmt::format("`{}` is `{}`, not a seqcount", print(expr), model_.type_name(found.type)),
         {}, {fmt::format("declare it as `seqcount {};`", found.name.text)}, {{found.name.span, "declared here"}});
  return found;
}

FlowValue FlowBuilder::sequence_word(const Word& word, const Expr& e) {
  const auto arguments = real_arguments(e);
  const bool retries = word.builtin == Builtin::seq_read_retry;
  if (arguments.size() != (retries ? 2U : 1U))
    fail("FL0207", e.span,
         fmt::format("{} takes {}, {} given", e.text,
                     retries ? "a seqcount and what read_seqcount_begin gave" : "one seqcount", arguments.size()));
  not_in_atomic(e.text, e.span);
  const Target count = sequence(*arguments[0]);
  FlowNode node;
  node.span = e.span;
  node.text = print(e);
  node.shared = count.shared;
  node.object = count.object;
  node.field = count.field;
  if (word.builtin == Builtin::seq_write_begin || word.builtin == Builtin::seq_write_end) {
    node.kind = NodeKind::seq_write;
    node.expr = flow_constant(word.builtin == Builtin::seq_write_begin ? 1 : 0);
    emit(node);
    return FlowValue{};
  }
  FlowValue result;
  result.type = {retries ? TypeKind::boolean : TypeKind::integer, nothing, 1};
  if (retries) {
    const FlowValue since = value(*arguments[1]);
    if (!is_var(since.scalar))
      fail("FL0302", arguments[1]->span, "this is not what read_seqcount_begin gave", {},
           {fmt::format("keep it in a local: `int seq = read_seqcount_begin({});`", print(*arguments[0]))});
    node.kind = NodeKind::seq_retry;
    node.expr = since.scalar;
  } else {
    node.kind = NodeKind::seq_begin;
  }
  node.var = new_var(e.text, result.type, e.span, true);
  node.text.clear();
  if (!retries) {
    FlowVar& var = flow_.vars[node.var];
    var.sequence = true;
    var.seq_shared = node.shared;
    var.seq_object = node.object;
    var.seq_field = node.field;
  }
  result.scalar = flow_var(node.var);
  last_load_ = emit(node);
  return result;
}

// Variables that hold what read_seqcount_begin() gave: each of one seqcount, and looked at by read_seqcount_retry()
// only.
void FlowBuilder::check_sequences() {
  auto& vars = flow_.vars;
  const auto same = [](const FlowVar& a, const FlowVar& b) {
    return a.seq_shared == b.seq_shared && a.seq_object == b.seq_object && a.seq_field == b.seq_field;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const FlowNode& node : flow_.nodes) {
      if (node.kind != NodeKind::set_var || !is_var(node.expr) || !vars[node.expr->a].sequence) continue;
      FlowVar& to = vars[node.var];
      const FlowVar& from = vars[node.expr->a];
      if (to.sequence && !same(to, from))
        return report("FL0313", node.span, fmt::format("`{}` is read from several seqcounts", to.name),
                      {"or from one by several names of its object"}, {"use a variable for each"});
      if (to.sequence) continue;
      to.sequence = changed = true;
      to.seq_shared = from.seq_shared;
      to.seq_object = from.seq_object;
      to.seq_field = from.seq_field;
    }
  }
  for (const FlowNode& node : flow_.nodes) {
    if (node.kind == NodeKind::seq_retry) {
      const FlowVar& since = vars[node.expr->a];
      if (!since.sequence)
        return report("FL0302", node.span, fmt::format("`{}` is not what read_seqcount_begin gave", since.name), {},
                      {fmt::format("write `{} = read_seqcount_begin(…);` before", since.name)}, {{since.span, "here"}});
      if (since.seq_shared != node.shared || since.seq_object != node.object || since.seq_field != node.field)
        return report("FL0313", node.span, fmt::format("`{}` was read from another seqcount", since.name),
                      {"or from this one by another name of its object"},
                      {"begin and retry with one name, in one function"});
      continue;
    }
    const bool copies = node.kind == NodeKind::set_var && is_var(node.expr);
    for (Index v = 0; v < vars.size() && !copies; ++v)
      if (vars[v].sequence && reads(node.expr, v))
        return report("FL0302", node.span, fmt::format("`{}` is compared by read_seqcount_retry only", vars[v].name),
                      {"the model does not count, so that no count can wrap"});
  }
}

}  // namespace faultline::dsl
