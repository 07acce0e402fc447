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
  std::uint32_t cpus = 2;    // on each any-line
  std::string source;        // path of the model, for the head
  std::uint32_t depth = 20;  // of to_smt2: steps
};

// How to run FILE so that every state is counted, errors or not: the head of the text says so, and a test does so.
inline constexpr const char* run_promela =
    "spin -a -o2 FILE && cc -O2 -w -DSAFETY -DNOREDUCE -DVECTORSZ=4096 -o pan pan.c && ./pan -E -c0 -m2000000";
inline constexpr const char* run_murphi =
    "rumur --deadlock-detection off --symmetry-reduction off --max-errors 100000000 -o model.c FILE && "
    "cc -O2 -w -mcx16 -o model model.c -lpthread -latomic && ./model";

inline constexpr const char* run_smt2 = "z3 FILE";

[[nodiscard]] std::string to_promela(const step::Program& program, const ExportOptions& options);
[[nodiscard]] std::string to_murphi(const step::Program& program, const ExportOptions& options);
// SMT-LIB 2, for one (check-sat): `sat` iff a violation is at most options.depth steps away from the start. The last of
// these may be the step that violates.
[[nodiscard]] std::string to_smt2(const step::Program& program, const ExportOptions& options);

}  // namespace faultline::codegen
