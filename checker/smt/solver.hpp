// Z3 behind one class: nobody else includes it.
#pragma once
#include <memory>
#include <string>

namespace faultline::check::smt {

enum class Answer { unsat, sat, unknown };

struct Result {
  Answer answer = Answer::unknown;
  std::string reason;  // for unknown
};

// Each thread needs one of its own; making one takes longer than an easy script.
class Solver {
 public:
  Solver();
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  // Solves an SMT-LIB 2 script with one (check-sat). A script that is none is `unknown`.
  [[nodiscard]] Result solve(const std::string& script);
  // Another thread may call this at any time; solve() gives up soon, if it is running.
  void interrupt();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace faultline::check::smt
