// Puts a path of the search into the words of a Counterexample: CPUs numbered by first appearance, what each step is
// called in the source, and what is shared as the user knows it.
#pragma once
#include "checker/search/shortest.hpp"
#include "checker/verdict.hpp"

namespace faultline::check::search {

[[nodiscard]] std::vector<TraceStep> narrate(Closed& closed, const Path& path);

// The state a path ends in (for a final violation: the state it was found in).
[[nodiscard]] std::vector<Byte> last_state(const Closed& closed, const Path& path);

// Who waits for what, for a deadlock.
[[nodiscard]] step::Violation describe_deadlock(Closed& closed, const Path& path);

}  // namespace faultline::check::search
