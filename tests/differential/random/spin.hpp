// The same program as Promela through Spin: plain states and errors are to be those of the explicit search.
#pragma once
#include <string>

#include "step/program.hpp"

namespace faultline::differential {

[[nodiscard]] bool spin_installed();

struct SpinAnswer {
  bool compared = false;  // false: too many states, or Promela cannot say it
  std::string disagreement;
};

// With `cpus` CPUs on each any-line.
[[nodiscard]] SpinAnswer ask_spin(const step::Program& program, std::uint32_t cpus);

}  // namespace faultline::differential
