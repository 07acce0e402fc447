// Flow builder: statements, declarations and assignments.
#include <algorithm>

#include "dsl/flow_build.hpp"

namespace faultline::dsl {

void FlowBuilder::cover(const Stmt& stmt) {
  const std::uint64_t key = (std::uint64_t{stmt.span.file} << 32) | stmt.span.begin;
  const auto [it, fresh] = cover_ids_.emplace(key, static_cast<Index>(flows_.covers.size()));
  if (fresh) flows_.covers.push_back({stmt.span, false});
  FlowNode node;
  node.span = stmt.span;
  node.cover = it->second;
  node.returns = stmt.kind == StmtKind::return_;
  emit(node);
}

void FlowBuilder::block(const Stmt& stmt) {
  frames_.back().scopes.emplace_back();
  for (const StmtPtr& child : stmt.body) statement(*child);
  frames_.back().scopes.pop_back();
}

void FlowBuilder::statement(const Stmt& stmt) {
  const Edges before_statement = open_;
  const Stmt* const around = current_;
  current_ = &stmt;
  try {
    statement_inner(stmt);
  } catch (const GiveUp&) {
    if (open_.empty()) open_ = before_statement;
    if (stmt.kind == StmtKind::return_) {  // it ends the path all the same
      if (frames_.size() > 1) frames_.back().returns.insert(frames_.back().returns.end(), open_.begin(), open_.end());
      open_.clear();
    }
    if (stmt.kind == StmtKind::declare)  // declare the names all the same: one error is enough
      for (const Declarator& d : stmt.declarators)
        if (frames_.back().scopes.back().count(d.name.text) == 0) {
          const auto type = model_.find_type(stmt.type);
          LocalName local;
          local.what = LocalName::What::ignored;
          local.type.kind = TypeKind::opaque;
          local.span = d.name.span;
          if (type && type->kind != TypeKind::none && d.stars == 0)
            local = new_local(d.name.text, *type, d.name.span, false);
          frames_.back().scopes.back()[d.name.text] = local;
        }
  }
  current_ = around;
}

void FlowBuilder::statement_inner(const Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::block: return block(stmt);
    case StmtKind::empty: return;
    case StmtKind::case_: return;  // handled by switch_
    case StmtKind::label: {
      Frame& frame = frames_.back();
      if (!frame.placed_labels.insert(stmt.text).second)
        report("FL0202", stmt.span, fmt::format("the label `{}` is defined twice", stmt.text), {},
               {"give one of the two another name"},
               {{at(label_node(stmt.text, stmt.span)).span, "first defined here"}});
      const Index node = label_node(stmt.text, stmt.span);
      if (at(node).span.begin < stmt.span.begin) at(node).span = stmt.span;  // a `goto` came first
      link(open_, node);
      open_ = {{node, 0}};
      for (const StmtPtr& child : stmt.body) statement(*child);
      return;
    }
    default: break;
  }
  cover(stmt);
  switch (stmt.kind) {
    case StmtKind::atomic: {
      const bool outermost = atomic_ == 0;
      FlowNode node;
      node.kind = NodeKind::atomic_begin;
      node.span = stmt.span;
      if (outermost) emit(node);
      ++atomic_;
      block(stmt);
      --atomic_;
      node.kind = NodeKind::atomic_end;
      if (outermost && reachable()) emit(node);
      return;
    }
    case StmtKind::if_: {
      const auto [yes, no] = condition(*stmt.expr);
      open_ = yes;
      statement(*stmt.body[0]);
      Edges done = std::move(open_);
      open_ = no;
      if (stmt.body.size() > 1) statement(*stmt.body[1]);
      open_.insert(open_.end(), done.begin(), done.end());
      return;
    }
    case StmtKind::while_:
    case StmtKind::do_while:
    case StmtKind::for_: return loop(stmt);
    case StmtKind::switch_: return switch_(stmt);
    case StmtKind::return_: return return_(stmt);
    case StmtKind::declare: return declaration(stmt);
    case StmtKind::assign: return assignment(stmt);
    case StmtKind::expression: {
      const Expr* e = stmt.expr.get();
      while (e->kind == ExprKind::paren) e = e->kids[0].get();
      if (e->kind == ExprKind::name && e->text == "step") {
        FlowNode node;
        node.kind = NodeKind::step;
        node.span = stmt.span;
        node.text = "step";
        emit(node);
        return;
      }
      if (e->kind == ExprKind::name && e->text == "unreachable") {
        flows_.covers[flow_.nodes.back().cover].unreachable = true;
        FlowNode node;
        node.kind = NodeKind::unreachable;
        node.span = stmt.span;
        node.message = "the model says that this is never reached";
        emit(node);
        return;
      }
      if (e->kind != ExprKind::call)
        fail("FL0316", e->span, "this statement has no effect", {}, {"assign it, test it, or remove it"});
      const Word* word = find_word(e->text);
      const bool looks =
          word != nullptr && (word->builtin == Builtin::assertion || word->builtin == Builtin::assertion_not ||
                              word->builtin == Builtin::wait_event);
      if (!looks) check_stars(*e);  // a condition has its own rule
      (void)call(*e, nullptr, true);
      return;
    }
    case StmtKind::goto_: {
      if (atomic_ != frames_.back().atomic)
        fail("FL0305", stmt.span, "`goto` out of an atomic block", {"an atomic block is one step"},
             {"end the block before it"});
      Frame& frame = frames_.back();
      frame.gotos.emplace(stmt.text, stmt.span);
      link(open_, label_node(stmt.text, stmt.span));
      open_.clear();
      return;
    }
    case StmtKind::break_:
    case StmtKind::continue_: {
      const bool is_break = stmt.kind == StmtKind::break_;
      auto it = loops_.rbegin();
      if (!is_break)
        while (it != loops_.rend() && it->continue_to == nothing) ++it;
      if (it == loops_.rend() || loops_.size() - static_cast<std::size_t>(it - loops_.rbegin()) <= frames_.back().loops)
        fail("FL0312", stmt.span, fmt::format("`{}` outside of a loop", is_break ? "break" : "continue"));
      leave_atomic(it->atomic, stmt.span);
      if (is_break)
        it->breaks->insert(it->breaks->end(), open_.begin(), open_.end());
      else
        link(open_, it->continue_to);
      open_.clear();
      return;
    }
    default: return;
  }
}

void FlowBuilder::leave_atomic(int depth, Span span) {
  if (atomic_ == 0 || depth != 0) return;
  FlowNode node;
  node.kind = NodeKind::atomic_end;
  node.span = span;
  if (reachable()) emit(node);
}

Index FlowBuilder::label_node(const std::string& name, Span span) {
  Frame& frame = frames_.back();
  const auto it = frame.labels.find(name);
  if (it != frame.labels.end()) return it->second;
  const auto id = static_cast<Index>(flow_.nodes.size());
  FlowNode node;
  node.span = span;
  flow_.nodes.push_back(node);
  frame.labels[name] = id;
  return id;
}

void FlowBuilder::declaration(const Stmt& stmt) {
  const auto type = model_.find_type(stmt.type);
  for (const Declarator& d : stmt.declarators) {
    if (model_.is_opaque(d.name.text)) continue;
    if (!type || type->kind == TypeKind::none) {
      std::vector<std::string> known = {"bool", "int"};
      for (const auto& e : model_.entries) known.push_back(e.name.text);
      for (const auto& r : model_.resources) known.push_back(r.name.text);
      std::vector<std::string> notes;
      if (const auto guess = did_you_mean(stmt.type.text, known); !guess.empty())
        notes.push_back("did you mean `" + guess + "`?");
      notes.push_back(fmt::format("types: {}", fmt::join(known, ", ")));
      fail("FL0203", stmt.type.span, fmt::format("no type `{}`", stmt.type.text), notes,
           {fmt::format("add `opaque {};` if the model does not track it", d.name.text)});
    }
    if (type->kind == TypeKind::sequence)
      fail("FL0302", d.name.span, "a seqcount is in shared memory, not a local", {},
           {fmt::format("declare it outside: `seqcount {};`", d.name.text),
            "what read_seqcount_begin gives is kept in an int"});
    auto& scope = frames_.back().scopes.back();
    if (const auto it = scope.find(d.name.text); it != scope.end())
      fail(
          "FL0202", d.name.span, fmt::format("`{}` is defined twice", d.name.text), {},
          {d.init ? fmt::format("give it another name, or assign to the first: `{} = {};`", d.name.text, print(*d.init))
                  : std::string("give one of the two another name")},
          {{it->second.span, "first defined here"}});
    if (d.stars > 0) {  // pmd_t *pmd = <place>: another name for a place
      if (!d.init)
        fail("FL0303", d.name.span, fmt::format("`{}` must name a place from the start", d.name.text),
             {"a pointer is another name for one place"},
             {fmt::format("write `{} *{} = PLACE;`", stmt.type.text, d.name.text)});
      LocalName alias;
      alias.what = LocalName::What::place;
      alias.shared = place(*d.init, true);
      alias.type = model_.shared[alias.shared].type;
      alias.span = d.name.span;
      if (!(alias.type == *type))
        fail("FL0302", d.init->span,
             fmt::format("this place holds `{}`, not `{}`", model_.type_name(alias.type), model_.type_name(*type)), {},
             {}, {{model_.shared[alias.shared].name.span, "declared here"}});
      scope[d.name.text] = alias;
      continue;
    }
    const std::string text = d.init ? fmt::format("{} = {}", d.name.text, print(*d.init)) : "";
    FlowValue init;
    last_load_ = nothing;
    if (d.init) {
      init = coerce(*d.init, *type);
      if (last_load_ != nothing) at(last_load_).text = text;
    } else {
      init.type = *type;
      init.scalar = flow_constant(0);
      init.null = true;
    }
    const LocalName local = new_local(d.name.text, *type, d.name.span, false);
    assign_local(local, init, stmt.span, last_load_ != nothing || !d.init ? "" : text);
    last_load_ = nothing;
    frames_.back().scopes.back()[d.name.text] = local;
  }
}

void FlowBuilder::assignment(const Stmt& stmt) {
  const Expr* lhs = stmt.lhs.get();
  while (lhs->kind == ExprKind::paren) lhs = lhs->kids[0].get();
  const auto text_of = [&] {
    return stmt.expr ? fmt::format("{} {} {}", print(*lhs), stmt.text, print(*stmt.expr)) : print(*lhs) + stmt.text;
  };
  // x += e, x++ are a load and a store
  const bool plain = stmt.text == "=";
  const auto combined = [&](const FlowValue& old, const Type& type) {
    if (type.kind != TypeKind::integer && type.kind != TypeKind::enumeration)
      fail("FL0302", stmt.span, fmt::format("`{}` needs an int, not `{}`", stmt.text, model_.type_name(type)), {},
           {"assign a value with `=`"});
    FlowValue by;
    if (stmt.expr) {
      by = coerce(*stmt.expr, type);
    } else {
      by.type = type;
      by.scalar = flow_constant(1);
    }
    const bool plus = stmt.text == "+=" || stmt.text == "++";
    FlowValue result;
    result.type = type;
    result.scalar = flow_binary(plus ? FlowExprKind::add : FlowExprKind::sub, old.scalar, by.scalar);
    if (plus)
      guard_range(result.scalar, type.high, stmt.span);
    else
      guard_range(flow_binary(FlowExprKind::le, by.scalar, old.scalar), 0, stmt.span);
    return result;
  };
  if (lhs->kind == ExprKind::name) {
    const LocalName* local = find_local(lhs->text);
    if (local == nullptr) {
      if (model_.is_opaque(lhs->text)) return;
      if (model_.find_shared(lhs->text) != nothing)
        fail("FL0303", lhs->span, fmt::format("`{}` is a place in shared memory", lhs->text), {},
             {fmt::format("write to it with a star: `*{} = …`", lhs->text)});
      unknown_name({lhs->text, lhs->span}, "local", known_names(), "FL0201", "names here");
    }
    if (local->what == LocalName::What::ignored) return;
    if (local->what == LocalName::What::place)
      fail("FL0303", lhs->span, fmt::format("`{}` names a place and cannot be pointed elsewhere", lhs->text), {},
           {fmt::format("write to the place with a star: `*{} = …`", lhs->text)}, {{local->span, "declared here"}});
    const LocalName target = *local;
    last_load_ = nothing;
    const FlowValue v = plain ? coerce(*stmt.expr, target.type) : combined(value_of(target), target.type);
    if (last_load_ != nothing) at(last_load_).text = text_of();
    assign_local(target, v, stmt.span, last_load_ != nothing ? "" : text_of());
    last_load_ = nothing;
    return;
  }
  Target to;
  if (lhs->kind == ExprKind::star)
    to = target(*lhs->kids[0], true);
  else if (lhs->kind == ExprKind::arrow)
    to = target(*lhs, !is_opaque_expr(*lhs));
  else
    fail("FL0303", lhs->span, "this cannot be assigned to", {}, {"assign to a local, or to `*place`"});
  if (!to.place.known()) return;  // a field that the model does not track
  if (to.type.kind == TypeKind::references && plain) return reference_start(to, *stmt.expr, stmt.span, text_of());
  last_load_ = nothing;
  const FlowValue v = plain ? coerce(*stmt.expr, to.type) : combined(load(to, *lhs), to.type);
  last_load_ = nothing;
  store_value(to, v, stmt.span, text_of());
}

}  // namespace faultline::dsl
