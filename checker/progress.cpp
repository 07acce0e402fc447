// Proof rule: p ~> q fails for a CPU iff some run reaches p without q and from then on stays for ever, fairly, among
// states without q. In a finite graph a run that stays for ever ends up going round a strongly connected set of states,
// so it is enough to find the fair ones among the states without q (search/fair.hpp) and to ask whether one is reached
// while q is due.
#include "checker/progress.hpp"

#include <algorithm>

#include "checker/search/fair.hpp"
#include "checker/search/narrate.hpp"

namespace faultline::check {
namespace {

using search::Byte;
using search::Closed;
using search::Edge;
using search::StateGraph;
using Index = search::StateSet::Index;

struct Lasso {
  std::vector<const Edge*> stem, loop;
  [[nodiscard]] std::size_t length() const { return stem.size() + loop.size(); }
};

// The lasso with the shortest stem that fails for CPU `me`.
std::optional<Lasso> find_lasso(Closed& closed, const StateGraph& graph, const step::Progress& progress,
                                std::uint32_t me, const Watch& watch) {
  watch.check();
  std::vector<bool> p(graph.size()), open(graph.size());  // open: q does not hold
  std::vector<Byte> s(closed.layout().size());
  for (Index i = 0; i < graph.size(); ++i) {
    closed.decode(graph.packed(i), s.data());
    open[i] = !closed.machine().truth(s.data(), me, me, progress.q);
    p[i] = open[i] && closed.machine().truth(s.data(), me, me, progress.p);
  }
  const search::FairLoops fair(closed, graph, open, watch);

  // Breadth first over states paired with "q is due".
  const auto node = [](Index state, bool due) { return std::size_t{state} * 2 + (due ? 1 : 0); };
  watch.check(2 * std::size_t{graph.size()} * (sizeof(Edge*) + 3 * sizeof(std::size_t)));
  std::vector<const Edge*> came(2 * std::size_t{graph.size()});
  std::vector<std::size_t> parent(came.size());
  std::vector<bool> seen(came.size());
  std::vector<std::size_t> queue{node(0, p[0])};
  seen[queue[0]] = true;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    watch.tick();
    const std::size_t here = queue[at];
    const auto state = static_cast<Index>(here / 2);
    const bool due = here % 2 == 1;
    if (due && fair.of(state) != search::FairLoops::none) {
      Lasso lasso;
      for (std::size_t n = here; came[n] != nullptr; n = parent[n]) lasso.stem.push_back(came[n]);
      std::reverse(lasso.stem.begin(), lasso.stem.end());
      lasso.loop = fair.loop(state);
      return lasso;
    }
    for (const Edge* e = graph.begin(state); e != graph.end(state); ++e) {
      const std::size_t to = node(e->to, open[e->to] && (due || p[e->to]));
      if (seen[to]) continue;
      seen[to] = true;
      came[to] = e;
      parent[to] = here;
      queue.push_back(to);
    }
  }
  return std::nullopt;
}

Counterexample counterexample(Closed& closed, const StateGraph& graph, const step::Progress& progress,
                              const Lasso& lasso, std::uint32_t cpus) {
  Counterexample example;
  search::Path path;
  const auto keep = [&](Index s) { path.states.emplace_back(graph.packed(s), graph.packed(s) + closed.words()); };
  keep(0);
  for (const auto* part : {&lasso.stem, &lasso.loop}) {
    for (const Edge* e : *part) {
      path.moves.push_back({e->acknowledges() ? nullptr : closed.machine().code(e->command), e->ack});
      keep(e->to);
    }
  }
  example.violation = {step::Kind::progress, progress.name,
                       lasso.loop.empty() ? "nothing need happen any more, and it is still due"
                                          : "the last steps can repeat for ever, and it is still due",
                       progress.span};
  example.scope.cpus = cpus;
  example.scope.per_line = closed.per_line();
  example.steps = search::narrate(closed, path);
  example.loop = lasso.stem.size();
  return example;
}

}  // namespace

std::vector<ProgressResult> check_progress(const step::Program& program, const ProgressOptions& options) {
  std::vector<ProgressResult> results;
  for (const step::Progress& progress : program.progress) {
    results.emplace_back();
    results.back().name = progress.name;
  }
  if (results.empty()) return results;
  const std::vector<std::uint32_t> per_line = step::cpus_per_line(program, options.cpus);
  const auto fail = [&](const std::string& reason) {
    for (ProgressResult& result : results) result.reason = reason;
    return results;
  };
  std::uint32_t cpus = 0;
  for (const std::uint32_t n : per_line) cpus += n;
  if (cpus > step::max_cpus) return fail("more than " + std::to_string(step::max_cpus) + " CPUs in all");
  Closed closed(program, per_line, search::Merge::objects);
  const Watch watch(options.limits);
  const StateGraph graph(closed, options.limits, watch);
  for (ProgressResult& result : results) result.states = graph.size();
  if (!graph.complete()) return fail(graph.reason());

  for (std::size_t i = 0; i < results.size(); ++i) {
    std::optional<Lasso> best;
    try {
      // CPUs of a line are alike, so the first of each speaks for all.
      for (std::uint32_t line = 0, me = 0; line < per_line.size(); me += per_line[line], ++line) {
        if (per_line[line] == 0) continue;
        std::optional<Lasso> lasso = find_lasso(closed, graph, program.progress[i], me, watch);
        if (lasso && (!best || lasso->length() < best->length())) best = std::move(lasso);
      }
    } catch (const OverLimit& limit) {
      results[i].reason = limit.what();
      continue;
    }
    results[i].answer = best ? Answer::violated : Answer::proved;
    if (best) results[i].violation = counterexample(closed, graph, program.progress[i], *best, options.cpus);
  }
  return results;
}

}  // namespace faultline::check
