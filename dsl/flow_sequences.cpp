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
  node.at(count.place);
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
  if (!retries) flow_.vars[node.var].sequence = count.place;
  result.scalar = flow_var(node.var);
  last_load_ = emit(node);
  return result;
}

// Variables that hold what read_seqcount_begin() gave: each of one seqcount, nothing else on any way to
// read_seqcount_retry(), and looked at only there.
void FlowBuilder::check_sequences() {
  auto& vars = flow_.vars;
  for (bool changed = true; changed;) {
    changed = false;
    for (const FlowNode& node : flow_.nodes) {
      if (node.kind != NodeKind::set_var || !is_var(node.expr)) continue;
      const FlowPlace from = vars[node.expr->a].sequence;
      FlowVar& to = vars[node.var];
      if (!from.known() || to.sequence == from) continue;
      if (to.sequence.known())
        return report("FL0313", node.span, fmt::format("`{}` is read from several seqcounts", to.name),
                      {"or from one by several names of its object"}, {"use a variable for each"});
      to.sequence = from;
      changed = true;
    }
  }
  const auto begun = [&](const FlowExprPtr& e) { return is_var(e) && vars[e->a].sequence.known(); };
  for (const FlowNode& node : flow_.nodes) {
    if (node.kind == NodeKind::seq_retry) {
      const FlowVar& since = vars[node.expr->a];
      if (!since.sequence.known())
        return report("FL0302", node.span, fmt::format("`{}` is not what read_seqcount_begin gave", since.name), {},
                      {fmt::format("write `{} = read_seqcount_begin(…);` before", since.name)}, {{since.span, "here"}});
      if (since.sequence != node.place())
        return report("FL0313", node.span, fmt::format("`{}` was read from another seqcount", since.name),
                      {"or from this one by another name of its object"},
                      {"begin and retry with one name, in one function"});
      continue;
    }
    if (node.kind == NodeKind::set_var && begun(node.expr)) continue;
    for (Index v = 0; v < vars.size(); ++v)
      if (vars[v].sequence.known() && reads(node.expr, v))
        return report("FL0302", node.span, fmt::format("`{}` is compared by read_seqcount_retry only", vars[v].name),
                      {"the model does not count, so that no count can wrap"});
    if (node.writes_var() && node.kind != NodeKind::seq_begin && vars[node.var].sequence.known())
      if (const FlowNode* use = use_of(node); use != nullptr)
        return report("FL0302", use->span,
                      fmt::format("`{}` may hold something else than read_seqcount_begin gave", vars[node.var].name),
                      {}, {"begin on every way that leads here"}, {{node.span, "this way it does"}});
  }
}

// Who looks at the variable that `from` writes before it is written again.
const FlowNode* FlowBuilder::use_of(const FlowNode& from) const {
  std::vector<bool> seen(flow_.nodes.size(), false);
  std::vector<Index> open(from.next.begin(), from.next.end());
  while (!open.empty()) {
    const Index at = open.back();
    open.pop_back();
    if (at == nothing || seen[at]) continue;
    seen[at] = true;
    const FlowNode& node = flow_.nodes[at];
    if (reads(node.expr, from.var)) return &node;
    if (!node.writes_var() || node.var != from.var) open.insert(open.end(), node.next.begin(), node.next.end());
  }
  return nullptr;
}

}  // namespace faultline::dsl
