// Proof rule: every state that one CPU can be in while it runs the handler alone is visited, and least and most are the
// lengths of shortest and longest paths in this finite graph (longest is unbounded iff relaxation does not come to
// rest).
#include "checker/cost.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "step/interpreter.hpp"

namespace faultline::check {
namespace {

using step::Command;
using step::Program;
using step::State;

// The bytes of a one-CPU state, to tell states apart.
std::string key_of(const Program& program, const State& state) {
  std::string key;
  const auto add = [&](std::uint32_t value) { key.push_back(static_cast<char>(value)); };
  for (std::size_t g = 0; g < program.globals.size(); ++g) add(state.globals[g]);
  for (std::size_t p = 0; p < program.places.size(); ++p) add(state.places[p]);
  for (std::size_t n = 1; n <= state.objects; ++n) {
    add(state.bits[n]);
    add(state.types[n]);
  }
  const step::CpuState& cpu = state.cpu[0];
  add(cpu.pc);
  add(cpu.pc >> 8U);
  for (std::size_t l = 0; l < program.locals.size(); ++l) add(cpu.locals[l]);
  for (std::size_t h = 0; h < program.handles.size(); ++h) add(cpu.handles[h]);
  return key;
}

constexpr std::array<const char*, 5> counters = {"allocs", "locks", "frees", "flushes", "ipis"};

// The price of a step in each measure: the five counters, then each lock.
std::vector<std::uint32_t> prices(const Program& program, const Command& command) {
  std::vector<std::uint32_t> price(counters.size() + program.locks.size(), 0);
  const step::Cost& cost = command.cost;
  price[0] = cost.allocs;
  price[1] = cost.locks;
  price[2] = cost.frees;
  price[3] = cost.flushes;
  price[4] = cost.ipis;
  if (cost.locks > 0 && cost.lock != step::no_id) price[counters.size() + cost.lock] = cost.locks;
  return price;
}

class LonelyRun {
 public:
  LonelyRun(const Program& program, step::Id handler) : program_(program), handler_(handler) {}

  HandlerCost run(const State& start) {
    HandlerCost cost;
    add(start);
    for (std::size_t i = 0; i < states_.size(); ++i) expand(i, cost);
    for (std::size_t m = 0; m < counters.size(); ++m) cost.measures.push_back({counters[m], range(m)});
    for (std::size_t l = 0; l < program_.locks.size(); ++l)
      cost.measures.push_back({program_.locks[l].name, range(counters.size() + l)});
    return cost;
  }

 private:
  static constexpr std::size_t most_states = 1'000'000;

  struct Edge {
    std::size_t from = 0;
    std::size_t to = 0;
    std::uint32_t command = 0;
  };

  std::size_t add(const State& state) {
    const auto [at, fresh] = ids_.emplace(key_of(program_, state), states_.size());
    if (fresh) {
      if (states_.size() == most_states) throw std::length_error("a run of one CPU has more than a million states");
      states_.push_back(state);
      last_.push_back(false);
    }
    return at->second;
  }

  void expand(std::size_t from, HandlerCost& cost) {
    const State state = states_[from];
    const step::Id pc = state.cpu[0].pc;
    const bool started = from != 0;  // the start is the only state in which the CPU is idle and goes on
    bool moved = false;
    for (std::uint32_t c = program_.first[pc]; c < program_.first[std::size_t{pc} + 1]; ++c) {
      const Command& command = program_.commands[c];
      if (!started && command.handler != handler_) continue;
      step::run(program_, state, 0, command, step::World::closed, [&](const State& next) {
        moved = true;
        if (command.violation) {
          if (!cost.violation) cost.violation = command.violation;
          finish(from, c);
        } else if (command.ends) {
          cost.ends = true;
          finish(from, c);
        } else {
          edges_.push_back({from, add(next), c});
        }
      });
    }
    if (moved) return;
    last_[from] = true;
    const step::Span& span = program_.locations[pc].span;
    if (std::find(cost.waits.begin(), cost.waits.end(), span) == cost.waits.end()) cost.waits.push_back(span);
  }

  void finish(std::size_t from, std::uint32_t command) { ends_.push_back({from, 0, command}); }

  // Least and most of one measure, over the ways from the start to an end or to a wait.
  CostRange range(std::size_t measure) const {
    constexpr std::uint32_t unknown = CostRange::unbounded;
    const auto price = [&](const Edge& edge) { return prices(program_, program_.commands[edge.command])[measure]; };
    std::vector<std::uint32_t> least(states_.size(), unknown);
    std::vector<std::uint32_t> most(states_.size(), 0);
    std::vector<bool> reached(states_.size(), false);
    least[0] = 0;
    reached[0] = true;
    // In an acyclic graph of n states paths have fewer than n steps; a change in round n comes from a cycle that costs.
    bool changed = true;
    for (std::size_t round = 0; changed && round <= states_.size(); ++round) {
      changed = false;
      for (const Edge& edge : edges_) {
        if (!reached[edge.from]) continue;
        const std::uint32_t step = price(edge);
        if (!reached[edge.to] || least[edge.from] + step < least[edge.to] || most[edge.from] + step > most[edge.to]) {
          least[edge.to] =
              reached[edge.to] ? std::min(least[edge.to], least[edge.from] + step) : least[edge.from] + step;
          most[edge.to] = std::max(most[edge.to], most[edge.from] + step);
          reached[edge.to] = true;
          changed = true;
        }
      }
    }
    CostRange result{unknown, 0};
    const auto end = [&](std::size_t at, std::uint32_t step) {
      result.least = std::min(result.least, least[at] + step);
      result.most = std::max(result.most, most[at] + step);
    };
    for (const Edge& edge : ends_) end(edge.from, price(edge));
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (last_[i]) end(i, 0);
    if (result.least == unknown) result.least = 0;  // every run goes round for ever
    if (changed) result.most = CostRange::unbounded;
    return result;
  }

  const Program& program_;
  step::Id handler_;
  std::map<std::string, std::size_t> ids_;
  std::vector<State> states_;
  std::vector<bool> last_;  // nothing can move from here
  std::vector<Edge> edges_;
  std::vector<Edge> ends_;  // `to` means nothing
};

// The first line that runs the handler has one CPU, no other line has any.
std::vector<std::uint32_t> one_cpu(const Program& program, step::Id handler) {
  std::vector<std::uint32_t> cpus(program.lines.size(), 0);
  for (const Command& command : program.commands) {
    if (!command.starts || command.handler != handler) continue;
    cpus[program.locations[command.from].line] = 1;
    return cpus;
  }
  return cpus;
}

State start_state(const Program& program, step::Id handler, const step::EntryInfo& entry, std::uint8_t entry_state) {
  State state = step::initial_state(program, one_cpu(program, handler));
  state.globals[entry.global] = entry_state;
  for (const step::Id place : entry.places) state.places[place] = 0;
  for (const step::Id place : entry.states[entry_state].places) {
    ++state.objects;
    state.types[state.objects] = static_cast<std::uint8_t>(program.places[place].type);
    state.bits[state.objects] = 0;
    state.places[place] = state.objects;
  }
  return state;
}

}  // namespace

const CostRange* HandlerCost::find(const std::string& measure) const {
  for (const MeasuredCost& m : measures)
    if (m.name == measure) return &m.range;
  return nullptr;
}

std::vector<HandlerCost> handler_costs(const Program& program) {
  std::vector<HandlerCost> costs;
  for (const step::CostRequest& request : program.costs) {
    const auto name = std::find(program.handlers.begin(), program.handlers.end(), request.handler);
    if (name == program.handlers.end()) continue;  // no `run` line has it
    const auto handler = static_cast<step::Id>(name - program.handlers.begin());
    const step::EntryInfo& entry = program.entries[request.entry];
    for (const std::uint8_t state : request.states) {
      HandlerCost cost = LonelyRun(program, handler).run(start_state(program, handler, entry, state));
      cost.handler = request.handler;
      cost.entry = entry.name;
      cost.state = entry.states[state].name;
      costs.push_back(std::move(cost));
    }
  }
  return costs;
}

CostRelation compare_costs(const std::vector<HandlerCost>& ours, const std::vector<HandlerCost>& theirs,
                           const std::string& measure) {
  bool any = false, smaller = false, larger = false;
  for (const HandlerCost& a : ours) {
    const auto b = std::find_if(theirs.begin(), theirs.end(), [&](const HandlerCost& other) {
      return other.handler == a.handler && other.entry == a.entry && other.state == a.state;
    });
    if (b == theirs.end()) continue;
    const CostRange* mine = a.find(measure);
    const CostRange* other = b->find(measure);
    if (mine == nullptr || other == nullptr) continue;
    any = true;
    smaller = smaller || mine->most < other->most;
    larger = larger || mine->most > other->most;
  }
  if (!any) return CostRelation::nothing;
  if (smaller && larger) return CostRelation::mixed;
  return smaller ? CostRelation::fewer : larger ? CostRelation::more : CostRelation::same;
}

const char* to_string(CostRelation relation) {
  switch (relation) {
    case CostRelation::nothing: return "nothing";
    case CostRelation::fewer: return "fewer";
    case CostRelation::same: return "same";
    case CostRelation::more: return "more";
    case CostRelation::mixed: return "mixed";
  }
  return "?";
}

}  // namespace faultline::check
