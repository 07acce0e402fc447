#include "checker/trace_of.hpp"

#include "checker/search/narrate.hpp"

namespace faultline::check {
namespace {

using search::Byte;
using search::Closed;
using search::Move;

// Which reused address a `fresh` got, and which flush was acknowledged, is not said: all possibilities are followed.
class Follower {
 public:
  Follower(Closed& closed, const std::vector<step::ReplayStep>& steps, std::optional<std::size_t> invariant)
      : closed_(closed), steps_(steps), invariant_(invariant) {}

  bool follow(const std::vector<Byte>& s) {
    path.states.emplace_back(closed_.words());
    closed_.encode_plain(s.data(), path.states.back().data());
    const std::size_t at = path.moves.size();
    if (at == steps_.size())
      return invariant_ && !closed_.machine().holds(s.data(), closed_.program().invariants[*invariant_]);
    std::vector<std::pair<Move, std::vector<Byte>>> found;
    bool violates = false;
    closed_.moves(s.data(), steps_[at].cpu, [&](const Move& move, const Byte* next) {
      const std::uint32_t command = move.code == nullptr ? step::acknowledgement : move.code->index;
      if (command != steps_[at].command) return;
      violates = move.code != nullptr && move.code->violation;
      found.emplace_back(move, std::vector<Byte>(next, next + closed_.layout().size()));
    });
    for (const auto& [move, next] : found) {
      path.moves.push_back(move);
      if (violates) return !invariant_ && at + 1 == steps_.size();
      if (follow(next)) return true;
      path.moves.pop_back();
      path.states.pop_back();
    }
    return false;
  }

  search::Path path;

 private:
  Closed& closed_;
  const std::vector<step::ReplayStep>& steps_;
  std::optional<std::size_t> invariant_;
};

}  // namespace

std::optional<Counterexample> counterexample_of(const step::Program& program, std::uint32_t cpus,
                                                const std::vector<step::ReplayStep>& steps,
                                                std::optional<std::size_t> invariant) {
  Closed closed(program, step::cpus_per_line(program, cpus), search::Merge::objects);
  Follower follower(closed, steps, invariant);
  if (!follower.follow(closed.initial())) return std::nullopt;
  Counterexample example;
  example.scope.cpus = cpus;
  example.scope.per_line = closed.per_line();
  example.steps = search::narrate(closed, follower.path);
  if (invariant) {
    const step::Invariant& broken = program.invariants[*invariant];
    example.violation = {step::Kind::invariant, broken.name, "invariant " + broken.name + " does not hold",
                         broken.span};
  } else {
    example.violation = *program.commands[steps.back().command].violation;
  }
  return example;
}

}  // namespace faultline::check
