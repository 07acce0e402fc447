#include "tests/differential/random/engines.hpp"

#include <stdexcept>

#include "checker/certificate.hpp"
#include "checker/check.hpp"
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

std::string has_any_line(const step::Program& program, const Question&) {
  for (const step::Line& line : program.lines)
    if (line.cpus == 0) return {};
  return "the model fixes the number of CPUs";
}

Finding ask_views(const step::Program& program, const Question& question, std::uint32_t k, std::size_t max_views) {
  check::ViewsOptions options;
  options.k = k;
  options.max_views = max_views;
  options.limits.memory_bytes = question.memory_bytes;
  const check::ViewsResult result = check::views(program, options);
  Finding finding;
  finding.cpus = k;
  finding.reason = result.reason;
  if (!result.proved) return finding;
  for (std::size_t c = 0; c < program.commands.size(); ++c)
    if (result.fired[c] && program.commands[c].violation) {
      finding.reason = "a value may leave its declared range";
      return finding;
    }
  if (const check::Judgement own = check::own_check(program, result.set); !own.accepted)
    throw std::logic_error(fmt::format("own check rejects views of {}: {} ({})", k, own.obligation, own.detail));
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
  static const std::vector<Engine> all = {
      {"views of 2", 1, has_any_line,
       [](const step::Program& p, const Question& q) { return ask_views(p, q, 2, 2'000'000); }},
      {"views of 3", 10, has_any_line,
       [](const step::Program& p, const Question& q) { return ask_views(p, q, 3, 20'000); }},
      {"check", 1, always, ask_check},
  };
  return all;
}

}  // namespace faultline::differential
