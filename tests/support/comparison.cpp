#include "tests/support/comparison.hpp"

#include <stdexcept>

#include "checker/explicit.hpp"
#include "codegen/export.hpp"
#include "fmt/format.h"
#include "tests/support/peers.hpp"

namespace faultline::testing {

namespace {

constexpr std::uint64_t most_states = 60'000;  // peers keep every state apart

// `ask` exports, and gives the text to the tool; std::domain_error: its language cannot say it.
template <class Ask>
PeerComparison compare(const step::Program& program, std::uint32_t cpus, const std::string& name, const Ask& ask) {
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
  how.source = program.model + ".fl";
  PeerAnswer theirs;
  try {
    theirs = ask(how);
  } catch (const std::domain_error&) {
    return {};
  }
  PeerComparison answer;
  answer.compared = true;
  answer.errors = theirs.errors;
  if (!theirs.finished)
    answer.disagreement = name + " counts no states:\n" + theirs.output;
  else if (theirs.states != ours.states || theirs.errors == ours.violations.empty())
    answer.disagreement =
        fmt::format("{} CPUs: {} has {} states, {} errors; the search {} states, {} errors", cpus, name, theirs.states,
                    theirs.errors ? "with" : "without", ours.states, ours.violations.empty() ? "without" : "with");
  return answer;
}

// Without the wait for the optimiser.
std::string quickly(const char* recipe) { return replaced(recipe, "-O2", "-O0"); }

}  // namespace

bool spin_installed() { return installed("spin") && installed("cc"); }
bool rumur_installed() { return installed("rumur") && installed("cc"); }

PeerComparison compare_with_spin(const step::Program& program, std::uint32_t cpus) {
  return compare(program, cpus, "Spin", [&](const codegen::ExportOptions& how) {
    return ask_spin(codegen::to_promela(program, how), quickly(codegen::run_promela));
  });
}

PeerComparison compare_with_rumur(const step::Program& program, std::uint32_t cpus) {
  return compare(program, cpus, "Rumur", [&](const codegen::ExportOptions& how) {
    return ask_rumur(codegen::to_murphi(program, how), quickly(codegen::run_murphi));
  });
}

}  // namespace faultline::testing
