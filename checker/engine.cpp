// The table of engines, and what two answers have to agree on.
#include "checker/engine.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <numeric>
#include <stdexcept>

#include "checker/engines.hpp"
#include "fmt/format.h"
#include "step/replay.hpp"

namespace faultline::check {

const std::vector<Engine>& engines() {
  static const std::vector<Engine> table = {explicit_engine(), bmc_engine(),     kinduction_engine(),
                                            views_engine(),    datalog_engine(), backward_engine()};
  return table;
}

const Engine* find_engine(const std::string& name) {
  const auto found = std::find_if(engines().begin(), engines().end(), [&](const Engine& e) { return e.name == name; });
  return found == engines().end() ? nullptr : &*found;
}

Finding ask(const Engine& engine, const step::Program& program, const Question& question) {
  if (!takes(engine, question)) throw std::logic_error("a question that engine " + engine.name + " does not take");
  const auto start = std::chrono::steady_clock::now();
  Finding finding;
  try {
    finding = engine.ask(program, question);
  } catch (const std::bad_alloc&) {
    finding.reason = "memory ran out";
  } catch (const OverLimit& limit) {
    finding.reason = limit.what();
  } catch (const std::length_error& error) {  // a std::logic_error that is a limit
    finding.reason = error.what();
  }
  finding.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return finding;
}

void replay_or_throw(const step::Program& program, const Counterexample& example, std::uint32_t cpus) {
  std::vector<step::ReplayStep> steps;
  for (const TraceStep& s : example.steps)
    steps.push_back({s.index, s.command == no_command ? step::acknowledgement : s.command});
  const auto find = [&](const auto& list) {
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const auto& item) { return item.name == example.violation.name; });
    return static_cast<std::uint32_t>(found == list.end() ? 0 : found - list.begin());
  };
  step::ReplayEnd end;
  switch (example.violation.kind) {
    case step::Kind::deadlock: end.what = step::ReplayEnd::What::deadlock; break;
    case step::Kind::invariant:
      end.what = step::ReplayEnd::What::invariant;
      end.index = find(program.invariants);
      break;
    case step::Kind::progress:
      end.what = step::ReplayEnd::What::lasso;
      end.index = find(program.progress);
      end.loop = example.loop.value_or(steps.size());
      break;
    default: break;
  }
  const step::Replay replayed = step::replay(program, step::cpus_per_line(program, cpus), steps, end);
  if (!replayed.ok)
    throw std::logic_error(fmt::format("a counterexample ({}) does not replay: {}",
                                       step::to_string(example.violation.kind), replayed.why));
}

bool has_any_line(const step::Program& program) {
  return std::any_of(program.lines.begin(), program.lines.end(), [](const step::Line& l) { return l.cpus == 0; });
}

std::optional<Finding> search_fewer_than(std::uint32_t k, const step::Program& program, const Limits& limits) {
  const Watch watch(limits);
  for (std::uint32_t n = 1;; ++n) {
    const auto lines = step::cpus_per_line(program, n);
    if (std::accumulate(lines.begin(), lines.end(), 0U) >= k) return std::nullopt;
    Question few{n, limits};
    few.limits.seconds = watch.left();
    const Finding found = ask(*find_engine("explicit"), program, few);
    if (found.answer != Answer::proved) return found;
  }
}

namespace {

// Everything that `q` asks about is part of what `r` asks about. (More CPUs can do what fewer can only where idle ones
// pass unnoticed, which a program need not keep to.)
bool within(const Question& q, const Question& r) { return !r.cpus || q.cpus == r.cpus; }

std::string one_way(const Question& question, const Finding& a, const Question& r, const Finding& b) {
  if (a.answer != Answer::violated) return {};
  Question q = question;  // a violation is one of the CPUs that its trace needs
  if (a.example) q.cpus = a.example->scope.cpus;
  const std::size_t steps = a.example ? a.example->steps.size() : 0;
  if (b.answer == Answer::proved && within(q, r)) return fmt::format("violated in {} steps against proved", steps);
  if (b.safe_steps && within(q, r) && a.example && *b.safe_steps >= steps)
    return fmt::format("violated in {} steps against none within {}", steps, *b.safe_steps);
  return {};
}

}  // namespace

std::string contradiction(const Question& q, const Finding& a, const Question& r, const Finding& b) {
  const std::string first = one_way(q, a, r, b);
  return first.empty() ? one_way(r, b, q, a) : first;
}

}  // namespace faultline::check
