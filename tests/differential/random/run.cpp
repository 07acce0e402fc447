#include "tests/differential/random/run.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>

#include "checker/explicit.hpp"
#include "fmt/format.h"
#include "step/load.hpp"
#include "tests/differential/random/generator.hpp"
#include "tests/differential/random/shrink.hpp"
#include "tests/support/comparison.hpp"

namespace faultline::differential {

namespace {

constexpr std::uint64_t slice = 1000;
constexpr std::uint32_t removal_cpus = 3;
constexpr std::uint32_t spin_cpus = 2;

class Examiner {
 public:
  explicit Examiner(const Settings& settings) : settings_(settings) {}

  Outcome examine(std::uint64_t seed) {
    const RandomModel model = random_model(seed, settings_.family);
    Outcome outcome;
    outcome.seed = seed;
    outcome.features = features(model.text);
    outcome.variants = judge(model.text, judges(seed));
    if (asked(settings_.spin_every, seed)) with_spin(model.text, outcome);
    if (asked(settings_.removals_every, seed)) removals(model, outcome);
    for (const Judged& judged : outcome.variants)
      if (!judged.disagreements.empty()) keep(model.text, seed, judged.disagreements.front());
    return outcome;
  }

 private:
  static bool asked(std::uint64_t every, std::uint64_t seed) { return every != 0 && seed % every == 0; }

  [[nodiscard]] Judges judges(std::uint64_t seed) const {
    Judges judges{settings_.engines, settings_.max_cpus, settings_.max_states, {}, seed};
    judges.question.z3 = asked(settings_.z3_every, seed);
    return judges;
  }

  void with_spin(const std::string& text, Outcome& outcome) const {
    const step::Loaded loaded = step::load_text("random.fl", text);
    for (std::size_t v = 0; v < loaded.variants.size() && v < outcome.variants.size(); ++v) {
      if (loaded.variants[v].diagnostics.has_errors()) continue;
      for (std::uint32_t n = 1; n <= spin_cpus; ++n) {
        const testing::PeerComparison answer = testing::compare_with_spin(loaded.variants[v].program, n);
        if (answer.compared) ++outcome.spin_compared;
        if (!answer.disagreement.empty())
          outcome.variants[v].disagreements.push_back({loaded.variants[v].name, spin_differs, answer.disagreement});
      }
    }
  }

  void removals(const RandomModel& model, Outcome& outcome) const {
    outcome.tried_removals = true;
    if (outcome.variants.empty() || outcome.variants.front().is_static || outcome.variants.front().findings.empty())
      return;
    const Judged& base = outcome.variants.front();
    if (base.reference.first_violated() != nullptr || !base.findings.back() ||
        base.findings.back()->answer != check::Answer::proved)
      return;
    for (const std::string& text : model.without) {
      const step::Loaded loaded = step::load_text("random.fl", text);
      if (loaded.diagnostics.has_errors() || loaded.variants.front().diagnostics.has_invalid())
        outcome.variants.front().disagreements.push_back({"base", "a model with less does not load", text});
      else if (loaded.variants.front().diagnostics.has_errors())
        outcome.needed_statically = true;
      else if (!outcome.needed)
        outcome.needed = violated(loaded.variants.front().program);
    }
  }

  static bool violated(const step::Program& program) {
    for (std::uint32_t n = 1; n <= removal_cpus; ++n) {
      check::ExplicitOptions options;
      options.cpus = n;
      options.limits.memory_bytes = std::uint64_t{16} << 20U;
      if (!check::explore(program, options).violations.empty()) return true;
    }
    return false;
  }

  void keep(const std::string& text, std::uint64_t seed, const Disagreement& why) const {
    if (settings_.findings.empty()) return;
    const std::string small = shrink(text, [&](const std::string& t) { return disagrees(t, seed, why.what); });
    std::filesystem::create_directories(settings_.findings);
    std::string detail = why.detail.substr(0, why.detail.find('\n'));
    std::ofstream(settings_.findings / fmt::format("{}.fl", seed))
        << fmt::format("// Seed {}, variant {}, shrunk. {}: {}\n", seed, why.variant, why.what, detail) << small;
  }

  [[nodiscard]] bool disagrees(const std::string& text, std::uint64_t seed, const std::string& what) const {
    Outcome outcome;
    outcome.variants = judge(text, judges(seed));
    if (what == spin_differs) with_spin(text, outcome);
    for (const Judged& judged : outcome.variants)
      for (const Disagreement& d : judged.disagreements)
        if (d.what == what) return true;
    return false;
  }

  static constexpr const char* spin_differs = "Spin counts otherwise";
  const Settings& settings_;
};

}  // namespace

Tally run(const Settings& settings) {
  Tally tally(settings.engines, settings.max_cpus);
  std::vector<std::unique_ptr<Examiner>> examiners;
  for (unsigned j = 0; j < std::max(1U, settings.jobs); ++j) examiners.push_back(std::make_unique<Examiner>(settings));
  for (std::uint64_t first = 0; first < settings.models; first += slice) {
    std::vector<Outcome> outcomes(std::min(slice, settings.models - first));
    std::atomic<std::size_t> next = 0;
    const auto work = [&](Examiner& examiner) {
      for (std::size_t i = next++; i < outcomes.size(); i = next++)
        outcomes[i] = examiner.examine(settings.seed + first + i);
    };
    {
      std::vector<std::jthread> others;
      for (std::size_t j = 1; j < examiners.size(); ++j) others.emplace_back(work, std::ref(*examiners[j]));
      work(*examiners.front());
    }
    for (const Outcome& outcome : outcomes) tally.add(outcome);
    if (settings.progress) settings.progress(tally);
  }
  return tally;
}

}  // namespace faultline::differential
