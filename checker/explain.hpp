// A proof, told line by line: what its views say of the shared state, the locks, the CPU's own variables and the other
// CPUs, wherever a CPU may be.
#pragma once
#include "checker/verdict.hpp"
#include "checker/views.hpp"

namespace faultline::check {

// One entry for each handler and line with a step, in source order; a line inside a called function is told for each
// handler that gets there. Only what is not always so is told. set.k must be 2, and the set a proof.
[[nodiscard]] std::vector<Known> explain(const step::Program& program, const ViewSet& set);

}  // namespace faultline::check
