// Flow builder: loops, switches and returns.
#include <algorithm>

#include "dsl/flow_build.hpp"

namespace faultline::dsl {

void FlowBuilder::loop(const Stmt& stmt) {
  frames_.back().scopes.emplace_back();
  if (stmt.init) statement(*stmt.init);
  Edges breaks;
  FlowNode pass;
  pass.span = stmt.span;
  const Index head = emit(pass);
  Index continue_to = head;
  if (stmt.kind != StmtKind::while_) {  // the node that `continue` goes to is placed later
    continue_to = static_cast<Index>(flow_.nodes.size());
    flow_.nodes.push_back(pass);
  }
  Edges out;
  const Expr* looks = stmt.expr.get();
  while (looks != nullptr && looks->kind == ExprKind::paren) looks = looks->kids[0].get();
  const bool for_ever = looks == nullptr || (looks->kind == ExprKind::name && looks->text == "true") ||
                        (looks->kind == ExprKind::integer && looks->value != 0);
  if (stmt.kind != StmtKind::do_while && !for_ever) {
    const auto [yes, no] = condition(*stmt.expr);
    open_ = yes;
    out = no;
  }
  loops_.push_back({continue_to, &breaks, atomic_});
  statement(*stmt.body[0]);
  loops_.pop_back();
  link(open_, continue_to);
  open_.clear();
  if (stmt.kind != StmtKind::while_) {
    open_ = {{continue_to, 0}};
    if (stmt.kind == StmtKind::do_while && for_ever) {
      link(open_, head);
    } else if (stmt.kind == StmtKind::do_while) {
      const auto [yes, no] = condition(*stmt.expr);
      link(yes, head);
      out = no;
    } else {
      if (stmt.step) statement(*stmt.step);
      link(open_, head);
    }
  }
  open_ = out;
  open_.insert(open_.end(), breaks.begin(), breaks.end());
  frames_.back().scopes.pop_back();
}

void FlowBuilder::switch_(const Stmt& stmt) {
  const FlowValue subject = value(*stmt.expr);
  if (subject.type.kind == TypeKind::resource)
    fail("FL0302", stmt.expr->span, "a switch needs a state or a number",
         {fmt::format("this is `{}`", model_.type_name(subject.type))},
         {fmt::format("test it: `if ({})`", print(*stmt.expr))});
  const LocalName copy = new_local("(switch)", subject.type, stmt.span, true);
  assign_local(copy, subject, stmt.span, "");
  // one node a case label; a chain of tests decides where to go in
  std::vector<std::pair<const Stmt*, Index>> heads;
  FlowNode pass;
  pass.span = stmt.span;
  Index default_to = nothing;
  for (const StmtPtr& child : stmt.body)
    if (child->kind == StmtKind::case_) {
      pass.span = child->span;
      const auto id = static_cast<Index>(flow_.nodes.size());
      flow_.nodes.push_back(pass);
      heads.emplace_back(child.get(), id);
      if (child->cases.empty()) default_to = id;
    }
  for (const auto& [label, node] : heads) {
    std::uint64_t mask = 0;
    FlowExprPtr test;
    for (const Ident& name : label->cases) {
      if (subject.type.kind == TypeKind::entry) {
        const EntryDecl& entry = model_.entries[subject.type.which];
        const Index state = entry.state(name.text);
        if (state == nothing) {
          std::vector<std::string> known;
          for (const auto& s : entry.states) known.push_back(s.name.text);
          unknown_name(name, "state", known, "FL0204", "states of " + entry.name.text);
        }
        mask |= std::uint64_t{1} << state;
      } else {
        std::optional<std::uint64_t> number;
        if (const auto constant = model_.find_constant(name.text)) number = constant->value;
        if (!name.text.empty() &&
            std::all_of(name.text.begin(), name.text.end(), [](char c) { return c >= '0' && c <= '9'; }))
          number = std::stoull(name.text);
        if (name.text == "true" || name.text == "false") number = name.text == "true" ? 1U : 0U;
        if (!number) {
          std::vector<std::string> known;
          for (const auto& e : model_.enums)
            for (const auto& c : e.constants) known.push_back(c.first);
          unknown_name(name, "constant", known, "FL0201", "constants");
        }
        const auto one = flow_binary(FlowExprKind::eq, flow_var(copy.var), flow_constant(*number));
        test = test ? flow_binary(FlowExprKind::lor, test, one) : one;
      }
    }
    if (label->cases.empty()) continue;
    FlowNode branch;
    branch.kind = NodeKind::branch;
    branch.span = label->span;
    branch.expr = test ? test : flow_in(flow_var(copy.var), mask);
    const Index id = emit(branch);
    link({{id, 0}}, node);
    open_ = {{id, 1}};
  }
  Edges breaks;
  if (default_to != nothing)
    link(open_, default_to);
  else
    breaks = open_;
  open_.clear();
  loops_.push_back({nothing, &breaks, atomic_});
  frames_.back().scopes.emplace_back();
  std::size_t next = 0;
  for (const StmtPtr& child : stmt.body) {
    if (child->kind == StmtKind::case_) {
      link(open_, heads[next].second);
      open_ = {{heads[next].second, 0}};
      ++next;
      continue;
    }
    statement(*child);
  }
  frames_.back().scopes.pop_back();
  loops_.pop_back();
  open_.insert(open_.end(), breaks.begin(), breaks.end());
}

void FlowBuilder::return_(const Stmt& stmt) {
  Frame& frame = frames_.back();
  const FunctionItem& item = *model_.functions[frame.function].item;
  if (stmt.expr && !frame.has_result)
    fail("FL0302", stmt.expr->span, fmt::format("{} returns nothing", item.name.text), {}, {"write `return;`"});
  if (!stmt.expr && frame.has_result)
    fail("FL0311", stmt.span, fmt::format("{} must return a value", item.name.text),
         {fmt::format("its type is `{}`", model_.type_name(frame.result.type))}, {"write `return VALUE;`"},
         {{item.name.span, "declared here"}});
  if (stmt.expr) {
    last_load_ = nothing;
    const FlowValue v = coerce(*stmt.expr, frames_.back().result.type);
    if (last_load_ != nothing) at(last_load_).text = "return " + print(*stmt.expr);
    last_load_ = nothing;
    assign_local(frames_.back().result, v, stmt.span, "");
  }
  leave_atomic(frames_.back().atomic, stmt.span);
  if (item.is_handler || frames_.size() == 1) {
    FlowNode node;
    node.kind = NodeKind::finish;
    node.span = stmt.span;
    if (reachable()) emit(node);
  } else {
    auto& returns = frames_.back().returns;
    returns.insert(returns.end(), open_.begin(), open_.end());
  }
  open_.clear();
}

}  // namespace faultline::dsl
