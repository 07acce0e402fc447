// Builds hash-consed, folded expressions in a Program.
#pragma once
#include <map>
#include <tuple>

#include "step/program.hpp"

namespace faultline::step {

class Exprs {
 public:
  explicit Exprs(Program& program) : program_(program) {}

  ExprId make(ExprOp op, ExprId a = 0, ExprId b = 0, ExprId c = 0, std::uint64_t value = 0);
  ExprId constant(std::uint64_t value) { return make(ExprOp::constant, 0, 0, 0, value); }
  ExprId in(ExprId e, std::uint64_t mask);
  ExprId lnot(ExprId e);
  ExprId land(ExprId a, ExprId b);
  ExprId lor(ExprId a, ExprId b);
  ExprId binary(ExprOp op, ExprId a, ExprId b);                      // eq lt le add sub bit_and
  [[nodiscard]] std::optional<std::uint64_t> value(ExprId e) const;  // of a constant
  [[nodiscard]] const Expr& at(ExprId e) const { return program_.exprs[e]; }
  // Does e read something for which `test` holds?
  template <class Test>
  [[nodiscard]] bool reads(ExprId e, const Test& test) const {
    const Expr& x = program_.exprs[e];
    if (test(x)) return true;
    for (unsigned i = 0; i < operand_count(x.op); ++i) {
      if (reads(x.operand(i), test)) return true;
    }
    return false;
  }

 private:
  Program& program_;
  std::map<std::tuple<ExprOp, ExprId, ExprId, ExprId, std::uint64_t>, ExprId> known_;
};

}  // namespace faultline::step
