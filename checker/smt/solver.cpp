#include "checker/smt/solver.hpp"

#include <z3++.h>

namespace faultline::check::smt {

struct Solver::Impl {
  z3::context context;
};

Solver::Solver() : impl_(std::make_unique<Impl>()) {}
Solver::~Solver() = default;

void Solver::interrupt() { impl_->context.interrupt(); }

Result Solver::solve(const std::string& script) {
  try {
    z3::solver solver(impl_->context, "QF_FD");  // the SAT solver at once: half the time of QF_BV here
    solver.from_string(script.c_str());
    switch (solver.check()) {
      case z3::unsat: return {Answer::unsat, ""};
      case z3::sat: return {Answer::sat, ""};
      case z3::unknown: return {Answer::unknown, solver.reason_unknown()};
    }
  } catch (const z3::exception& error) {
    return {Answer::unknown, error.msg()};
  }
  return {};
}

}  // namespace faultline::check::smt
