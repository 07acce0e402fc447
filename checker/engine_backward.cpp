// Proof rule: backward coverability (backward.cpp) within views of k CPUs covers every system of at least k CPUs;
// systems of fewer are searched. k = 1 first: such views alone prove next to nothing, so that the answer owes little to
// them; then k = 2.
#include <stdexcept>

#include "checker/backward.hpp"
#include "checker/coverability/judge.hpp"
#include "checker/engines.hpp"
#include "fmt/format.h"

namespace faultline::check {
namespace {

constexpr std::size_t pictures_within_ones = 50'000;

Finding ask_backward(const step::Program& program, const Question& question) {
  const Watch watch(question.limits);
  Finding finding;
  finding.unit = "pictures";
  std::string why;
  for (std::uint32_t k = 1; k <= 2; ++k) {
    Limits few = question.limits;
    few.seconds = watch.left();
    if (const auto found = search_fewer_than(k, program, few)) return *found;
    ViewsOptions around;
    around.k = k;
    around.all = true;
    around.limits = question.limits;
    around.limits.seconds = watch.left();
    const ViewsResult within = views(program, around);
    if (!within.closed) {
      finding.reason = fmt::format("{}views of {} CPUs: {}", why, k, within.reason);
      return finding;
    }
    BackwardOptions options;
    options.limits = question.limits;
    options.limits.seconds = k == 1 ? watch.left() / 2 : watch.left();
    if (k == 1) options.max_pictures = pictures_within_ones;
    BackwardResult result = backward(program, within.set, options);
    finding.size = result.pictures;
    if (result.example) {
      replay_or_throw(program, *result.example, result.example->scope.cpus);
      finding.answer = Answer::violated;
      finding.example = std::move(result.example);
      return finding;
    }
    if (result.proved) {
      Limits rest = question.limits;
      rest.seconds = watch.left();
      const Judgement judgement = coverability::judge_closed(program, within.set, rest);
      if (judgement.undecided) {
        finding.reason = fmt::format("{} while the views were judged", judgement.detail);
        return finding;
      }
      if (!judgement.accepted)
        throw std::logic_error(
            fmt::format("views of {} CPUs leave out what is reachable: {}", k, judgement.obligation));
      finding.answer = Answer::proved;
      finding.reason = fmt::format("backward within views of {} CPU{}", k, k == 1 ? "" : "s");
      return finding;
    }
    why += fmt::format("within views of {} CPU{}: {}{}", k, k == 1 ? "" : "s", result.reason, k == 1 ? "; " : "");
  }
  finding.reason = why;
  return finding;
}

}  // namespace

Engine backward_engine() {
  Engine engine;
  engine.name = "backward";
  engine.what = "from the violations back to the start, any number of CPUs";
  engine.any = true;
  engine.refuses = views_engine().refuses;
  engine.ask = ask_backward;
  return engine;
}

}  // namespace faultline::check
