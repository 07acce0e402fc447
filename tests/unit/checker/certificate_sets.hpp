// Programs and view sets for the tests of the judges.
#pragma once
#include "checker/certificate.hpp"
#include "tests/support/programs.hpp"

namespace faultline::testing {

// A lock, one place, a TLB, a flush: publish a new object, or unlink the old one, flush, free it. Safe.
// without_flush: frees at once (a stale TLB entry). Positions stay the same.
step::Program small_flush(bool without_flush = false);

// The same, and CPUs remember objects, freed ones too, so that addresses are reused. Safe.
step::Program small_reuse();

// CPUs of a line of `cpus` enter a room, one after the other, which holds two; others look on. Safe with two CPUs.
step::Program room_for_two(int cpus);

// Any CPUs may be in the room. `too_many` in it is a violation: seen by a command of one of them, or by an invariant.
step::Program crowd(int too_many, bool as_invariant);

// What the search finds; fails the test if it proves nothing.
check::ViewSet proved_views(const step::Program& program, std::uint32_t k = 2);

// Independent of the search and slow: all that k CPUs look like in reachable states with n CPUs on each any-line.
check::ViewSet projected_views(const step::Program& program, std::uint32_t n, std::uint32_t k = 2);

check::ViewSet without(check::ViewSet set, std::size_t view);

// The same set with views, CPUs and objects in another order.
check::ViewSet shuffled(const step::Program& program, const check::ViewSet& set, unsigned seed);

}  // namespace faultline::testing
