// What the table of engines is made of. Each engine is one file, which opens with its proof rule.
#pragma once
#include <algorithm>
#include <chrono>

#include "checker/engine.hpp"

namespace faultline::check {

[[nodiscard]] Engine explicit_engine();
[[nodiscard]] Engine views_engine();
[[nodiscard]] Engine bmc_engine();
[[nodiscard]] Engine kinduction_engine();
[[nodiscard]] Engine datalog_engine();

[[nodiscard]] bool has_any_line(const step::Program& program);
// Searches the systems that have fewer than k CPUs in all. What was found there, unless they are all safe.
[[nodiscard]] std::optional<Finding> search_fewer_than(std::uint32_t k, const step::Program& program,
                                                       const Limits& limits);
[[nodiscard]] Engine backward_engine();

// The rest of the seconds of a limit.
class Deadline {
 public:
  explicit Deadline(double seconds) : seconds_(seconds) {}
  [[nodiscard]] bool over() const { return seconds_ > 0 && used() > seconds_; }
  [[nodiscard]] double left() const { return seconds_ <= 0 ? 0 : std::max(0.001, seconds_ - used()); }  // 0: no limit

 private:
  [[nodiscard]] double used() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  double seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// What an engine on views of k CPUs shares with the others on views.

// Is there a line with any number of CPUs?
[[nodiscard]] bool has_any_line(const step::Program& program);
// Views of k CPUs say nothing about systems of fewer: those are searched.
[[nodiscard]] Finding search_fewer_than(std::uint32_t k, const step::Program& program, const Limits& limits,
                                        const Deadline& deadline);

}  // namespace faultline::check
