#include "checker/relation.hpp"

namespace faultline::check {

using smt::Term;
using step::Id;

namespace {

PictureOptions options(const char* prefix, const std::vector<Id>& lines) { return {prefix, lines, true}; }

}  // namespace

std::vector<Id> Relation::lines_of(const step::Program& program, std::uint32_t cpus) {
  std::vector<Id> lines;
  const std::vector<std::uint32_t> counts = step::cpus_per_line(program, cpus);
  for (std::size_t l = 0; l < counts.size(); ++l) lines.insert(lines.end(), counts[l], static_cast<Id>(l));
  return lines;
}

Relation::Relation(const step::Program& program, smt::Terms& terms, std::uint32_t cpus)
    : program_(program),
      terms_(terms),
      lines_(lines_of(program, cpus)),
      now_(program, terms, lines_.size(), options("", lines_)),
      next_(program, terms, lines_.size(), options("next.", lines_)),
      atoms_(values(now_, now_.state())),
      next_atoms_(values(next_, next_.state())),
      changed_by_(atoms_.size()),
      fires_of_(lines_.size() + 1) {
  for (std::size_t x = 0; x < atoms_.size(); ++x) after_.emplace_back(next_atoms_[x], atoms_[x]);
  add_commands();
  add_acknowledgements();
  for (std::size_t i = 0; i < program.invariants.size(); ++i)
    broken_.push_back({!now_.truth(now_.state(), 0, 0, program.invariants[i].e), {}, i, false});
  one_at_a_time();
  frame();
  always_ = now_.axioms();
}

// Everything that a state is made of, in one order. Constants (the positions of other lines) are left out.
std::vector<Term> Relation::values(Picture& picture, const SymbolicState& state) {
  std::vector<Term> result;
  const auto number = [&](const Number& n, std::size_t values) {
    if (values == 2) result.push_back(n.size() > 1 ? n[1] : smt::no);
    for (std::size_t v = 0; values > 2 && v < values; ++v) result.push_back(v < n.size() ? n[v] : smt::no);
  };
  for (std::size_t g = 0; g < state.globals.size(); ++g) number(state.globals[g], program_.globals[g].max + 1u);
  for (std::size_t i = 0; i < state.cpus.size(); ++i) {
    for (std::size_t pc = 0; pc < program_.locations.size(); ++pc)
      if (program_.locations[pc].line == lines_[i]) result.push_back(state.cpus[i].position[pc]);
    for (std::size_t l = 0; l < program_.locals.size(); ++l)
      number(state.cpus[i].locals[l], program_.locals[l].max + 1u);
    for (const auto& kind : state.cpus[i].awaits)
      for (std::size_t j = 0; j < kind.size(); ++j)
        if (i != j) result.push_back(kind[j]);
  }
  std::vector<std::pair<Reference, Id>> slots;  // and their types
  for (std::size_t p = 0; p < state.places.size(); ++p) slots.emplace_back(state.places[p], program_.places[p].type);
  for (const SymbolicCpu& cpu : state.cpus)
    for (std::size_t h = 0; h < cpu.handles.size(); ++h) slots.emplace_back(cpu.handles[h], program_.handles[h].type);
  for (std::size_t a = 0; a < slots.size(); ++a) {
    const auto& [slot, type] = slots[a];
    result.push_back(picture.null(state, slot));
    for (std::size_t b = 0; b < program_.types[type].bits.size(); ++b) result.push_back(picture.bit(state, slot, b));
    for (std::size_t b = 0; b < a; ++b)
      if (slots[b].second == type) result.push_back(picture.same(state, slot, slots[b].first));
  }
  return result;
}

std::vector<Term> Relation::initial() {
  const SymbolicState& s = now_.state();
  std::vector<Term> claims = exactly_one_value();
  for (std::size_t g = 0; g < s.globals.size(); ++g) claims.push_back(s.globals[g][program_.globals[g].init]);
  for (const Reference& place : s.places) claims.push_back(now_.null(s, place));
  for (std::size_t i = 0; i < s.cpus.size(); ++i) {
    claims.push_back(s.cpus[i].position[program_.lines[lines_[i]].idle]);
    for (const Number& local : s.cpus[i].locals) claims.push_back(local[0]);
    for (const Reference& handle : s.cpus[i].handles) claims.push_back(now_.null(s, handle));
    for (const auto& kind : s.cpus[i].awaits)
      for (const Term awaits : kind) claims.push_back(!awaits);
  }
  std::erase(claims, smt::yes);
  return claims;
}

void Relation::add_fire(const std::string& name, std::size_t cpu, std::uint32_t command, const SymbolicStep& step) {
  if (step.enabled.is_false()) return;
  const Term fires = terms_.variable(name);
  fires_.push_back({fires, {static_cast<std::uint32_t>(cpu), command}});
  fires_of_[command == step::acknowledgement ? lines_.size() : cpu].push_back(fires);
  step_.push_back(terms_.implies(fires, step.enabled));
  SymbolicState after = step.after;
  if (command != step::acknowledgement) {  // it leaves `from`, and was nowhere else
    Number& position = after.cpus[cpu].position;
    position = now_.state().cpus[cpu].position;
    position[program_.commands[command].from] = smt::no;
    position[program_.commands[command].to] = smt::yes;
  }
  const std::vector<Term> values_after = values(now_, after);
  for (std::size_t x = 0; x < atoms_.size(); ++x) {
    if (values_after[x] == atoms_[x]) continue;
    changed_by_[x].push_back(fires);
    step_.push_back(terms_.any({!fires, !next_atoms_[x], values_after[x]}));
    step_.push_back(terms_.any({!fires, next_atoms_[x], !values_after[x]}));
  }
}

void Relation::add_commands() {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    for (std::uint32_t c = 0; c < program_.commands.size(); ++c) {
      const step::Command& command = program_.commands[c];
      if (program_.locations[command.from].line != lines_[i]) continue;
      const SymbolicStep step = now_.run(i, command, step::World::closed);
      if (!command.violation) {
        add_fire("fire." + std::to_string(i) + "." + std::to_string(c), i, c, step);
      } else if (!step.enabled.is_false()) {
        const bool bound = command.violation->kind == step::Kind::bound;
        broken_.push_back({step.enabled, {static_cast<std::uint32_t>(i), c}, std::nullopt, bound});
      }
    }
  }
}

void Relation::add_acknowledgements() {
  for (std::size_t me = 0; me < lines_.size(); ++me)
    for (std::size_t sender = 0; sender < lines_.size(); ++sender)
      for (std::size_t kind = 0; me != sender && kind < program_.awaits.size(); ++kind)
        add_fire("acknowledge." + std::to_string(me) + "." + std::to_string(sender) + "." + std::to_string(kind), me,
                 step::acknowledgement, now_.acknowledge(me, sender, kind));
}

// One scheduling choice: a CPU, or an acknowledgement. Two commands of one CPU from different positions exclude each
// other as it is.
void Relation::one_at_a_time() {
  std::vector<Term> turns, all;
  for (std::size_t i = 0; i < fires_of_.size(); ++i) {
    const Term turn = terms_.variable("turn." + std::to_string(i));
    for (const Term other : turns) step_.push_back(terms_.either(!turn, !other));
    turns.push_back(turn);
    for (const Term fires : fires_of_[i]) step_.push_back(terms_.implies(fires, turn));
    all.insert(all.end(), fires_of_[i].begin(), fires_of_[i].end());
  }
  step_.push_back(terms_.any(all));
  const auto from = [&](const Fire& f) {
    return f.step.command == step::acknowledgement ? step::no_id : program_.commands[f.step.command].from;
  };
  for (std::size_t a = 0; a < fires_.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const bool acknowledge = from(fires_[a]) == step::no_id;
      if (from(fires_[a]) == from(fires_[b]) && (acknowledge || fires_[a].step.cpu == fires_[b].step.cpu))
        step_.push_back(terms_.either(!fires_[a].fires, !fires_[b].fires));
    }
  }
}

void Relation::frame() {
  for (std::size_t x = 0; x < atoms_.size(); ++x) {
    std::vector<Term> set = changed_by_[x];
    set.push_back(!next_atoms_[x]);
    set.push_back(atoms_[x]);
    step_.push_back(terms_.any(set));
    std::vector<Term> cleared = changed_by_[x];
    cleared.push_back(next_atoms_[x]);
    cleared.push_back(!atoms_[x]);
    step_.push_back(terms_.any(std::move(cleared)));
  }
}

}  // namespace faultline::check
