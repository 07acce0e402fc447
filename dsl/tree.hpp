// Small questions about trees that several readers of bodies ask.
#pragma once
#include "dsl/ast.hpp"

namespace faultline::dsl {

// The expression without parentheses, likely() and unlikely() around it.
[[nodiscard]] const ExprPtr& plain(const ExprPtr& expr);
[[nodiscard]] const Expr& plain(const Expr& expr);

// Whether control never comes out at the end of the statement: it returns, jumps or leaves a loop on every path.
[[nodiscard]] bool leaves(const Stmt& stmt);

}  // namespace faultline::dsl
