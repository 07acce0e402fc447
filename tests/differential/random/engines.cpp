#include "tests/differential/random/engines.hpp"

#include <stdexcept>

#include "checker/certificate.hpp"
#include "checker/check.hpp"
#include "checker/engine.hpp"
#include "checker/engines.hpp"
#include "checker/views.hpp"
#include "fmt/format.h"

namespace faultline::differential {

using check::Answer;

std::string name_of(const step::Violation& violation) {
  const std::string kind = step::to_string(violation.kind);
  return violation.name.empty() ? kind : fmt::format("{}({})", kind, violation.name);
}

namespace {

std::string always(const step::Program&, const Question&) { return {}; }

constexpr std::uint32_t fixed_cpus = 2;  // for engines that answer for a fixed number

// The engines that take much longer than the others get a limit, and each `seldom`th model.
constexpr unsigned seldom = 50;
bool is_slow(const check::Engine& engine) { return engine.name != "explicit" && engine.name != "views"; }

check::Question question_of(const check::Engine& engine, const Question& question) {
  check::Question asked;
  if (!engine.any) asked.cpus = fixed_cpus;
  asked.limits.memory_bytes = question.memory_bytes;
  if (is_slow(engine)) asked.limits.seconds = question.slow_seconds;
  return asked;
}

Engine of_table(const check::Engine& engine) {
  const auto refuses = [&engine](const step::Program& program, const Question& question) {
    return engine.refuses(program, question_of(engine, question));
  };
  const auto run = [&engine](const step::Program& program, const Question& question) {
    const check::Finding found = check::ask(engine, program, question_of(engine, question));
    Finding finding;
    finding.answer = found.answer;
    finding.reason = found.reason;
    finding.exactly = !engine.any;
    if (!engine.any) finding.cpus = fixed_cpus;
    finding.safe_steps = found.safe_steps;
    if (found.answer == Answer::violated) {
      finding.violation = name_of(found.example.value().violation);
      finding.cpus = found.example->scope.cpus;
    }
    return finding;
  };
  return {engine.name, is_slow(engine) ? seldom : 1U, refuses, run};
}

std::string has_any_line(const step::Program& program, const Question&) {
  return check::has_any_line(program) ? "" : "the model fixes its number of CPUs";
}

Finding ask_views_of_3(const step::Program& program, const Question& question) {
  check::ViewsOptions options;
  options.k = 3;
  options.max_views = 20'000;
  options.limits.memory_bytes = question.memory_bytes;
  const check::ViewsResult result = check::views(program, options);
  Finding finding;
  finding.cpus = options.k;
  finding.reason = result.reason;
  if (!result.proved) return finding;
  if (const check::Judgement own = check::own_check(program, result.set); !own.accepted)
    throw std::logic_error(fmt::format("own check rejects views of 3: {} ({})", own.obligation, own.detail));
  finding.answer = Answer::proved;
  return finding;
}

Finding ask_check(const step::Program& program, const Question& question) {
  check::CheckOptions options;
  options.z3 = question.z3;
  options.progress = false;
  const check::Verdict verdict = check::check(program, options);
  Finding finding;
  finding.answer = verdict.answer;
  finding.reason = verdict.reason;
  if (verdict.answer == Answer::violated) {
    finding.cpus = verdict.scope.cpus;
    finding.fewest = true;
    finding.violation = name_of(verdict.violations.front().violation);
  } else if (verdict.answer == Answer::proved) {
    if (!verdict.scope.any && has_any_line(program, question).empty())
      throw std::logic_error("proved for some numbers of CPUs only, and not asked so");
    finding.deadlock = true;
  }
  return finding;
}

}  // namespace

const std::vector<Engine>& engines() {
  static const std::vector<Engine> all = [] {
    std::vector<Engine> list;
    for (const check::Engine& engine : check::engines())
      if (engine.name != "explicit") list.push_back(of_table(engine));
    list.push_back({"views of 3", 10, has_any_line, ask_views_of_3});
    list.push_back({"check", 1, always, ask_check});
    return list;
  }();
  return all;
}

std::vector<Engine> quick_engines() {
  std::vector<Engine> list = engines();
  std::erase_if(list, [](const Engine& e) {
    const check::Engine* engine = check::find_engine(e.name);
    return engine != nullptr && is_slow(*engine);
  });
  return list;
}

}  // namespace faultline::differential
