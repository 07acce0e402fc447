// From a bare list of steps to a counterexample in the user's words, if the reference interpreter agrees with it.
#pragma once
#include <optional>

#include "checker/verdict.hpp"
#include "step/replay.hpp"

namespace faultline::check {

// `cpus` on each any-line; steps name CPUs by their index in the initial state. A violation or a broken invariant.
// Nothing if the trace does not replay.
[[nodiscard]] std::optional<Counterexample> trace_of(const step::Program& program, std::uint32_t cpus,
                                                     const std::vector<step::ReplayStep>& steps,
                                                     const step::ReplayEnd& end);

}  // namespace faultline::check
