// Proof rule: views of k CPUs (views.hpp) that the own judge accepts cover every system of at least k CPUs; systems of
// fewer are searched. k = 2, then 3.
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "checker/certificate.hpp"
#include "checker/engines.hpp"
#include "checker/views.hpp"
#include "fmt/format.h"

namespace faultline::check {
namespace {

bool has_any_line(const step::Program& program) {
  return std::any_of(program.lines.begin(), program.lines.end(), [](const step::Line& l) { return l.cpus == 0; });
}

bool bound_fired(const step::Program& program, const std::vector<bool>& fired) {
  for (std::size_t c = 0; c < program.commands.size(); ++c) {
    const auto& violation = program.commands[c].violation;
    if (violation && violation->kind == step::Kind::bound && fired[c]) return true;
  }
  return false;
}

Finding ask_views(const step::Program& program, const Question& question) {
  const Deadline deadline(question.limits.seconds);
  Finding finding;
  for (std::uint32_t k = 2; k <= 3; ++k) {
    for (std::uint32_t n = 1;; ++n) {  // systems that k CPUs do not fit into
      const auto lines = step::cpus_per_line(program, n);
      if (std::accumulate(lines.begin(), lines.end(), 0U) >= k) break;
      Question few{n, question.limits};
      few.limits.seconds = deadline.left();
      const Finding searched = ask(*find_engine("explicit"), program, few);
      if (searched.answer != Answer::proved) return searched;
    }
    ViewsOptions options;
    options.k = k;
    options.limits = question.limits;
    options.limits.seconds = deadline.left();
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
    rest.seconds = deadline.left();
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
  engine.refuses = [](const step::Program& program, const Question& question) -> std::string {
    if (question.cpus) return "it proves for any number of CPUs";
    if (!has_any_line(program)) return "the model fixes its number of CPUs";
    return {};
  };
  engine.ask = ask_views;
  return engine;
}

}  // namespace faultline::check
