#include "tests/differential/random/reference.hpp"

#include <algorithm>
#include <numeric>

#include "checker/explicit.hpp"
#include "fmt/format.h"
#include "tests/differential/random/engines.hpp"
#include "tests/support/replaying.hpp"

namespace faultline::differential {

namespace {

constexpr std::uint64_t bytes_a_state = 48;
constexpr std::uint64_t bytes_of_none = std::uint64_t{1} << 20U;
constexpr std::uint32_t plain_cpus = 2;  // up to here, the search without reduction is asked too

Searched search(const step::Program& program, std::uint32_t cpus, bool reduction, std::uint64_t max_states,
                std::vector<std::string>& complaints) {
  check::ExplicitOptions options;
  options.cpus = cpus;
  options.all_kinds = true;
  options.reduction = reduction;
  options.limits.memory_bytes = bytes_of_none + max_states * bytes_a_state;
  const check::ExplicitResult result = check::explore(program, options);
  Searched searched;
  searched.cpus = cpus;
  const auto lines = step::cpus_per_line(program, cpus);
  searched.total = std::accumulate(lines.begin(), lines.end(), 0U);
  searched.complete = result.complete;
  searched.states = result.states;
  searched.bound = result.bound_hit;
  for (const check::Counterexample& example : result.violations) {
    searched.violations.insert(name_of(example.violation));
    const auto steps = static_cast<std::uint32_t>(example.steps.size());
    if (example.violation.kind != step::Kind::deadlock && (!searched.shortest || steps < *searched.shortest))
      searched.shortest = steps;
    if (const std::string why = testing::replay(program, example); !why.empty())
      complaints.push_back(fmt::format("a trace of {} does not replay: {}", name_of(example.violation), why));
  }
  return searched;
}

// With one CPU more, if the growth goes on.
std::uint64_t expected(const std::vector<Searched>& searched) {
  if (searched.size() < 2) return 0;
  const std::uint64_t last = searched.back().states, before = searched[searched.size() - 2].states;
  return last * last / before;
}

}  // namespace

const Searched* Reference::with(std::uint32_t cpus) const {
  return cpus >= 1 && cpus <= searched.size() ? &searched[cpus - 1] : nullptr;
}

const Searched* Reference::first_violated() const {
  const auto found =
      std::find_if(searched.begin(), searched.end(), [](const Searched& s) { return !s.violations.empty(); });
  return found == searched.end() ? nullptr : &*found;
}

bool Reference::exhaustive(std::uint32_t cpus) const {
  const Searched* s = with(cpus);
  return s != nullptr && s->complete;
}

// A CPU that never starts a handler changes nothing for the others (it acknowledges what they ask of it), so one CPU
// more can violate all that fewer can, deadlock included.
Reference search_all(const step::Program& program, std::uint32_t max_cpus, std::uint64_t max_states) {
  Reference reference;
  for (std::uint32_t n = 1; n <= max_cpus && expected(reference.searched) <= max_states; ++n) {
    Searched now = search(program, n, true, max_states, reference.complaints);
    if (now.complete && n > 1)
      for (const std::string& v : reference.searched.back().violations)
        if (!now.violations.contains(v))
          reference.complaints.push_back(fmt::format("{} with {} CPUs is not found with {}", v, n - 1, n));
    if (now.complete && n <= plain_cpus) {
      const Searched plain = search(program, n, false, max_states, reference.complaints);
      if (plain.complete && plain.violations != now.violations)
        reference.complaints.push_back(fmt::format("without reduction other violations are found with {} CPUs", n));
    }
    const bool complete = now.complete;
    reference.searched.push_back(std::move(now));
    if (!complete) break;
  }
  return reference;
}

}  // namespace faultline::differential
