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

std::uint8_t row_of(std::uint64_t same, std::size_t x) { return static_cast<std::uint8_t>(same >> (8 * x)); }

std::uint8_t column_of(std::uint64_t same, std::size_t y) {
  std::uint8_t column = 0;
  for (std::size_t x = 0; x < 8; ++x) column = static_cast<std::uint8_t>(column | (same >> (8 * x + y) & 1) << x);
  return column;
}

std::uint64_t without(std::uint64_t same, std::uint8_t rows, std::uint8_t columns) {
  for (std::size_t x = 0; x < 8; ++x) {
    const std::uint64_t gone = (rows >> x & 1) != 0 ? 0xff : columns;
    same &= ~(gone << (8 * x));
  }
  return same;
}

// One object that handles `first` of CPU 1 and handles `second` of CPU 2 name, and no others of theirs: can that be,
// beside what else they have in common?
bool one_object(std::uint64_t same, std::uint8_t first, std::uint8_t second) {
  for (std::size_t h = 0; h < 8; ++h) {
    if ((first >> h & 1) != 0 && row_of(same, h) != second) return false;
    if ((second >> h & 1) != 0 && column_of(same, h) != first) return false;
  }
  return true;
}

}  // namespace

PairFacts::PairFacts(const step::Program& program) : program_(program) {
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
    add(Fact::start, number_of(state));
    std::swap(state.cpu[0], state.cpu[1]);
    add(Fact::start, number_of(state));
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
  return {number, cpus_.of(cpu_shape(program_, state, 0)), cpus_.of(cpu_shape(program_, state, 1)), same_of(both.same),
          awaits_.of(both.awaits)};
}

// The number of the pair of the first two CPUs; a new one is put on the queue.
std::uint32_t PairFacts::number_of(const State& state) {
  const Pair pair = parts_of(state);
  const std::uint32_t t = pairs_.of(pair);
  if (t == asked_.size()) {
    asked_.push_back(false);
    queue_.push_back(t);
  }
  return t;
}

State PairFacts::state_of(const Pair& pair) const {
  State state = shared_states_.at(pair[0]);
  const Crossing both{same_.things.at(pair[3]), awaits_.things.at(pair[4])};
  if (!add_cpu(program_, state, cpus_.things.at(pair[1]), {}) ||
      !add_cpu(program_, state, cpus_.things.at(pair[2]), {both}))
    throw std::logic_error("datalog derives a pair of CPUs that there is not");
  return state;
}

bool PairFacts::want(const Pair& pair) {
  const std::uint32_t t = pairs_.of(pair);
  if (t == asked_.size()) asked_.push_back(false);
  if (asked_[t]) return false;
  queue_.push_back(t);
  return true;
}

bool PairFacts::ask(const std::function<bool()>& enough) {
  while (!queue_.empty()) {
    if (enough()) return false;
    const std::uint32_t next = queue_.back();
    queue_.pop_back();
    if (!asked_[next]) ask_one(next);
  }
  return true;
}

void PairFacts::ask_one(std::uint32_t t) {
  asked_[t] = true;
  const Pair pair = pairs_.things[t];
  const auto& [shared, first, second, same, awaits] = pair;
  add(Fact::parts, t, shared, first, second, same, awaits);
  add(Fact::asked, shared, first, second, same, awaits);
  const State state = state_of(pair);
  State swapped = shared_states_[shared];
  const Crossing back = reversed({same_.things[same], awaits_.things[awaits]});
  if (!add_cpu(program_, swapped, cpus_.things[second], {}) || !add_cpu(program_, swapped, cpus_.things[first], {back}))
    throw std::logic_error("a pair of CPUs has no other order");
  add(Fact::swapped, t, number_of(swapped));
  for (std::size_t i = 0; i < program_.invariants.size(); ++i) {
    if (!step::holds(program_, state, program_.invariants[i]))
      add(Fact::wrong, t, static_cast<std::uint32_t>(program_.commands.size() + i));
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
    step::run(program_, state, 0, command, World::open, [&](const State&) { add(Fact::wrong, t, index); });
    return;
  }
  const Pair pair = pairs_.things[t];
  for (const Run& run : runs(state, steps_[index])) {
    const std::uint32_t after = number_of(run.state);
    add(Fact::step, t, after);
    if (!steps_[index].touches_others) continue;
    std::vector<std::uint32_t> event = {pair[0], pair[1], index};
    event.insert(event.end(), run.labels.begin(), run.labels.end());
    const Link link{same_.things[pair[3]], crowded(state), cleared(state, run.state), run.taken};
    const Pair next = pairs_.things[after];
    const bool noticed = next[0] != pair[0] || next[2] != pair[2];
    const std::uint32_t e = events_.of(event);
    const std::uint32_t l = link_of(link);
    add(Fact::effect, t, e, pair[0], next[0], pair[2], next[2], l);
    if (noticed) add(Fact::change, t, e, pair[0], next[0], pair[2], next[2], l);
  }
}

void PairFacts::acknowledge(std::uint32_t t, const State& state) {
  if (program_.awaits.empty()) return;
  const Pair pair = pairs_.things[t];
  Link link{same_.things[pair[3]], crowded(state)};
  add(Fact::beside, t, pair[0], pair[1], pair[2], link_of(link));
  for (std::size_t kind = 0; kind < program_.awaits.size(); ++kind) {
    if (step::can_acknowledge(program_, state, 0, 1, kind))
      add(Fact::step, t, number_of(step::acknowledge(program_, state, 0, 1, kind)));
    if (!step::can_acknowledge(program_, state, 1, 0, kind)) continue;
    const State next = step::acknowledge(program_, state, 1, 0, kind);
    link.cleared = cleared(state, next);
    add(Fact::answer, t, pair[0], pair[1], pair[2], parts_of(next)[2], link_of(link));
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

// --- pictures of three ---

std::uint32_t PairFacts::same_of(Matrix same) {
  const std::size_t known = same_.things.size();
  const std::uint32_t number = same_.of(same);
  if (number == known) {
    for (std::uint32_t a = 0; a < links_.things.size(); ++a) {
      for (std::uint32_t b = 0; b < links_.things.size(); ++b) meet(number, a, b);
    }
  }
  return number;
}

std::uint32_t PairFacts::link_of(const Link& link) {
  const std::size_t known = links_.things.size();
  const std::uint32_t number = links_.of(link);
  if (number == known) {
    for (std::uint32_t s = 0, matrices = static_cast<std::uint32_t>(same_.things.size()); s < matrices; ++s) {
      for (std::uint32_t other = 0; other < number; ++other) {
        meet(s, number, other);
        meet(s, other, number);
      }
      meet(s, number, number);
    }
  }
  return number;
}

void PairFacts::meet(std::uint32_t same, std::uint32_t first, std::uint32_t second) {
  const Link& a = links_.things[first];
  const Link& b = links_.things[second];
  const Matrix both = same_.things[same];
  if ((a.crowded && b.crowded) || a.taken.size() != b.taken.size()) return;
  for (std::size_t h = 0; h < program_.handles.size(); ++h) {
    const std::uint8_t with_first = row_of(a.same, h);
    const std::uint8_t with_second = row_of(b.same, h);
    if (!one_object(both, with_first, with_second)) return;
  }
  for (std::size_t n = 0; n < a.taken.size(); ++n) {
    const Matrix then = without(both, a.taken[n].cleared, b.taken[n].cleared);
    if (!one_object(then, a.taken[n].named_by, b.taken[n].named_by)) return;
  }
  add(Fact::meets, same, first, second, same_of(without(both, a.cleared, b.cleared)));
}

}  // namespace faultline::check
