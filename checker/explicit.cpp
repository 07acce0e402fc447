// Proof rule: every state that the CPUs can reach from the start in any interleaving is visited, up to renaming CPUs of
// one line and objects (both are automorphisms of the Program); so what no visited state shows, no run shows.
//
// Breadth first, so the first violation found is at minimal depth. Which of the traces of that length is printed is not
// left to the search: search/shortest.hpp.
#include "checker/explicit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "checker/engines.hpp"
#include "checker/search/crew.hpp"
#include "checker/search/narrate.hpp"

namespace faultline::check {
namespace {

using search::Byte;
using search::Closed;
using search::Groups;
using search::StateSet;
using Clock = std::chrono::steady_clock;

class Explorer {
 public:
  Explorer(const step::Program& program, const ExplicitOptions& options)
      : program_(program),
        options_(options),
        crew_(job(program, options)),
        closed_(crew_.closed()),
        states_(closed_.words()),
        groups_(crew_.seen().groups) {}

  ExplicitResult run() {
    try {
      result_.complete = search();
      if (groups_.fewest != Groups::not_found && (result_.complete || options_.all_kinds)) report();
    } catch (const search::TooManyObjects& e) {
      result_.reason = e.what();
    } catch (const OverLimit& e) {
      result_.complete = false;
      result_.reason = e.what() + no_trace();
    }
    result_.states = states_.size();
    // The last mark is where a limit, or nothing new, ended the search.
    if (!levels_.first.empty()) result_.within.assign(levels_.first.begin() + 1, levels_.first.end());
    if (!result_.complete && !result_.within.empty()) result_.within.pop_back();
    result_.transitions = crew_.seen().transitions;
    result_.bound_hit = crew_.seen().bound_hit;
    result_.covered.assign(program_.coverage.size(), false);
    const std::vector<Byte>& fired = crew_.seen().fired;
    for (std::size_t i = 0; i < fired.size(); ++i) {
      if (fired[i] == 0) continue;
      const auto& violation = program_.commands[i].violation;
      if (violation && violation->kind == step::Kind::bound && result_.bound_reason.empty())
        result_.bound_reason = fmt::format("line {}: {}", violation->span.line, violation->message);
      for (const std::uint32_t item : program_.commands[i].covers) result_.covered[item] = true;
    }
    return std::move(result_);
  }

 private:
  // False when a limit ended it.
  bool search() {
    std::vector<std::uint64_t> key(closed_.words());
    closed_.encode(closed_.initial().data(), key.data());
    states_.insert(key.data());
    levels_.states = &states_;
    levels_.first = {0, 1};
    for (std::uint32_t level = 0;; ++level) {
      result_.depth = level;
      // A violation as the last of `level + 1` steps may tie with one in a state after that many: those are looked at
      // too.
      const bool only_look = !options_.all_kinds && groups_.fewest <= level;
      const auto may_go_on = [&](std::size_t more) { return !over_limit(level, more); };
      if (!crew_.expand(states_, levels_.first[level], levels_.first[level + 1], level, only_look, may_go_on)) {
        levels_.first.push_back(states_.size());
        return false;
      }
      if (only_look || (!options_.all_kinds && groups_.fewest <= level)) return true;
      if (states_.size() == levels_.first[level + 1]) return true;
      levels_.first.push_back(states_.size());
    }
  }

  static search::Crew::Job job(const step::Program& program, const ExplicitOptions& options) {
    search::Crew::Job job{program, step::cpus_per_line(program, options.cpus)};
    job.merge = options.reduction ? search::Merge::cpus : search::Merge::nothing;
    job.deadlock = options.deadlock;
    job.threads = options.limits.threads != 0 ? options.limits.threads : std::thread::hardware_concurrency();
    job.worth_a_thread = options.worth_a_thread;
    return job;
  }

  bool over_limit(std::uint32_t level, std::size_t more) {
    const Limits& limits = options_.limits;
    const auto now = Clock::now();
    if (limits.progress && now - reported_ > std::chrono::milliseconds(500)) {
      reported_ = now;
      limits.progress(states_.size(), level);
    }
    // Once a violation is found, the level has to be finished: the shortest trace depends on all of it.
    const bool found = !options_.all_kinds && groups_.fewest != Groups::not_found;
    const char* reason =
        (found ? trace_watch_ : watch_).over(states_.growth(more + to_spare), found ? 0 : states_.bytes());
    if (reason == nullptr) return false;
    const std::string covered = ": all states within " + std::to_string(level) + " steps were covered";
    result_.reason = reason + (found ? no_trace() : covered);
    return true;
  }

  [[nodiscard]] std::string no_trace() const {
    return ": a violation after " + std::to_string(groups_.fewest) + " steps was found, but not its shortest trace";
  }

  Limits trace_limits() const {
    Limits limits = options_.limits;
    if (options_.finish) limits.seconds = 0;
    return limits;
  }

  void report() {
    std::vector<search::Target> targets;
    std::vector<std::uint32_t> order;
    for (std::uint32_t g = 0; g < groups_.steps.size(); ++g) {
      if (groups_.steps[g] != Groups::not_found && (options_.all_kinds || groups_.steps[g] == groups_.fewest))
        order.push_back(g);
    }
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return groups_.steps[a] < groups_.steps[b]; });
    if (options_.all_kinds) {
      for (const std::uint32_t g : order) targets.push_back(target({g}));
    } else {
      targets.push_back(target(order));
      result_.depth = groups_.fewest;
    }
    const auto paths = search::shortest_paths(closed_, levels_, targets, trace_watch_);
    for (std::size_t t = 0; t < paths.size(); ++t) result_.violations.push_back(counterexample(targets[t], paths[t]));
  }

  search::Target target(const std::vector<std::uint32_t>& groups) const {
    const auto wanted = [&](std::uint32_t g) { return std::find(groups.begin(), groups.end(), g) != groups.end(); };
    search::Target target;
    target.steps = groups_.steps[groups.front()];
    for (const std::uint32_t g : groups_.of_command) target.commands.push_back(wanted(g));
    for (const std::uint32_t g : groups_.of_invariant) target.invariants.push_back(wanted(g));
    target.deadlock = wanted(groups_.deadlock);
    return target;
  }

  Counterexample counterexample(const search::Target& target, const search::Path& path) {
    Counterexample example;
    example.scope.cpus = options_.cpus;
    example.scope.per_line = closed_.per_line();
    example.steps = search::narrate(closed_, path);
    if (!path.moves.empty() && path.moves.back().code != nullptr && path.moves.back().code->violation) {
      example.violation = *program_.commands[path.moves.back().code->index].violation;
      return example;
    }
    const std::vector<Byte> s = search::last_state(closed_, path);
    for (std::size_t i = 0; i < target.invariants.size(); ++i) {
      const step::Invariant& invariant = program_.invariants[i];
      if (!target.invariants[i] || closed_.machine().holds(s.data(), invariant)) continue;
      example.violation = {step::Kind::invariant, invariant.name, "invariant " + invariant.name + " does not hold",
                           invariant.span};
      return example;
    }
    example.violation = search::describe_deadlock(closed_, path);
    return example;
  }

  static constexpr std::size_t to_spare = 16'384;  // states; what workers keep is not counted
  const step::Program& program_;
  const ExplicitOptions& options_;
  search::Crew crew_;
  Closed& closed_;
  StateSet states_;
  search::Levels levels_;
  const Groups& groups_;
  Watch watch_{options_.limits}, trace_watch_{trace_limits()};
  Clock::time_point reported_ = Clock::now();
  ExplicitResult result_;
};

}  // namespace

ExplicitResult explore(const step::Program& program, const ExplicitOptions& options) {
  std::uint32_t cpus = 0;
  for (const std::uint32_t n : step::cpus_per_line(program, options.cpus)) cpus += n;
  if (cpus > step::max_cpus) {
    ExplicitResult result;
    result.reason =
        std::to_string(cpus) + " CPUs in all, and the explicit search takes at most " + std::to_string(step::max_cpus);
    result.covered.assign(program.coverage.size(), false);
    return result;
  }
  return Explorer(program, options).run();
}

Engine explicit_engine() {
  Engine engine;
  engine.name = "explicit";
  engine.what = "every reachable state, CPUs and objects merged";
  engine.refuses = [](const step::Program&, const Question&) { return std::string(); };
  engine.ask = [](const step::Program& program, const Question& question) {
    ExplicitOptions options;
    options.cpus = question.cpus.value_or(1);
    options.deadlock = false;
    options.limits = question.limits;
    ExplicitResult result = explore(program, options);
    Finding finding;
    finding.size = result.states;
    finding.unit = "states";
    if (!result.violations.empty()) {
      replay_or_throw(program, result.violations.front(), options.cpus);
      finding.answer = Answer::violated;
      finding.example = std::move(result.violations.front());
    } else if (!result.complete) {
      finding.reason = result.reason;
    } else if (result.bound_hit) {
      finding.reason = result.bound_reason;
    } else {
      finding.answer = Answer::proved;
    }
    return finding;
  };
  return engine;
}

}  // namespace faultline::check
