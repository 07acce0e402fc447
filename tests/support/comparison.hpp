// The same program through Spin or Rumur: plain states and errors are to be those of the explicit search.
#pragma once
#include <string>

#include "step/program.hpp"

namespace faultline::testing {

[[nodiscard]] bool spin_installed();

[[nodiscard]] bool rumur_installed();

struct PeerComparison {
  bool compared = false;  // false: too many states, or its language cannot say it
  bool errors = false;    // theirs
  std::string disagreement;
};

// With `cpus` CPUs on each any-line.
[[nodiscard]] PeerComparison compare_with_spin(const step::Program& program, std::uint32_t cpus);
[[nodiscard]] PeerComparison compare_with_rumur(const step::Program& program, std::uint32_t cpus);

}  // namespace faultline::testing
