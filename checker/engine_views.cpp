// Proof rule: views of k CPUs (views.hpp) that the own judge accepts cover every system of at least k CPUs; systems of
// fewer are searched. k = 2, then 3.
#include <stdexcept>

#include "checker/certificate.hpp"
#include "checker/engines.hpp"
#include "checker/views.hpp"
#include "fmt/format.h"

namespace faultline::check {
namespace {

bool bound_fired(const step::Program& program, const std::vector<bool>& fired) {
  for (std::size_t c = 0; c < program.commands.size(); ++c) {
    const auto& violation = program.commands[c].violation;
    if (violation && violation->kind == step::Kind::bound && fired[c]) return true;
  }
  return false;
}

Finding ask_views(const step::Program& program, const Question& question) {
  const Watch watch(question.limits);
  Finding finding;
  for (std::uint32_t k = 2; k <= 3; ++k) {
    Limits few = question.limits;
    few.seconds = watch.left();
    if (const auto found = search_fewer_than(k, program, few)) return *found;
    ViewsOptions options;
    options.k = k;
    options.limits = question.limits;
    options.limits.seconds = watch.left();
    const ViewsResult result = views(program, options);
    finding.size = result.set.views.size();
    finding.unit = "views";
    finding.reason = result.reason;
    if (!result.proved) continue;
    if (bound_fired(program, result.fired)) {
      finding.reason = "a value may leave its declared range";
      return finding;
    }
    Limits rest = question.limits;
    rest.seconds = watch.left();
    const Judgement judgement = own_check(program, result.set, rest);
    if (judgement.undecided) {
      finding.reason = fmt::format("the own judge came to no end: {}", judgement.detail);
      return finding;
    }
    if (!judgement.accepted)
      throw std::logic_error(
          fmt::format("a view set is not inductive: {} ({})", judgement.obligation, judgement.detail));
    finding.answer = Answer::proved;
    finding.reason = fmt::format("views of {} CPUs", k);
    return finding;
  }
  return finding;
}

}  // namespace

Engine views_engine() {
  Engine engine;
  engine.name = "views";
  engine.what = "what any 2 or 3 CPUs look like";
  engine.any = true;
  engine.refuses = [](const step::Program& program, const Question&) {
    return std::string(has_any_line(program) ? "" : "the model fixes its number of CPUs");
  };
  engine.ask = ask_views;
  return engine;
}

}  // namespace faultline::check
