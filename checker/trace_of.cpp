#include "checker/trace_of.hpp"

#include <stdexcept>

#include "checker/search/narrate.hpp"

namespace faultline::check {
namespace {

using search::Byte;
using search::Closed;
using search::Move;

// The search's own form of the states that the reference interpreter went through, and the moves between them.
search::Path path_of(Closed& closed, const std::vector<step::ReplayStep>& steps,
                     const std::vector<step::State>& states) {
  search::Path path;
  std::vector<Byte> s(closed.layout().size());
  std::vector<std::uint64_t> packed(closed.words()), next(closed.words());
  const auto pack = [&](const step::State& state) {
    closed.layout().from_state(state, s.data());
    closed.encode_plain(s.data(), packed.data());
  };
  pack(states.front());
  path.states.push_back(packed);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    closed.decode(path.states.back().data(), s.data());
    const std::vector<Byte> before = s;
    pack(states[i + 1]);
    bool found = false;
    closed.moves(before.data(), steps[i].cpu, [&](const Move& move, const Byte* to) {
      const std::uint32_t command = move.code == nullptr ? step::acknowledgement : move.code->index;
      if (found || command != steps[i].command) return;
      closed.encode_plain(to, next.data());
      found = next == packed;
      if (found) path.moves.push_back(move);
    });
    if (!found) throw std::logic_error("a step that the reference interpreter takes is none for the search");
    const bool violates = path.moves.back().code != nullptr && path.moves.back().code->violation;
    if (!violates) path.states.push_back(packed);
  }
  return path;
}

}  // namespace

std::optional<Counterexample> trace_of(const step::Program& program, std::uint32_t cpus,
                                       const std::vector<step::ReplayStep>& steps, const step::ReplayEnd& end) {
  const std::vector<std::uint32_t> per_line = step::cpus_per_line(program, cpus);
  const step::Replay replayed = step::replay(program, per_line, steps, end);
  if (!replayed.ok) return std::nullopt;
  Closed closed(program, per_line, search::Merge::objects);
  Counterexample example;
  example.scope.cpus = cpus;
  example.scope.per_line = per_line;
  example.steps = search::narrate(closed, path_of(closed, steps, replayed.states));
  if (end.what == step::ReplayEnd::What::violation) {
    example.violation = *program.commands[steps.back().command].violation;
  } else {
    const step::Invariant& invariant = program.invariants[end.index];
    example.violation = {step::Kind::invariant, invariant.name, "invariant " + invariant.name + " does not hold",
                         invariant.span};
  }
  return example;
}

}  // namespace faultline::check
