#include "checker/datalog_facts.hpp"

#include <algorithm>
#include <stdexcept>

#include "step/interpreter.hpp"

namespace faultline::check {

using step::Command;
using step::OpCode;
using step::State;
using step::World;

namespace {

bool touches_others(const Command& command) {
  return std::any_of(command.ops.begin(), command.ops.end(), [](const step::Op& op) {
    switch (op.code) {
      case OpCode::set_global:
      case OpCode::fresh:  // the object may be known to others
      case OpCode::clear_place:
      case OpCode::place_from_handle:
      case OpCode::set_object_bit:
      case OpCode::others_set_local:
      case OpCode::others_clear_handle: return true;
      default: return false;
    }
  });
}

}  // namespace

PairFacts::PairFacts(const step::Program& program, const std::vector<Clause>& clauses)
    : program_(program), clauses_(clauses) {
  for (const Command& command : program.commands) {
    Steps steps;
    steps.touches_others = touches_others(command);
    const auto part = [&] {
      Command next;
      next.from = next.to = command.from;
      steps.parts.push_back(next);
    };
    part();
    for (const step::Op& op : command.ops) {
      if (op.code == OpCode::fresh) part();
      steps.parts.back().ops.push_back(op);
      if (op.code == OpCode::fresh) part();
    }
    steps.parts.back().to = command.to;
    steps_.push_back(std::move(steps));
  }
  std::vector<std::uint32_t> counts(program.lines.size());
  start_from(counts, 0, 2);
}

void PairFacts::start_from(std::vector<std::uint32_t>& counts, std::size_t line, std::uint32_t left) {
  if (left == 0) {
    State state = step::initial_state(program_, counts);
    add(Fact::start, number_of(state, Clause::initial));
    std::swap(state.cpu[0], state.cpu[1]);
    add(Fact::start, number_of(state, Clause::initial));
    return;
  }
  if (line == counts.size()) return;
  const std::uint32_t most = program_.lines[line].cpus == 0 ? left : std::min(left, program_.lines[line].cpus);
  for (counts[line] = 0; counts[line] <= most; ++counts[line]) start_from(counts, line + 1, left - counts[line]);
  counts[line] = 0;
}

template <class... Columns>
void PairFacts::add(Fact kind, Columns... columns) {
  (rows_[static_cast<std::size_t>(kind)].push_back(columns), ...);
}

const std::vector<std::uint32_t>& PairFacts::rows(Fact kind) const {
  return kind == Fact::meets ? links_.meetings() : rows_[static_cast<std::size_t>(kind)];
}

std::uint64_t PairFacts::bytes() const {
  std::uint64_t bytes = pairs_.things.size() * 100;  // about, with the map
  for (const auto& rows : rows_) bytes += rows.capacity() * sizeof(std::uint32_t);
  return bytes;
}

// --- pairs ---

Pair PairFacts::parts_of(const State& state) {
  const Shape shared = shared_shape(program_, state);
  const std::uint32_t number = shared_.of(shared);
  if (number == shared_states_.size()) {
    // The same without CPUs: objects that places name, named anew.
    State alone;
    alone.globals = state.globals;
    std::array<std::uint8_t, step::max_objects + 1> names{};
    for (std::size_t p = 0; p < program_.places.size(); ++p) {
      const std::uint8_t object = state.places[p];
      if (object == 0) continue;
      if (names[object] == 0) {
        names[object] = ++alone.objects;
        alone.bits[alone.objects] = state.bits[object];
        alone.types[alone.objects] = state.types[object];
      }
      alone.places[p] = names[object];
    }
    shared_states_.push_back(alone);
  }
  const Crossing both = crossing(program_, state, 0, 1);
  return {number, cpus_.of(cpu_shape(program_, state, 0)), cpus_.of(cpu_shape(program_, state, 1)),
          links_.number_of(both.same), awaits_.of(both.awaits)};
}

// The number of the pair of the first two CPUs, which such a clause derives from a pair that is asked about.
std::uint32_t PairFacts::number_of(const State& state, Clause reached_by) {
  const Pair pair = parts_of(state);
  if (std::find(clauses_.begin(), clauses_.end(), reached_by) != clauses_.end()) want(pair);
  const std::uint32_t t = pairs_.of(pair);
  asked_.resize(pairs_.things.size());
  return t;
}

State PairFacts::state_of(const Pair& pair) const {
  State state = shared_states_.at(pair[0]);
  const Crossing both{links_.same(pair[3]), awaits_.things.at(pair[4])};
  if (!add_cpu(program_, state, cpus_.things.at(pair[1]), {}) ||
      !add_cpu(program_, state, cpus_.things.at(pair[2]), {both}))
    throw std::logic_error("datalog derives a pair of CPUs that there is not");
  return state;
}

bool PairFacts::want(const Pair& pair) {
  const std::uint32_t t = pairs_.of(pair);
  asked_.resize(pairs_.things.size());
  if (asked_[t]) return false;
  queue_.push_back(t);
  return true;
}

void PairFacts::ask(const std::function<bool()>& enough) {
  while (!queue_.empty() && !wrong_ && !enough()) {
    const std::uint32_t next = queue_.front();  // the nearest first: violations are mostly near
    queue_.pop_front();
    if (!asked_[next]) ask_one(next);
  }
}

void PairFacts::ask_one(std::uint32_t t) {
  asked_[t] = true;
  const Pair pair = pairs_.things[t];
  const auto& [shared, first, second, same, awaits] = pair;
  add(Fact::parts, t, shared, first, second, same, awaits);
  add(Fact::asked, shared, first, second, same, awaits);
  const State state = state_of(pair);
  State swapped = shared_states_[shared];
  const Crossing back = reversed({links_.same(same), awaits_.things[awaits]});
  if (!add_cpu(program_, swapped, cpus_.things[second], {}) || !add_cpu(program_, swapped, cpus_.things[first], {back}))
    throw std::logic_error("a pair of CPUs has no other order");
  add(Fact::swapped, t, number_of(swapped, Clause::symmetry));
  for (std::size_t i = 0; i < program_.invariants.size(); ++i) {
    if (!step::holds(program_, state, program_.invariants[i]))
      wrong_ = static_cast<std::uint32_t>(program_.commands.size() + i);
  }
  const step::Id pc = state.cpu[0].pc;
  for (std::uint32_t c = program_.first[pc]; c < program_.first[pc + 1]; ++c)
    run_command(t, state, program_.commands[c]);
  acknowledge(t, state);
}

// --- steps ---

void PairFacts::run_command(std::uint32_t t, const State& state, const Command& command) {
  const auto index = static_cast<std::uint32_t>(&command - program_.commands.data());
  if (command.violation) {
    step::run(program_, state, 0, command, World::open, [&](const State&) { wrong_ = index; });
    return;
  }
  const Pair pair = pairs_.things[t];
  for (const Run& run : runs(state, steps_[index])) {
    const std::uint32_t after = number_of(run.state, Clause::own_step);
    add(Fact::step, t, after);
    if (!steps_[index].touches_others) continue;
    std::vector<std::uint32_t> event = {pair[0], pair[1], index};
    event.insert(event.end(), run.labels.begin(), run.labels.end());
    const Link link{links_.same(pair[3]), crowded(state), cleared(state, run.state), run.taken};
    const Pair next = pairs_.things[after];
    const bool noticed = next[0] != pair[0] || next[2] != pair[2];
    const std::uint32_t e = event_of(event, next[0]);
    const std::uint32_t l = links_.number_of(link);
    add(Fact::effect, t, e, pair[0], next[0], pair[2], next[2], l);
    if (noticed) add(Fact::change, t, e, pair[0], next[0], pair[2], next[2], l);
  }
}

// All pairs have to agree about what an event does to the shared part, else they would not meet.
std::uint32_t PairFacts::event_of(const std::vector<std::uint32_t>& event, std::uint32_t shared_after) {
  const std::uint32_t number = events_.of(event);
  if (number == shared_after_.size()) shared_after_.push_back(shared_after);
  if (shared_after_[number] != shared_after) throw std::logic_error("one event with two outcomes");
  return number;
}

void PairFacts::acknowledge(std::uint32_t t, const State& state) {
  if (program_.awaits.empty()) return;
  const Pair pair = pairs_.things[t];
  Link link{links_.same(pair[3]), crowded(state)};
  add(Fact::beside, t, pair[0], pair[1], pair[2], links_.number_of(link));
  for (std::size_t kind = 0; kind < program_.awaits.size(); ++kind) {
    if (step::can_acknowledge(program_, state, 0, 1, kind))
      add(Fact::step, t, number_of(step::acknowledge(program_, state, 0, 1, kind), Clause::own_step));
    if (!step::can_acknowledge(program_, state, 1, 0, kind)) continue;
    const State next = step::acknowledge(program_, state, 1, 0, kind);
    link.cleared = cleared(state, next);
    add(Fact::answer, t, pair[0], pair[1], pair[2], parts_of(next)[2], links_.number_of(link));
  }
}

// All ways to run a command, in parts.
std::vector<PairFacts::Run> PairFacts::runs(const State& state, const Steps& steps) const {
  std::vector<Run> now = {{state}};
  for (const Command& part : steps.parts) {
    const bool takes = !part.ops.empty() && part.ops.front().code == OpCode::fresh;
    std::vector<Run> next;
    for (const Run& run : now) {
      step::run(program_, run.state, 0, part, World::open, [&](const State& found) {
        next.push_back({found, run.labels, run.taken});
        if (takes) note_taken(next.back(), run.state, state, part.ops.front().a);
      });
    }
    now = std::move(next);
  }
  return now;
}

// The actor has just taken an object for `handle`. Who named it before?
void PairFacts::note_taken(Run& run, const State& before, const State& original, step::Id handle) const {
  const std::uint8_t object = run.state.cpu[0].handles[handle];
  for (std::size_t p = 0; p < program_.places.size(); ++p) {
    if (before.places[p] == object) return run.labels.push_back(static_cast<std::uint32_t>(1 + p));
  }
  for (std::size_t h = 0; h < program_.handles.size(); ++h) {
    if (before.cpu[0].handles[h] == object)
      return run.labels.push_back(static_cast<std::uint32_t>(1 + step::max_places + h));
  }
  run.labels.push_back(0);
  Taken taken;
  for (std::size_t h = 0; h < program_.handles.size(); ++h) {
    if (before.cpu[1].handles[h] == object) taken.named_by = static_cast<std::uint8_t>(taken.named_by | 1u << h);
  }
  taken.cleared = cleared(original, before);
  run.taken.push_back(taken);
}

std::uint8_t PairFacts::cleared(const State& before, const State& after) const {
  std::uint8_t handles = 0;
  for (std::size_t h = 0; h < program_.handles.size(); ++h) {
    if (before.cpu[1].handles[h] != 0 && after.cpu[1].handles[h] == 0)
      handles = static_cast<std::uint8_t>(handles | 1u << h);
  }
  return handles;
}

bool PairFacts::crowded(const State& state) const {
  const step::Id line = program_.locations[state.cpu[0].pc].line;
  return program_.lines[line].cpus == 2 && program_.locations[state.cpu[1].pc].line == line;
}

}  // namespace faultline::check
