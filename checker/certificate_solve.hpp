// Shared by z3_check and certify.
#pragma once
#include "checker/certificate.hpp"

namespace faultline::check {

// Z3 on each query, which must be unsat. Limits are of all together.
[[nodiscard]] Judgement solve_all(const std::vector<Query>& queries, const Limits& limits);

}  // namespace faultline::check
