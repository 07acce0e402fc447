// `progress name : p ~> q` for a fixed number of CPUs: whenever p holds for a CPU, q holds for it then or later, in
// every fair run. Fair (semantics.md): strong for locks and waits, weak for every other step inside a handler and for
// acknowledgements, nothing for starting a handler.
#pragma once
#include <optional>

#include "checker/explicit.hpp"

namespace faultline::check {

struct ProgressOptions {
  std::uint32_t cpus = 2;  // of each `any` line
  Limits limits{};
};

struct ProgressResult {
  std::string name;
  Answer answer = Answer::unknown;  // proved: holds for this number of CPUs
  std::string reason;               // of unknown
  std::optional<Counterexample>
      violation;  // with `loop`; loop == steps.size(): nothing need happen after the last step
  std::uint64_t states = 0;
};

// One result for each of Program::progress, in order.
[[nodiscard]] std::vector<ProgressResult> check_progress(const step::Program& program, const ProgressOptions& options);

}  // namespace faultline::check
