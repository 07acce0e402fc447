// Explicit breadth-first search for a fixed number of CPUs: finds the shortest counterexample, and is exhaustive.
#pragma once
#include "checker/limits.hpp"
#include "checker/verdict.hpp"

namespace faultline::check {

struct ExplicitOptions {
  std::uint32_t cpus = 2;         // of each `any` line
  bool reduction = true;          // false: no symmetry of CPUs, objects named from a pool. Counts "plain" states
  bool all_kinds = false;         // go on past the first violation; every (kind, name) with its shortest trace
  bool deadlock = true;           // check for it
  double worth_a_thread = 0.008;  // seconds that a level takes one thread, for each that is started
  bool finish = false;            // once a violation is found, its shortest trace may take longer than limits.seconds
  Limits limits{};
};

struct ExplicitResult {
  bool complete = false;  // everything reachable was seen (or a violation ended the search)
  std::string reason;     // why not
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint32_t depth = 0;                 // of the deepest state, or steps of the shortest counterexample
  bool bound_hit = false;                  // a Kind::bound command was enabled somewhere
  std::string bound_reason;                // which, in the order of the source the first
  std::vector<Counterexample> violations;  // shortest as semantics.md has it: steps, context switches, source order
  std::vector<bool> covered;               // Program::coverage reached
  std::vector<std::uint32_t> within;       // states at most l steps from the start, for each l that was finished
};

[[nodiscard]] ExplicitResult explore(const step::Program& program, const ExplicitOptions& options);

}  // namespace faultline::check
