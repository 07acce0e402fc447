// Flow builder: calls. Functions are inlined; predicates, states and allocators become nodes.
#include <algorithm>

#include "dsl/flow_build.hpp"

namespace faultline::dsl {

void FlowBuilder::not_in_atomic(const std::string& what, Span span) {
  if (atomic_ > 0)
    fail("FL0305", span, fmt::format("{} inside of `atomic`", what),
         {"an atomic block is one step, so nothing in it may wait"}, {"move it out of the block"});
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
      fail("FL0205", e.text_span.known() ? e.text_span : e.span,
           fmt::format("`{}` is a handler and cannot be called", e.text), {}, {"put the common part into a function"},
           {{decl.item->name.span, "declared here"}});
    if (decl.result.kind == TypeKind::none && !statement)
      fail("FL0302", e.span, fmt::format("{} returns nothing", e.text), {},
           {fmt::format("call it as a statement: `{};`", print(e))}, {{decl.item->name.span, "declared here"}});
    return inline_call(function, e);
  }
  const Span name_span = e.text_span.known() ? e.text_span : e.span;
  FlowNode node;
  node.span = e.span;
  node.text = print(e);
  if (const Index resource = model_.find_alloc(e.text); resource != nothing) {
    not_in_atomic("an allocation", e.span);
    if (statement)
      fail("FL0431", e.span,
           fmt::format("the {} from {} is lost at once", model_.resources[resource].name.text, e.text), {},
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
      fail("FL0207", e.span, fmt::format("{} takes one object, {} given", e.text, arguments.size()), {},
           {fmt::format("name the {} that ends here: `{}({});`", type, e.text, "OBJECT")});
    const FlowValue v = coerce(*arguments[0], {TypeKind::resource, resource, 0});
    if (v.null)
      fail("FL0302", arguments[0]->span, "NULL cannot be freed", {fmt::format("{} frees a {}", e.text, type)},
           {"remove this statement"});
    node.kind = NodeKind::free;
    node.resource = resource;
    node.ref = v.refs[0];
    emit(node);
    if (!statement) fail("FL0302", e.span, fmt::format("{} returns nothing", e.text));
    return FlowValue{};
  }
  if (const Word* word = find_word(e.text)) return builtin(*word, e, statement);
  if (statement) {
    for (const EntryDecl& d : model_.entries)
      if (d.predicate(e.text) != nullptr)
        fail("FL0316", e.span, "this statement has no effect",
             {fmt::format("{} is a predicate of {}", e.text, d.name.text)},
             {fmt::format("test it: `if ({}) …`", print(e))});
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
      if (v.type.kind != TypeKind::entry)
        fail("FL0302", argument.span, fmt::format("{} asks about an entry", e.text),
             {fmt::format("this is `{}`", v.null ? "NULL" : model_.type_name(v.type))});
      const EntryDecl& entry = model_.entries[v.type.which];
      const std::uint64_t* mask = entry.predicate(e.text);
      if (mask == nullptr) {
        std::vector<std::string> known;
        for (const auto& p : entry.predicates) known.push_back(p.first);
        std::vector<std::string> notes;
        if (const auto guess = did_you_mean(e.text, known); !guess.empty())
          notes.push_back("did you mean `" + guess + "`?");
        notes.push_back(fmt::format("predicates of {}: {}", entry.name.text, fmt::join(known, ", ")));
        fail("FL0201", name_span, fmt::format("no predicate `{}` for {}", e.text, entry.name.text), notes);
      }
      FlowValue result;
      result.type = {TypeKind::boolean, nothing, 1};
      result.scalar = flow_in(v.scalar, *mask);
      return result;
    }
  }
  if (some_predicate)
    fail("FL0207", e.span, fmt::format("the predicate {} takes one entry, {} given", e.text, arguments.size()), {},
         {fmt::format("ask about one copy: `{}(old)`, or about the place: `{}(*PLACE)`", e.text, e.text)});
  unknown_name({e.text, name_span}, "function", known_functions(), "FL0206", "functions");
}

FlowValue FlowBuilder::inline_call(Index function, const Expr& e) {
  const FunctionDecl& decl = model_.functions[function];
  const FunctionItem& item = *decl.item;
  for (const Frame& frame : frames_)
    if (frame.function == function)
      fail("FL0304", e.span, fmt::format("{} calls itself", item.name.text),
           {"calls are inlined, so there is no recursion"}, {"write it as a loop"},
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
         fmt::format("{} takes {} argument{}, {} given", item.name.text, params.size(), params.size() == 1 ? "" : "s",
                     arguments.size()),
         {"opaque arguments do not count"}, {}, {{item.name.span, "declared here"}});
  // all stars of the arguments together: C has no order between them
  std::vector<const Expr*> found;
  for (std::size_t i = 0; i < params.size(); ++i)
    if (params[i]->stars == 0) stars(*arguments[i], found);
  if (found.size() > 1)
    fail("FL0301", found[1]->span, "two shared accesses in one expression",
         {"C does not say which argument is read first"}, {"read one into a local before the call"},
         {{found[0]->span, "the first one"}});
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
        fail("FL0302", arguments[i]->span,
             fmt::format("this place holds `{}`, not `{}`", model_.type_name(alias.type), model_.type_name(*type)), {},
             {}, {{model_.shared[alias.shared].name.span, "declared here"}});
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
  return has_result ? value_of(result) : FlowValue{};
}

}  // namespace faultline::dsl
