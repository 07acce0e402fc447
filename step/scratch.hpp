// Scratch: the temporaries of one command. The path executor numbers them from scratch_base up within a command; here
// each becomes a handle or local of the program, shared by all commands.
#pragma once
#include "step/exprs.hpp"

namespace faultline::step {

// Afterwards no operation of a command names scratch. Expressions that do are left behind, unused.
void resolve_scratch(Program& program, Exprs& exprs);

}  // namespace faultline::step
