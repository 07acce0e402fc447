#include "checker/search/fair.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <unordered_map>

namespace faultline::check::search {
namespace {

using Index = StateSet::Index;

std::uint64_t number(const Acknowledgement& ack) {
  return std::uint64_t{ack.me} << 16 | std::uint64_t{ack.sender} << 8 | ack.kind;
}

}  // namespace

FairLoops::FairLoops(Closed& closed, const StateGraph& graph, const std::vector<bool>& allowed, const Watch& watch)
    : closed_(closed),
      graph_(graph),
      watch_(watch),
      set_of_(graph.size(), none),
      group_(graph.size(), none),
      order_(graph.size(), none),
      low_(graph.size()),
      on_stack_(graph.size()),
      flat_(closed.layout().size()) {
  // The states in question, in parts and on the stacks of components().
  watch_.check(graph.size() * 10 * sizeof(Index));
  States states;
  for (Index s = 0; s < graph.size(); ++s) {
    if (allowed[s]) states.push_back(s);
  }
  // Depth of the recursion is bounded by the number of CPUs: each level takes out all states where one of them could go
  // on.
  take_apart(std::move(states));
}

void FairLoops::add_state(Needs& needs, Index s, bool first) const {
  watch_.tick();
  closed_.decode(graph_.packed(s), flat_.data());
  std::uint32_t inside = 0, other = 0;
  for (std::uint32_t cpu = 0; cpu < closed_.cpus(); ++cpu) {
    if (closed_.inside(flat_.data(), cpu)) inside |= 1U << cpu;
  }
  std::vector<std::uint64_t> acks;
  for (const Edge* e = graph_.begin(s); e != graph_.end(s); ++e) {
    if (e->acknowledges()) {
      acks.push_back(number(e->ack));
    } else if (closed_.program().commands[e->command].may_block) {
      needs.blocking |= 1U << e->cpu();
    } else {
      other |= 1U << e->cpu();
    }
  }
  needs.inside &= inside;
  needs.always &= other;
  std::sort(acks.begin(), acks.end());
  acks.erase(std::unique(acks.begin(), acks.end()), acks.end());
  if (first) {
    needs.acks = std::move(acks);
  } else {
    std::vector<std::uint64_t> both;
    std::set_intersection(needs.acks.begin(), needs.acks.end(), acks.begin(), acks.end(), std::back_inserter(both));
    needs.acks = std::move(both);
  }
}

FairLoops::Lack FairLoops::lack(const Needs& needs) const {
  if (!needs.acks.empty()) return {Lack::What::acknowledgement, 0, needs.acks.front()};
  for (std::uint32_t cpu = 0; cpu < closed_.cpus(); ++cpu) {
    // A CPU that takes no step stays where it is, so it is inside a handler all the time or never.
    if ((needs.moves >> cpu & 1) != 0 || (needs.inside >> cpu & 1) == 0) continue;
    if ((needs.always >> cpu & 1) != 0) return {Lack::What::step, cpu, 0};
    if ((needs.blocking >> cpu & 1) != 0) return {Lack::What::blocking, cpu, 0};
  }
  return {};
}

void FairLoops::take_apart(States states) {
  for (States& component : components(states)) {
    const std::uint32_t group = groups_++;
    for (const Index s : component) group_[s] = group;
    Needs needs;
    for (const Index s : component) {
      add_state(needs, s, s == component.front());
      for (const Edge* e = graph_.begin(s); e != graph_.end(s); ++e) {
        if (!e->acknowledges() && group_[e->to] == group) needs.moves |= 1U << e->cpu();
      }
    }
    const Lack missing = lack(needs);
    if (missing.what == Lack::What::nothing) {
      for (const Index s : component) set_of_[s] = sets_;
      ++sets_;
    }
    if (missing.what == Lack::What::blocking) {
      // This CPU never moves here; a fair run can only be where it could not.
      States rest;
      for (const Index s : component) {
        const bool could = std::any_of(graph_.begin(s), graph_.end(s), [&](const Edge& e) {
          return !e.acknowledges() && e.cpu() == missing.cpu && closed_.program().commands[e.command].may_block;
        });
        if (!could) rest.push_back(s);
      }
      for (const Index s : component) group_[s] = none;
      take_apart(std::move(rest));
    }
    for (const Index s : component) group_[s] = none;
  }
}

// Strongly connected components of the graph on these states (Tarjan, without recursion). A single state without an
// edge to itself is one too: a run may stay there if nothing forces it on.
std::vector<FairLoops::States> FairLoops::components(const States& states) {
  std::vector<States> result;
  const std::uint32_t group = groups_++;
  for (const Index s : states) group_[s] = group;
  std::vector<std::uint32_t>&order = order_, &low = low_;
  std::vector<bool>& on_stack = on_stack_;
  for (const Index s : states) order[s] = none;
  States stack;
  std::uint32_t count = 0;
  struct Frame {
    Index state;
    const Edge* next;
  };
  std::vector<Frame> frames;
  for (const Index root : states) {
    if (order[root] != none) continue;
    const auto enter = [&](Index s) {
      order[s] = low[s] = count++;
      stack.push_back(s);
      on_stack[s] = true;
      frames.push_back({s, graph_.begin(s)});
    };
    enter(root);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      const Index s = frame.state;
      if (frame.next != graph_.end(s)) {
        watch_.tick();
        const Index to = (frame.next++)->to;
        if (group_[to] != group) continue;
        if (order[to] == none) {
          enter(to);
        } else if (on_stack[to]) {
          low[s] = std::min(low[s], order[to]);
        }
        continue;
      }
      frames.pop_back();
      if (!frames.empty()) low[frames.back().state] = std::min(low[frames.back().state], low[s]);
      if (low[s] != order[s]) continue;
      States component;
      for (Index member = none; member != s;) {
        member = stack.back();
        stack.pop_back();
        on_stack[member] = false;
        component.push_back(member);
      }
      std::sort(component.begin(), component.end());
      result.push_back(std::move(component));
    }
  }
  for (const Index s : states) group_[s] = none;
  return result;
}

template <class WantedEdge, class WantedState>
std::vector<const Edge*> FairLoops::way(Index from, WantedEdge edge, WantedState state) const {
  std::unordered_map<Index, const Edge*> came;
  std::unordered_map<Index, Index> parent;
  std::deque<Index> queue{from};
  came[from] = nullptr;
  while (!queue.empty()) {
    watch_.tick();
    const Index s = queue.front();
    queue.pop_front();
    for (const Edge* e = graph_.begin(s); e != graph_.end(s); ++e) {
      if (set_of_[e->to] != set_of_[from]) continue;
      const bool wanted = edge(*e) || state(e->to);
      if (wanted) {
        std::vector<const Edge*> path{e};
        for (Index at = s; came[at] != nullptr; at = parent[at]) path.push_back(came[at]);
        std::reverse(path.begin(), path.end());
        return path;
      }
      if (came.contains(e->to)) continue;
      came[e->to] = e;
      parent[e->to] = s;
      queue.push_back(e->to);
    }
  }
  return {};
}

std::vector<const Edge*> FairLoops::loop(Index s) const {
  const auto no_edge = [](const Edge&) { return false; };
  const auto home = [&](Index to) { return to == s; };
  std::vector<const Edge*> loop;
  for (;;) {
    // What the loop so far lacks.
    Needs needs;
    add_state(needs, s, true);
    for (const Edge* e : loop) {
      add_state(needs, e->to, false);
      if (!e->acknowledges()) needs.moves |= 1U << e->cpu();
    }
    const Lack missing = lack(needs);
    if (missing.what == Lack::What::nothing) return loop;
    // Go where it is to be had, and home.
    const auto can = [&](Index at, std::uint32_t cpu) {
      return std::any_of(graph_.begin(at), graph_.end(at), [&](const Edge& e) {
        return !e.acknowledges() && e.cpu() == cpu && !closed_.program().commands[e.command].may_block;
      });
    };
    const auto possible = [&](Index at, std::uint64_t ack) {
      return std::any_of(graph_.begin(at), graph_.end(at),
                         [&](const Edge& e) { return e.acknowledges() && number(e.ack) == ack; });
    };
    std::vector<const Edge*> detour;
    if (missing.what == Lack::What::acknowledgement) {
      detour = way(s, no_edge, [&](Index to) { return !possible(to, missing.ack); });
    } else {
      const auto moves = [&](const Edge& e) { return !e.acknowledges() && e.cpu() == missing.cpu; };
      const bool step = missing.what == Lack::What::step;
      detour = way(s, moves, [&](Index to) { return step && !can(to, missing.cpu); });
    }
    if (detour.empty()) throw std::logic_error("a fair set of states has no fair loop");
    loop.insert(loop.end(), detour.begin(), detour.end());
    if (detour.back()->to != s) {
      const auto back = way(detour.back()->to, no_edge, home);
      loop.insert(loop.end(), back.begin(), back.end());
    }
  }
}

}  // namespace faultline::check::search
