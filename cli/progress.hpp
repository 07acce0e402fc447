// The line on a terminal that says how far a long search is. Shown after a second, wiped when the search ends.
#pragma once
#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace faultline::cli {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // shown == false: silent, whatever is reported.
  Progress(std::ostream& out, bool shown, Clock::time_point now = Clock::now());
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `phase` is what is being done ("2 CPUs", "views of 2 CPUs", "z3"); a depth of 0 is not shown.
  void update(const std::string& phase, std::uint64_t states, std::uint32_t depth,
              Clock::time_point now = Clock::now());
  void finish();

 private:
  std::ostream& out_;
  bool shown_;
  bool drawn_ = false;
  std::string phase_;
  Clock::time_point start_;
  Clock::time_point phase_start_;
};

}  // namespace faultline::cli
