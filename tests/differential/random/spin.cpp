#include "tests/differential/random/spin.hpp"

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "checker/explicit.hpp"
#include "codegen/export.hpp"
#include "fmt/format.h"

namespace faultline::differential {

namespace {

constexpr std::uint64_t most_states = 60'000;  // Spin keeps every state apart

// What export.hpp says, without the wait for the optimiser.
std::string recipe() {
  std::string line = codegen::run_promela;
  line.replace(line.find("-O2"), 3, "-O0");
  return line;
}

std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

bool spin_installed() { return std::system("command -v spin >/dev/null && command -v cc >/dev/null") == 0; }

SpinAnswer ask_spin(const step::Program& program, std::uint32_t cpus, const std::filesystem::path& folder) {
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
  try {
    std::ofstream(folder / "FILE") << codegen::to_promela(program, how);
  } catch (const std::domain_error&) {
    return {};
  }
  // Errors found may be an exit code of the tool.
  if (std::system(fmt::format("cd '{}' && ({}) >out 2>&1", folder.string(), recipe()).c_str()) == -1) return {};
  const std::string output = contents(folder / "out");
  SpinAnswer answer;
  answer.compared = true;
  std::smatch found;
  if (!std::regex_search(output, found, std::regex(R"((\d+) states, stored)"))) {
    answer.disagreement = "Spin counts no states:\n" + output;
    return answer;
  }
  const std::uint64_t states = std::stoull(found[1]);
  const bool errors = std::regex_search(output, std::regex(R"(errors: [1-9])"));
  if (states != ours.states || errors == ours.violations.empty())
    answer.disagreement =
        fmt::format("{} CPUs: Spin has {} states, {} errors; the search {} states, {} errors", cpus, states,
                    errors ? "with" : "without", ours.states, ours.violations.empty() ? "without" : "with");
  return answer;
}

}  // namespace faultline::differential
