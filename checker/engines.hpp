// What the table of engines is made of. Each engine is one file, which opens with its proof rule.
#pragma once
#include "checker/engine.hpp"

namespace faultline::check {

[[nodiscard]] Engine explicit_engine();
[[nodiscard]] Engine views_engine();
[[nodiscard]] Engine bmc_engine();
[[nodiscard]] Engine kinduction_engine();
[[nodiscard]] Engine datalog_engine();

[[nodiscard]] Engine backward_engine();

// Is there a line with any number of CPUs?
[[nodiscard]] bool has_any_line(const step::Program& program);
// Views of k CPUs say nothing about systems of fewer: those are searched. What was found there, unless they are all
// safe.
[[nodiscard]] std::optional<Finding> search_fewer_than(std::uint32_t k, const step::Program& program,
                                                       const Limits& limits);

}  // namespace faultline::check
