// Proof rule. In a deadlock every CPU inside a handler waits, and nobody can acknowledge. Follow the waits: a CPU that
// waits for a lock waits for a holder in a mode that excludes its own (or a reader for a reader, through a queued
// writer), who is inside a handler and so waits too; a CPU that waits for an acknowledgement waits for one that cannot
// give it (interrupts are off, or it is in an RCU read section), and a view shows the two; a CPU in wait_event(c)
// waits, by the view set, in states in which some lock is held exclusively by another CPU, or in which the CPU of a
// 1-CPU line is inside a handler at one of some positions: follow that one. Each step goes along an edge of the graph
// below. If the graph has no cycle the chain ends, so some CPU can move.
#include "checker/deadlock.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
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

// Might this CPU of a view wait in a state that the view is of? What depends on CPUs that the view does not show counts
// as not enabled.
bool may_wait(const Program& program, const State& view, std::size_t me) {
  const auto pc = view.cpu[me].pc;
  for (auto c = program.first[pc]; c < program.first[std::size_t{pc} + 1]; ++c) {
    const step::Command& command = program.commands[c];
    if (std::any_of(command.ops.begin(), command.ops.end(),
                    [](const step::Op& op) { return op.code == step::OpCode::none; }))
      continue;
    bool enabled = false;
    step::run(program, view, me, command, step::World::closed, [&](const State&) { enabled = true; });
    if (enabled) return false;
  }
  return true;
}

// What holds whenever the CPUs at one wait_event wait.
struct Event {
  std::optional<std::set<step::Id>> locks;      // held exclusively by somebody else
  std::map<step::Id, std::set<step::Id>> lone;  // 1-CPU line of somebody else → where its CPU is
};

class Builder {
 public:
  Builder(const Program& program, const ViewSet& set, const Limits& limits)
      : program_(program), set_(set), watch_(limits) {}

  DeadlockProof run() {
    read_views();
    for (const Location& location : program_.locations)
      for (const step::Held& held : location.held)
        if (held.mode == step::LockMode::write) writers_.insert(held.lock);
    for (std::size_t pc = 0; pc < program_.locations.size(); ++pc) {
      const Location& location = program_.locations[pc];
      if (location.handler == step::no_id || location.wait == Location::Wait::none) continue;
      for (const step::Held& held : location.held) edges(holder(held), location);
      for (std::size_t kind = 0; kind < program_.awaits.size(); ++kind) {
        if (!location.can_acknowledge(kind) && awaited_.contains({static_cast<step::Id>(pc), kind}))
          edges(held_off(kind), location);
      }
    }
    DeadlockProof proof;
    for (auto& [pc, event] : events_) {
      if (!follow(pc, event)) {
        proof.reason =
            fmt::format("whoever would end {} is not known to be inside a handler: no lock is held whenever it blocks",
                        waits_for(program_.locations[pc]).front());
        return proof;
      }
    }
    if (const std::string cycle = graph_.cycle(); !cycle.empty()) {
      proof.reason = "waits in a circle: " + cycle;
      return proof;
    }
    proof.proved = true;
    proof.edges = graph_.list();
    return proof;
  }

 private:
  [[nodiscard]] std::string holder(const step::Held& held) const {
    const step::Lock& lock = program_.locks[held.lock];
    if (lock.kind != step::LockKind::rwsem) return lock.name;
    return fmt::format("{}({})", held.mode == step::LockMode::read ? "read" : "write", lock.name);
  }

  // Where a CPU is that cannot acknowledge.
  [[nodiscard]] std::string held_off(std::size_t kind) const {
    return program_.awaits[kind].grace_period ? "an RCU read section" : "interrupts off";
  }

  // Whom a CPU there waits for: of a lock, its holders in each mode that excludes the one it wants. Where somebody
  // wants to write, readers wait for readers too: a rwsem of the kernel lets no new reader pass a queued writer.
  [[nodiscard]] std::vector<std::string> waits_for(const Location& location) const {
    if (location.wait == Location::Wait::others) return {held_off(location.waits_await)};
    if (location.wait == Location::Wait::event) return {fmt::format("wait_event at line {}", location.span.line)};
    std::vector<std::string> holders = {holder({location.waits_lock, step::LockMode::write})};
    if (program_.locks[location.waits_lock].kind == step::LockKind::rwsem && writers_.contains(location.waits_lock))
      holders.push_back(holder({location.waits_lock, step::LockMode::read}));
    return holders;
  }

  void edges(const std::string& from, const Location& location) {
    for (const std::string& to : waits_for(location)) graph_.edge(from, to);
  }

  void read_views() {
    for (const State& view : set_.views) {
      watch_.tick();
      for (std::size_t me = 0; me < view.cpus; ++me) {
        const step::Id pc = view.cpu[me].pc;
        if (program_.locations[pc].wait == Location::Wait::event && may_wait(program_, view, me))
          look(events_[pc], view, me);
        for (std::size_t other = 0; other < view.cpus; ++other)
          for (std::size_t kind = 0; kind < program_.awaits.size(); ++kind)
            if ((view.cpu[other].awaits[kind] >> me & 1) != 0) awaited_.insert({pc, kind});
      }
    }
  }

  void look(Event& event, const State& view, std::size_t me) {
    const Location& location = program_.locations[view.cpu[me].pc];
    std::set<step::Id> held;
    for (std::size_t l = 0; l < program_.locks.size(); ++l) {
      const bool mine =
          std::any_of(location.held.begin(), location.held.end(), [&](const step::Held& h) { return h.lock == l; });
      if (!mine && view.globals[program_.locks[l].global] == 1) held.insert(static_cast<step::Id>(l));
    }
    if (event.locks)
      std::erase_if(*event.locks, [&](step::Id l) { return !held.contains(l); });
    else
      event.locks = std::move(held);
    for (std::size_t other = 0; other < view.cpus; ++other) {
      const step::Id line = program_.locations[view.cpu[other].pc].line;
      if (other != me && program_.lines[line].cpus == 1) event.lone[line].insert(view.cpu[other].pc);
    }
  }

  // Chooses what the wait is followed along: the lock whose holders wait least, else a line whose CPU is never idle
  // then.
  bool follow(step::Id pc, Event& event) {
    const std::string from = waits_for(program_.locations[pc]).front();
    if (!event.locks->empty()) {
      const auto best = std::min_element(event.locks->begin(), event.locks->end(),
                                         [&](step::Id a, step::Id b) { return waits_of(a) < waits_of(b); });
      graph_.edge(from, holder({*best, step::LockMode::write}));
      return true;
    }
    for (const auto& [line, positions] : event.lone) {
      const bool busy = std::all_of(positions.begin(), positions.end(),
                                    [&](step::Id p) { return program_.locations[p].handler != step::no_id; });
      if (!busy) continue;
      const std::string via = fmt::format("the CPU of {} during {}", program_.lines[line].name, from);
      graph_.edge(from, via);
      for (const step::Id p : positions)
        if (program_.locations[p].wait != Location::Wait::none) edges(via, program_.locations[p]);
      return true;
    }
    return false;
  }

  // How many locks the holders of this one may wait for.
  [[nodiscard]] std::size_t waits_of(step::Id lock) const {
    std::set<step::Id> out;
    for (const Location& l : program_.locations)
      if (l.wait == Location::Wait::lock)
        for (const step::Held& h : l.held)
          if (h.lock == lock) out.insert(l.waits_lock);
    return out.size();
  }

  const Program& program_;
  const ViewSet& set_;
  Graph graph_;
  std::map<step::Id, Event> events_;
  std::set<step::Id> writers_;  // locks that somebody takes for writing
  // Positions of CPUs from which another one awaits an acknowledgement, and of which kind.
  std::set<std::pair<step::Id, std::size_t>> awaited_;
  Watch watch_;
};

}  // namespace

DeadlockProof deadlock_free(const Program& program, const ViewSet& set, const Limits& limits) {
  try {
    return Builder(program, set, limits).run();
  } catch (const OverLimit& limit) {
    DeadlockProof proof;
    proof.reason = limit.what();
    return proof;
  }
}

}  // namespace faultline::check
