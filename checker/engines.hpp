// What the table of engines is made of. Each engine is one file, which opens with its proof rule.
#pragma once
#include <algorithm>
#include <chrono>

#include "checker/engine.hpp"

namespace faultline::check {

[[nodiscard]] Engine explicit_engine();
[[nodiscard]] Engine views_engine();

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

}  // namespace faultline::check
