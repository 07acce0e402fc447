// The reference interpreter: the meaning of a Program in the plainest code, one op after the other. Traces are replayed
// with it and certificates are judged with it; the search engines have a faster one of their own, and tests hold the
// two together.
#pragma once
#include <functional>
#include <vector>

#include "step/state.hpp"

namespace faultline::step {

// closed: the CPUs of the state are all there are. open: others may exist, so a guard `some` of a command that is not a
// violation counts as true.
enum class World : std::uint8_t { closed, open };

[[nodiscard]] std::uint32_t evaluate(const Program& program, const State& state, std::size_t me, std::size_t other,
                                     ExprId e);
[[nodiscard]] bool holds(const Program& program, const State& state, const Invariant& invariant);

// All successors of one command by CPU `me` (several when `fresh` may reuse an address; none when not enabled). A
// violation command that is enabled yields one state: that at the violation.
void run(const Program& program, const State& state, std::size_t me, const Command& command, World world,
         const std::function<void(const State&)>& found);

// An acknowledgement: CPU `me` acknowledges `kind` of CPU `sender`. Only when sender awaits me and my position
// acknowledges that kind.
[[nodiscard]] bool can_acknowledge(const Program& program, const State& state, std::size_t me, std::size_t sender,
                                   std::size_t kind);
[[nodiscard]] State acknowledge(const Program& program, State state, std::size_t me, std::size_t sender,
                                std::size_t kind);

}  // namespace faultline::step
