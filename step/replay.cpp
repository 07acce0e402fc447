// The trace is run on a set of states, because `fresh` and acknowledgements may have several outcomes; a level keeps
// one state of each kind up to names of objects, and which state of the level before it came from.
#include "step/replay.hpp"

#include <algorithm>
#include <functional>

#include "step/interpreter.hpp"

namespace faultline::step {
namespace {

// The same state with objects named in order of first occurrence, and no trace of unnamed ones.
State with_ordered_names(const Program& program, const State& state) {
  State result = state;
  std::array<std::uint8_t, max_objects + 1> name{};
  result.objects = 0;
  result.bits = {};
  result.types = {};
  const auto rename = [&](std::uint8_t& object) {
    if (object == 0) return;
    if (name[object] == 0) {
      name[object] = ++result.objects;
      result.bits[result.objects] = state.bits[object];
      result.types[result.objects] = state.types[object];
    }
    object = name[object];
  };
  for (std::size_t p = 0; p < program.places.size(); ++p) rename(result.places[p]);
  for (std::size_t i = 0; i < state.cpus; ++i) {
    for (std::size_t h = 0; h < program.handles.size(); ++h) rename(result.cpu[i].handles[h]);
  }
  return result;
}

using Found = std::function<void(const State&)>;

void successors(const Program& program, const State& state, const ReplayStep& step, const Found& found) {
  if (step.command != acknowledgement) {
    run(program, state, step.cpu, program.commands[step.command], World::closed, found);
    return;
  }
  for (std::size_t kind = 0; kind < program.awaits.size(); ++kind) {
    for (std::size_t sender = 0; sender < state.cpus; ++sender) {
      if (can_acknowledge(program, state, step.cpu, sender, kind)) {
        found(acknowledge(program, state, step.cpu, sender, kind));
      }
    }
  }
}

// Is a command of that kind enabled?
bool can_run(const Program& program, const State& state, std::size_t cpu,
             const std::function<bool(const Command&)>& which) {
  bool enabled = false;
  for (const Command& command : program.commands) {
    if (enabled || command.from != state.cpu[cpu].pc || !which(command)) continue;
    run(program, state, cpu, command, World::closed, [&](const State&) { enabled = true; });
  }
  return enabled;
}

bool inside_handler(const Program& program, const State& state, std::size_t cpu) {
  return program.locations[state.cpu[cpu].pc].handler != no_id;
}

struct Node {
  State state;
  std::size_t parent = 0;  // in the level before
};
using Level = std::vector<Node>;

Level next_level(const Program& program, const Level& level, const ReplayStep& step) {
  Level result;
  for (std::size_t n = 0; n < level.size(); ++n) {
    successors(program, level[n].state, step, [&](const State& state) {
      State ordered = with_ordered_names(program, state);
      const auto same = [&](const Node& node) { return node.state == ordered; };
      if (std::none_of(result.begin(), result.end(), same)) result.push_back({std::move(ordered), n});
    });
  }
  return result;
}

std::vector<State> path_to(const std::vector<Level>& levels, std::size_t node) {
  std::vector<State> states(levels.size());
  for (std::size_t depth = levels.size(); depth-- > 0;) {
    states[depth] = levels[depth][node].state;
    node = levels[depth][node].parent;
  }
  return states;
}

// The fairness that progress rests on, over the states of a loop. A CPU that moves in the loop gets its share; one that
// never moves must be idle, or have no step that is enabled all the time, and no lock or wait that is enabled even
// once.
bool fair(const Program& program, const std::vector<State>& loop, const std::vector<ReplayStep>& steps,
          std::size_t first) {
  for (std::size_t cpu = 0; cpu < loop.front().cpus; ++cpu) {
    const bool moves = std::any_of(steps.begin() + static_cast<std::ptrdiff_t>(first), steps.end(),
                                   [&](const ReplayStep& s) { return s.cpu == cpu && s.command != acknowledgement; });
    if (moves || !inside_handler(program, loop.front(), cpu)) continue;
    const auto plain = [](const Command& command) { return !command.may_block; };
    const auto blocking = [](const Command& command) { return command.may_block; };
    if (std::all_of(loop.begin(), loop.end(), [&](const State& s) { return can_run(program, s, cpu, plain); }))
      return false;
    if (std::any_of(loop.begin(), loop.end(), [&](const State& s) { return can_run(program, s, cpu, blocking); }))
      return false;
  }
  // A pending acknowledgement that stays possible is a step like any other.
  for (std::size_t cpu = 0; cpu < loop.front().cpus; ++cpu) {
    for (std::size_t sender = 0; sender < loop.front().cpus; ++sender) {
      for (std::size_t kind = 0; kind < program.awaits.size(); ++kind) {
        const auto pending = [&](const State& s) { return can_acknowledge(program, s, cpu, sender, kind); };
        if (std::all_of(loop.begin(), loop.end(), pending)) return false;
      }
    }
  }
  return true;
}

// Does some CPU wait for q from a state with p on, through the whole loop?
bool some_cpu_waits(const Program& program, const Progress& progress, const std::vector<State>& states,
                    std::size_t loop) {
  for (std::size_t cpu = 0; cpu < states.front().cpus; ++cpu) {
    bool waiting = false;
    bool all_through = true;
    for (std::size_t n = 0; n < states.size(); ++n) {
      if (evaluate(program, states[n], cpu, cpu, progress.p) != 0) waiting = true;
      if (evaluate(program, states[n], cpu, cpu, progress.q) != 0) waiting = false;
      if (n >= loop) all_through = all_through && evaluate(program, states[n], cpu, cpu, progress.q) == 0;
    }
    if (waiting && all_through) return true;
  }
  return false;
}

Replay refused(std::string why) {
  Replay result;
  result.why = std::move(why);
  return result;
}

// Follows the loop from each possible state at its start; the loop must come back to that very state.
Replay close_lasso(const Program& program, const std::vector<Level>& stem, const std::vector<ReplayStep>& steps,
                   const ReplayEnd& end) {
  const Progress& progress = program.progress[end.index];
  std::string why = "the loop does not lead back to where it began";
  for (std::size_t start = 0; start < stem.back().size(); ++start) {
    std::vector<State> states = path_to(stem, start);
    Replay result;
    const std::function<void()> go_on = [&]() {
      if (result.ok) return;
      if (states.size() == steps.size() + 1) {
        if (!(states.back() == states[end.loop])) return;
        const std::vector<State> loop(states.begin() + static_cast<std::ptrdiff_t>(end.loop), states.end());
        if (!some_cpu_waits(program, progress, states, end.loop)) {
          why = "no CPU waits for " + progress.name + " all through the loop";
        } else if (!fair(program, loop, steps, end.loop)) {
          why = "the loop is not fair";
        } else {
          result = {true, "", states};
        }
        return;
      }
      const State last = states.back();
      successors(program, last, steps[states.size() - 1], [&](const State& next) {
        states.push_back(with_ordered_names(program, next));
        go_on();
        states.pop_back();
      });
    };
    go_on();
    if (result.ok) return result;
  }
  return refused(why);
}

bool in_range(const Program& program, std::size_t cpus, const std::vector<ReplayStep>& steps, const ReplayEnd& end) {
  for (const ReplayStep& step : steps) {
    if (step.cpu >= cpus || (step.command != acknowledgement && step.command >= program.commands.size())) return false;
  }
  switch (end.what) {
    case ReplayEnd::What::violation: return !steps.empty() && steps.back().command != acknowledgement;
    case ReplayEnd::What::invariant: return end.index < program.invariants.size();
    case ReplayEnd::What::deadlock: return true;
    case ReplayEnd::What::lasso: return end.index < program.progress.size() && end.loop <= steps.size();
  }
  return false;
}

}  // namespace

bool deadlocked(const Program& program, const State& state) {
  bool somebody = false;
  for (std::size_t cpu = 0; cpu < state.cpus; ++cpu) {
    for (std::size_t kind = 0; kind < program.awaits.size(); ++kind) {
      for (std::size_t sender = 0; sender < state.cpus; ++sender) {
        if (can_acknowledge(program, state, cpu, sender, kind)) return false;
      }
    }
    somebody = somebody || inside_handler(program, state, cpu);
    if (!ends_deadlock(program, state.cpu[cpu].pc)) continue;
    if (can_run(program, state, cpu, [](const Command&) { return true; })) return false;
  }
  return somebody;
}

Replay replay(const Program& program, const std::vector<std::uint32_t>& cpus_per_line,
              const std::vector<ReplayStep>& steps, const ReplayEnd& end) {
  const State initial = initial_state(program, cpus_per_line);
  if (!in_range(program, initial.cpus, steps, end))
    return refused("a step or the end names something that is not there");

  const std::size_t straight = end.what == ReplayEnd::What::lasso ? end.loop : steps.size();
  std::vector<Level> levels{{{initial, 0}}};
  for (std::size_t n = 0; n < straight; ++n) {
    const ReplayStep& step = steps[n];
    const bool violates = step.command != acknowledgement && program.commands[step.command].violation.has_value();
    const bool may_violate = end.what == ReplayEnd::What::violation && n + 1 == steps.size();
    if (violates != may_violate)
      return refused("step " + std::to_string(n + 1) + (violates ? " is a violation" : " is no violation"));
    levels.push_back(next_level(program, levels.back(), step));
    if (levels.back().empty()) return refused("step " + std::to_string(n + 1) + " cannot run");
  }
  switch (end.what) {
    case ReplayEnd::What::lasso: return close_lasso(program, levels, steps, end);
    case ReplayEnd::What::violation: return {true, "", path_to(levels, 0)};
    case ReplayEnd::What::invariant:
    case ReplayEnd::What::deadlock:
      for (std::size_t node = 0; node < levels.back().size(); ++node) {
        const State& last = levels.back()[node].state;
        const bool reached = end.what == ReplayEnd::What::deadlock
                                 ? deadlocked(program, last)
                                 : !holds(program, last, program.invariants[end.index]);
        if (reached) return {true, "", path_to(levels, node)};
      }
  }
  return refused(end.what == ReplayEnd::What::deadlock ? "somebody can still move" : "the invariant holds at the end");
}

}  // namespace faultline::step
