// Flow builder: conditions. && || ! ?: become branches, so that each operand may hold a star.
#include "dsl/flow_build.hpp"

namespace faultline::dsl {

std::pair<Edges, Edges> FlowBuilder::condition(const Expr& expr) {
  const Expr& e = bare(expr);
  const auto append = [](Edges a, const Edges& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  if (!is_opaque_expr(e)) {
    if (e.kind == ExprKind::lnot) {
      auto [yes, no] = condition(*e.kids[0]);
      return {no, yes};
    }
    if (e.kind == ExprKind::binary && e.text == "&&") {
      auto [yes, no] = condition(*e.kids[0]);
      open_ = yes;
      auto [yes2, no2] = condition(*e.kids[1]);
      return {yes2, append(no, no2)};
    }
    if (e.kind == ExprKind::binary && (e.text == "||" || e.text == "implies")) {
      auto [yes, no] = condition(*e.kids[0]);
      if (e.text == "implies") std::swap(yes, no);
      open_ = no;
      auto [yes2, no2] = condition(*e.kids[1]);
      return {append(yes, yes2), no2};
    }
    if (e.kind == ExprKind::conditional) {
      auto [yes, no] = condition(*e.kids[0]);
      open_ = yes;
      auto [a_yes, a_no] = condition(*e.kids[1]);
      open_ = no;
      auto [b_yes, b_no] = condition(*e.kids[2]);
      return {append(a_yes, b_yes), append(a_no, b_no)};
    }
    if (e.kind == ExprKind::call)
      if (const Word* word = find_word(e.text);
          word != nullptr && word->builtin == Builtin::transparent && e.kids.size() == 1)
        return condition(*e.kids[0]);
  }
  return leaf(e);
}

std::pair<Edges, Edges> FlowBuilder::leaf(const Expr& e) {
  const auto both = [&](Index node) {
    open_.clear();
    return std::pair<Edges, Edges>{{{node, 0}}, {{node, 1}}};
  };
  FlowNode node;
  node.span = e.span;
  node.text = print(e);
  if (e.kind == ExprKind::name && e.text == "maybe" && find_local("maybe") == nullptr) {
    node.kind = NodeKind::choose;
    return both(emit(node));
  }
  check_stars(e);
  if (e.kind == ExprKind::call)
    if (const Word* word = find_word(e.text)) {
      if (word->builtin == Builtin::is_locked || word->builtin == Builtin::is_write_locked) {
        if (e.kids.size() != 1) {
          std::vector<std::string> known;
          for (const auto& l : model_.locks) known.push_back(l.name.text);
          fail("FL0207", e.span, fmt::format("{} takes one lock, {} given", e.text, e.kids.size()),
               {fmt::format("locks: {}", fmt::join(known, ", "))});
        }
        node.kind = NodeKind::look_locked;
        node.lock = lock_place(*e.kids[0]);
        node.mode = word->builtin == Builtin::is_locked ? LockMode::any : LockMode::write;
        return both(emit(node));
      }
      if (word->builtin == Builtin::tlb_cached) {
        if (e.kids.size() != 1)
          fail("FL0207", e.span, fmt::format("tlb_cached takes a place or an object, {} given", e.kids.size()), {},
               {"write `tlb_cached(PLACE)`"});
        if (const Index shared = place(*e.kids[0], false); shared != nothing && model_.shared[shared].tlb) {
          node.kind = NodeKind::look_tlb_place;
          node.shared = shared;
        } else {
          const FlowValue v = value(*e.kids[0]);
          if (v.type.kind != TypeKind::resource || v.null)
            fail("FL0302", e.kids[0]->span, "tlb_cached takes a place with a `tlb` line, or an object",
                 {fmt::format("this is `{}`", v.null ? "NULL" : model_.type_name(v.type))});
          node.kind = NodeKind::look_tlb_ref;
          node.ref = v.refs[0];
        }
        return both(emit(node));
      }
      if (word->builtin == Builtin::running)
        fail("FL0307", e.span, "`running` is for progress lines only", {"a handler cannot ask what another CPU runs"},
             {"let the handlers set a shared bool, and read that"});
      const bool gets = word->builtin == Builtin::atomic_inc_not_zero;
      if ((gets || word->builtin == Builtin::atomic_dec_and_test) && real_arguments(e).size() == 1)
        if (const Target count = target(*real_arguments(e)[0], true); count.type.kind == TypeKind::references)
          return both(reference_node(gets ? NodeKind::refs_try_get : NodeKind::refs_put_test, count, e));
      if (word->builtin == Builtin::trylock) {
        not_in_atomic("a trylock", e.span);
        (void)lock_word(*word, e, false);
        return both(static_cast<Index>(flow_.nodes.size() - 1));
      }
    }
  const bool is_function = e.kind == ExprKind::call && model_.find_function(e.text) != nothing;
  const bool is_alloc = e.kind == ExprKind::call && model_.find_alloc(e.text) != nothing;
  const FlowValue v = value(e);
  node.kind = NodeKind::branch;
  node.expr = truth(v, e);
  const bool constant = e.kind == ExprKind::name && (e.text == "true" || e.text == "false");
  if (is_function || is_alloc || constant || is_opaque_expr(e))
    node.text.clear();  // not a look, or already shown by the draw
  return both(emit(node));
}

FlowExprPtr FlowBuilder::truth(const FlowValue& v, const Expr& expr) {
  if (v.null) return flow_constant(0);
  switch (v.type.kind) {
    case TypeKind::boolean: return v.scalar;
    case TypeKind::integer:
    case TypeKind::enumeration: return flow_not(flow_binary(FlowExprKind::eq, v.scalar, flow_constant(0)));
    case TypeKind::resource: return flow_not(flow_ref_null(v.refs[0]));
    case TypeKind::entry: {
      const EntryDecl& entry = model_.entries[v.type.which];
      std::vector<std::string> known;
      for (const auto& p : entry.predicates) known.push_back(p.first);
      fail("FL0302", expr.span, fmt::format("a {} is not a condition", entry.name.text),
           {fmt::format("predicates of {}: {}", entry.name.text, fmt::join(known, ", "))},
           known.empty()
               ? std::vector<std::string>{}
               : std::vector<std::string>{fmt::format("ask for a predicate: `{}({})`", known.front(), print(expr))});
    }
    default: break;
  }
  fail("FL0302", expr.span, "this has no value, so it is not a condition",
       {fmt::format("it is `{}`", model_.type_name(v.type))});
}

FlowValue FlowBuilder::from_condition(const Expr& expr) {
  const Type boolean{TypeKind::boolean, nothing, 1};
  const LocalName result = new_local("(value)", boolean, expr.span, true);
  const auto [yes, no] = condition(expr);
  FlowValue v;
  v.type = boolean;
  open_ = yes;
  v.scalar = flow_constant(1);
  assign_local(result, v, expr.span, "");
  Edges done = std::move(open_);
  open_ = no;
  v.scalar = flow_constant(0);
  assign_local(result, v, expr.span, "");
  open_.insert(open_.end(), done.begin(), done.end());
  return value_of(result);
}

}  // namespace faultline::dsl
