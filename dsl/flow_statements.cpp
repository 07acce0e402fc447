// Flow builder: graph plumbing and statements.
#include <algorithm>

#include "dsl/flow_build.hpp"

namespace faultline::dsl {

namespace {

FlowExprPtr make(FlowExpr e) { return std::make_shared<const FlowExpr>(std::move(e)); }

}  // namespace

FlowExprPtr flow_constant(std::uint64_t value) { return make({FlowExprKind::constant, value, 0, 0, nullptr, nullptr}); }
FlowExprPtr flow_var(Index var) { return make({FlowExprKind::var, 0, var, 0, nullptr, nullptr}); }
FlowExprPtr flow_in(FlowExprPtr e, std::uint64_t mask) {
  return make({FlowExprKind::in, mask, 0, 0, std::move(e), nullptr});
}
FlowExprPtr flow_not(FlowExprPtr e) { return make({FlowExprKind::lnot, 0, 0, 0, std::move(e), nullptr}); }
FlowExprPtr flow_binary(FlowExprKind kind, FlowExprPtr a, FlowExprPtr b) {
  return make({kind, 0, 0, 0, std::move(a), std::move(b)});
}
FlowExprPtr flow_ref_null(Index ref) { return make({FlowExprKind::ref_null, 0, ref, 0, nullptr, nullptr}); }
FlowExprPtr flow_refs_equal(Index a, Index b) { return make({FlowExprKind::refs_equal, 0, a, b, nullptr, nullptr}); }

const Flow* Flows::of(Index function) const {
  for (const Flow& flow : handlers)
    if (flow.function == function) return &flow;
  return nullptr;
}

// ---------------------------------------------------------------- graph

Index FlowBuilder::emit(FlowNode node) {
  const auto id = static_cast<Index>(flow_.nodes.size());
  const bool end = node.is_end();
  flow_.nodes.push_back(std::move(node));
  link(open_, id);
  open_.clear();
  if (!end) open_.push_back({id, 0});
  return id;
}

void FlowBuilder::link(const Edges& edges, Index node) {
  for (const Edge& edge : edges) flow_.nodes[edge.node].next[static_cast<std::size_t>(edge.way)] = node;
}

Index FlowBuilder::new_var(std::string name, Type type, Span span, bool temporary) {
  flow_.vars.push_back({std::move(name), type, span, temporary});
  return static_cast<Index>(flow_.vars.size() - 1);
}

Index FlowBuilder::new_ref(std::string name, Index resource, Span span, bool temporary) {
  FlowRef ref;
  ref.name = std::move(name);
  ref.resource = resource;
  ref.span = span;
  ref.temporary = temporary;
  flow_.refs.push_back(std::move(ref));
  return static_cast<Index>(flow_.refs.size() - 1);
}

LocalName FlowBuilder::new_local(const std::string& name, const Type& type, Span span, bool temporary) {
  LocalName local;
  local.type = type;
  local.span = span;
  if (type.kind == TypeKind::entry) {
    local.what = LocalName::What::entry_copy;
    local.var = new_var(name, type, span, temporary);
    const EntryDecl& entry = model_.entries[type.which];
    for (std::size_t slot = 0; slot < entry.slots.size(); ++slot) {
      const Index ref = new_ref(name + "." + entry.slots[slot].name, entry.slots[slot].resource, span, temporary);
      flow_.refs[ref].copy_state = local.var;
      flow_.refs[ref].slot = static_cast<Index>(slot);
      local.refs.push_back(ref);
    }
  } else if (type.kind == TypeKind::resource) {
    local.what = LocalName::What::ref;
    local.refs.push_back(new_ref(name, type.which, span, temporary));
  } else {
    local.what = LocalName::What::var;
    local.var = new_var(name, type, span, temporary);
  }
  return local;
}

FlowValue FlowBuilder::value_of(const LocalName& local) const {
  FlowValue value;
  value.type = local.type;
  value.refs = local.refs;
  if (local.what != LocalName::What::ref) value.scalar = flow_var(local.var);
  return value;
}

void FlowBuilder::assign_local(const LocalName& local, const FlowValue& value, Span span, const std::string& text) {
  FlowNode node;
  node.span = span;
  if (local.what != LocalName::What::ref) {
    node.kind = NodeKind::set_var;
    node.var = local.var;
    node.expr = value.scalar;
    node.text = text;
    emit(node);
  }
  for (std::size_t i = 0; i < local.refs.size(); ++i) {
    FlowNode set;
    set.span = span;
    set.kind = NodeKind::set_ref;
    set.ref = local.refs[i];
    set.other = value.null || i >= value.refs.size() ? nothing : value.refs[i];
    if (set.other != set.ref) emit(set);
  }
}

// ---------------------------------------------------------------- statements

Flow FlowBuilder::build(Index function) {
  flow_ = {};
  flow_.function = function;
  const FunctionItem& item = *model_.functions[function].item;
  FlowNode start;
  start.span = item.name.span;
  flow_.entry = emit(start);
  Frame frame;
  frame.function = function;
  frame.scopes.emplace_back();
  for (const Param& param : item.params) {  // of a function that nobody calls, or opaque ones of a handler
    LocalName local;
    local.what = LocalName::What::ignored;
    local.type.kind = TypeKind::opaque;
    local.span = param.span;
    if (param.type && !model_.is_opaque(param.name.text))
      if (const auto type = model_.find_type(*param.type); type && type->kind != TypeKind::none) {
        if (param.stars == 0) {
          local = new_local(param.name.text, *type, param.span, false);
        } else {
          for (std::size_t s = 0; s < model_.shared.size(); ++s)
            if (model_.shared[s].type == *type) {
              local.what = LocalName::What::place;
              local.type = *type;
              local.shared = static_cast<Index>(s);
            }
        }
      }
    frame.scopes.back()[param.name.text] = local;
  }
  const Type result = model_.functions[function].result;
  if (!item.is_handler && result.kind != TypeKind::none) {
    frame.result = new_local("(result)", result, item.name.span, true);
    frame.has_result = true;
  }
  frames_.push_back(std::move(frame));
  if (item.body) block(*item.body);
  missing_labels(item);
  FlowNode end;
  end.kind = NodeKind::finish;
  end.span = item.body && item.body->close.known() ? item.body->close : item.name.span;
  if (!item.is_handler && frames_.back().has_result && reachable()) missing_return(item);
  if (reachable()) emit(end);
  frames_.pop_back();
  return std::move(flow_);
}

void FlowBuilder::missing_labels(const FunctionItem& item) {
  const Frame& top = frames_.back();
  const std::vector<std::string> known(top.placed_labels.begin(), top.placed_labels.end());
  for (const auto& [label, span] : top.gotos) {
    if (top.placed_labels.contains(label)) continue;
    std::vector<std::string> notes;
    if (const auto guess = did_you_mean(label, known); !guess.empty()) notes.push_back("did you mean `" + guess + "`?");
    notes.push_back(known.empty() ? fmt::format("{} has no labels", item.name.text)
                                  : fmt::format("labels of {}: {}", item.name.text, fmt::join(known, ", ")));
    report("FL0312", span, fmt::format("no label `{}` in {}", label, item.name.text), notes,
           {fmt::format("put `{}:` in front of a statement of {}", label, item.name.text)});
  }
}

void FlowBuilder::missing_return(const FunctionItem& item) {
  report("FL0311", item.name.span, fmt::format("{} can end without returning a value", item.name.text), {},
         {"add a `return` at its end"});
}

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
  Index shared = nothing;
  if (lhs->kind == ExprKind::star)
    shared = place(*lhs->kids[0], true);
  else if (lhs->kind == ExprKind::arrow)
    shared = is_opaque_expr(*lhs) ? place(*lhs, false) : place(*lhs, true);
  else
    fail("FL0303", lhs->span, "this cannot be assigned to", {}, {"assign to a local, or to `*place`"});
  if (shared == nothing) return;  // a field that the model does not track
  const Type type = model_.shared[shared].type;
  last_load_ = nothing;
  const FlowValue v = plain ? coerce(*stmt.expr, type) : combined(load(shared, *lhs), type);
  last_load_ = nothing;
  store_value(shared, v, stmt.span, text_of());
}

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
  if (stmt.kind != StmtKind::do_while && stmt.expr) {
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
    if (stmt.kind == StmtKind::do_while) {
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

Flows build_flows(const Model& model, Diagnostics& diagnostics) {
  Flows flows;
  std::map<std::uint64_t, Index> cover_ids;
  for (std::size_t i = 0; i < model.functions.size(); ++i)
    if (model.functions[i].item->is_handler)
      flows.handlers.push_back(FlowBuilder(model, diagnostics, flows, cover_ids).build(static_cast<Index>(i)));
  // functions that no handler calls are checked too
  for (std::size_t i = 0; i < model.functions.size(); ++i)
    if (!model.functions[i].item->is_handler) {
      Flows unused;
      std::map<std::uint64_t, Index> unused_ids;
      (void)FlowBuilder(model, diagnostics, unused, unused_ids).build(static_cast<Index>(i));
    }
  return flows;
}

}  // namespace faultline::dsl
