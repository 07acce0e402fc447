// Whatever answers a question about a program, in one shape: the comparison is a loop over these.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checker/verdict.hpp"

namespace faultline::differential {

struct Question {
  std::uint64_t memory_bytes = std::uint64_t{64} << 20U;  // a limit that, unlike time, is always reached at one state
  double slow_seconds = 2;                                // of an engine that takes much longer than the others
  bool z3 = false;                                        // proofs of the whole check are judged by Z3 too
};

struct Finding {
  check::Answer answer = check::Answer::unknown;
  std::string reason{};  // of unknown
  // proved: for every number of CPUs in all from `cpus` on. violated: with `cpus` CPUs on each any-line.
  std::uint32_t cpus = 1;
  std::string violation{};                    // violated: its kind, and name where it has one
  bool fewest = false;                        // violated: fewer CPUs violate nothing
  bool deadlock = false;                      // proved: of deadlock too
  bool exactly = false;                       // the question was about `cpus` CPUs on each any-line, and so is a proof
  std::optional<std::uint32_t> safe_steps{};  // of `cpus` CPUs: so many steps violate nothing
};

struct Engine {
  std::string name;
  unsigned every = 1;                                                            // asked about each so-manieth model
  std::function<std::string(const step::Program&, const Question&)> applicable;  // why not, or empty
  std::function<Finding(const step::Program&, const Question&)> run;
};

// Those of checker/engine.hpp but for the explicit search, which is what they are judged by; views of 3 CPUs, which the
// views engine only takes where 2 do not do; and the whole check ("check") as the last.
[[nodiscard]] const std::vector<Engine>& engines();
// Without those on a solver: what they answer depends on the time they have.
[[nodiscard]] std::vector<Engine> quick_engines();

[[nodiscard]] std::string name_of(const step::Violation& violation);

}  // namespace faultline::differential
