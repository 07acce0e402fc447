// Which steps of a counterexample are worth showing. The rule is plain, so that a reader can trust what is left out:
//   - the first step, the last one, and the one that a lasso goes back to;
//   - each step that changes something shared other than a lock;
//   - each look of the CPU that runs into the violation (a step that reads shared memory or draws an outcome, and what
//   the
//     CPU makes of it): its decisions are the story;
//   - where locks are the matter (deadlock, lock_*, sleep_atomic), the steps on locks too, of every CPU that is stuck;
//   - where the TLB is the matter, touches and flushes too.
#pragma once
#include <string>
#include <vector>

#include "checker/verdict.hpp"

namespace faultline::cli {

// One flag for each step. `locks` are the names of the model's locks.
[[nodiscard]] std::vector<bool> significant_steps(const check::Counterexample& trace,
                                                  const std::vector<std::string>& locks);

// Of one step that is shown: whether the local work joined to it is part of a look, and so worth a line.
[[nodiscard]] bool shows_local_work(const check::Counterexample& trace, std::size_t step);

// Whether the state of locks belongs into the report of this kind of violation.
[[nodiscard]] bool locks_matter(step::Kind kind);

}  // namespace faultline::cli
