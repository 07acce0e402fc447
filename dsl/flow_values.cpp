// Flow builder: values. A star becomes a load node.
#include <algorithm>

#include "dsl/flow_build.hpp"

namespace faultline::dsl {

namespace {

// Evaluated with branches, operand by operand.
bool is_logical(const Expr& expr) {
  const Expr& e = bare(expr);
  if (e.kind == ExprKind::lnot || e.kind == ExprKind::conditional) return true;
  if (e.kind == ExprKind::call)
    if (const Word* word = find_word(e.text); word != nullptr && word->builtin == Builtin::transparent)
      return e.kids.size() == 1 && is_logical(*e.kids[0]);
  return e.kind == ExprKind::binary && (e.text == "&&" || e.text == "||" || e.text == "implies");
}

}  // namespace

FlowValue FlowBuilder::coerce(const Expr& expr, const Type& type) {
  const Expr& e = bare(expr);
  if (e.kind == ExprKind::conditional && !is_opaque_expr(e)) {
    const LocalName result = new_local("(value)", type, e.span, true);
    const auto [yes, no] = condition(*e.kids[0]);
    open_ = yes;
    assign_local(result, coerce(*e.kids[1], type), e.span, "");
    Edges done = std::move(open_);
    open_ = no;
    assign_local(result, coerce(*e.kids[2], type), e.span, "");
    open_.insert(open_.end(), done.begin(), done.end());
    last_load_ = nothing;
    return value_of(result);
  }
  if (!is_logical(e)) check_stars(e);
  FlowValue v = value(e, &type);
  if (v.null && type.kind == TypeKind::resource) v.type = type;
  // `return 0` and `return false` mean the same
  if (type.kind == TypeKind::boolean && v.type.kind == TypeKind::integer && v.scalar &&
      v.scalar->kind == FlowExprKind::constant && v.scalar->value <= 1)
    v.type = type;
  need(v, type, e.span);
  if (type.scalar() && v.scalar->kind == FlowExprKind::constant) {
    if (v.scalar->value > type.high)
      fail("FL0306", e.span, fmt::format("{} is not in 0..{}", v.scalar->value, type.high),
           {fmt::format("that is the range of this {}", model_.type_name(type))},
           {fmt::format("declare a wider one, `int(0..{})`, or use a smaller value", v.scalar->value)});
  } else if (type.scalar() && (type.high < v.type.high)) {
    guard_range(v.scalar, type.high, e.span);
  }
  return v;
}

void FlowBuilder::need(const FlowValue& v, const Type& type, Span span) {
  if (v.type == type) return;
  const auto number = [](const Type& t) { return t.kind == TypeKind::integer || t.kind == TypeKind::enumeration; };
  if (number(v.type) && number(type)) return;
  if (v.type.kind == TypeKind::boolean && number(type)) return;
  if (v.type.kind == TypeKind::opaque)
    fail("FL0308", span, "the value of an opaque name would matter here", {"the model does not track it"},
         {"write `maybe`, or declare the name as something that is tracked"});
  std::vector<std::string> helps;
  if (type.kind == TypeKind::boolean && number(v.type)) helps.push_back("compare it: `… != 0`");
  if (type.kind == TypeKind::sequence) {
    helps.push_back("only write_seqcount_begin and write_seqcount_end change a seqcount");
  } else if (v.null && type.kind == TypeKind::entry) {
    helps.push_back(fmt::format(
        "name a state of {}: `{}`", model_.type_name(type),
        model_.entries[type.which].states.empty() ? "…" : model_.entries[type.which].states.front().name.text));
  } else if (v.null) {
    helps.push_back("NULL is for objects only");
  }
  if (v.type.kind == TypeKind::resource && !v.null && type.kind == TypeKind::entry) {
    const EntryDecl& entry = model_.entries[type.which];
    for (const auto& state : entry.states)
      if (state.payload.size() == 1 && entry.slots[state.payload[0]].resource == v.type.which && helps.empty())
        helps.push_back(fmt::format("name the state that holds it: `{}(…)`", state.name.text));
  }
  if (v.type.kind == TypeKind::resource && type.kind == TypeKind::resource && !v.null &&
      !model_.resources[v.type.which].free.empty())
    helps.push_back(
        fmt::format("a {} is freed with {}", model_.type_name(v.type), model_.resources[v.type.which].free));
  fail("FL0302", span,
       fmt::format("this is `{}`, but `{}` is wanted", v.null ? "NULL" : model_.type_name(v.type),
                   model_.type_name(type)),
       {}, helps);
}

void FlowBuilder::guard_range(const FlowExprPtr& expr, std::uint8_t high, Span span) {
  FlowNode branch;
  branch.kind = NodeKind::branch;
  branch.span = span;
  branch.expr = high == 0 ? expr : flow_binary(FlowExprKind::le, expr, flow_constant(high));
  const Index id = emit(branch);
  open_ = {{id, 1}};
  FlowNode over;
  over.kind = NodeKind::overflow;
  over.span = span;
  over.message = "a value left its declared range: give it a larger one";
  emit(over);
  open_ = {{id, 0}};
}

FlowValue FlowBuilder::value(const Expr& expr, const Type* expected) {
  const Expr& e = bare(expr);
  if (is_opaque_expr(e)) {
    if (expected != nullptr && expected->kind != TypeKind::boolean) {
      FlowValue v;
      v.type.kind = TypeKind::opaque;
      need(v, *expected, e.span);
    }
    return oracle(e);
  }
  if (is_logical(e)) return from_condition(e);
  switch (e.kind) {
    case ExprKind::name: return name_value(e, expected);
    case ExprKind::integer: {
      FlowValue v;
      if (e.value < 0 || e.value > 255)
        fail("FL0306", e.span, fmt::format("{} is not in 0..255", e.value), {"an int has 8 bits at most"},
             {"use a smaller number that stands for it"});
      v.type = {TypeKind::integer, nothing, static_cast<std::uint8_t>(e.value)};
      v.scalar = flow_constant(static_cast<std::uint64_t>(e.value));
      return v;
    }
    case ExprKind::string: fail("FL0302", e.span, "a text is no value here", {"only assert takes one"});
    case ExprKind::star: return load(target(*e.kids[0], true), e);
    case ExprKind::address:
      fail("FL0303", e.span, "the address of a place is no value here", {}, {"read the place with a star"});
    case ExprKind::arrow: {
      const Target from = target(e, true);
      if (!from.type.numeric())
        fail("FL0303", e.span, fmt::format("`{}` is a place", print(e)), {},
             {fmt::format("read it with a star: `*{}`", print(e))});
      return load(from, e);
    }
    case ExprKind::dot: return payload(e);
    case ExprKind::index:
      fail("FL0313", e.span, "arrays are not supported yet",
           {"they come with the stage \"Numbers, TLBs and objects\""});
    case ExprKind::call: return call(e, expected, false);
    case ExprKind::negate: fail("FL0306", e.span, "negative numbers are not supported", {}, {"use an enum constant"});
    case ExprKind::binary:
      if (e.text == "==" || e.text == "!=" || e.text == "<" || e.text == "<=" || e.text == ">" || e.text == ">=")
        return compare(e);
      return arithmetic(e);
    default: break;
  }
  fail("FL0302", e.span, "this is no value",
       {"values are locals, constants, `*place`, payloads and calls of functions with a result"});
}

FlowValue FlowBuilder::name_value(const Expr& e, const Type* expected) {
  FlowValue v;
  if (const LocalName* local = find_local(e.text)) {
    if (local->what == LocalName::What::place)
      fail("FL0303", e.span, fmt::format("`{}` is a place", e.text), {},
           {fmt::format("read it with a star: `*{}`", e.text)});
    return value_of(*local);
  }
  if (e.text == "true" || e.text == "false") {
    v.type = {TypeKind::boolean, nothing, 1};
    v.scalar = flow_constant(e.text == "true" ? 1 : 0);
    return v;
  }
  if (e.text == "NULL") {
    v.type = {TypeKind::resource, nothing, 0};
    v.null = true;
    v.refs = {nothing};
    return v;
  }
  if (e.text == "maybe") return from_condition(e);
  if (expected != nullptr && expected->kind == TypeKind::entry) {
    const EntryDecl& entry = model_.entries[expected->which];
    if (const Index state = entry.state(e.text); state != nothing) return construct(entry, expected->which, state, e);
  }
  if (const auto constant = model_.find_constant(e.text)) {
    const EnumDecl& decl = model_.enums[constant->enumeration];
    v.type = decl.name.empty() ? Type{TypeKind::integer, nothing, constant->value}
                               : Type{TypeKind::enumeration, constant->enumeration, constant->value};
    v.scalar = flow_constant(constant->value);
    return v;
  }
  if (model_.find_shared(e.text) != nothing)
    fail("FL0303", e.span, fmt::format("`{}` is a place in shared memory", e.text), {},
         {fmt::format("read it with a star: `*{}`", e.text)});
  for (const EntryDecl& entry : model_.entries)
    if (entry.state(e.text) != nothing)
      fail("FL0302", e.span, fmt::format("`{}` is a state of {}, which is not wanted here", e.text, entry.name.text),
           {}, {fmt::format("compare it with a copy: `old == {}`", e.text)},
           {{entry.states[entry.state(e.text)].span, "declared here"}});
  if (expected != nullptr && expected->kind == TypeKind::entry) {
    const EntryDecl& entry = model_.entries[expected->which];
    std::vector<std::string> known;
    for (const auto& s : entry.states) known.push_back(s.name.text);
    unknown_name({e.text, e.span}, "state", known, "FL0204", "states of " + entry.name.text);
  }
  unknown_name({e.text, e.span}, "name", known_names(), "FL0201", "names here");
}

FlowValue FlowBuilder::load(const Target& from, const Expr& expr) {
  if (from.type.kind == TypeKind::sequence)
    fail("FL0302", expr.span, fmt::format("`{}` is a seqcount", print(expr)), {},
         {"read it with `read_seqcount_begin`, and look whether it has changed with `read_seqcount_retry`"});
  if (from.type.kind == TypeKind::references)
    fail("FL0302", expr.span, fmt::format("`{}` is a reference count, which is not read", print(expr)),
         {"the model keeps who holds a reference, not how many there are"},
         {fmt::format("take and put references: `atomic_inc_not_zero({0})`, `atomic_dec_and_test({0})`", print(expr)),
          fmt::format("or give it a range, to be counted as any number: `int(0..3) {};`", from.name.text)},
         {{from.name.span, "declared here"}});
  const LocalName temp = new_local("*" + from.name.text, from.type, expr.span, true);
  FlowNode node;
  node.kind = NodeKind::load;
  node.span = expr.span;
  node.at(from.place);
  node.var = temp.var;
  node.refs = temp.refs;
  last_load_ = emit(node);
  return value_of(temp);
}

FlowValue FlowBuilder::payload(const Expr& e) {
  const FlowValue base = value(*e.kids[0]);
  if (base.type.kind != TypeKind::entry) {
    if (base.type.kind == TypeKind::opaque) return oracle(e);
    fail("FL0302", e.kids[0]->span, fmt::format("`{}` has no payload", print(*e.kids[0])),
         {fmt::format("it is `{}`; only a copy of an entry has a payload", model_.type_name(base.type))});
  }
  const EntryDecl& entry = model_.entries[base.type.which];
  std::vector<std::string> known;
  for (std::size_t slot = 0; slot < entry.slots.size(); ++slot) {
    known.push_back(entry.slots[slot].name);
    if (entry.slots[slot].name != e.text) continue;
    FlowValue v;
    v.type = {TypeKind::resource, entry.slots[slot].resource, 0};
    v.refs = {base.refs[slot]};
    if (v.refs[0] == nothing)
      fail("FL0310", e.text_span.known() ? e.text_span : e.span, fmt::format("this state has no payload `{}`", e.text),
           {fmt::format("it is built here, as a {}", entry.name.text)});
    FlowNode node;
    node.kind = NodeKind::uses_payload;
    node.span = e.span;
    node.var = base.scalar->a;
    node.ref = v.refs[0];
    emit(node);
    return v;
  }
  unknown_name({e.text, e.text_span.known() ? e.text_span : e.span}, "payload", known, "FL0310",
               "payloads of " + entry.name.text);
}

FlowValue FlowBuilder::compare(const Expr& e) {
  const auto state_name = [&](const Expr& side) {
    const Expr& b = bare(side);
    return b.kind == ExprKind::name && find_local(b.text) == nullptr && !model_.find_constant(b.text) &&
           b.text != "NULL" && b.text != "true" && b.text != "false" && b.text != "maybe";
  };
  FlowValue left;
  FlowValue right;
  if (state_name(*e.kids[0])) {
    right = value(*e.kids[1]);
    left = value(*e.kids[0], &right.type);
  } else {
    left = value(*e.kids[0]);
    right = value(*e.kids[1], &left.type);
  }
  FlowValue v;
  v.type = {TypeKind::boolean, nothing, 1};
  const bool equality = e.text == "==" || e.text == "!=";
  if (left.type.kind == TypeKind::opaque || right.type.kind == TypeKind::opaque) return oracle(e);
  if (left.type.kind == TypeKind::entry || left.type.kind == TypeKind::resource) {
    if (!(right.null && left.type.kind == TypeKind::resource) && !(left.null && right.type.kind == TypeKind::resource))
      need(right, left.type, e.kids[1]->span);
    if (!equality)
      fail("FL0302", e.span, fmt::format("`{}` compares numbers", e.text),
           {fmt::format("this is `{}`", model_.type_name(left.type))}, {"compare with `==` or `!=`"});
    FlowExprPtr same =
        left.type.kind == TypeKind::entry ? flow_binary(FlowExprKind::eq, left.scalar, right.scalar) : nullptr;
    for (std::size_t i = 0; i < left.refs.size(); ++i) {
      const Index a = left.refs[i];
      const Index b = i < right.refs.size() ? right.refs[i] : nothing;
      const FlowExprPtr one = a == nothing && b == nothing ? flow_constant(1)
                              : a == nothing               ? flow_ref_null(b)
                              : b == nothing               ? flow_ref_null(a)
                                                           : flow_refs_equal(a, b);
      same = same ? flow_binary(FlowExprKind::land, same, one) : one;
    }
    v.scalar = e.text == "==" ? same : flow_not(same);
    return v;
  }
  if (!left.type.scalar())
    fail("FL0302", e.kids[0]->span, "this has no value to compare",
         {fmt::format("it is `{}`", model_.type_name(left.type))});
  if (!right.type.scalar())
    fail("FL0302", e.kids[1]->span, fmt::format("this is `{}`, but a number is wanted", model_.type_name(right.type)),
         {fmt::format("the other side is `{}`", model_.type_name(left.type))});
  FlowExprPtr a = left.scalar;
  FlowExprPtr b = right.scalar;
  if (e.text == ">" || e.text == ">=") std::swap(a, b);
  if (equality)
    v.scalar = flow_binary(FlowExprKind::eq, a, b);
  else
    v.scalar = flow_binary(e.text == "<" || e.text == ">" ? FlowExprKind::lt : FlowExprKind::le, a, b);
  if (e.text == "!=") v.scalar = flow_not(v.scalar);
  return v;
}

FlowValue FlowBuilder::arithmetic(const Expr& e) {
  const FlowValue left = value(*e.kids[0]);
  const FlowValue right = value(*e.kids[1]);
  const Type number{TypeKind::integer, nothing, 255};
  need(left, number, e.kids[0]->span);
  need(right, number, e.kids[1]->span);
  FlowValue v;
  v.type = number;
  if (e.text == "+") {
    v.type.high = static_cast<std::uint8_t>(std::min(255, left.type.high + right.type.high));
    v.scalar = flow_binary(FlowExprKind::add, left.scalar, right.scalar);
    if (left.type.high + right.type.high > 255) guard_range(v.scalar, 255, e.span);
  } else if (e.text == "-") {
    v.type.high = left.type.high;
    guard_range(flow_binary(FlowExprKind::le, right.scalar, left.scalar), 0, e.span);
    v.scalar = flow_binary(FlowExprKind::sub, left.scalar, right.scalar);
  } else if (e.text == "&") {
    v.type.high = std::min(left.type.high, right.type.high);
    v.scalar = flow_binary(FlowExprKind::bit_and, left.scalar, right.scalar);
  } else {
    fail("FL0313", e.span, fmt::format("the operator `{}` is not supported", e.text),
         {"operators: + - & == != < <= > >= && || ! ?: implies"});
  }
  return v;
}

// One unknown Boolean for each distinct opaque expression, drawn at the first look of a run of the handler; a volatile
// one at every look.
FlowValue FlowBuilder::oracle(const Expr& e) {
  const std::function<bool(const Expr&)> is_volatile = [&](const Expr& x) {
    if (x.kind == ExprKind::name)
      return std::find(model_.volatile_opaque.begin(), model_.volatile_opaque.end(), x.text) !=
             model_.volatile_opaque.end();
    return std::any_of(x.kids.begin(), x.kids.end(), [&](const ExprPtr& kid) { return is_volatile(*kid); });
  };
  const Type boolean{TypeKind::boolean, nothing, 1};
  const std::string text = print(e);
  FlowValue v;
  v.type = boolean;
  const auto draw = [&](const std::function<void(bool)>& chosen) {
    FlowNode node;
    node.kind = NodeKind::choose;
    node.span = e.span;
    node.text = text;
    const Index id = emit(node);
    open_ = {{id, 0}};
    chosen(true);
    Edges done = std::move(open_);
    open_ = {{id, 1}};
    chosen(false);
    open_.insert(open_.end(), done.begin(), done.end());
  };
  const auto set = [&](Index var, std::uint64_t number) {
    FlowNode node;
    node.kind = NodeKind::set_var;
    node.span = e.span;
    node.var = var;
    node.expr = flow_constant(number);
    emit(node);
  };
  if (is_volatile(e)) {
    const LocalName result = new_local("(value)", boolean, e.span, true);
    draw([&](bool yes) { set(result.var, yes ? 1 : 0); });
    return value_of(result);
  }
  const auto it = oracles_.find(text);
  Index var = it == oracles_.end() ? nothing : it->second;
  if (var == nothing) {  // 0: not drawn yet, 1: false, 2: true
    var = new_var(text, {TypeKind::integer, nothing, 2}, e.span, true);
    oracles_[text] = var;
  }
  FlowNode known;
  known.kind = NodeKind::branch;
  known.span = e.span;
  known.expr = flow_not(flow_binary(FlowExprKind::eq, flow_var(var), flow_constant(0)));
  const Index id = emit(known);
  open_ = {{id, 1}};
  draw([&](bool yes) { set(var, yes ? 2 : 1); });
  open_.push_back({id, 0});
  v.scalar = flow_binary(FlowExprKind::eq, flow_var(var), flow_constant(2));
  return v;
}

FlowValue FlowBuilder::construct(const EntryDecl& entry, Index entry_index, Index state, const Expr& e) {
  const auto& payload_slots = entry.states[state].payload;
  std::vector<const Expr*> arguments;
  if (e.kind == ExprKind::call)
    for (const ExprPtr& kid : e.kids) arguments.push_back(kid.get());
  if (arguments.size() != payload_slots.size()) {
    std::vector<std::string> names;
    for (const Index slot : payload_slots) names.push_back(entry.slots[slot].name);
    fail("FL0207", e.span,
         fmt::format("state `{}` has {} payload{}, {} given", entry.states[state].name.text, payload_slots.size(),
                     payload_slots.size() == 1 ? "" : "s", arguments.size()),
         names.empty() ? std::vector<std::string>{}
                       : std::vector<std::string>{fmt::format("payload: {}", fmt::join(names, ", "))},
         {}, {{entry.states[state].span, "declared here"}});
  }
  FlowValue v;
  v.type = {TypeKind::entry, entry_index, 0};
  v.scalar = flow_constant(state);
  v.refs.assign(entry.slots.size(), nothing);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Type type{TypeKind::resource, entry.slots[payload_slots[i]].resource, 0};
    const FlowValue argument = coerce(*arguments[i], type);
    if (argument.null)
      fail("FL0302", arguments[i]->span,
           fmt::format("state `{}` needs an object, not NULL", entry.states[state].name.text),
           {fmt::format("its payload `{}` is a {}", entry.slots[payload_slots[i]].name, model_.type_name(type))}, {},
           {{entry.states[state].span, "declared here"}});
    v.refs[payload_slots[i]] = argument.refs[0];
  }
  return v;
}

void FlowBuilder::store_value(const Target& to, const FlowValue& v, Span span, const std::string& text) {
  FlowNode node;
  node.kind = NodeKind::store;
  node.span = span;
  node.text = text;
  node.at(to.place);
  node.expr = v.scalar;
  node.refs = v.refs;
  if (v.null) node.refs = {nothing};
  emit(node);
}

}  // namespace faultline::dsl
