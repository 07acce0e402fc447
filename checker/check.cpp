#include "checker/check.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <numeric>
#include <stdexcept>

#include "checker/certificate.hpp"
#include "checker/cross_check.hpp"
#include "checker/deadlock.hpp"
#include "checker/engine.hpp"
#include "checker/explain.hpp"
#include "checker/progress.hpp"
#include "fmt/format.h"

namespace faultline::check {

using step::Kind;
using step::Program;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t small_cpus = 2;     // searched before a proof is tried: most bugs show here
constexpr std::uint32_t fallback_cpus = 4;  // searched when no proof is found
constexpr double fallback_seconds = 60;     // for what follows a failed proof, when the user set no limit
constexpr double unrolling_seconds = 10;    // the same for what follows a search that ran out of memory
constexpr std::uint32_t vacuity_cpus = 3;
constexpr std::uint32_t all_kinds_cpus = 3;

class Checker {
 public:
  Checker(const Program& program, const CheckOptions& options)
      : program_(program), options_(options), start_(Clock::now()) {
    verdict_.model = program.model;
    verdict_.variant = program.variant;
    verdict_.scope.memory = options.memory;
  }

  Verdict run(ViewSet* keep) {
    if (options_.memory != "sc") {
      unknown(fmt::format("memory {} is not implemented; sc is", options_.memory));
    } else if (const Engine* engine = find_engine(options_.engine);
               engine != nullptr && engine->name != "explicit" && engine->name != "views") {
      named(*engine, keep);
    } else if (options_.cpus) {
      fixed(*options_.cpus);
    } else {
      any(keep);
    }
    progress();
    if (options_.engine == "all") cross_check(program_, options_, engines(), verdict_);
    finish_reads();
    verdict_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    return std::move(verdict_);
  }

 private:
  [[nodiscard]] double left(double otherwise = 0) const {
    if (options_.timeout <= 0) return otherwise;
    const double used = std::chrono::duration<double>(Clock::now() - start_).count();
    return std::max(0.001, options_.timeout - used);
  }

  Limits limits(const std::string& phase, double otherwise = 0) const {
    Limits limits;
    limits.seconds = left(otherwise);
    limits.process_bytes = options_.memory_bytes;
    if (limits.process_bytes > 0) give_back();  // what the phase before used is not this one's
    limits.threads = options_.threads;
    if (options_.report)
      limits.progress = [this, phase](std::uint64_t states, std::uint32_t depth) {
        options_.report(phase, states, depth);
      };
    return limits;
  }

  Scope scope_of(std::uint32_t cpus) const {
    Scope scope;
    scope.cpus = cpus;
    scope.per_line = step::cpus_per_line(program_, cpus);
    scope.memory = options_.memory;
    return scope;
  }

  void unknown(std::string reason) {
    verdict_.answer = Answer::unknown;
    verdict_.reason = std::move(reason);
  }

  void property(std::string name, Answer answer, const Scope& scope, std::string engine, std::string reason = {}) {
    verdict_.properties.push_back({std::move(name), answer, scope, std::move(engine), std::move(reason)});
  }

  ExplicitResult search(std::uint32_t cpus, double otherwise = 0) {
    ExplicitOptions o;
    o.cpus = cpus;
    o.reduction = options_.reduction;
    o.all_kinds = options_.all_kinds;
    o.finish = options_.timeout <= 0;  // a limit that the user did not set does not hide a violation
    o.limits = limits(fmt::format("{} CPU{}", cpus, cpus == 1 ? "" : "s"), otherwise);
    ExplicitResult result = explore(program_, o);
    for (Counterexample& example : result.violations) replay_or_throw(program_, example, cpus);
    if (result.covered.size() == program_.coverage.size()) {
      if (covered_.empty()) covered_.assign(program_.coverage.size(), false);
      for (std::size_t i = 0; i < covered_.size(); ++i) covered_[i] = covered_[i] || result.covered[i];
      // what was not seen says something only when everything was looked at
      if (result.complete && (result.violations.empty() || options_.all_kinds))
        covered_cpus_ = std::max(covered_cpus_, cpus);
    }
    verdict_.states = result.states;
    return result;
  }

  void violated(ExplicitResult result, std::uint32_t cpus, const std::string& engine = "explicit") {
    verdict_.answer = Answer::violated;
    verdict_.scope = scope_of(cpus);
    verdict_.engine = engine;
    verdict_.violations = std::move(result.violations);
    for (const Counterexample& example : verdict_.violations) {
      const std::string name = property_name(example.violation);
      const bool known = std::any_of(verdict_.properties.begin(), verdict_.properties.end(),
                                     [&](const auto& p) { return p.name == name; });
      if (!known) property(name, Answer::violated, verdict_.scope, engine);
    }
  }

  static std::string property_name(const step::Violation& v) {
    return v.name.empty() ? std::string(step::to_string(v.kind))
                          : fmt::format("{}({})", step::to_string(v.kind), v.name);
  }

  void all_properties(const Scope& scope, const std::string& engine, Answer answer = Answer::proved,
                      const std::string& reason = {}) {
    for (const std::string& name : program_.properties) property(name, answer, scope, engine, reason);
  }

  void bound(const Scope& scope, const ExplicitResult& result) {
    verdict_.scope = scope;
    verdict_.engine = "explicit";
    unknown(result.bound_reason);
  }

  // The search ran out of memory: unrolling, which takes less, may still find a violation beyond what was covered.
  bool deeper(std::uint32_t cpus, const ExplicitResult& search) {
    if (options_.engine == "explicit" || !search.reason.starts_with("memory limit")) return false;
    const Finding finding = ask(*find_engine("bmc"), program_, {cpus, limits("bmc", unrolling_seconds)});
    if (finding.answer != Answer::violated) return false;
    ExplicitResult found;
    found.violations.push_back(*finding.example);
    violated(std::move(found), cpus, "bmc");
    return true;
  }

  // ---- --cpus N
  void fixed(std::uint32_t cpus) {
    ExplicitResult result = search(cpus);
    if (!result.violations.empty()) {
      if (!options_.all_kinds)  // fewest CPUs first
        for (std::uint32_t n = 1; n < cpus; ++n) {
          ExplicitResult fewer = search(n);
          if (!fewer.violations.empty()) return violated(std::move(fewer), n);
        }
      return violated(std::move(result), cpus);
    }
    if (!result.complete && deeper(cpus, result)) return;
    verdict_.scope = scope_of(cpus);
    verdict_.engine = "explicit";
    if (!result.complete) {
      all_properties(verdict_.scope, "explicit", Answer::unknown, result.reason);
      return unknown(fmt::format("{} (seen: {} states to depth {})", result.reason, result.states, result.depth));
    }
    if (result.bound_hit) return bound(verdict_.scope, result);
    verdict_.answer = Answer::proved;
    all_properties(verdict_.scope, "explicit");
    property("deadlock", Answer::proved, verdict_.scope, "explicit");
  }

  // ---- --engine NAME
  void named(const Engine& engine, ViewSet* keep) {
    const Question question{options_.cpus, limits(engine.name)};
    const std::string refused = engine.refuses(program_, question);
    if (!refused.empty()) return unknown(fmt::format("engine {} does not take this model: {}", engine.name, refused));
    Finding finding = ask(engine, program_, question);
    verdict_.engine = engine.name;
    verdict_.states = finding.size;
    Scope scope;
    if (options_.cpus) scope = scope_of(*options_.cpus);
    scope.any = !options_.cpus.has_value();
    scope.memory = options_.memory;
    verdict_.scope = scope;
    if (finding.answer == Answer::violated) {
      verdict_.answer = Answer::violated;
      verdict_.scope = finding.example->scope;
      property(property_name(finding.example->violation), Answer::violated, verdict_.scope, engine.name);
      verdict_.violations.push_back(std::move(*finding.example));
    } else if (finding.answer == Answer::unknown) {
      all_properties(scope, engine.name, Answer::unknown, finding.reason);
      unknown(finding.reason);
    } else if (engine.any) {  // only a certificate makes it a proof
      any(keep);
      if (verdict_.answer == Answer::proved) verdict_.engine = engine.name + ", views";
    } else {
      verdict_.answer = Answer::proved;
      all_properties(scope, engine.name, Answer::proved, finding.reason);
      ViewsOptions o;
      o.limits = question.limits;
      const ViewsResult result = views(program_, o);
      const DeadlockProof deadlock = result.proved ? deadlock_free(program_, result.set, question.limits)
                                                   : DeadlockProof{false, "there are no views", {}};
      if (deadlock.proved) return property("deadlock", Answer::proved, scope, "lock order");
      property("deadlock", Answer::unknown, scope, "lock order", deadlock.reason);
      unknown(fmt::format("deadlock is not excluded ({}); all else is proved", deadlock.reason));
    }
  }

  // ---- any number
  void any(ViewSet* keep) {
    const bool has_any =
        std::any_of(program_.lines.begin(), program_.lines.end(), [](const step::Line& l) { return l.cpus == 0; });
    std::uint32_t searched = 0;
    const std::uint32_t first = has_any && options_.engine != "explicit" ? small_cpus : has_any ? fallback_cpus : 1;
    for (std::uint32_t n = 1; n <= first; ++n) {
      ExplicitResult result = search(n);
      if (!result.violations.empty()) return violated_any(std::move(result), n);
      if (!result.complete) {
        if (deeper(n, result)) return;
        verdict_.scope = scope_of(n);
        verdict_.engine = "explicit";
        all_properties(verdict_.scope, "explicit", Answer::unknown, result.reason);
        return unknown(fmt::format("{} at {} CPUs (seen: {} states to depth {}){}", result.reason, n, result.states,
                                   result.depth, searched_text(searched)));
      }
      if (result.bound_hit) return bound(scope_of(n), result);
      searched = n;
    }
    if (!has_any) {  // the model itself fixes the number
      verdict_.answer = Answer::proved;
      verdict_.scope = scope_of(1);
      verdict_.engine = "explicit";
      all_properties(verdict_.scope, "explicit");
      property("deadlock", Answer::proved, verdict_.scope, "explicit");
      return;
    }
    std::string why = "--engine explicit proves nothing for any number of CPUs";
    if (options_.engine != "explicit") {
      if (prove(2, searched, why, keep)) return;
      const double until = options_.timeout > 0 ? 0 : fallback_seconds;
      for (std::uint32_t n = searched + 1; n <= fallback_cpus; ++n) {
        ExplicitResult result = search(n, until);
        if (!result.violations.empty()) return violated(std::move(result), n);
        if (!result.complete || result.bound_hit) break;
        searched = n;
      }
      std::string again;
      if (prove(3, searched, again, keep)) return;
    }
    verdict_.scope = scope_of(searched);
    verdict_.engine = "explicit";
    all_properties(verdict_.scope, "explicit", Answer::proved);
    property("deadlock", Answer::proved, verdict_.scope, "explicit");
    unknown(fmt::format("not proved for any number of CPUs ({}); {}", why,
                        fmt::format("no violation up to N = {}", searched)));
  }

  // Violated with n CPUs; when all kinds are asked for, more CPUs may reach more of them.
  void violated_any(ExplicitResult result, std::uint32_t n) {
    violated(std::move(result), n);
    if (!options_.all_kinds) return;
    const auto states = verdict_.states;
    for (std::uint32_t more = n + 1; more <= all_kinds_cpus; ++more) {
      ExplicitResult next = search(more, fallback_seconds);
      for (Counterexample& example : next.violations) {
        const std::string name = property_name(example.violation);
        if (std::any_of(verdict_.properties.begin(), verdict_.properties.end(),
                        [&](const auto& p) { return p.name == name; }))
          continue;
        property(name, Answer::violated, scope_of(more), "explicit");
        example.scope = scope_of(more);
        verdict_.violations.push_back(std::move(example));
      }
      if (!next.complete) break;
    }
    verdict_.states = states;
  }

  static std::string searched_text(std::uint32_t n) {
    return n == 0 ? "" : fmt::format("; no violation up to N = {}", n);
  }

  // A proof with views of k CPUs. False: not proved, `why` says so.
  bool prove(std::uint32_t k, std::uint32_t searched, std::string& why, ViewSet* keep) {
    const auto lines = step::cpus_per_line(program_, searched + 1);
    if (std::accumulate(lines.begin(), lines.end(), 0U) < k) {
      why = fmt::format("views of {} CPUs need systems of at least {}", k, k);
      return false;
    }
    ViewsOptions o;
    o.k = k;
    o.limits = limits(fmt::format("views of {} CPUs", k), k > 2 ? fallback_seconds : 0);
    ViewsResult result = views(program_, o);
    if (!result.proved) {
      why = result.reason;
      return false;
    }
    for (std::size_t c = 0; c < program_.commands.size(); ++c) {
      const auto& violation = program_.commands[c].violation;
      if (violation && violation->kind == Kind::bound && c < result.fired.size() && result.fired[c]) {
        why = "a value may leave its declared range with more CPUs";
        return false;
      }
    }
    CertificateInfo certificate;
    certificate.k = k;
    certificate.size = result.set.views.size();
    if (options_.report) options_.report("own check", certificate.size, 0);
    const bool ask_z3 = options_.z3.value_or(certificate.size <= z3_limit);
    // Both judges at once: they share nothing but what they judge.
    // Where memory is limited, one after the other: Z3 must not take the room that the own checker needs.
    std::future<Judgement> of_z3;
    const auto when = options_.memory_bytes > 0 ? std::launch::deferred : std::launch::async;
    if (ask_z3) of_z3 = std::async(when, [&] { return z3_check(program_, result.set, limits("z3")); });
    const Judgement own = own_check(program_, result.set, limits("own check"));
    if (own.undecided) {
      why = fmt::format("the proof was found, but not judged: {}", own.detail);
      return false;
    }
    if (!own.accepted)
      throw std::logic_error(fmt::format("a view set is not inductive: {} ({})", own.obligation, own.detail));
    certificate.checked_by.push_back("own");
    if (ask_z3) {
      if (options_.report) options_.report("z3", certificate.size, 0);
      const Judgement z3 = of_z3.get();
      if (z3.accepted)
        certificate.checked_by.push_back("z3");
      else if (z3.undecided)
        certificate.z3_note = z3.detail;
      else
        throw std::logic_error(
            fmt::format("Z3 rejects a view set that the own checker accepts: {} ({})", z3.obligation, z3.detail));
    } else {
      certificate.z3_note =
          options_.z3 ? "not asked"
                      : fmt::format("{} views are over {}; --z3 asks all the same", certificate.size, z3_limit);
    }
    Scope scope;
    scope.any = true;
    scope.memory = options_.memory;
    verdict_.scope = scope;
    verdict_.engine = "views";
    verdict_.certificate = certificate;
    verdict_.answer = Answer::proved;
    all_properties(scope, "views");
    fired_ = result.fired;
    if (options_.explain && k == 2) verdict_.known = explain(program_, result.set);
    const DeadlockProof deadlock = deadlock_free(program_, result.set, limits("deadlock"));
    if (deadlock.proved) {
      property("deadlock", Answer::proved, scope, "lock order");
    } else {
      if (searched < 3) {
        ExplicitResult more = search(3, fallback_seconds);
        if (!more.violations.empty()) {
          verdict_.certificate.reset();
          verdict_.properties.clear();
          violated(std::move(more), 3);
          return true;
        }
        if (more.complete) searched = 3;
      }
      property("deadlock", Answer::proved, scope_of(searched), "explicit", deadlock.reason);
      unknown(fmt::format("deadlock is excluded up to N = {} only ({}); all else is proved for any number of CPUs",
                          searched, deadlock.reason));
    }
    if (keep != nullptr) *keep = std::move(result.set);
    return true;
  }

  // ---- progress lines: a scope of their own, never part of `safe`
  void progress() {
    if (!options_.progress || program_.progress.empty() || verdict_.answer == Answer::violated ||
        options_.memory != "sc")
      return;
    ProgressOptions o;
    o.cpus = std::min(options_.cpus.value_or(2), 2U);
    o.limits = limits("progress", fallback_seconds);
    for (ProgressResult& result : check_progress(program_, o)) {
      property(fmt::format("progress({})", result.name), result.answer, scope_of(o.cpus), "fair cycles", result.reason);
      if (!result.violation) continue;
      replay_or_throw(program_, *result.violation, o.cpus);
      result.violation->scope = scope_of(o.cpus);
      verdict_.violations.push_back(std::move(*result.violation));
    }
  }

  // ---- vacuity, and what each look at an entry returned
  void finish_reads() {
    if (verdict_.answer != Answer::violated || options_.all_kinds) unreached();
    for (Counterexample& example : verdict_.violations) {
      if (example.scope.per_line.empty()) example.scope = verdict_.scope;
      for (std::size_t i = 0; i < example.steps.size(); ++i) {
        // a look sees what the step before left; an atomic step may write behind it
        const auto& seen = example.steps[i == 0 ? 0 : i - 1].state;
        for (step::Note& note : example.steps[i].notes) {
          if (!note.result.empty() || note.entry == step::no_id) continue;
          for (const SharedValue& value : seen)
            if (value.name == program_.entries[note.entry].name) note.result = value.value;
        }
      }
    }
  }

  void unreached() {
    if (covered_.empty() || covered_cpus_ == 0) return;
    const auto missing = [&] {
      for (std::size_t i = 0; i < covered_.size(); ++i)
        if (!covered_[i] && !program_.coverage[i].unreachable && maybe_later(i)) return true;
      return false;
    };
    // three CPUs may reach what two cannot; not asked when a proof says that no number does
    if (covered_cpus_ < vacuity_cpus && missing() && !options_.cpus) {
      const auto states = verdict_.states;
      (void)search(vacuity_cpus, 10);
      verdict_.states = states;
    }
    verdict_.unreached_cpus = covered_cpus_;
    for (std::size_t i = 0; i < covered_.size(); ++i)
      if (!covered_[i] && !program_.coverage[i].unreachable) verdict_.unreached.push_back(program_.coverage[i]);
  }

  // Could a command that covers this fire with more CPUs?
  bool maybe_later(std::size_t cover) const {
    if (fired_.empty()) return true;
    for (std::size_t c = 0; c < program_.commands.size(); ++c)
      if (fired_[c] && std::count(program_.commands[c].covers.begin(), program_.commands[c].covers.end(), cover) != 0)
        return true;
    return false;
  }

  const Program& program_;
  const CheckOptions& options_;
  Clock::time_point start_;
  Verdict verdict_;
  std::vector<bool> covered_;
  std::uint32_t covered_cpus_ = 0;
  std::vector<bool> fired_;
};

}  // namespace

Verdict check(const Program& program, const CheckOptions& options, ViewSet* keep) {
  return Checker(program, options).run(keep);
}

Verdict static_violation(const std::string& model, const std::string& variant, const step::Violation& violation) {
  Verdict verdict;
  verdict.model = model;
  verdict.variant = variant;
  verdict.answer = Answer::violated;
  verdict.engine = "front end";
  verdict.scope.any = true;
  Counterexample example;
  example.violation = violation;
  example.scope = verdict.scope;
  example.is_static = true;
  verdict.violations.push_back(std::move(example));
  verdict.properties.push_back({step::to_string(violation.kind), Answer::violated, verdict.scope, "front end", ""});
  return verdict;
}

}  // namespace faultline::check
