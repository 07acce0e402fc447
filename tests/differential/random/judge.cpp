#include "tests/differential/random/judge.hpp"

#include <exception>

#include "fmt/format.h"
#include "step/load.hpp"

namespace faultline::differential {

using check::Answer;

namespace {

class Comparison {
 public:
  Comparison(const step::Program& program, const Judges& judges) : program_(program), judges_(judges) {
    judged_.variant = program.variant;
  }

  Judged run() {
    guarded("explicit", [&] { judged_.reference = search_all(program_, judges_.max_cpus, judges_.max_states); });
    for (const std::string& complaint : judged_.reference.complaints)
      disagree("the explicit search contradicts itself", complaint);
    for (const Engine& engine : judges_.engines) {
      std::optional<Finding>& finding = judged_.findings.emplace_back();
      if (judges_.number % engine.every != 0) continue;
      guarded(engine.name, [&] {
        if (engine.applicable(program_, judges_.question).empty()) finding = engine.run(program_, judges_.question);
      });
      if (finding) against_search(engine.name, *finding);
    }
    against_each_other();
    return std::move(judged_);
  }

 private:
  template <class Run>
  void guarded(const std::string& name, const Run& run) {
    try {
      run();
    } catch (const std::exception& e) {
      disagree(name + " fails", e.what());
    }
  }

  void disagree(std::string what, std::string detail) {
    judged_.disagreements.push_back({program_.variant, std::move(what), std::move(detail)});
  }

  static bool covers(const Finding& proof, const std::string& violation) {
    return proof.deadlock || violation != step::to_string(step::Kind::deadlock);
  }

  // More CPUs can do what fewer can, so a proof for some number is one for fewer.
  static bool in_scope(const Finding& proof, const Searched& searched) {
    return proof.exactly ? searched.cpus <= proof.cpus : searched.total >= proof.cpus;
  }

  void against_search(const std::string& name, const Finding& finding) {
    const Reference& reference = judged_.reference;
    if (finding.answer == Answer::proved) {
      for (const Searched& s : reference.searched)
        for (const std::string& v : s.violations)
          if (in_scope(finding, s) && covers(finding, v))
            return disagree(name + " proves what is violated", fmt::format("{} with {} CPUs", v, s.cpus));
    }
    const Searched* same = reference.with(finding.cpus);
    if (finding.safe_steps && same != nullptr && same->shortest && *same->shortest <= *finding.safe_steps)
      disagree(name + " has no violation within the steps of one",
               fmt::format("{} steps, {} do", *finding.safe_steps, *same->shortest));
    if (finding.answer != Answer::violated) return;
    const std::string said = fmt::format("{} with {} CPUs", finding.violation, finding.cpus);
    if (same != nullptr && same->complete && !same->violations.contains(finding.violation))
      return disagree(name + " finds a violation that is none", said);
    const Searched* first = reference.first_violated();
    if (finding.fewest && first != nullptr && first->cpus < finding.cpus)
      disagree(name + " needs more CPUs than a violation takes", fmt::format("{}, {} do", said, first->cpus));
  }

  // Beyond the CPUs that were searched.
  void against_each_other() {
    for (std::size_t p = 0; p < judged_.findings.size(); ++p)
      for (std::size_t v = 0; v < judged_.findings.size(); ++v) {
        const auto &proof = judged_.findings[p], &violation = judged_.findings[v];
        if (!proof || !violation || proof->answer != Answer::proved || violation->answer != Answer::violated) continue;
        if (judged_.reference.with(violation->cpus) != nullptr || !covers(*proof, violation->violation)) continue;
        if (proof->exactly && proof->cpus < violation->cpus) continue;
        disagree(fmt::format("{} proves what {} violates", judges_.engines[p].name, judges_.engines[v].name),
                 fmt::format("{} with {} CPUs", violation->violation, violation->cpus));
      }
  }

  const step::Program& program_;
  const Judges& judges_;
  Judged judged_;
};

std::string errors(const dsl::Diagnostics& diagnostics, const dsl::Sources& sources) {
  std::string text;
  for (const dsl::Diagnostic& d : diagnostics.sorted())
    if (d.severity == dsl::Severity::error) text += render(d, sources, false);
  return text;
}

}  // namespace

Judged judge(const step::Program& program, const Judges& judges) { return Comparison(program, judges).run(); }

std::vector<Judged> judge(const std::string& text, const Judges& judges) {
  const auto broken = [](const std::string& variant, const std::string& what, const std::string& detail) {
    Judged judged;
    judged.variant = variant;
    judged.disagreements.push_back({variant, what, detail});
    return judged;
  };
  std::vector<Judged> all;
  try {
    const step::Loaded loaded = step::load_text("random.fl", text);
    if (loaded.diagnostics.has_errors())
      return {broken("base", "the model does not load", errors(loaded.diagnostics, loaded.sources))};
    for (const step::Variant& variant : loaded.variants) {
      if (variant.diagnostics.has_invalid()) {
        all.push_back(broken(variant.name, "the model does not load", errors(variant.diagnostics, loaded.sources)));
      } else if (variant.diagnostics.has_errors()) {
        all.emplace_back();
        all.back().variant = variant.name;
        all.back().is_static = true;
      } else {
        all.push_back(judge(variant.program, judges));
      }
    }
  } catch (const std::exception& e) {
    all.push_back(broken("base", "loading fails", e.what()));
  }
  return all;
}

}  // namespace faultline::differential
