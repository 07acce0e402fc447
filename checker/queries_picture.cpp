// The variables of a picture, what always holds of them, and how fields of a view are read off a state.
#include "checker/queries_picture.hpp"

#include "checker/certificate_shapes.hpp"

namespace faultline::check {

using smt::no;
using smt::Term;
using smt::yes;
using step::Id;

Picture::Picture(const step::Program& program, smt::Terms& terms, std::size_t cpus, const PictureOptions& options)
    : program_(program), terms_(terms), options_(options) {
  const auto number = [&](const std::string& name, std::size_t values) {
    return options.one_hot ? terms.one_hot(name, values) : terms.number(name, values);
  };
  const std::string shared = options.prefix + "shared.";
  for (const step::Variable& global : program.globals)
    state_.globals.push_back(number(shared + global.name, global.max + 1u));
  for (const step::Place& place : program.places)
    state_.places.push_back({add_slot(shared + place.name, place.type, true), yes});
  for (std::size_t i = 0; i < cpus; ++i) {
    const std::string prefix = options.prefix + "cpu" + std::to_string(i + 1) + ".";
    SymbolicCpu cpu;
    cpu.position = number(prefix + "at", program.locations.size());
    for (std::size_t pc = 0; !options.lines.empty() && pc < cpu.position.size(); ++pc)
      if (program.locations[pc].line != options.lines[i]) cpu.position[pc] = no;
    for (const step::Variable& local : program.locals) {
      cpu.locals.push_back(number(prefix + local.name, local.max + 1u));
    }
    for (const step::Handle& handle : program.handles) {
      cpu.handles.push_back({add_slot(prefix + handle.name, handle.type, true), yes});
    }
    for (const step::AwaitKind& kind : program.awaits) {
      std::vector<Term> of_kind;
      for (std::size_t j = 0; j < cpus; ++j) {
        of_kind.push_back(i == j ? no : terms.variable(prefix + "awaits" + std::to_string(j + 1) + "." + kind.name));
      }
      cpu.awaits.push_back(std::move(of_kind));
    }
    state_.cpus.push_back(std::move(cpu));
  }
}

std::size_t Picture::add_slot(const std::string& name, Id type, bool maybe_null) {
  const std::size_t slot = slots_.size();
  std::vector<Term> same;
  for (const Slot& older : slots_) {
    same.push_back(older.type == type ? terms_.variable(name + "==" + older.name) : no);
  }
  same_.push_back(std::move(same));
  slots_.push_back({name, type, maybe_null ? terms_.variable(name + "==null") : no});
  std::vector<Term> bits;
  for (const std::string& bit : program_.types[type].bits) {
    bits.push_back(maybe_null ? terms_.variable(name + "." + bit) : no);
  }
  state_.bits.push_back(std::move(bits));
  return slot;
}

std::vector<Term> Picture::axioms() {
  std::vector<Term> result;
  for (std::size_t a = 0; a < slots_.size(); ++a) {
    for (const Term bit : state_.bits[a]) result.push_back(terms_.implies(bit, !slots_[a].null));
    for (std::size_t b = 0; b < a; ++b) {
      if (same_[a][b].is_false()) continue;
      result.push_back(terms_.implies(same_[a][b], terms_.both(!slots_[a].null, !slots_[b].null)));
      for (std::size_t c = 0; c < b; ++c) {
        const Term ab = same_[a][b];
        const Term ac = same_[a][c];
        const Term bc = same_[b][c];
        result.push_back(terms_.any({!ab, !ac, bc}));
        result.push_back(terms_.any({!ab, ac, !bc}));
        result.push_back(terms_.any({ab, !ac, !bc}));
      }
    }
  }
  // A fresh slot has no bits of its own: what it equals is asked for where it is made.
  const std::size_t old_slots = slots_.size() - fresh_slots_.size();
  for (std::size_t a = 0; a < old_slots; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      for (std::size_t bit = 0; !same_[a][b].is_false() && bit < state_.bits[a].size(); ++bit) {
        result.push_back(terms_.implies(same_[a][b], terms_.same(state_.bits[a][bit], state_.bits[b][bit])));
      }
    }
  }
  // Of each more than `line.cpus` CPUs one is elsewhere.
  const std::size_t cpus = state_.cpus.size();
  for (std::size_t l = 0; l < program_.lines.size(); ++l) {
    const std::size_t most = program_.lines[l].cpus;
    if (most == 0 || most >= cpus) continue;
    std::vector<bool> on_line;
    for (const step::Location& location : program_.locations) on_line.push_back(location.line == l);
    for (std::size_t chosen = 0; chosen < std::size_t{1} << cpus; ++chosen) {
      std::vector<Term> elsewhere;
      for (std::size_t i = 0; i < cpus; ++i) {
        if ((chosen >> i & 1) != 0) elsewhere.push_back(!position_in(state_.cpus[i].position, on_line));
      }
      if (elsewhere.size() == most + 1) result.push_back(terms_.any(std::move(elsewhere)));
    }
  }
  return result;
}

std::vector<Term> Picture::exactly_one_value() {
  std::vector<Term> result;
  const auto exactly_one = [&](const Number& number) {
    if (number.size() <= 2) return;
    result.push_back(terms_.any(number));
    for (std::size_t a = 0; a < number.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) result.push_back(terms_.either(!number[a], !number[b]));
  };
  if (!options_.one_hot) return result;
  for (const Number& global : state_.globals) exactly_one(global);
  for (const SymbolicCpu& cpu : state_.cpus) {
    exactly_one(cpu.position);
    for (const Number& local : cpu.locals) exactly_one(local);
  }
  std::erase(result, yes);
  return result;
}

Term Picture::position_in(const Number& position, const std::vector<bool>& set) {
  std::vector<Term> inside;
  std::vector<Term> outside;
  for (std::size_t pc = 0; pc < position.size(); ++pc) (set[pc] ? inside : outside).push_back(position[pc]);
  // The shorter of the two ways to say it. They are the same because a position is one of all.
  return inside.size() <= outside.size() ? terms_.any(std::move(inside)) : !terms_.any(std::move(outside));
}

Term Picture::same_slots(std::size_t a, std::size_t b) {
  if (a == b) return !slots_[a].null;
  return a > b ? same_[a][b] : same_[b][a];
}

Term Picture::null(const SymbolicState& /*state*/, const Reference& r) {
  return terms_.either(!r.kept, slots_[r.slot].null);
}

Term Picture::same(const SymbolicState& /*state*/, const Reference& a, const Reference& b) {
  return terms_.all({a.kept, b.kept, same_slots(a.slot, b.slot)});
}

Term Picture::bit(const SymbolicState& state, const Reference& r, std::size_t b) {
  return terms_.both(r.kept, state.bits[r.slot][b]);
}

// See certificate_shapes.hpp for what a look says.
Term Picture::look(const SymbolicState& state, const Reference& r, std::uint8_t look,
                   const std::vector<Reference>& places, const std::vector<Reference>& earlier) {
  if (look == look_null) return null(state, r);
  std::vector<Term> parts;
  const auto none_of = [&](const std::vector<Reference>& list, std::size_t count) {
    for (std::size_t n = 0; n < count; ++n) parts.push_back(!same(state, r, list[n]));
  };
  if (look < look_at_earlier) {
    none_of(places, look - look_at_place);
    parts.push_back(same(state, r, places[look - look_at_place]));
  } else if (look < look_at_own) {
    none_of(places, places.size());
    none_of(earlier, look - look_at_earlier);
    parts.push_back(same(state, r, earlier[look - look_at_earlier]));
  } else {
    none_of(places, places.size());
    none_of(earlier, earlier.size());
    parts.push_back(!null(state, r));
    for (std::size_t b = 0; b < state.bits[r.slot].size(); ++b) {
      const bool set = ((look - look_at_own) >> b & 1) != 0;
      parts.push_back(set ? bit(state, r, b) : !bit(state, r, b));
    }
  }
  return terms_.all(std::move(parts));
}

Term Picture::has(const SymbolicState& state, const std::vector<std::size_t>& view, const Field& field,
                  std::uint16_t value) {
  const auto is = [&](const Number& number) { return value < number.size() ? number[value] : no; };
  const SymbolicCpu& cpu = state.cpus[view[field.i]];
  const auto before = [&](const std::vector<Reference>& list) {
    return std::vector<Reference>(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(field.a));
  };
  switch (field.what) {
    case Field::What::global: return is(state.globals[field.a]);
    case Field::What::place:
      return look(state, state.places[field.a], static_cast<std::uint8_t>(value), {}, before(state.places));
    case Field::What::position: return is(cpu.position);
    case Field::What::local: return is(cpu.locals[field.a]);
    case Field::What::handle:
      return look(state, cpu.handles[field.a], static_cast<std::uint8_t>(value), state.places, before(cpu.handles));
    case Field::What::same: {
      const Term same_object = same(state, cpu.handles[field.a], state.cpus[view[field.j]].handles[field.b]);
      return value != 0 ? same_object : !same_object;
    }
    case Field::What::awaits: {
      const Term awaits = cpu.awaits[field.a][view[field.j]];
      return value != 0 ? awaits : !awaits;
    }
  }
  return no;
}

}  // namespace faultline::check
