// The runs of one handler, folded: a configuration is a node of its graph with what is known there
// (dsl/protocol_facts.hpp). Every real run is a path of this graph, so what all its paths show is true of all runs; it
// may have paths that no run takes, so what some of them show is left to the checks at run time.
//
// A handler with too many configurations is folded to one for each node and set of locks; then less is found.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "dsl/protocol_facts.hpp"

namespace faultline::dsl::protocol {

struct Event {
  enum class What : std::uint8_t {
    lost,         // the object allocated at `node` has no name left and was neither stored nor freed
    freed,        // the object stored at `node`, place `shared`, slot `slot` is freed
    stored_null,  // what `node` stores is NULL on this path
  } what = What::lost;
  Index node = nothing, shared = nothing, slot = nothing;
};

struct Step {
  Index from = nothing, to = nothing;  // configurations
  std::size_t way = 0;                 // of the node's two
  std::vector<Event> events;
};

struct Config {
  Index node = nothing;
  Facts facts;
  std::vector<Step> steps;
};

struct Graph {
  std::vector<Config> configs;
  std::vector<std::vector<Index>> at;  // by node: without paths that misused a lock, if there are others
  bool coarse = false;
};

// Nothing if the handler is too big to be analysed at all.
[[nodiscard]] std::optional<Graph> explore(const Model& model, const Flow& flow);

// Whether every path from `starts` comes to a step that is `good`, or ends in a configuration that is `good_end`,
// without leaving `alive` before and without turning for ever. Ends that are no return (a failed assertion, a wait) do
// not count, but one path must get there. The answer is the first such step (or end).
struct Goal {
  std::function<bool(const Config&)> alive;
  std::function<bool(const Step&)> good;
  std::function<bool(const Config&)> good_end;
};
struct Reached {
  Index config = nothing;  // where the good step starts, or the good end
};
[[nodiscard]] std::optional<Reached> always(const Graph& graph, const Flow& flow,
                                            const std::vector<const Step*>& starts, const Goal& goal);

// What the checks work on.
struct Context {
  const Model& model;
  const Flow& flow;
  const Graph& graph;
  Diagnostics& diagnostics;

  [[nodiscard]] const FlowNode& node(Index n) const { return flow.nodes[n]; }
  [[nodiscard]] const Config& config(Index c) const { return graph.configs[c]; }
  [[nodiscard]] std::string handler() const { return model.functions[flow.function].item->name.text; }
  // True of all configurations at the node, of which there is at least one.
  template <class Test>
  [[nodiscard]] bool all(Index n, const Test& test) const {
    for (const Index c : graph.at[n])
      if (!test(config(c).facts)) return false;
    return !graph.at[n].empty();
  }
  [[nodiscard]] std::string lock_text(Index lock, LockMode mode) const;  // "page_table_lock", "read(mmap_sem)"
  [[nodiscard]] std::string held_text(Index n) const;                    // what the paths to a node hold
};

void check_payloads(const Context& context);  // FL0310
void check_stores(const Context& context);    // FL0410, FL0411, FL0412
void check_locks(const Context& context);     // FL0420 to FL0423
void check_owners(const Context& context);    // FL0430, FL0431

}  // namespace faultline::dsl::protocol
