#include "dsl/protocol_graph.hpp"

#include <algorithm>
#include <map>

#include "dsl/protocol_step.hpp"

namespace faultline::dsl::protocol {

namespace {

// ---------------------------------------------------------------- all paths

// Beyond this (a second or so) the facts are kept coarse.
constexpr std::size_t most_work = 20U << 20U;

class Explorer {
 public:
  Explorer(const Model& model, const Flow& flow, const Live& live, bool coarse)
      : flow_(flow), live_(live), transfer_(model, flow) {
    graph_.coarse = coarse;
    graph_.at.assign(flow.nodes.size(), {});
    most_ = std::max<std::size_t>(20000, 4 * flow.nodes.size());
  }

  std::optional<Graph> run() {
    Facts start;
    start.nulls = {Null::yes};
    start.values = {one_value(0)};
    start.var.assign(flow_.vars.size(), 0);
    start.ref.assign(flow_.refs.size(), null_object);
    std::vector<Event> events;
    (void)config(flow_.entry, std::move(start), events);
    while (!work_.empty()) {
      const Index c = work_.back();
      work_.pop_back();
      queued_[c] = false;
      graph_.configs[c].steps.clear();
      const Index id = graph_.configs[c].node;
      const FlowNode& node = flow_.nodes[id];
      for (Outcome& o : transfer_.run(node, id, graph_.configs[c].facts)) {
        const Index next = node.next[o.way];
        if (next == nothing) continue;
        work_done_ += size_of(o.facts);
        if (!graph_.coarse && work_done_ > most_work) return std::nullopt;
        const Index to = config(next, std::move(o.facts), o.events);
        if (to == nothing) return std::nullopt;
        graph_.configs[c].steps.push_back({c, to, o.way, std::move(o.events)});
      }
    }
    // Where some paths are right so far, those that are not have ended.
    for (std::vector<Index>& at : graph_.at) {
      const auto right = [&](Index c) { return graph_.configs[c].facts.locks.misused == 0; };
      if (std::any_of(at.begin(), at.end(), right)) std::erase_if(at, [&](Index c) { return !right(c); });
    }
    return std::move(graph_);
  }

 private:
  // What it takes to look at the facts once: what is known of the shared is compared pairwise.
  static std::size_t size_of(const Facts& facts) {
    return facts.known.size() * facts.known.size() + facts.values.size() + facts.var.size() + facts.ref.size();
  }

  Index config(Index node, Facts facts, std::vector<Event>& events) {
    for (const Index lost : tidy(facts, live_.vars[node], live_.refs[node]))
      events.push_back({Event::What::lost, lost, nothing, nothing});
    if (graph_.coarse) forget_relations(facts);
    auto& known = known_[node];
    const auto [it, fresh] =
        known.emplace(graph_.coarse ? lock_key(facts) : key(facts), static_cast<Index>(graph_.configs.size()));
    if (!fresh) {
      if (graph_.coarse && join(graph_.configs[it->second].facts, facts)) queue(it->second);
      return it->second;
    }
    if (graph_.configs.size() >= most_) return nothing;
    graph_.at[node].push_back(it->second);
    graph_.configs.push_back({node, std::move(facts), {}});
    queued_.push_back(false);
    queue(it->second);
    return it->second;
  }

  void queue(Index c) {
    if (queued_[c]) return;
    queued_[c] = true;
    work_.push_back(c);
  }

  const Flow& flow_;
  const Live& live_;
  Transfer transfer_;
  Graph graph_;
  std::map<Index, std::map<std::vector<std::uint32_t>, Index>> known_;
  std::vector<Index> work_;
  std::vector<bool> queued_;
  std::size_t most_ = 0;
  std::size_t work_done_ = 0;
};

}  // namespace

std::optional<Graph> explore(const Model& model, const Flow& flow) {
  constexpr std::size_t most_cells = 64U << 20U;
  if (flow.nodes.size() * (flow.vars.size() + flow.refs.size() + 1) > most_cells / 8) return std::nullopt;
  const Live live = needed(flow);
  if (auto graph = Explorer(model, flow, live, false).run()) return graph;
  return Explorer(model, flow, live, true).run();
}

// ---------------------------------------------------------------- questions about all paths

std::optional<Reached> always(const Graph& graph, const Flow& flow, const std::vector<const Step*>& starts,
                              const Goal& goal) {
  std::optional<Reached> first;
  std::vector<Index> order;  // in the order of discovery: nearest first
  std::map<Index, std::size_t> indegree;
  const auto go = [&](const Step& step) {
    if (goal.good && goal.good(step)) {
      if (!first) first = Reached{step.from};
      return true;
    }
    const auto [it, fresh] = indegree.emplace(step.to, 0);
    ++it->second;
    if (fresh) order.push_back(step.to);
    return true;
  };
  // a run that misuses a lock is over then, and that has been said
  const bool wrong_before = std::any_of(starts.begin(), starts.end(), [&](const Step* step) {
    return graph.configs[step->from].facts.locks.misused != 0;
  });
  const auto over = [&](const Config& c) { return c.facts.locks.misused != 0 && !wrong_before; };
  std::map<Index, std::size_t> roots;
  for (const Step* start : starts) {
    (void)go(*start);
    if (indegree.contains(start->to)) ++roots[start->to];
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Config& c = graph.configs[order[i]];
    const FlowNode& node = flow.nodes[c.node];
    if (over(c)) continue;
    if (node.kind == NodeKind::finish) {
      if (!goal.good_end || !goal.good_end(c)) return std::nullopt;
      if (!first) first = Reached{order[i]};
      continue;
    }
    if (node.is_end()) continue;
    if (goal.alive && !goal.alive(c)) return std::nullopt;
    for (const Step& step : c.steps) (void)go(step);
  }
  // no way round for ever: taking away what has no predecessor left must take all
  std::vector<Index> ready;
  for (auto& [c, n] : indegree) {
    if (const auto it = roots.find(c); it != roots.end()) n -= std::min(n, it->second);
    if (n == 0) ready.push_back(c);
  }
  std::size_t taken = 0;
  while (!ready.empty()) {
    const Index c = ready.back();
    ready.pop_back();
    ++taken;
    if (over(graph.configs[c])) continue;
    for (const Step& step : graph.configs[c].steps) {
      if (goal.good && goal.good(step)) continue;
      const auto it = indegree.find(step.to);
      if (it != indegree.end() && --it->second == 0) ready.push_back(step.to);
    }
  }
  return taken == order.size() ? first : std::nullopt;
}

}  // namespace faultline::dsl::protocol
