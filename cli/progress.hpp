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
  Progress(std::ostream& out, bool shown, std::string what, Clock::time_point now = Clock::now());
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t states, std::uint32_t depth, Clock::time_point now = Clock::now());
  void finish();

 private:
  std::ostream& out_;
  bool shown_;
  bool drawn_ = false;
  std::string what_;
  Clock::time_point start_;
};

}  // namespace faultline::cli
