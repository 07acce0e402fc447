// Flow builder: the graph, locals in it, and the frame of a handler.
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
  flow_.vars.push_back({std::move(name), type, span, temporary, {}});
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
  check_sequences();
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
