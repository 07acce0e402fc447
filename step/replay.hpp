// Replays a trace with the reference interpreter: does this sequence of steps really lead from the initial state to
// what it claims? No counterexample is printed before this says yes.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "step/state.hpp"

namespace faultline::step {

// One step: CPU `cpu` (its index in the initial state) runs Program::commands[command], or acknowledges some flush that
// awaits it. Which outcome of `fresh`, and which flush is acknowledged, is not said: all possibilities are followed.
inline constexpr std::uint32_t acknowledgement = 0xffffffff;
struct ReplayStep {
  std::uint32_t cpu = 0;
  std::uint32_t command = acknowledgement;
};

// What the trace claims to end in.
struct ReplayEnd {
  enum class What : std::uint8_t {
    violation,  // the last step is an enabled violation command
    invariant,  // after the last step Program::invariants[index] does not hold
    deadlock,   // after the last step some CPU is inside a handler and nobody can go on
    lasso,  // Program::progress[index] fails: the steps from `loop` on lead back to where they began, can be repeated
            // for ever under the fairness of the semantics, and some CPU waits for q all the time. loop ==
            // steps.size(): the last state may last for ever
  };
  What what = What::violation;
  std::uint32_t index = 0;
  std::size_t loop = 0;
};

struct Replay {
  bool ok = false;
  std::string why;            // not ok: the first step that cannot run, or what the end lacks
  std::vector<State> states;  // ok: one run, the initial state first; steps.size() + 1 of them
};

// `cpus_per_line` as for initial_state. A step out of range (CPU, command, index, loop) is not ok; nothing throws but
// the interpreter's own limits (std::length_error).
[[nodiscard]] Replay replay(const Program& program, const std::vector<std::uint32_t>& cpus_per_line,
                            const std::vector<ReplayStep>& steps, const ReplayEnd& end);

// Some CPU is inside a handler, no CPU inside a handler has an enabled command and no CPU at all can acknowledge. Idle
// CPUs that could start a handler do not help.
[[nodiscard]] bool deadlocked(const Program& program, const State& state);

}  // namespace faultline::step
