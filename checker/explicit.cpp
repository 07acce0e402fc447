// Proof rule: every state that the CPUs can reach from the start in any interleaving is visited, up to renaming CPUs of
// one line and objects (both are automorphisms of the Program); so what no visited state shows, no run shows.
//
// Breadth first, so the first violation found is at minimal depth. Which of the traces of that length is printed is not
// left to the search: search/shortest.hpp.
#include "checker/explicit.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <stdexcept>

#include "checker/engines.hpp"
#include "checker/search/narrate.hpp"
#include "checker/search/successors.hpp"

namespace faultline::check {
namespace {

using search::Byte;
using search::Closed;
using search::Move;
using search::StateSet;
using Clock = std::chrono::steady_clock;

// The groups that violations are counted in: one for each kind and name.
class Groups {
 public:
  static constexpr std::uint32_t not_found = 0xffffffff;

  explicit Groups(const step::Program& program) {
    std::map<std::pair<step::Kind, std::string>, std::uint32_t> ids;
    const auto id = [&](step::Kind kind, const std::string& name) {
      return ids.emplace(std::pair{kind, name}, static_cast<std::uint32_t>(ids.size())).first->second;
    };
    for (const step::Command& command : program.commands) {
      of_command.push_back(command.violation ? id(command.violation->kind, command.violation->name) : not_found);
    }
    for (const step::Invariant& invariant : program.invariants) {
      of_invariant.push_back(id(step::Kind::invariant, invariant.name));
    }
    deadlock = id(step::Kind::deadlock, "");
    steps.assign(ids.size(), not_found);
  }

  void found(std::uint32_t group, std::uint32_t in_steps) {
    steps[group] = std::min(steps[group], in_steps);
    fewest = std::min(fewest, in_steps);
  }

  std::vector<std::uint32_t> of_command, of_invariant;
  std::uint32_t deadlock = 0;
  std::vector<std::uint32_t> steps;  // of the shortest trace found
  std::uint32_t fewest = not_found;
};

class Explorer {
 public:
  Explorer(const step::Program& program, const ExplicitOptions& options)
      : program_(program),
        options_(options),
        closed_(program, step::cpus_per_line(program, options.cpus),
                options.reduction ? search::Merge::cpus : search::Merge::nothing),
        successors_(closed_),
        states_(closed_.words()),
        groups_(program),
        fired_(program.commands.size()),
        batch_(batch_size * closed_.words()) {
    successors_.write_to(batch_.data());
  }

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
    result_.covered.assign(program_.coverage.size(), false);
    for (std::size_t i = 0; i < fired_.size(); ++i) {
      if (fired_[i] == 0) continue;
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
      for (StateSet::Index i = levels_.first[level]; i < levels_.first[level + 1]; ++i) {
        if ((i & 255) == 0 && over_limit(level)) return false;
        expand(i, level, only_look);
      }
      flush();
      if (only_look || (!options_.all_kinds && groups_.fewest <= level)) return true;
      if (states_.size() == levels_.first[level + 1]) return true;
      levels_.first.push_back(states_.size());
    }
  }

  void expand(StateSet::Index index, std::uint32_t level, bool only_look) {
    successors_.look_at(states_[index]);
    for (std::size_t i = 0; i < program_.invariants.size(); ++i) {
      if (!closed_.machine().holds(successors_.flat(), program_.invariants[i]))
        groups_.found(groups_.of_invariant[i], level);
    }
    if (only_look) {
      if (options_.deadlock && closed_.deadlocked(successors_.flat())) groups_.found(groups_.deadlock, level);
      return;
    }
    const bool goes_on = successors_.each([&](const Move& move, std::uint32_t times) {
      if (move.code != nullptr) {
        fired_[move.code->index] = 1;
        if (move.code->bound) result_.bound_hit = true;
        if (move.code->violation) {
          if (!move.code->bound) groups_.found(groups_.of_command[move.code->index], level + 1);
          return;
        }
      }
      result_.transitions += times;
      add();
    });
    if (options_.deadlock && !goes_on) groups_.found(groups_.deadlock, level);
  }

  // States are inserted in small batches, so that the table's memory is on its way when it is needed.
  void add() {
    const std::uint64_t* key = batch_.data() + waiting_ * closed_.words();
    hashes_[waiting_] = states_.hash(key);
    states_.prefetch(hashes_[waiting_]);
    if (++waiting_ == batch_size) flush();
    successors_.write_to(batch_.data() + waiting_ * closed_.words());
  }
  void flush() {
    for (std::size_t i = 0; i < waiting_; ++i) states_.insert(batch_.data() + i * closed_.words(), hashes_[i]);
    waiting_ = 0;
    successors_.write_to(batch_.data());
  }

  bool over_limit(std::uint32_t level) {
    const Limits& limits = options_.limits;
    const auto now = Clock::now();
    if (limits.progress && now - reported_ > std::chrono::milliseconds(500)) {
      reported_ = now;
      limits.progress(states_.size(), level);
    }
    // Once a violation is found, the level has to be finished: the shortest trace depends on all of it.
    const bool found = !options_.all_kinds && groups_.fewest != Groups::not_found;
    const char* reason =
        (found ? trace_watch_ : watch_).over(states_.growth(until_next_look), found ? 0 : states_.bytes());
    if (reason == nullptr) return false;
    const std::string covered = ": all states within " + std::to_string(level) + " steps were covered";
    result_.reason = reason + (found ? no_trace() : covered);
    waiting_ = 0;  // to insert them may take more memory
    levels_.first.push_back(states_.size());
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

  static constexpr std::size_t batch_size = 64;
  static constexpr std::size_t until_next_look = 16'384;  // states that 256 others may lead to
  const step::Program& program_;
  const ExplicitOptions& options_;
  Closed closed_;
  search::Successors successors_;
  StateSet states_;
  search::Levels levels_;
  Groups groups_;
  std::vector<Byte> fired_;  // per command
  std::vector<std::uint64_t> batch_;
  std::array<std::uint64_t, batch_size> hashes_{};
  std::size_t waiting_ = 0;
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
      finding.reason = "a value left its declared range";
    } else {
      finding.answer = Answer::proved;
    }
    return finding;
  };
  return engine;
}

}  // namespace faultline::check
