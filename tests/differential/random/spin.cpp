#include "tests/differential/random/spin.hpp"

#include <stdexcept>

#include "checker/explicit.hpp"
#include "codegen/export.hpp"
#include "fmt/format.h"
#include "tests/support/peers.hpp"

namespace faultline::differential {

namespace {

constexpr std::uint64_t most_states = 60'000;  // Spin keeps every state apart

}  // namespace

bool spin_installed() { return testing::installed("spin") && testing::installed("cc"); }

SpinAnswer ask_spin(const step::Program& program, std::uint32_t cpus) {
  check::ExplicitOptions options;
  options.cpus = cpus;
  options.reduction = false;
  options.all_kinds = true;
  options.deadlock = false;
  options.limits.memory_bytes = std::uint64_t{16} << 20U;
  const check::ExplicitResult ours = check::explore(program, options);
  if (!ours.complete || ours.states > most_states) return {};
  codegen::ExportOptions how;
  how.cpus = cpus;
  how.source = "random.fl";
  std::string text;
  try {
    text = codegen::to_promela(program, how);
  } catch (const std::domain_error&) {
    return {};
  }
  // What export.hpp says, without the wait for the optimiser.
  const testing::PeerAnswer theirs = testing::ask_spin(text, testing::replaced(codegen::run_promela, "-O2", "-O0"));
  SpinAnswer answer;
  answer.compared = true;
  if (!theirs.finished)
    answer.disagreement = "Spin counts no states:\n" + theirs.output;
  else if (theirs.states != ours.states || theirs.errors == ours.violations.empty())
    answer.disagreement =
        fmt::format("{} CPUs: Spin has {} states, {} errors; the search {} states, {} errors", cpus, theirs.states,
                    theirs.errors ? "with" : "without", ours.states, ours.violations.empty() ? "without" : "with");
  return answer;
}

}  // namespace faultline::differential
