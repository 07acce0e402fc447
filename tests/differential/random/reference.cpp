#include "tests/differential/random/reference.hpp"

#include <algorithm>
#include <numeric>

#include "checker/explicit.hpp"
#include "fmt/format.h"
#include "tests/differential/random/engines.hpp"
#include "tests/support/replaying.hpp"

namespace faultline::differential {

namespace {

// About 200,000 states.
constexpr std::uint64_t room = std::uint64_t{10} << 20U;
constexpr std::uint32_t plain_cpus = 2;  // up to here, the search without reduction is asked too

Searched search(const step::Program& program, std::uint32_t cpus, bool reduction, std::vector<std::string>& complaints) {
  check::ExplicitOptions options;
  options.cpus = cpus;
  options.all_kinds = true;
  options.reduction = reduction;
  options.limits.memory_bytes = room;
  const check::ExplicitResult result = check::explore(program, options);
  Searched searched;
  searched.cpus = cpus;
  const auto lines = step::cpus_per_line(program, cpus);
  searched.total = std::accumulate(lines.begin(), lines.end(), 0U);
  searched.complete = result.complete;
  searched.bound = result.bound_hit;
  for (const check::Counterexample& example : result.violations) {
    searched.violations.insert(name_of(example.violation));
    if (const std::string why = testing::replay(program, example); !why.empty())
      complaints.push_back(fmt::format("a trace of {} does not replay: {}", name_of(example.violation), why));
  }
  return searched;
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
Reference search_all(const step::Program& program, std::uint32_t max_cpus) {
  Reference reference;
  for (std::uint32_t n = 1; n <= max_cpus; ++n) {
    Searched now = search(program, n, true, reference.complaints);
    if (now.complete && n > 1)
      for (const std::string& v : reference.searched.back().violations)
        if (!now.violations.contains(v))
          reference.complaints.push_back(fmt::format("{} with {} CPUs is not found with {}", v, n - 1, n));
    if (now.complete && n <= plain_cpus) {
      const Searched plain = search(program, n, false, reference.complaints);
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
