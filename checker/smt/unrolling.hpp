// Z3 on the same terms at many times: atom x at time t is a constant of its own, and an atom that stands for "x after
// the step" is, at time t, atom x of time t + 1.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "checker/limits.hpp"
#include "checker/smt/solver.hpp"
#include "checker/smt/terms.hpp"

namespace faultline::check::smt {

class Unrolling {
 public:
  // after: pairs of atoms (x after the step, x). All atoms are Booleans (Terms::one_hot).
  Unrolling(const Terms& terms, const std::vector<std::pair<Term, Term>>& after, const Watch& watch);
  ~Unrolling();
  Unrolling(const Unrolling&) = delete;
  Unrolling& operator=(const Unrolling&) = delete;

  // Throws OverLimit.
  void claim(const std::vector<Term>& terms, std::size_t time);
  // Is there a model of all claims in which `term` holds at that time? What is asked leaves no trace.
  [[nodiscard]] Result ask(Term term, std::size_t time);
  // In the model of the last ask that was sat.
  [[nodiscard]] bool value(Term term, std::size_t time);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace faultline::check::smt
