// One interface for all engines: a question about one Program, and an answer that the other engines may contradict.
//
// The question leaves deadlock and progress out: those have proof rules of their own (deadlock.hpp, progress.hpp).
#pragma once
#include "checker/explicit.hpp"

namespace faultline::check {

// Can a violation command run, or an invariant fail?
struct Question {
  std::optional<std::uint32_t> cpus;  // on each any-line; absent: with any number of them
  Limits limits{};
};

struct Finding {
  Answer answer = Answer::unknown;
  std::string reason;  // of `unknown`: why, and what was covered
  // violated: replayed by the reference interpreter before it is returned.
  std::optional<Counterexample> example;
  // For a fixed number of CPUs, what an `unknown` still claims: no run of at most so many steps violates anything.
  std::optional<std::uint32_t> safe_steps;
  std::uint64_t size = 0;  // how much was looked at, in `unit`s
  std::string unit;        // "states", "views", "steps"
  double seconds = 0;
};

struct Engine {
  std::string name;  // as --engine takes it
  std::string what;  // one line for a table
  // Why it does not take the question: a phrase; empty when it does.
  std::string (*refuses)(const step::Program& program, const Question& question);
  Finding (*ask)(const step::Program& program, const Question& question);
};

// All of them, in the order in which tables show them.
[[nodiscard]] const std::vector<Engine>& engines();
[[nodiscard]] const Engine* find_engine(const std::string& name);  // null if there is none

// Asks, and measures. What the engine throws for want of memory or objects becomes `unknown`; a std::logic_error (a
// fault of Faultline) goes through.
[[nodiscard]] Finding ask(const Engine& engine, const step::Program& program, const Question& question);

// Throws std::logic_error unless the reference interpreter agrees with the trace. `cpus` of each any-line.
void replay_or_throw(const step::Program& program, const Counterexample& example, std::uint32_t cpus);

// What two findings about one Program cannot both say; empty if they agree. Questions as they were asked.
[[nodiscard]] std::string contradiction(const Question& q, const Finding& a, const Question& r, const Finding& b);

}  // namespace faultline::check
