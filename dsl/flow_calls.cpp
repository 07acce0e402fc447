// Flow builder: calls. Functions are inlined; predicates, states, allocators and the vocabulary become nodes.
#include <algorithm>

#include "dsl/flow_build.hpp"

namespace faultline::dsl {

namespace {

const Expr& bare(const Expr& expr) {
  const Expr* e = &expr;
  while (e->kind == ExprKind::paren) e = e->kids[0].get();
  return *e;
}

FlowValue no_value() { return {}; }

}  // namespace

void FlowBuilder::not_in_atomic(const std::string& what, Span span) {
  if (atomic_ > 0)
    fail("FL0305", span, fmt::format("{} inside of `atomic`", what), {"an atomic block is one step, so nothing in it may wait"},
         {"move it out of the block"});
}

// Arguments that are not opaque.
std::vector<const Expr*> FlowBuilder::real_arguments(const Expr& call) const {
  std::vector<const Expr*> real;
  for (const ExprPtr& kid : call.kids)
    if (!is_opaque_expr(*kid)) real.push_back(kid.get());
  return real;
}

FlowValue FlowBuilder::call(const Expr& e, const Type* expected, bool statement) {
  if (const Index function = model_.find_function(e.text); function != nothing) {
    const FunctionDecl& decl = model_.functions[function];
    if (decl.item->is_handler)
      fail("FL0205", e.text_span.known() ? e.text_span : e.span, fmt::format("`{}` is a handler and cannot be called", e.text), {},
           {"put the common part into a function"}, {{decl.item->name.span, "declared here"}});
    if (decl.result.kind == TypeKind::none && !statement)
      fail("FL0302", e.span, fmt::format("{} returns nothing", e.text), {}, {fmt::format("call it as a statement: `{};`", print(e))}, {{decl.item->name.span, "declared here"}});
    return inline_call(function, e);
  }
  const Span name_span = e.text_span.known() ? e.text_span : e.span;
  FlowNode node;
  node.span = e.span;
  node.text = print(e);
  if (const Index resource = model_.find_alloc(e.text); resource != nothing) {
    not_in_atomic("an allocation", e.span);
    if (statement)
      fail("FL0431", e.span, fmt::format("the {} from {} is lost at once", model_.resources[resource].name.text, e.text), {},
           {fmt::format("keep it: `{} new = {}();`", model_.resources[resource].name.text, e.text)});
    const LocalName temp = new_local(e.text + "()", {TypeKind::resource, resource, 0}, e.span, true);
    node.kind = NodeKind::alloc;
    node.resource = resource;
    node.ref = temp.refs[0];
    last_load_ = emit(node);
    const Index id = last_load_;
    if (!model_.resources[resource].nofail) open_.push_back({id, 1});
    return value_of(temp);
  }
  if (const Index resource = model_.find_free(e.text); resource != nothing) {
    not_in_atomic("a free", e.span);
    const auto arguments = real_arguments(e);
    const std::string& type = model_.resources[resource].name.text;
    if (arguments.size() != 1)
      fail("FL0207", e.span, fmt::format("{} takes one object, {} given", e.text, arguments.size()), {}, {fmt::format("name the {} that ends here: `{}({});`", type, e.text, "OBJECT")});
    const FlowValue v = coerce(*arguments[0], {TypeKind::resource, resource, 0});
    if (v.null) fail("FL0302", arguments[0]->span, "NULL cannot be freed", {fmt::format("{} frees a {}", e.text, type)}, {"remove this statement"});
    node.kind = NodeKind::free;
    node.resource = resource;
    node.ref = v.refs[0];
    emit(node);
    if (!statement) fail("FL0302", e.span, fmt::format("{} returns nothing", e.text));
    return no_value();
  }
  if (const Word* word = find_word(e.text)) return builtin(*word, e, statement);
  if (statement) {
    for (const EntryDecl& d : model_.entries)
      if (d.predicate(e.text) != nullptr)
        fail("FL0316", e.span, "this statement has no effect", {fmt::format("{} is a predicate of {}", e.text, d.name.text)}, {fmt::format("test it: `if ({}) …`", print(e))});
    const auto known = known_functions();
    unknown_name({e.text, name_span}, "function", known, "FL0206", "functions");
  }
  // a state with payload
  const auto state_of = [&](Index entry_index) -> Index { return model_.entries[entry_index].state(e.text); };
  if (expected != nullptr && expected->kind == TypeKind::entry)
    if (const Index state = state_of(expected->which); state != nothing)
      return construct(model_.entries[expected->which], expected->which, state, e);
  for (Index i = 0; i < model_.entries.size(); ++i)
    if (const Index state = state_of(i); state != nothing && model_.entries[i].predicate(e.text) == nullptr)
      return construct(model_.entries[i], i, state, e);
  // a predicate, or the comparison of two copies
  const auto arguments = real_arguments(e);
  const bool some_predicate = std::any_of(model_.entries.begin(), model_.entries.end(),
                                          [&](const EntryDecl& d) { return d.predicate(e.text) != nullptr; });
  const bool same = e.text.size() > 5 && e.text.ends_with("_same") && arguments.size() == 2;
  if (same && !some_predicate) {
    Expr equal;
    equal.kind = ExprKind::binary;
    equal.text = "==";
    equal.span = e.span;
    for (const Expr* argument : arguments) equal.kids.push_back(std::make_shared<const Expr>(*argument));
    return compare(equal);
  }
  if (arguments.size() == 1) {
    const Expr& argument = bare(*arguments[0]);
    const LocalName* local = argument.kind == ExprKind::name ? find_local(argument.text) : nullptr;
    const Index starred = argument.kind == ExprKind::star ? place(*argument.kids[0], false) : nothing;
    const bool entry_like = (local != nullptr && local->what == LocalName::What::entry_copy) ||
                            (starred != nothing && model_.shared[starred].type.kind == TypeKind::entry);
    if (some_predicate || entry_like) {
      if (const Index bare_place = place(argument, false); bare_place != nothing && argument.kind != ExprKind::star)
        fail("FL0303", argument.span, fmt::format("`{}` is a place", print(argument)), {},
             {fmt::format("read it with a star: `{}(*{})`", e.text, print(argument))});
      const FlowValue v = value(argument);
      if (v.type.kind != TypeKind::entry) fail("FL0302", argument.span, fmt::format("{} asks about an entry", e.text), {fmt::format("this is `{}`", v.null ? "NULL" : model_.type_name(v.type))});
      const EntryDecl& entry = model_.entries[v.type.which];
      const std::uint64_t* mask = entry.predicate(e.text);
      if (mask == nullptr) {
        std::vector<std::string> known;
        for (const auto& p : entry.predicates) known.push_back(p.first);
        std::vector<std::string> notes;
        if (const auto guess = did_you_mean(e.text, known); !guess.empty()) notes.push_back("did you mean `" + guess + "`?");
        notes.push_back(fmt::format("predicates of {}: {}", entry.name.text, fmt::join(known, ", ")));
        fail("FL0201", name_span, fmt::format("no predicate `{}` for {}", e.text, entry.name.text), notes);
      }
      FlowValue result;
      result.type = {TypeKind::boolean, nothing, 1};
      result.scalar = flow_in(v.scalar, *mask);
      return result;
    }
  }
  if (some_predicate) fail("FL0207", e.span, fmt::format("the predicate {} takes one entry, {} given", e.text, arguments.size()), {}, {fmt::format("ask about one copy: `{}(old)`, or about the place: `{}(*PLACE)`", e.text, e.text)});
  unknown_name({e.text, name_span}, "function", known_functions(), "FL0206", "functions");
}

FlowValue FlowBuilder::inline_call(Index function, const Expr& e) {
  const FunctionDecl& decl = model_.functions[function];
  const FunctionItem& item = *decl.item;
  for (const Frame& frame : frames_)
    if (frame.function == function)
      fail("FL0304", e.span, fmt::format("{} calls itself", item.name.text), {"calls are inlined, so there is no recursion"}, {"write it as a loop"},
           {{item.name.span, "declared here"}});
  std::vector<const Param*> params;
  for (const Param& p : item.params)
    if (!model_.is_opaque(p.name.text)) params.push_back(&p);
  std::vector<const Expr*> arguments = real_arguments(e);
  if (arguments.size() > params.size() && params.empty()) {  // places may stand as extra arguments
    std::vector<const Expr*> rest;
    for (const Expr* argument : arguments)
      if (place(*argument, false) == nothing) rest.push_back(argument);
    arguments = rest;
  }
  if (arguments.size() != params.size())
    fail("FL0207", e.span,
         fmt::format("{} takes {} argument{}, {} given", item.name.text, params.size(), params.size() == 1 ? "" : "s", arguments.size()),
         {"opaque arguments do not count"}, {}, {{item.name.span, "declared here"}});
  // all stars of the arguments together: C has no order between them
  std::vector<const Expr*> found;
  for (std::size_t i = 0; i < params.size(); ++i)
    if (params[i]->stars == 0) stars(*arguments[i], found);
  if (found.size() > 1)
    fail("FL0301", found[1]->span, "two shared accesses in one expression",
         {"C does not say which argument is read first"}, {"read one into a local before the call"}, {{found[0]->span, "the first one"}});
  Frame frame;
  frame.function = function;
  frame.atomic = atomic_;
  frame.loops = loops_.size();
  frame.scopes.emplace_back();
  for (const Param& p : item.params)
    if (model_.is_opaque(p.name.text)) {
      LocalName local;
      local.what = LocalName::What::ignored;
      local.type.kind = TypeKind::opaque;
      local.span = p.span;
      frame.scopes.back()[p.name.text] = local;
    }
  for (std::size_t i = 0; i < params.size(); ++i) {
    const Param& p = *params[i];
    const auto type = p.type ? model_.find_type(*p.type) : std::nullopt;
    if (!type || type->kind == TypeKind::none)
      fail("FL0203", p.span, fmt::format("the parameter `{}` has no type that the model knows", p.name.text), {},
           {fmt::format("add `opaque {};` if the model does not track it", p.name.text)});
    if (p.stars > 0) {
      LocalName alias;
      alias.what = LocalName::What::place;
      alias.shared = place(*arguments[i], true);
      alias.type = model_.shared[alias.shared].type;
      alias.span = p.span;
      if (!(alias.type == *type))
        fail("FL0302", arguments[i]->span, fmt::format("this place holds `{}`, not `{}`", model_.type_name(alias.type), model_.type_name(*type)), {}, {}, {{model_.shared[alias.shared].name.span, "declared here"}});
      frame.scopes.back()[p.name.text] = alias;
    } else {
      const FlowValue v = coerce(*arguments[i], *type);
      if (last_load_ != nothing) at(last_load_).text = print(*arguments[i]);
      last_load_ = nothing;
      const LocalName local = new_local(p.name.text, *type, p.span, false);
      assign_local(local, v, e.span, "");
      frame.scopes.back()[p.name.text] = local;
    }
  }
  if (decl.result.kind != TypeKind::none) {
    frame.result = new_local(item.name.text + "()", decl.result, e.span, true);
    frame.has_result = true;
  }
  frames_.push_back(std::move(frame));
  if (item.body) block(*item.body);
  Frame& top = frames_.back();
  missing_labels(item);
  if (top.has_result && reachable()) missing_return(item);
  open_.insert(open_.end(), top.returns.begin(), top.returns.end());
  const LocalName result = top.result;
  const bool has_result = top.has_result;
  frames_.pop_back();
  last_load_ = nothing;
  return has_result ? value_of(result) : no_value();
}

void FlowBuilder::assertion(const Expr& e, bool negated) {
  std::string message = negated ? fmt::format("{}({})", e.text, print(*e.kids[0])) : print(*e.kids[0]);
  if (e.kids.size() > 1) {
    if (e.kids[1]->kind != ExprKind::string)
      fail("FL0302", e.kids[1]->span, "the message of an assertion is a text in quotes", {}, {fmt::format("write `{}({}, \"{}\")`", e.text, print(*e.kids[0]), print(*e.kids[1]))});
    message = e.kids[1]->text;
  }
  const Index before_nodes = static_cast<Index>(flow_.nodes.size());
  auto [yes, no] = condition(*e.kids[0]);
  if (negated) std::swap(yes, no);
  // the last look of the assertion is shown as the assertion itself
  for (Index i = before_nodes; i < flow_.nodes.size(); ++i)
    if (flow_.nodes[i].two_ways() && !flow_.nodes[i].text.empty())
      flow_.nodes[i].text = fmt::format("{}({})", e.text, flow_.nodes[i].text);
  open_ = no;
  FlowNode node;
  node.kind = NodeKind::fail;
  node.span = e.span;
  node.message = message;
  emit(node);
  open_ = yes;
}

FlowValue FlowBuilder::builtin(const Word& word, const Expr& e, bool statement) {
  const auto arguments = real_arguments(e);
  const auto count = [&](std::size_t low, std::size_t high) {
    if (arguments.size() < low || arguments.size() > high)
      fail("FL0207", e.span, fmt::format("{} takes {} argument{}, {} given", e.text, low, low == 1 ? "" : "s", arguments.size()));
  };
  if (!statement && !word.value)
    fail("FL0307", e.span, fmt::format("{} is a statement and has no value", e.text), {}, {fmt::format("write `{};` on its own", print(e))});
  FlowNode node;
  node.span = e.span;
  node.text = print(e);
  switch (word.builtin) {
    case Builtin::transparent:
      count(1, 1);
      return value(*arguments[0]);
    case Builtin::load: {
      count(1, 1);
      const Expr& argument = bare(*arguments[0]);
      if (argument.kind == ExprKind::star) return load(place(*argument.kids[0], true), e);
      return load(place(argument, true), e);
    }
    case Builtin::store:
    case Builtin::exchange: {
      if (word.builtin == Builtin::store && !statement) fail("FL0307", e.span, fmt::format("{} has no value", e.text));
      count(2, 2);
      const Expr& target = bare(*arguments[0]);
      const Index shared = place(target.kind == ExprKind::star ? *target.kids[0] : target, true);
      if (word.builtin == Builtin::store) {
        const FlowValue v = coerce(*arguments[1], model_.shared[shared].type);
        last_load_ = nothing;
        store_value(shared, v, e.span, node.text);
        return no_value();
      }
      const FlowValue v = coerce(*arguments[1], model_.shared[shared].type);
      FlowNode begin;
      begin.kind = NodeKind::atomic_begin;
      begin.span = e.span;
      if (atomic_++ == 0) emit(begin);
      const FlowValue old = load(shared, e);
      store_value(shared, v, e.span, node.text);
      begin.kind = NodeKind::atomic_end;
      if (--atomic_ == 0) emit(begin);
      last_load_ = nothing;
      return old;
    }
    case Builtin::compare_exchange: {
      count(3, 3);
      const Expr& target = bare(*arguments[0]);
      const Index shared = place(target.kind == ExprKind::star ? *target.kids[0] : target, true);
      const Type type = model_.shared[shared].type;
      const FlowValue expected_old = coerce(*arguments[1], type);
      const FlowValue replacement = coerce(*arguments[2], type);
      FlowNode begin;
      begin.kind = NodeKind::atomic_begin;
      begin.span = e.span;
      if (atomic_++ == 0) emit(begin);
      const FlowValue old = load(shared, e);
      FlowExprPtr same = type.kind == TypeKind::resource ? nullptr : flow_binary(FlowExprKind::eq, old.scalar, expected_old.scalar);
      for (std::size_t i = 0; i < old.refs.size(); ++i) {
        const Index b = expected_old.null || i >= expected_old.refs.size() ? nothing : expected_old.refs[i];
        const FlowExprPtr one = b == nothing ? flow_ref_null(old.refs[i]) : flow_refs_equal(old.refs[i], b);
        same = same ? flow_binary(FlowExprKind::land, same, one) : one;
      }
      FlowNode branch;
      branch.kind = NodeKind::branch;
      branch.span = e.span;
      branch.expr = same;
      branch.text = node.text;
      const Index id = emit(branch);
      open_ = {{id, 0}};
      store_value(shared, replacement, e.span, "");
      open_.push_back({id, 1});
      begin.kind = NodeKind::atomic_end;
      if (--atomic_ == 0) emit(begin);
      last_load_ = nothing;
      return old;
    }
    case Builtin::lock:
    case Builtin::unlock:
    case Builtin::downgrade:
    case Builtin::trylock:
      if (word.builtin == Builtin::trylock && !statement) return from_condition(e);
      return lock_word(word, e, statement);
    case Builtin::irq_off:
    case Builtin::irq_on:
    case Builtin::rcu_lock:
    case Builtin::rcu_unlock:
      not_in_atomic(e.text, e.span);
      node.kind = word.builtin == Builtin::irq_off   ? NodeKind::irq_off
                  : word.builtin == Builtin::irq_on  ? NodeKind::irq_on
                  : word.builtin == Builtin::rcu_lock ? NodeKind::rcu_lock
                                                      : NodeKind::rcu_unlock;
      emit(node);
      return no_value();
    case Builtin::barrier: return no_value();  // nothing to order under sequential consistency
    case Builtin::may_sleep:
      not_in_atomic(e.text, e.span);
      node.kind = NodeKind::sleep;
      emit(node);
      return no_value();
    case Builtin::assertion:
      if (e.kids.empty() || e.kids.size() > 2) fail("FL0207", e.span, fmt::format("assert takes a condition and maybe a text, {} given", e.kids.size()), {}, {"write `assert(CONDITION, \"what is wrong otherwise\");`"});
      assertion(e, false);
      return no_value();
    case Builtin::assertion_not:
      if (e.kids.size() != 1) fail("FL0207", e.span, fmt::format("{} takes a condition, {} given", e.text, e.kids.size()), {}, {"for a text of your own write `assert(!CONDITION, \"what is wrong\");`"});
      assertion(e, true);
      return no_value();
    case Builtin::wait_event: {
      count(1, 1);
      not_in_atomic("wait_event", e.span);
      std::vector<const Expr*> found;
      stars(*arguments[0], found, true);
      if (found.size() > 1)
        fail("FL0301", found[1]->span, "two shared accesses in one wait_event", {"its condition is one atomic look, so it holds one star"},
             {fmt::format("wait for one and look at the other behind it, in a loop if need be")}, {{found[0]->span, "the first one"}});
      node.kind = NodeKind::atomic_begin;
      node.waits = true;
      emit(node);
      ++atomic_;
      const auto [yes, no] = condition(*arguments[0]);
      --atomic_;
      open_ = no;
      FlowNode stop;
      stop.kind = NodeKind::block;
      stop.span = e.span;
      emit(stop);
      open_ = yes;
      FlowNode end;
      end.kind = NodeKind::atomic_end;
      end.span = e.span;
      emit(end);
      return no_value();
    }
    case Builtin::touch:
    case Builtin::flush_tlb: {
      if (word.builtin == Builtin::touch && arguments.size() == 2)
        fail("FL0313", e.span, "touch(place, write) is not supported yet", {"it comes with the stage \"Numbers, TLBs and objects\""});
      count(1, 1);
      const Index shared = place(*arguments[0], true);
      const SharedDecl& decl = model_.shared[shared];
      if (!decl.tlb)
        fail("FL0205", arguments[0]->span, fmt::format("no TLB caches `{}`", decl.name.text), {},
             {fmt::format("say what it caches: `tlb {} in STATE, …;`", decl.name.text)}, {{decl.name.span, "declared here"}});
      not_in_atomic(e.text, e.span);
      node.shared = shared;
      node.kind = word.builtin == Builtin::touch ? NodeKind::touch : NodeKind::flush_send;
      emit(node);
      if (word.builtin == Builtin::flush_tlb) {
        node.kind = NodeKind::flush_wait;
        node.text += " done";
        emit(node);
      }
      return no_value();
    }
    case Builtin::is_locked:
    case Builtin::is_write_locked:
    case Builtin::tlb_cached:
    case Builtin::running: {
      if (statement) fail("FL0316", e.span, "this statement has no effect", {}, {"test it: `if (…)` or `assert(…)`"});
      return from_condition(e);
    }
    case Builtin::atomic_inc:
    case Builtin::atomic_dec:
    case Builtin::atomic_dec_and_test:
    case Builtin::atomic_inc_not_zero:
    case Builtin::atomic_read:
    case Builtin::atomic_set: return counter_word(word, e);
    case Builtin::clear:
    case Builtin::unsupported:
      fail("FL0313", e.span, fmt::format("`{}` is not supported yet", e.text), {"it comes with the stage \"Numbers, TLBs and objects\""});
  }
  fail("FL0313", e.span, fmt::format("`{}` is not supported", e.text));
}

FlowValue FlowBuilder::lock_word(const Word& word, const Expr& e, bool statement) {
  // spin_lock_irqsave(lock, flags): `flags` is opaque or undeclared, and only the lock counts
  if (e.kids.empty() || (e.kids.size() > 1 && !word.irqs)) {
    std::vector<std::string> known;
    for (const auto& l : model_.locks) known.push_back(l.name.text);
    fail("FL0207", e.span, fmt::format("{} takes one lock, {} given", e.text, e.kids.size()), {fmt::format("locks: {}", fmt::join(known, ", "))});
  }
  const Index lock = lock_place(*e.kids[0]);
  const LockDecl& decl = model_.locks[lock];
  const auto kind_name = [](LockKind kind) { return kind == LockKind::spinlock ? "spinlock" : kind == LockKind::mutex ? "mutex" : "rwsem"; };
  const LockKind wanted = word.way == LockWay::spin ? LockKind::spinlock : word.way == LockWay::mutex ? LockKind::mutex : LockKind::rwsem;
  if (decl.kind != wanted) {
    const bool taking = word.builtin != Builtin::unlock;
    const std::string better = decl.kind == LockKind::spinlock ? (taking ? "spin_lock" : "spin_unlock")
                               : decl.kind == LockKind::mutex  ? (taking ? "mutex_lock" : "mutex_unlock")
                               : taking                        ? "down_read or down_write"
                                                               : "up_read or up_write";
    fail("FL0205", e.kids[0]->span, fmt::format("`{}` is a {}, and {} wants a {}", decl.name.text, kind_name(decl.kind), e.text, kind_name(wanted)),
         {}, {fmt::format("use {}", better)}, {{decl.name.span, "declared here"}});
  }
  not_in_atomic(word.builtin == Builtin::unlock ? "an unlock" : "taking a lock", e.span);
  FlowNode node;
  node.span = e.span;
  node.text = print(e);
  node.lock = lock;
  node.irqs = word.irqs;
  node.mode = word.way == LockWay::read ? LockMode::read : LockMode::write;
  node.kind = word.builtin == Builtin::lock        ? NodeKind::lock
              : word.builtin == Builtin::unlock    ? NodeKind::unlock
              : word.builtin == Builtin::downgrade ? NodeKind::downgrade
                                                   : NodeKind::trylock;
  const Index id = emit(node);
  if (word.builtin != Builtin::trylock) return no_value();
  if (!statement) return no_value();  // leaf() takes both ways
  open_.push_back({id, 1});
  return no_value();
}

// atomic_inc(p) and friends on a shared int: load and store in one step.
FlowValue FlowBuilder::counter_word(const Word& word, const Expr& e) {
  const auto arguments = real_arguments(e);
  const std::size_t wanted = word.builtin == Builtin::atomic_set ? 2 : 1;
  if (arguments.size() != wanted) fail("FL0207", e.span, fmt::format("{} takes {} argument{}", e.text, wanted, wanted == 1 ? "" : "s"));
  const Index shared = place(*arguments[0], true);
  const Type type = model_.shared[shared].type;
  if (type.kind != TypeKind::integer)
    fail("FL0302", arguments[0]->span, fmt::format("{} needs a shared int", e.text), {fmt::format("`{}` is `{}`", model_.shared[shared].name.text, model_.type_name(type))}, {}, {{model_.shared[shared].name.span, "declared here"}});
  if (word.builtin == Builtin::atomic_read) return load(shared, e);
  if (word.builtin == Builtin::atomic_set) {
    store_value(shared, coerce(*arguments[1], type), e.span, print(e));
    return no_value();
  }
  const bool outermost = atomic_++ == 0;
  FlowNode begin;
  begin.kind = NodeKind::atomic_begin;
  begin.span = e.span;
  if (outermost) emit(begin);
  const FlowValue old = load(shared, e);
  last_load_ = nothing;
  const bool up = word.builtin == Builtin::atomic_inc || word.builtin == Builtin::atomic_inc_not_zero;
  FlowValue next;
  next.type = type;
  next.scalar = flow_binary(up ? FlowExprKind::add : FlowExprKind::sub, old.scalar, flow_constant(1));
  FlowValue result;
  result.type = {TypeKind::boolean, nothing, 1};
  Edges skipped;
  if (word.builtin == Builtin::atomic_inc_not_zero) {
    FlowNode branch;
    branch.kind = NodeKind::branch;
    branch.span = e.span;
    branch.expr = flow_binary(FlowExprKind::eq, old.scalar, flow_constant(0));
    const Index id = emit(branch);
    skipped = {{id, 0}};
    open_ = {{id, 1}};
    result.scalar = flow_not(flow_binary(FlowExprKind::eq, old.scalar, flow_constant(0)));
  }
  if (up)
    guard_range(next.scalar, type.high, e.span);
  else
    guard_range(flow_binary(FlowExprKind::le, flow_constant(1), old.scalar), 0, e.span);
  store_value(shared, next, e.span, print(e));
  open_.insert(open_.end(), skipped.begin(), skipped.end());
  begin.kind = NodeKind::atomic_end;
  if (--atomic_ == 0) emit(begin);
  if (word.builtin == Builtin::atomic_dec_and_test) result.scalar = flow_binary(FlowExprKind::eq, old.scalar, flow_constant(1));
  return result;
}

}  // namespace faultline::dsl
