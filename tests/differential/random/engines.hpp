// Whatever answers a question about a program, in one shape: the comparison is a loop over these.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "checker/verdict.hpp"

namespace faultline::differential {

struct Question {
  std::uint64_t memory_bytes = std::uint64_t{64}
                               << 20U;  // a limit that, unlike time, is reached at the same state always
  bool z3 = false;                      // proofs are judged by Z3 too
};

struct Finding {
  check::Answer answer = check::Answer::unknown;
  std::string reason{};  // of unknown
  // proved: for every number of CPUs in all from `cpus` on. violated: with `cpus` CPUs on each any-line.
  std::uint32_t cpus = 1;
  std::string violation{};  // violated: its kind, and name where it has one
  bool deadlock = false;    // proved: of deadlock too
};

struct Engine {
  std::string name;
  unsigned every = 1;                                                            // asked about each so-manieth model
  std::function<std::string(const step::Program&, const Question&)> applicable;  // why not, or empty
  std::function<Finding(const step::Program&, const Question&)> run;
};

// Engines that answer for any number of CPUs, and the whole check ("check") as the last.
[[nodiscard]] const std::vector<Engine>& engines();

[[nodiscard]] std::string name_of(const step::Violation& violation);

}  // namespace faultline::differential
