// Shared by z3_check and certify.
#pragma once
#include "checker/certificate.hpp"

namespace faultline::check {

// Z3 on each query, which must be unsat. seconds: of all together; 0: no limit.
[[nodiscard]] Judgement solve_all(const std::vector<Query>& queries, double seconds);

}  // namespace faultline::check
