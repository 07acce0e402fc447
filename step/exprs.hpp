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
    switch (x.op) {
      case ExprOp::in:
      case ExprOp::lnot:
      case ExprOp::any_cpu: return reads(x.a, test);
      case ExprOp::land:
      case ExprOp::lor:
      case ExprOp::eq:
      case ExprOp::lt:
      case ExprOp::le:
      case ExprOp::add:
      case ExprOp::sub:
      case ExprOp::bit_and: return reads(x.a, test) || reads(x.b, test);
      case ExprOp::ite: return reads(x.a, test) || reads(x.b, test) || reads(x.c, test);
      default: return false;
    }
  }

 private:
  Program& program_;
  std::map<std::tuple<ExprOp, ExprId, ExprId, ExprId, std::uint64_t>, ExprId> known_;
};

}  // namespace faultline::step
