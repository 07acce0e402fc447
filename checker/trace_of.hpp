// From a list of steps, as an engine that keeps no states has it, to the Counterexample of a report.
#pragma once
#include <optional>

#include "checker/verdict.hpp"
#include "step/replay.hpp"

namespace faultline::check {

// `cpus` of each any-line. The last step is a violation command, or the state after it breaks Program::invariants
// [invariant]. Nothing if the steps do not lead there.
[[nodiscard]] std::optional<Counterexample> counterexample_of(const step::Program& program, std::uint32_t cpus,
                                                              const std::vector<step::ReplayStep>& steps,
                                                              std::optional<std::size_t> invariant);

}  // namespace faultline::check
