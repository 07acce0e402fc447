// Guards first: the form that other model checkers' languages want, in which a command is a condition and then effects.
#pragma once
#include "step/program.hpp"

namespace faultline::step {

// The same program with every guard of a command before its effects: a guard is rewritten to what it asks of the state
// before the effects that stood in front of it (Dijkstra's weakest precondition, op by op). Throws std::domain_error,
// naming the command's line, when a guard compares a new object with one that may be its reused address.
[[nodiscard]] Program guards_first(Program program);

}  // namespace faultline::step
