// A program with a fixed number of CPUs in the language of another model checker. The text means the same step for
// step: one transition of the other tool is one step here, so the verdict and the number of plain states (explicit
// search with reduction = false) are the same. What is not carried over: `progress` lines, and deadlocks, which here
// leave idle CPUs out.
//
// All functions throw std::domain_error with the reason for what the language cannot say.
#pragma once
#include <string>

#include "step/program.hpp"

namespace faultline::codegen {

struct ExportOptions {
  std::uint32_t cpus = 2;  // on each any-line
  std::string source;      // path of the model, for the head
};

[[nodiscard]] std::string to_promela(const step::Program& program, const ExportOptions& options);
[[nodiscard]] std::string to_murphi(const step::Program& program, const ExportOptions& options);

}  // namespace faultline::codegen
