// Backward coverability for any number of CPUs, within a set of views.
#pragma once
#include <optional>

#include "checker/views.hpp"

namespace faultline::check {

struct BackwardOptions {
  std::size_t max_pictures = 200'000;
  std::uint32_t max_cpus = 8;  // of one picture
  Limits limits{};
};

struct BackwardResult {
  bool proved = false;                    // for systems of any number of CPUs, but at least as many as the views show
  std::string reason;                     // neither proved nor violated: why
  std::optional<Counterexample> example;  // replayed
  std::size_t pictures = 0;               // of the basis
  std::uint32_t widest = 0;               // most CPUs in one of them
};

// `within.closed`: nothing that systems of at least k CPUs reach may be missing from it.
[[nodiscard]] BackwardResult backward(const step::Program& program, const ViewSet& within,
                                      const BackwardOptions& options);

}  // namespace faultline::check
