// Relational views: a proof for any number of CPUs (a thread-modular fixpoint over pictures of k CPUs and the objects
// they see; Abdulla, Haziza, Holik, "All for the price of few", VMCAI 2013, made relational).
#pragma once
#include "checker/explicit.hpp"
#include "step/state.hpp"

namespace faultline::check {

// "For any system whose any-lines have some number of CPUs and whose fixed lines have theirs, every k CPUs look like
// one of these." Each view is a State with k CPUs; order of CPUs and names of objects do not matter. No two are the
// same.
struct ViewSet {
  std::uint32_t k = 2;
  std::vector<step::State> views;
};

struct ViewsOptions {
  std::uint32_t k = 2;
  std::size_t max_views = 2'000'000;
  bool all = false;  // go on past what shows a violation: for who wants the set itself (`closed`)
  Limits limits{};
};

struct ViewsResult {
  bool proved = false;  // no violation command enabled, no invariant broken, in any picture
  bool closed = false;  // nothing reachable is missing from `set`
  std::string reason;   // why not proved: the first violation that the over-approximation could not exclude, or a limit
  ViewSet set;
  std::uint64_t joins = 0;
  std::vector<bool> fired;  // per command: enabled in some picture (false: no number of CPUs ever runs it)
};

[[nodiscard]] ViewsResult views(const step::Program& program, const ViewsOptions& options);

}  // namespace faultline::check
