// Judges a view set of any k, violations or not, with no code of the search that found it.
#pragma once
#include "checker/certificate.hpp"

namespace faultline::check::coverability {

// Accepted if every k CPUs of every reachable state of every system of at least k CPUs look like a view of the set: it
// has the initial ones and is closed under the steps of a CPU of a view, and of a further one beside it.
[[nodiscard]] Judgement judge_closed(const step::Program& program, const ViewSet& set, const Limits& limits = {});

}  // namespace faultline::check::coverability
