#include "checker/smt/solver.hpp"

#include <z3++.h>

#include <algorithm>

namespace faultline::check::smt {

Result solve(const std::string& script, double seconds) {
  try {
    z3::context context;
    z3::solver solver(context, "QF_BV");
    solver.from_string(script.c_str());
    if (seconds > 0) solver.set("timeout", static_cast<unsigned>(std::clamp(seconds * 1000, 1.0, 4e9)));
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

std::string solver_name() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned build = 0;
  unsigned revision = 0;
  Z3_get_version(&major, &minor, &build, &revision);
  return "Z3 " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
}

}  // namespace faultline::check::smt
