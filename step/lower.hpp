// Model → Program: handlers become guarded commands. One command is one step of one path through a handler, local work
// behind it included; all case splits (ownership, arrows, locks) are made here, so that the engines see plain guards
// and updates.
#pragma once
#include "dsl/flow.hpp"
#include "step/program.hpp"

namespace faultline::step {

// Reports FL0309 (a loop without a step) and FL0314 (beyond the limits of program.hpp). The program is usable only if
// no error was added.
[[nodiscard]] Program lower(const dsl::Model& model, const dsl::Flows& flows, dsl::Diagnostics& diagnostics);

// Names and types in invariants and progress lines only: for a model whose handlers have errors and cannot be lowered.
void check_properties(const dsl::Model& model, dsl::Diagnostics& diagnostics);

}  // namespace faultline::step
