// Judges a view set of any k, violations or not, with no code of the search that found it.
#pragma once
#include <string>

#include "checker/views.hpp"

namespace faultline::check::coverability {

// Empty if every k CPUs of every reachable state of every system of at least k CPUs look like a view of the set: it has
// the initial ones and is closed under the steps of a CPU of a view, and of a further one beside it. Else which of
// these fails.
[[nodiscard]] std::string why_not_closed(const step::Program& program, const ViewSet& set);

}  // namespace faultline::check::coverability
