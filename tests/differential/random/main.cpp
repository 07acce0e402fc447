// random_models: judges random models with everything that can judge them, and says where two answers cannot both be
// right.
#include <charconv>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string_view>

#include "fmt/format.h"
#include "tests/differential/random/generator.hpp"
#include "tests/differential/random/run.hpp"
#include "tests/support/comparison.hpp"

namespace {

constexpr const char* help =
    "usage: random_models [options]\n"
    "  --models N      how many (500)\n"
    "  --seed S        of the first; the others follow (1)\n"
    "  --cpus MAX      explicit search with 1..MAX CPUs on each any-line, 5 at most (4)\n"
    "  --states S      searches of more are left out (40000)\n"
    "  --spin K        every K-th model is compared with Spin (0: none)\n"
    "  --removals K    every K-th model has each of its locks, looks and flushes removed in turn (10)\n"
    "  --jobs J        threads (1)\n"
    "  --summary FILE  writes the counts there, too\n"
    "  --findings DIR  shrunk disagreements go there (tests/differential/random/findings)\n"
    "  --vmas          models of vmas: RCU, reference and sequence counts, fields (models of entries)\n"
    "  --print         prints the model of the seed, and does nothing else\n";

struct Arguments {
  faultline::differential::Settings settings;
  std::string summary;
  bool print = false;
};

bool number(const char* text, std::uint64_t& value) {
  const char* end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, value);
  return error == std::errc() && at == end;
}

// Empty, or what is wrong.
std::string read(int argc, char** argv, Arguments& arguments) {
  auto& s = arguments.settings;
  std::uint64_t cpus = s.max_cpus, jobs = s.jobs;
  const std::vector<std::pair<std::string_view, std::uint64_t*>> numbers = {
      {"--models", &s.models},   {"--seed", &s.seed},
      {"--cpus", &cpus},         {"--states", &s.max_states},
      {"--spin", &s.spin_every}, {"--removals", &s.removals_every},
      {"--jobs", &jobs}};
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--print") {
      arguments.print = true;
      continue;
    }
    if (name == "--vmas") {
      s.family = faultline::differential::Family::vmas;
      continue;
    }
    if (i + 1 == argc) return fmt::format("{} needs a value", name);
    const char* value = argv[++i];
    bool known = true, good = true;
    if (name == "--summary")
      arguments.summary = value;
    else if (name == "--findings")
      s.findings = value;
    else
      known = false;
    for (const auto& [option, where] : numbers)
      if (name == option) {
        known = true;
        good = number(value, *where);
      }
    if (!known) return fmt::format("unknown option {}", name);
    if (!good) return fmt::format("{} needs a number, not {}", name, value);
  }
  if (cpus < 1 || cpus > 5) return "--cpus is 1 to 5";
  if (jobs < 1 || jobs > 64) return "--jobs is 1 to 64";
  s.max_cpus = static_cast<std::uint32_t>(cpus);
  s.jobs = static_cast<unsigned>(jobs);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  using namespace faultline::differential;
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::cout << help;
    return 0;
  }
  Arguments arguments;
  arguments.settings.findings = FAULTLINE_SOURCE_DIR "/tests/differential/random/findings";
  if (const std::string wrong = read(argc, argv, arguments); !wrong.empty()) {
    std::cerr << "random_models: " << wrong << "\n" << help;
    return 2;
  }
  Settings& settings = arguments.settings;
  if (arguments.print) {
    std::cout << random_model(settings.seed, settings.family).text;
    return 0;
  }
  if (settings.spin_every != 0 && !faultline::testing::spin_installed()) {
    std::cout << "Spin is not installed: nothing is compared with it\n";
    settings.spin_every = 0;
  }
  const auto summary = [&](const Tally& tally) {
    return fmt::format("Seeds {} to {}, up to {} CPUs and {} states.\n\n{}", settings.seed,
                       settings.seed + tally.models() - 1, settings.max_cpus, settings.max_states, tally.markdown());
  };
  settings.progress = [&](const Tally& tally) {  // a long run that is stopped has said what it found so far
    std::cerr << fmt::format("{} models, {} disagreements\n", tally.models(), tally.disagreements());
    if (!arguments.summary.empty()) std::ofstream(arguments.summary) << summary(tally);
  };
  const Tally tally = run(settings);
  std::cout << summary(tally);
  return tally.disagreements() == 0 ? 0 : 1;
}
