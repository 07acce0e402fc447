// Fair loops in a state graph (Emerson and Lei's Streett search by taking strongly connected parts apart).
#pragma once
#include <optional>

#include "checker/search/graph.hpp"

namespace faultline::check::search {

// Strongly connected sets of states in which a run can stay for ever and be fair.
class FairLoops {
 public:
  // Only among states with allowed[s]. Throws OverLimit.
  FairLoops(Closed& closed, const StateGraph& graph, const std::vector<bool>& allowed, const Watch& watch);

  static constexpr std::uint32_t none = 0xffffffff;
  // Number of the fair set that s is in, or none.
  [[nodiscard]] std::uint32_t of(StateSet::Index s) const { return set_of_[s]; }
  // A fair loop within the set of s, from s back to s. Empty: staying in s for ever is fair.
  [[nodiscard]] std::vector<const Edge*> loop(StateSet::Index s) const;

 private:
  using States = std::vector<StateSet::Index>;
  // Which CPUs are inside a handler, and of these which have a step, in some or in all states looked at.
  struct Needs {
    std::uint32_t inside = 0xffff;
    std::uint32_t blocking = 0;       // a lock or a wait is possible in some state
    std::uint32_t always = 0xffff;    // another step is possible in every state
    std::uint32_t moves = 0;          // takes a step
    std::vector<std::uint64_t> acks;  // possible in every state; one number each
  };
  void take_apart(States states);
  [[nodiscard]] std::vector<States> components(const States& states);
  void add_state(Needs& needs, StateSet::Index s, bool first) const;
  // Finds what keeps a run through `states` taking `moves` from being fair: a CPU, an acknowledgement, or nothing.
  struct Lack {
    enum class What : std::uint8_t { nothing, blocking, step, acknowledgement } what = What::nothing;
    std::uint32_t cpu = 0;
    std::uint64_t ack = 0;
  };
  [[nodiscard]] Lack lack(const Needs& needs) const;
  // Shortest way within the set of `from`, to an edge or state that `wanted` accepts.
  template <class WantedEdge, class WantedState>
  [[nodiscard]] std::vector<const Edge*> way(StateSet::Index from, WantedEdge edge, WantedState state) const;

  Closed& closed_;
  const StateGraph& graph_;
  const Watch& watch_;
  std::vector<std::uint32_t> set_of_;
  std::vector<std::uint32_t> group_;  // while taking apart: which set of states is being looked at
  std::uint32_t groups_ = 0, sets_ = 0;
  std::vector<std::uint32_t> order_, low_;  // of components()
  std::vector<bool> on_stack_;
  mutable std::vector<Byte> flat_;
};

}  // namespace faultline::check::search
