// The one shortest trace of semantics.md: fewest steps, then fewest context switches, then source order. It does not
// depend on the order or the reduction of the search that found the violation: all shortest traces are compared.
#pragma once
#include <vector>

#include "checker/limits.hpp"
#include "checker/search/closed.hpp"

namespace faultline::check::search {

// A finished breadth-first search: states of level l are first[l] .. first[l + 1].
struct Levels {
  const StateSet* states = nullptr;
  std::vector<StateSet::Index> first;
};

// What a trace must end in, after `steps` steps: one of these commands as the last step, or a state after them that
// breaks one of these invariants or is a deadlock.
struct Target {
  std::uint32_t steps = 0;
  std::vector<bool> commands;
  std::vector<bool> invariants;
  bool deadlock = false;
};

// A trace on states that keep CPUs apart. states[i] is after i steps, in the packing of Closed::encode_plain; it has
// one more than there are moves, or as many when the last move is a violation command.
struct Path {
  std::vector<Move> moves;
  std::vector<std::vector<std::uint64_t>> states;
};

// For each target its path. Every target must be reachable in exactly its number of steps and no fewer. Throws
// OverLimit.
[[nodiscard]] std::vector<Path> shortest_paths(Closed& closed, const Levels& levels, const std::vector<Target>& targets,
                                               const Watch& watch);

}  // namespace faultline::check::search
