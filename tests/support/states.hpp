// States in the plainest possible form: an oracle for the engines' canonical forms, built on the reference interpreter
// only.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "step/interpreter.hpp"

namespace faultline::testing {

// Equal for two states iff they differ only in names of objects and the order of CPUs of one line: the least text over
// all orders.
using Form = std::string;
Form form(const step::Program& program, const step::State& state);
// The same with CPUs kept apart.
Form plain_form(const step::Program& program, const step::State& state);

// One successor: command == no_command for an acknowledgement.
struct Successor {
  std::uint32_t cpu = 0;
  std::uint32_t command = 0xffffffff;
  step::State state;  // of a violation: the state at the violation
};
std::vector<Successor> successors(const step::Program& program, const step::State& state);

// Every state reachable with n CPUs on each any-line, once per form.
void for_each_reachable(const step::Program& program, std::uint32_t n,
                        const std::function<void(const step::State&)>& found);

// How many states there are with CPUs in order and objects as the interpreter names them, from a pool of which the
// lowest free name is taken; nothing beyond `limit`.
std::optional<std::size_t> pool_states(const step::Program& program, std::uint32_t n, std::size_t limit);

// What k of the CPUs see.
void for_each_subset(const step::State& state, std::uint32_t k, const std::function<void(const step::State&)>& found);

}  // namespace faultline::testing
