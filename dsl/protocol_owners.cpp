// Ownership on all paths: an object that a place and a local both own (FL0430), one that is allocated and then lost
// (FL0431).
#include <algorithm>

#include "dsl/protocol_graph.hpp"
#include "fmt/format.h"

namespace faultline::dsl::protocol {

namespace {

// The object is given to a place, and then freed on every path while the place still has it.
void owned_twice(const Context& context, Index n, const FlowNode& node, Index slot, Index ref) {
  std::vector<const Step*> starts;
  for (const Index c : context.graph.at[n])
    for (const Step& step : context.config(c).steps) {
      const bool null = std::any_of(step.events.begin(), step.events.end(),
                                    [](const Event& e) { return e.what == Event::What::stored_null; });
      if (!null) starts.push_back(&step);
    }
  if (starts.empty()) return;
  Goal goal;
  goal.alive = [&](const Config& c) {
    return std::any_of(c.facts.stored.begin(), c.facts.stored.end(),
                       [&](const Stored& s) { return s.node == n && s.slot == slot; });
  };
  goal.good = [&](const Step& step) {
    return std::any_of(step.events.begin(), step.events.end(),
                       [&](const Event& e) { return e.what == Event::What::freed && e.node == n && e.slot == slot; });
  };
  const auto freed = always(context.graph, context.flow, starts, goal);
  if (!freed) return;
  const FlowRef& r = context.flow.refs[ref];
  const FlowNode& free_node = context.node(context.config(freed->config).node);
  const SharedDecl& place = context.model.shared[node.shared];
  const std::string owner = place.type.kind == TypeKind::entry ? "the entry" : "the place";
  const std::string type = context.model.resources[r.resource].name.text;
  const bool payload = r.copy_state != nothing;
  const std::string name = r.temporary && !payload ? "the object" : fmt::format("`{}`", r.name);
  const std::string help =
      payload || r.temporary
          ? fmt::format("store something else into {} before it is freed, or do not free it", place.name.text)
          : fmt::format("give it away with `{} = NULL;`", r.name);
  context.diagnostics.add(
      {Severity::error,
       "FL0430",
       node.span,
       fmt::format("{} is owned twice: by {} and by this {}", name, owner, payload ? "copy" : "local"),
       {},
       {fmt::format("{} follows on line {}, so {} would point to a freed {}", free_node.text, free_node.span.line,
                    owner, type)},
       {help}});
}

// The object is allocated and on every path neither stored nor freed while it has a name.
void lost(const Context& context, Index n, const FlowNode& node) {
  std::vector<const Step*> starts;
  for (const Index c : context.graph.at[n])
    for (const Step& step : context.config(c).steps)
      if (step.way == 0) starts.push_back(&step);
  if (starts.empty()) return;
  Goal goal;
  goal.alive = [&](const Config& c) {  // two objects of one allocation, in a loop: not told apart
    return std::count_if(c.facts.owned.begin(), c.facts.owned.end(), [&](const Owned& o) { return o.node == n; }) == 1;
  };
  goal.good = [&](const Step& step) {
    const FlowNode& to = context.node(context.config(step.to).node);
    if (to.is_end() && to.kind != NodeKind::finish)
      return false;  // a failed assertion: nothing is said about leaks there
    return std::any_of(step.events.begin(), step.events.end(),
                       [&](const Event& e) { return e.what == Event::What::lost && e.node == n; });
  };
  const auto end = always(context.graph, context.flow, starts, goal);
  if (!end) return;
  const ResourceDecl& resource = context.model.resources[node.resource];
  context.diagnostics.add(
      {Severity::error,
       "FL0431",
       node.span,
       fmt::format("the {} from {} is lost", resource.name.text, resource.alloc),
       {},
       {fmt::format("on every path {} ends without storing it into a place or freeing it", context.handler())},
       {resource.free.empty() ? std::string("store it into a place")
                              : fmt::format("free it with {}, or store it into a place", resource.free)}});
}

}  // namespace

void check_owners(const Context& context) {
  for (Index n = 0; n < context.flow.nodes.size(); ++n) {
    const FlowNode& node = context.node(n);
    if (context.graph.at[n].empty()) continue;
    if (node.kind == NodeKind::alloc) lost(context, n, node);
    if (node.kind == NodeKind::store)
      for (Index slot = 0; slot < node.refs.size(); ++slot)
        if (node.refs[slot] != nothing) owned_twice(context, n, node, slot, node.refs[slot]);
  }
}

}  // namespace faultline::dsl::protocol
