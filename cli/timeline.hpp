// A counterexample drawn as kernel commit messages draw it: a column for each CPU, source lines at the left, what
// changed at the right. Where the columns do not fit, one column with the CPU named in each row.
#pragma once
#include <string>
#include <vector>

#include "checker/verdict.hpp"

namespace faultline::cli {

struct TimelineOptions {
  bool full = false;  // every step and every note
  bool colour = false;
  std::size_t width = 100;
};

// Lines, each ended by a newline. `locks` are the names of the model's locks.
[[nodiscard]] std::string timeline(const check::Counterexample& trace, const std::vector<std::string>& locks,
                                   const TimelineOptions& options);

}  // namespace faultline::cli
