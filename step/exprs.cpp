#include "step/exprs.hpp"

namespace faultline::step {

ExprId Exprs::make(ExprOp op, ExprId a, ExprId b, ExprId c, std::uint64_t value) {
  const auto [it, fresh] = known_.emplace(std::tuple{op, a, b, c, value}, static_cast<ExprId>(program_.exprs.size()));
  if (fresh) program_.exprs.push_back({op, a, b, c, value});
  return it->second;
}

std::optional<std::uint64_t> Exprs::value(ExprId e) const {
  if (program_.exprs[e].op != ExprOp::constant) return std::nullopt;
  return program_.exprs[e].value;
}

ExprId Exprs::in(ExprId e, std::uint64_t mask) {
  if (const auto v = value(e)) return constant(*v < 64 && ((mask >> *v) & 1U) != 0 ? 1 : 0);
  if (mask == 0) return constant(0);
  return make(ExprOp::in, e, 0, 0, mask);
}

ExprId Exprs::lnot(ExprId e) {
  if (const auto v = value(e)) return constant(*v == 0 ? 1 : 0);
  if (program_.exprs[e].op == ExprOp::lnot) return program_.exprs[e].a;
  return make(ExprOp::lnot, e);
}

ExprId Exprs::land(ExprId a, ExprId b) {
  if (const auto v = value(a)) return *v != 0 ? b : a;
  if (const auto v = value(b)) return *v != 0 ? a : b;
  return a == b ? a : make(ExprOp::land, a, b);
}

ExprId Exprs::lor(ExprId a, ExprId b) { return lnot(land(lnot(a), lnot(b))); }

ExprId Exprs::binary(ExprOp op, ExprId a, ExprId b) {
  const auto x = value(a);
  const auto y = value(b);
  if (x && y) switch (op) {
      case ExprOp::eq: return constant(*x == *y ? 1 : 0);
      case ExprOp::lt: return constant(*x < *y ? 1 : 0);
      case ExprOp::le: return constant(*x <= *y ? 1 : 0);
      case ExprOp::add: return constant(*x + *y);
      case ExprOp::sub: return constant(*x >= *y ? *x - *y : 0);
      case ExprOp::bit_and: return constant(*x & *y);
      default: break;
    }
  if (op == ExprOp::eq && y && *y < 64) return in(a, std::uint64_t{1} << *y);
  if (op == ExprOp::eq && x && *x < 64) return in(b, std::uint64_t{1} << *x);
  if (op == ExprOp::eq && a == b) return constant(1);
  return make(op, a, b);
}

}  // namespace faultline::step
