// What looks at states in the explicit search, and what it has seen there. A thread has one of its own; workers share
// nothing.
#pragma once
#include <algorithm>

#include "checker/search/successors.hpp"

namespace faultline::check::search {

// The groups that violations are counted in: one for each kind and name.
class Groups {
 public:
  static constexpr std::uint32_t not_found = 0xffffffff;

  explicit Groups(const step::Program& program);

  void found(std::uint32_t group, std::uint32_t in_steps) {
    steps[group] = std::min(steps[group], in_steps);
    fewest = std::min(fewest, in_steps);
  }
  void add(const Groups& other);
  void clear();  // as if nothing had been found

  std::vector<std::uint32_t> of_command, of_invariant;
  std::uint32_t deadlock = 0;
  std::vector<std::uint32_t> steps;  // of the shortest trace found
  std::uint32_t fewest = not_found;
};

// What was seen, whatever the order it was seen in.
struct Seen {
  explicit Seen(const step::Program& program) : groups(program), fired(program.commands.size()) {}
  void add(const Seen& other);
  void clear();

  Groups groups;
  std::vector<Byte> fired;  // per command
  bool bound_hit = false;
  std::uint64_t transitions = 0;
};

class Worker {
 public:
  Worker(const step::Program& program, const std::vector<std::uint32_t>& cpus_per_line, Merge merge, bool deadlock)
      : program_(program), closed_(program, cpus_per_line, merge), successors_(closed_), deadlock_(deadlock) {}

  [[nodiscard]] Closed& closed() { return closed_; }
  // Where the next state is written to.
  void write_to(std::uint64_t* key) { successors_.write_to(key); }

  // Looks at a state that `level` steps reach. `only_look`: it is not left. Calls reached() for each state after it.
  template <class Reached>
  void expand(const std::uint64_t* state, std::uint32_t level, bool only_look, Seen& seen, Reached&& reached);

 private:
  const step::Program& program_;
  Closed closed_;
  Successors successors_;
  bool deadlock_;
};

template <class Reached>
void Worker::expand(const std::uint64_t* state, std::uint32_t level, bool only_look, Seen& seen, Reached&& reached) {
  Groups& groups = seen.groups;
  successors_.look_at(state);
  for (std::size_t i = 0; i < program_.invariants.size(); ++i) {
    if (!closed_.machine().holds(successors_.flat(), program_.invariants[i]))
      groups.found(groups.of_invariant[i], level);
  }
  if (only_look) {
    if (deadlock_ && closed_.deadlocked(successors_.flat())) groups.found(groups.deadlock, level);
    return;
  }
  const bool goes_on = successors_.each([&](const Move& move, std::uint32_t times) {
    if (move.code != nullptr) {
      seen.fired[move.code->index] = 1;
      if (move.code->bound) seen.bound_hit = true;
      if (move.code->violation) {
        if (!move.code->bound) groups.found(groups.of_command[move.code->index], level + 1);
        return;
      }
    }
    seen.transitions += times;
    reached();
  });
  if (deadlock_ && !goes_on) groups.found(groups.deadlock, level);
}

}  // namespace faultline::check::search
