// Z3 behind two names: nobody else includes it.
#pragma once
#include <string>

namespace faultline::check::smt {

enum class Answer { unsat, sat, unknown };

struct Result {
  Answer answer = Answer::unknown;
  std::string reason;  // for unknown
};

// Solves an SMT-LIB 2 script with one (check-sat). seconds <= 0: no limit. May be called from several threads at once.
[[nodiscard]] Result solve(const std::string& script, double seconds);

// "Z3 4.8.12"
[[nodiscard]] std::string solver_name();

}  // namespace faultline::check::smt
