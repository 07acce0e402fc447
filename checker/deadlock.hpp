// No deadlock, for any number of CPUs, from an acyclic graph of "X held while waiting for Y".
#pragma once
#include <string>
#include <vector>

#include "checker/views.hpp"

namespace faultline::check {

struct DeadlockProof {
  bool proved = false;
  std::string reason;              // not proved: the cycle, or the wait that nobody is known to end
  std::vector<std::string> edges;  // "read(mmap_sem) -> page_table_lock", sorted
};

// `set` must be a view set that the judges accepted: what a wait_event waits for is read off it. A limit is a reason.
[[nodiscard]] DeadlockProof deadlock_free(const step::Program& program, const ViewSet& set, const Limits& limits = {});

}  // namespace faultline::check
