// The whole state graph for a fixed number of CPUs, CPUs kept apart: what searches for runs that never end are written
// on.
#pragma once
#include <string>

#include "checker/explicit.hpp"
#include "checker/search/closed.hpp"

namespace faultline::check::search {

struct Edge {
  StateSet::Index to = 0;
  std::uint32_t command = no_command;  // no_command: an acknowledgement
  Acknowledgement ack{};               // ack.me: the CPU that moves, for commands too
  [[nodiscard]] std::uint32_t cpu() const { return ack.me; }
  [[nodiscard]] bool acknowledges() const { return command == no_command; }
};

// States in breadth-first order, the initial one first. Violation commands have no edge.
class StateGraph {
 public:
  // `closed` without symmetry. On a limit complete() is false.
  StateGraph(Closed& closed, const Limits& limits, const Watch& watch);

  [[nodiscard]] bool complete() const { return reason_.empty(); }
  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] StateSet::Index size() const { return states_.size(); }
  [[nodiscard]] const std::uint64_t* packed(StateSet::Index s) const { return states_[s]; }
  [[nodiscard]] const Edge* begin(StateSet::Index s) const { return edges_.data() + first_[s]; }
  [[nodiscard]] const Edge* end(StateSet::Index s) const { return edges_.data() + first_[s + 1]; }

 private:
  StateSet states_;
  std::vector<std::uint64_t> first_{0};
  std::vector<Edge> edges_;
  std::string reason_;
};

}  // namespace faultline::check::search
