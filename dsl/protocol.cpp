// What all paths of a handler show to be wrong. Each handler is folded into a graph of configurations once
// (dsl/protocol_graph.hpp); the checks only look at it.
#include "dsl/protocol.hpp"

#include <algorithm>

#include "dsl/protocol_graph.hpp"
#include "fmt/format.h"

namespace faultline::dsl {

namespace protocol {

std::string Context::lock_text(Index lock, LockMode mode) const {
  const LockDecl& decl = model.locks[lock];
  if (decl.kind != LockKind::rwsem || mode == LockMode::any) return decl.name.text;
  return fmt::format("{}({})", mode == LockMode::read ? "read" : "write", decl.name.text);
}

std::string Context::held_text(Index n) const {
  std::vector<std::string> names;
  std::vector<std::size_t> times;
  const auto add = [&](std::string name) {
    const auto it = std::find(names.begin(), names.end(), name);
    if (it != names.end()) {
      ++times[static_cast<std::size_t>(it - names.begin())];
      return;
    }
    names.push_back(std::move(name));
    times.push_back(1);
  };
  for (const Index c : graph.at[n]) {
    const Locks& locks = config(c).facts.locks;
    for (const HeldLock& h : locks.held) add(lock_text(h.lock, h.mode));
    if (locks.irqs_off > 0) add("interrupts off");
    if (locks.rcu > 0) add("the RCU read lock");
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (times[i] < graph.at[n].size()) names[i] += " (on some paths)";
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace protocol

void check_protocol(const Model& model, const Flows& flows, Diagnostics& diagnostics) {
  if (model.locks.size() > protocol::most_locks || model.shared.size() > protocol::most_places)
    return;  // the lowering says so
  for (const Flow& flow : flows.handlers) {
    const auto graph = protocol::explore(model, flow);
    if (!graph) continue;
    const protocol::Context context{model, flow, *graph, diagnostics};
    protocol::check_payloads(context);
    protocol::check_stores(context);
    protocol::check_locks(context);
    if (!graph->coarse) protocol::check_owners(context);
  }
}

}  // namespace faultline::dsl
