#include "checker/cross_check.hpp"

#include "fmt/format.h"

namespace faultline::check {
namespace {

struct Asked {
  std::string who;
  Question question;
  Finding finding;
};

// The verdict as a finding. Deadlocks and progress are no engine's question.
Asked of_verdict(const Verdict& verdict) {
  Asked asked{"the verdict", {}, {}};
  if (!verdict.scope.any) asked.question.cpus = verdict.scope.cpus;
  if (verdict.answer == Answer::proved) asked.finding.answer = Answer::proved;
  if (verdict.answer != Answer::violated || verdict.violations.empty()) return asked;
  const Counterexample& first = verdict.violations.front();
  if (first.is_static || first.violation.kind == step::Kind::deadlock || first.violation.kind == step::Kind::progress)
    return asked;
  asked.question.cpus = first.scope.cpus;
  asked.finding.answer = Answer::violated;
  asked.finding.example = first;
  return asked;
}

std::string cpus_of(const Question& question) {
  return question.cpus ? fmt::format("{} CPU{}", *question.cpus, *question.cpus == 1 ? "" : "s") : "any CPUs";
}

}  // namespace

void cross_check(const step::Program& program, const CheckOptions& options, const std::vector<Engine>& engines,
                 Verdict& verdict) {
  std::vector<Asked> all = {of_verdict(verdict)};
  const auto ask_one = [&](const Engine& engine, std::optional<std::uint32_t> cpus) {
    Question question{cpus, {}};
    question.limits.seconds = options.timeout > 0 ? options.timeout : seconds_each;
    question.limits.process_bytes = options.memory_bytes;
    if (options.report)
      question.limits.progress = [&](std::uint64_t states, std::uint32_t depth) {
        options.report(engine.name, states, depth);
      };
    EngineAnswer answer;
    answer.engine = engine.name;
    answer.scope.any = !cpus.has_value();
    answer.scope.memory = options.memory;
    if (cpus) {
      answer.scope.cpus = *cpus;
      answer.scope.per_line = step::cpus_per_line(program, *cpus);
    }
    answer.reason = engine.refuses(program, question);
    answer.asked = answer.reason.empty();
    if (answer.asked) {
      Asked asked{fmt::format("{} ({})", engine.name, cpus_of(question)), question, ask(engine, program, question)};
      answer.answer = asked.finding.answer;
      answer.reason = asked.finding.reason;
      answer.size = asked.finding.size;
      answer.unit = asked.finding.unit;
      answer.seconds = asked.finding.seconds;
      if (asked.finding.example) answer.steps = static_cast<std::uint32_t>(asked.finding.example->steps.size());
      for (const Asked& other : all) {
        const std::string what = contradiction(other.question, other.finding, asked.question, asked.finding);
        if (!what.empty()) verdict.contradictions.push_back(fmt::format("{} and {}: {}", other.who, asked.who, what));
      }
      all.push_back(std::move(asked));
    }
    verdict.engines.push_back(std::move(answer));
  };
  for (const Engine& engine : engines) {
    if (engine.any) {
      ask_one(engine, std::nullopt);
    } else if (options.cpus) {
      ask_one(engine, *options.cpus);
    } else {
      for (std::uint32_t cpus = 1; cpus <= 3; ++cpus) ask_one(engine, cpus);
    }
  }
}

}  // namespace faultline::check
