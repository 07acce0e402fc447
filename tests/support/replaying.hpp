// Replays counterexamples with the reference interpreter.
#pragma once
#include "checker/verdict.hpp"
#include "step/replay.hpp"

namespace faultline::testing {

// Empty if the trace runs and ends as it says; else why not.
std::string replay(const step::Program& program, const check::Counterexample& example);

}  // namespace faultline::testing
