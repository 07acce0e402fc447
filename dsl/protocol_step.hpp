// One node of a handler's graph: what is known behind it, and what is needed before it. Inside of
// dsl/protocol_graph.cpp.
#pragma once
#include <vector>

#include "dsl/protocol_graph.hpp"

namespace faultline::dsl::protocol {

// Variables and references whose values may still be used.
struct Live {
  std::vector<std::vector<bool>> vars, refs;  // [node]
};

[[nodiscard]] Live needed(const Flow& flow);

// One way on from a node.
struct Outcome {
  std::size_t way = 0;
  Facts facts;
  std::vector<Event> events;
};

class Transfer {
 public:
  Transfer(const Model& model, const Flow& flow) : model_(model), flow_(flow), reader_(model, flow) {}
  // The ways on from node `id` that are possible where `facts` hold; none from the end of a path.
  [[nodiscard]] std::vector<Outcome> run(const FlowNode& node, Index id, Facts facts);

 private:
  void set_var(const FlowNode& node, Facts f);
  void load(const FlowNode& node, Facts f);
  void store(const FlowNode& node, Index id, Facts f);
  void free(const FlowNode& node, Facts f);

  const Model& model_;
  const Flow& flow_;
  Reader reader_;
  std::vector<Outcome> out_;
};

}  // namespace faultline::dsl::protocol
