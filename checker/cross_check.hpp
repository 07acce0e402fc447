// --engine all: every engine on one program, and whether their answers can all be true.
#pragma once
#include "checker/check.hpp"
#include "checker/engine.hpp"

namespace faultline::check {

// Asks each engine the questions of its kind: any number of CPUs, and --cpus N or, without it, 1 to 3. Fills
// verdict.engines, and verdict.contradictions with what any two of them, or one of them and the verdict itself, cannot
// both say. Without a timeout each question gets `seconds_each`.
inline constexpr double seconds_each = 10;
void cross_check(const step::Program& program, const CheckOptions& options, const std::vector<Engine>& engines,
                 Verdict& verdict);

}  // namespace faultline::check
