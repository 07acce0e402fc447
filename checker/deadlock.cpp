// Proof rule. In a deadlock every CPU inside a handler waits, and nobody can acknowledge. Follow the waits: a CPU that
// waits for a lock waits for a holder, who is inside a handler and so waits too; a CPU that waits for an
// acknowledgement waits for one that has interrupts off; a CPU in wait_event(c) waits, by the view set, in states in
// which some lock is held exclusively by another CPU, so follow that one. Each step goes along an edge of the graph
// below. If the graph has no cycle the chain ends, so some CPU can move.
#include "checker/deadlock.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "fmt/format.h"
#include "step/interpreter.hpp"

namespace faultline::check {

using step::Location;
using step::Program;
using step::State;

namespace {

class Graph {
 public:
  void edge(const std::string& from, const std::string& to) { edges_[from].insert(to); }

  // A cycle as text, or empty.
  std::string cycle() const {
    std::map<std::string, int> colour;
    std::vector<std::string> path;
    std::string found;
    const std::function<bool(const std::string&)> visit = [&](const std::string& node) {
      colour[node] = 1;
      path.push_back(node);
      if (const auto it = edges_.find(node); it != edges_.end())
        for (const std::string& next : it->second) {
          if (colour[next] == 1) {
            const auto start = std::find(path.begin(), path.end(), next);
            found = fmt::format("{} -> {}", fmt::join(start, path.end(), " -> "), next);
            return true;
          }
          if (colour[next] == 0 && visit(next)) return true;
        }
      path.pop_back();
      colour[node] = 2;
      return false;
    };
    for (const auto& [node, next] : edges_)
      if (colour[node] == 0 && visit(node)) break;
    return found;
  }

  std::vector<std::string> list() const {
    std::vector<std::string> all;
    for (const auto& [from, tos] : edges_)
      for (const std::string& to : tos) all.push_back(from + " -> " + to);
    return all;
  }

 private:
  std::map<std::string, std::set<std::string>> edges_;
};

bool blocked(const Program& program, const State& state, std::size_t me) {
  const auto pc = state.cpu[me].pc;
  for (auto c = program.first[pc]; c < program.first[std::size_t{pc} + 1]; ++c) {
    bool enabled = false;
    step::run(program, state, me, program.commands[c], step::World::open, [&](const State&) { enabled = true; });
    if (enabled) return false;
  }
  return true;
}

}  // namespace

DeadlockProof deadlock_free(const Program& program, const ViewSet& set) {
  DeadlockProof proof;
  Graph graph;
  const std::string ack = "interrupts off";
  const auto event_name = [&](const Location& l) { return fmt::format("wait_event at line {}", l.span.line); };
  for (const Location& location : program.locations) {
    if (location.handler == step::no_id || location.wait == Location::Wait::none) continue;
    std::string to;
    if (location.wait == Location::Wait::lock) to = program.locks[location.waits_lock].name;
    if (location.wait == Location::Wait::flush) to = ack;
    if (location.wait == Location::Wait::event) to = event_name(location);
    for (const step::Held& held : location.held) graph.edge(program.locks[held.lock].name, to);
    if (!location.can_ack) graph.edge(ack, to);
  }
  // every wait_event: which lock is held by somebody else whenever it blocks?
  std::map<step::Id, std::set<step::Id>> keepers;  // position → locks held in every blocked view so far
  std::set<step::Id> seen;
  for (const State& view : set.views)
    for (std::size_t me = 0; me < view.cpus; ++me) {
      const auto pc = view.cpu[me].pc;
      const Location& location = program.locations[pc];
      if (location.wait != Location::Wait::event || !blocked(program, view, me)) continue;
      std::set<step::Id> held;
      for (std::size_t l = 0; l < program.locks.size(); ++l) {
        const bool mine =
            std::any_of(location.held.begin(), location.held.end(), [&](const step::Held& h) { return h.lock == l; });
        if (!mine && view.globals[program.locks[l].global] == 1) held.insert(static_cast<step::Id>(l));
      }
      if (seen.insert(pc).second) {
        keepers[pc] = held;
      } else {
        std::set<step::Id> both;
        std::set_intersection(keepers[pc].begin(), keepers[pc].end(), held.begin(), held.end(),
                              std::inserter(both, both.end()));
        keepers[pc] = both;
      }
    }
  for (const auto& [pc, locks] : keepers) {
    const Location& location = program.locations[pc];
    if (locks.empty()) {
      proof.reason =
          fmt::format("{} may block while no lock is held by the CPU that would end it", event_name(location));
      return proof;
    }
    // one of them is enough; take the one that waits least
    const auto best = std::min_element(locks.begin(), locks.end(), [&](step::Id a, step::Id b) {
      const auto waits = [&](step::Id lock) {
        std::set<std::string> out;
        for (const Location& l : program.locations)
          if (l.wait == Location::Wait::lock)
            for (const step::Held& h : l.held)
              if (h.lock == lock) out.insert(program.locks[l.waits_lock].name);
        return out.size();
      };
      return waits(a) < waits(b);
    });
    graph.edge(event_name(location), program.locks[*best].name);
  }
  if (const std::string cycle = graph.cycle(); !cycle.empty()) {
    proof.reason = "waits in a circle: " + cycle;
    return proof;
  }
  proof.proved = true;
  proof.edges = graph.list();
  return proof;
}

}  // namespace faultline::check
