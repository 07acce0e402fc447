// Invariants and progress lines as expressions over one state (semantics.md: only these look at a whole state at once).
#pragma once
#include "step/paths.hpp"

namespace faultline::step {

// Adds Program::invariants and Program::progress; FL02xx and FL03xx for what cannot be understood. `handler_positions`
// gives the pc set of a handler (for running(h)).
void lower_properties(PathContext& context, const std::function<Id(Id handler)>& handler_positions);

}  // namespace faultline::step
