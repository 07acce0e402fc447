// What every program that leaves the lowering satisfies; the engines index by its numbers without looking.
#pragma once
#include <string>

#include "step/program.hpp"

namespace faultline::step {

// Expressions that no command, invariant or progress property reads are taken out; the others get new numbers.
// Expression 0 stays, operations without an expression name it.
void drop_unused_exprs(Program& program);

// The first number that is out of its range, as "command 3: handle 1000"; empty when there is none. Looks at what is
// unused too.
[[nodiscard]] std::string malformed(const Program& program);

}  // namespace faultline::step
