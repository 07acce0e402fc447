#include "tests/support/replaying.hpp"

namespace faultline::testing {

std::string replay(const step::Program& program, const check::Counterexample& example) {
  std::vector<step::ReplayStep> steps;
  for (const check::TraceStep& step : example.steps) steps.push_back({step.index, step.command});
  step::ReplayEnd end;
  using What = step::ReplayEnd::What;
  const auto named = [&](const auto& list) {
    std::uint32_t i = 0;
    while (i < list.size() && list[i].name != example.violation.name) ++i;
    return i;
  };
  if (example.loop) {
    end = {What::lasso, named(program.progress), *example.loop};
  } else if (example.violation.kind == step::Kind::deadlock) {
    end.what = What::deadlock;
  } else if (!steps.empty() && steps.back().command != check::no_command &&
             program.commands[steps.back().command].violation) {
    end.what = What::violation;
    const step::Violation& violation = *program.commands[steps.back().command].violation;
    if (violation.kind != example.violation.kind || violation.message != example.violation.message) {
      return "the last step is another violation";
    }
  } else {
    end = {What::invariant, named(program.invariants), 0};
  }
  const step::Replay result = step::replay(program, example.scope.per_line, steps, end);
  return result.ok ? "" : result.why;
}

}  // namespace faultline::testing
