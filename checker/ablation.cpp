#include "checker/ablation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "checker/static_verdict.hpp"

namespace faultline::check {
namespace {

using dsl::AblationKind;
using step::Coverage;
using step::Kind;

// Whether the verdict is violated, and by nothing but a rule of this kind that arrows declare.
bool breaks_only(const Verdict& verdict, Kind rule) {
  return verdict.answer == Answer::violated &&
         std::all_of(verdict.violations.begin(), verdict.violations.end(),
                     [&](const Counterexample& example) { return example.violation.kind == rule; });
}

// A progress line that fails beside a proof breaks the mutant all the same.
bool broken(const Verdict& verdict) { return !verdict.violations.empty(); }

class Judge {
 public:
  Judge(const step::Variant& variant, const Verdict& proved, const AblationRunner& run)
      : variant_(variant), proved_(proved), run_(run), landmarks_(dsl::landmarks(variant.model.file)) {}

  std::vector<AblationResult> all() {
    dsl::Diagnostics none;  // the variant is sound
    const dsl::Flows flows = dsl::build_flows(variant_.model, none);
    std::vector<dsl::Ablation> removals = dsl::ablations(variant_.model, flows);
    std::vector<AblationResult> results;
    for (std::size_t i = 0; i < removals.size(); ++i) {
      doing_ = fmt::format("{} of {}: {}", i + 1, removals.size(), removals[i].text);
      const auto start = std::chrono::steady_clock::now();
      AblationResult result;
      result.removal = std::move(removals[i]);
      one(result);
      result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      results.push_back(std::move(result));
    }
    for (AblationResult& result : results) {
      if (result.answer == AblationAnswer::rule) rule(result, results);
    }
    return results;
  }

 private:
  Judged judge(dsl::File file) const {
    step::Variant mutant = step::build_variant(std::move(file), variant_.name);
    Judged judged;
    judged.diagnostics = std::move(mutant.diagnostics);
    if (judged.diagnostics.has_invalid()) return judged;
    mutant.diagnostics = judged.diagnostics;
    judged.verdict = judged.diagnostics.has_errors() ? static_verdict(mutant) : run_(mutant.program, doing_);
    return judged;
  }

  void one(AblationResult& result) {
    const AblationKind kind = result.removal.kind;
    const auto not_judged = [&](const char* reason) {
      result.answer = AblationAnswer::not_judged;
      result.reason = reason;
    };
    if (kind == AblationKind::barrier && proved_.scope.memory == "sc")
      return not_judged("memory sc orders all without it");
    const auto& awaits = variant_.program.awaits;
    const bool graces = std::any_of(awaits.begin(), awaits.end(), [](const auto& a) { return a.grace_period; });
    if (kind == AblationKind::rcu_section && !graces) return not_judged("no grace period waits for it");
    const dsl::File file = dsl::without(variant_.model.file, result.removal);
    result.as_is = judge(file);
    if (result.as_is.diagnostics.has_invalid()) {
      const auto all = result.as_is.diagnostics.sorted();
      const auto error =
          std::find_if(all.begin(), all.end(), [](const auto& d) { return d.severity == dsl::Severity::error; });
      result.answer = AblationAnswer::not_applicable;
      result.reason = fmt::format("{}: {}", error->code, error->message);
      return;
    }
    const Verdict& verdict = result.as_is.verdict;
    const bool lock_rule = kind == AblationKind::lock_pair && breaks_only(verdict, Kind::lock_missing);
    const bool flush_rule = kind == AblationKind::flush && breaks_only(verdict, Kind::flush_missing);
    if (lock_rule || flush_rule) {
      result.race =
          judge(lock_rule ? dsl::without_lock_rule(file, result.removal.lock) : dsl::without_flush_rule(file));
      const Verdict& race = result.race->verdict;
      result.answer = broken(race)                    ? AblationAnswer::needed
                      : race.answer == Answer::proved ? AblationAnswer::rule_only
                                                      : AblationAnswer::unknown;
      if (result.answer == AblationAnswer::unknown) result.reason = race.reason;
    } else if (broken(verdict)) {
      result.answer = AblationAnswer::needed;
    } else if (verdict.answer == Answer::unknown) {
      result.answer = AblationAnswer::unknown;
      result.reason = verdict.reason;
    } else if (kind == AblationKind::after_flush) {
      result.answer = AblationAnswer::rule;
    } else {
      result.idle = idle(result.removal, verdict);
      result.answer = result.idle.empty() ? AblationAnswer::not_needed : AblationAnswer::idle;
    }
  }

  // What the variant reaches and the mutant does not.
  std::vector<std::string> idle(const dsl::Ablation& removal, const Verdict& verdict) const {
    std::vector<std::string> out;
    for (const Coverage& part : verdict.unreached) {
      const bool before = std::any_of(proved_.unreached.begin(), proved_.unreached.end(), [&](const Coverage& other) {
        return other.what == part.what && other.span == part.span && other.text == part.text;
      });
      if (before) continue;
      if (part.what != Coverage::What::statement) {
        out.push_back((part.what == Coverage::What::state ? "state " : "arrow ") + part.text);
        continue;
      }
      const bool meant = removal.branch && removal.branch->file == part.span.file &&
                         removal.branch->begin <= part.span.begin && part.span.end <= removal.branch->end;
      for (const dsl::Landmark& landmark : landmarks_) {
        if (!meant && landmark.statement == part.span) out.push_back(landmark.text);
      }
    }
    return out;
  }

  void rule(AblationResult& result, const std::vector<AblationResult>& results) {
    for (const AblationResult& flush : results) {
      if (flush.removal.kind != AblationKind::flush || !breaks_only(flush.as_is.verdict, Kind::flush_missing)) continue;
      doing_ = fmt::format("{}, and {}", result.removal.text, flush.removal.text);
      const dsl::File file = dsl::without(variant_.model.file, flush.removal);
      const Judged judged = judge(dsl::without(file, result.removal));
      FlushWithoutRule one{flush.removal.parts.front(), judged.verdict.answer, std::nullopt};
      if (broken(judged.verdict)) one.violation = judged.verdict.violations.front().violation;
      result.flushes.push_back(one);
    }
  }

  const step::Variant& variant_;
  const Verdict& proved_;
  const AblationRunner& run_;
  std::vector<dsl::Landmark> landmarks_;
  std::string doing_;
};

}  // namespace

std::vector<AblationResult> judge_ablations(const step::Variant& variant, const Verdict& proved,
                                            const AblationRunner& run) {
  return Judge(variant, proved, run).all();
}

const Counterexample* breakage(const AblationResult& result) {
  if (result.race && broken(result.race->verdict)) return &result.race->verdict.violations.front();
  return broken(result.as_is.verdict) ? &result.as_is.verdict.violations.front() : nullptr;
}

}  // namespace faultline::check
