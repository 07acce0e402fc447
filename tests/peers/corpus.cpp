// Every model and variant of the corpus with 1, 2 and 3 CPUs against Spin and Rumur: the verdict and the number of
// plain states must be the same. Prints a table in Markdown.
//
//   peers_corpus [PART…]     only rows whose "model [variant] N" has one of the parts
//
// Exit 0: all agree. 1: somebody differs. 3: nobody differs, but a tool did not come to its end.
#include <algorithm>
#include <bit>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "checker/explicit.hpp"
#include "codegen/export.hpp"
#include "fmt/format.h"
#include "step/load.hpp"
#include "tests/support/peers.hpp"

namespace faultline {
namespace {

namespace fs = std::filesystem;
using testing::PeerAnswer;

constexpr std::uint32_t most_cpus = 3;
constexpr double cpu_seconds = 2400;                       // for each tool and row, the C compiler included
constexpr std::uint64_t memory = std::uint64_t{8} << 30U;  // bytes, likewise

std::vector<std::string> models() {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(FAULTLINE_SOURCE_DIR "/models"))
    if (entry.path().extension() == ".fl") found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

std::string thousands(std::uint64_t n) {
  std::string text = fmt::format("{}", n);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

// The same recipes, able to hold the states: Spin's stack may be as deep as there are states, and an `atomic` counts
// more than once; Rumur would print a trace for each of a million errors, and is faster with states that are not
// packed. For few states the C compiler's optimiser takes longer than it saves.
std::string optimised(const std::string& recipe, std::uint64_t states) {
  return testing::replaced(recipe, "-O2", states < 300'000 ? "-O0" : "-O1");
}
std::string large_promela(std::uint64_t states) {
  const int table = std::max(16, static_cast<int>(std::bit_width(states)));
  return optimised(
      testing::replaced(codegen::run_promela, "-m2000000", fmt::format("-m{} -w{}", 3 * states + 10'000, table)),
      states);
}
std::string large_murphi(std::uint64_t states, const std::string& how = "--threads 2") {
  const bool few = states < 300'000;
  const std::string recipe = testing::replaced(
      codegen::run_murphi, "rumur ",
      fmt::format("rumur --counterexample-trace off {} {} ", how, few ? "" : "--pack-state off --reorder-fields on"));
  // Line by line, so that one who has no time left has said how far it came.
  return testing::replaced(testing::replaced(recipe, "./model", "stdbuf -oL ./model"), "-O2",
                           few ? "-O0" : "-O3 -march=native");
}

// What is compared where there are too many states: those within so many steps, if they are no more than that.
constexpr std::uint32_t most_within = 3'000'000;

class Table {
 public:
  explicit Table(std::vector<std::string> only) : only_(std::move(only)) {}

  int run() {
    std::cout << "| model | variant | N | plain states | violations | Spin | Rumur | agree |\n"
                 "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
    for (const std::string& path : models()) {
      for (const step::Variant& variant : step::load(path).variants) {
        for (std::uint32_t n = 1; n <= most_cpus; ++n) {
          const std::string name = fmt::format("{} [{}] {}", fs::path(path).stem().string(), variant.name, n);
          const bool wanted = std::any_of(only_.begin(), only_.end(), [&](const std::string& part) {
            return name.find(part) != std::string::npos;
          });
          if (only_.empty() || wanted) row(path, variant, n);
        }
      }
    }
    std::cout << fmt::format("\n{} rows: {} agree, {} differ, {} not finished.\n", rows_, rows_ - differ_ - open_,
                             differ_, open_);
    return differ_ > 0 ? 1 : open_ > 0 ? 3 : 0;
  }

 private:
  void row(const std::string& path, const step::Variant& variant, std::uint32_t n) {
    check::ExplicitOptions options;
    options.cpus = n;
    options.reduction = false;
    options.all_kinds = true;
    options.deadlock = false;  // not exported
    options.limits.process_bytes = memory;
    const check::ExplicitResult ours = check::explore(variant.program, options);
    codegen::ExportOptions how;
    how.cpus = n;
    how.source = fs::path(path).filename().string();
    const testing::PeerLimits limits{cpu_seconds, memory};
    PeerAnswer spin, rumur;  // asked only where there is a number to compare with
    if (ours.complete) {
      spin = testing::ask_spin(codegen::to_promela(variant.program, how), large_promela(ours.states), limits);
      rumur = testing::ask_rumur(codegen::to_murphi(variant.program, how), large_murphi(ours.states), limits);
    }

    std::string kinds;
    for (const check::Counterexample& example : ours.violations) {
      const std::string kind = step::to_string(example.violation.kind);
      kinds += fmt::format("{}{}{}", kinds.empty() ? "" : ", ", kind,
                           example.violation.name.empty() ? "" : "(" + example.violation.name + ")");
    }
    std::string within;
    bool differ = differs(ours, spin) || differs(ours, rumur);
    if (!ours.complete || !rumur.finished) {
      // In the order of breadth, which Rumur keeps with one thread.
      const auto last = std::upper_bound(ours.within.begin(), ours.within.end(), most_within);
      const auto steps = last - ours.within.begin() - 1;
      const PeerAnswer near =
          testing::ask_rumur(codegen::to_murphi(variant.program, how),
                             large_murphi(most_within, fmt::format("--threads 1 --bound {}", steps)), limits);
      const bool same = near.finished && near.states == ours.within[static_cast<std::size_t>(steps)];
      differ = differ || (near.finished && !same);
      within = fmt::format("; within {} steps: {}, {}", steps, thousands(near.states),
                           same            ? "the same"
                           : near.finished ? "DIFFERENT"
                                           : "not finished");
    }
    const bool open = !ours.complete || !spin.finished || !rumur.finished;
    ++rows_;
    if (differ)
      ++differ_;
    else if (open)
      ++open_;
    std::cout << fmt::format("| {} | {} | {} | {}{} | {} | {} | {} | {} |\n", variant.program.model, variant.name, n,
                             ours.complete ? "" : "more than ", thousands(ours.states), kinds.empty() ? "none" : kinds,
                             ours.complete ? text(spin) : "not asked",
                             (ours.complete ? text(rumur) : "not asked") + within,
                             differ ? "NO"
                             : open ? "open"
                                    : "yes")
              << std::flush;
    if (differ) std::cerr << spin.output << "\n" << rumur.output << "\n";
  }

  static bool differs(const check::ExplicitResult& ours, const PeerAnswer& theirs) {
    return ours.complete && theirs.finished &&
           (theirs.states != ours.states || theirs.errors != !ours.violations.empty());
  }
  static std::string text(const PeerAnswer& answer) {
    return fmt::format("{}{}{}, {:.0f} s", answer.finished ? "" : "not finished, more than ", thousands(answer.states),
                       answer.errors ? " with errors" : "", answer.seconds);
  }

  std::vector<std::string> only_;
  int rows_ = 0, differ_ = 0, open_ = 0;
};

}  // namespace
}  // namespace faultline

int main(int argc, char** argv) {
  if (!faultline::testing::installed("spin") || !faultline::testing::installed("rumur") ||
      !faultline::testing::installed("cc")) {
    std::cerr << "peers_corpus needs spin, rumur and a C compiler\n";
    return 2;
  }
  return faultline::Table({argv + 1, argv + argc}).run();
}
