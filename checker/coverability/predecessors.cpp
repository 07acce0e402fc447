#include "checker/coverability/predecessors.hpp"

#include <algorithm>

namespace faultline::check::coverability {

using search::StateSet;
using step::OpCode;
using step::Program;
using step::State;

Predecessors::Predecessors(const Program& program, const Within& within, Forms& forms, const Gluing& gluing,
                           std::function<void()> tick)
    : program_(program),
      within_(within),
      forms_(forms),
      gluing_(gluing),
      tick_(std::move(tick)),
      after_forms_(forms.words()),
      after_shared_(forms.words()) {
  for (const step::Command& command : program.commands) effects_.push_back(effects_of(command));
  for (std::uint32_t view = 0; view < within.ones().size(); ++view) {
    const State& one = within.ones()[view];
    for (std::uint32_t c = program.first[one.cpu[0].pc]; c < program.first[one.cpu[0].pc + 1U]; ++c) {
      if (program.commands[c].violation) continue;
      step::run(program, one, 0, program.commands[c], step::World::open, [&](const State& next) {
        State after = next;
        tidy(program, after);
        forms_.load(after);
        file(after_forms_, by_after_, forms_.form(1), {view, c});
        if (effects_[c].noticed || after.globals != one.globals)
          file(after_shared_, by_shared_, forms_.form(0), {view, c});
      });
    }
  }
}

Predecessors::Effects Predecessors::effects_of(const step::Command& command) {
  Effects effects;
  for (const step::Op& op : command.ops) {
    switch (op.code) {
      case OpCode::fresh: effects.fresh = true; [[fallthrough]];
      case OpCode::clear_handle:
      case OpCode::handle_from_place:
      case OpCode::handle_from_handle: effects.handles |= 1U << op.a; break;
      case OpCode::clear_place:
      case OpCode::place_from_handle: effects.places |= 1U << op.a; break;
      case OpCode::set_object_bit: effects.bits = true; break;
      case OpCode::others_set_local:
      case OpCode::others_clear_handle: effects.others.push_back(op); break;
      case OpCode::await_others:
        if (std::find(effects.kinds.begin(), effects.kinds.end(), op.a) == effects.kinds.end())
          effects.kinds.push_back(op.a);
        break;
      case OpCode::some: ++effects.witnesses; break;
      default: break;  // the other guards; set_global and set_local, whose targets the view before the step shows
    }
  }
  effects.noticed = effects.fresh || effects.bits || effects.places != 0 || !effects.others.empty();
  return effects;
}

// A view and a command may lead to one key in several ways; one entry will do.
void Predecessors::file(StateSet& keys, std::vector<std::vector<Transition>>& lists, const std::uint64_t* key,
                        Transition transition) const {
  const StateSet::Index index = keys.insert(key).index;
  if (index == lists.size()) lists.emplace_back();
  std::vector<Transition>& list = lists[index];
  if (std::find(list.begin(), list.end(), transition) == list.end()) list.push_back(transition);
}

void Predecessors::of(const State& picture, const Found& found) {
  for (std::size_t actor = 0; actor < picture.cpus; ++actor) {
    forms_.load(picture);
    const StateSet::Index after = after_forms_.find(forms_.form(Mask{1} << actor));
    if (after == StateSet::none) continue;
    for (const Transition& t : by_after_[after]) command_step(picture, actor, t, found);
  }
  forms_.load(picture);
  const StateSet::Index shared = after_shared_.find(forms_.form(0));
  if (shared != StateSet::none) {
    for (const Transition& t : by_shared_[shared]) {
      if (gluing_.has_room(picture, within_.ones()[t.view].cpu[0].pc)) command_step(picture, picture.cpus, t, found);
    }
  }
  acknowledgements(picture, found);
}

void Predecessors::command_step(const State& after, std::size_t actor, Transition transition, const Found& found) {
  const State& view = within_.ones()[transition.view];
  const Effects& effects = effects_[transition.command];
  Naming naming(view, after);
  for (std::size_t p = 0; p < program_.places.size(); ++p) {
    if ((effects.places >> p & 1) == 0 && !naming.bind(view.places[p], after.places[p])) return;
  }
  for (std::size_t h = 0; actor < after.cpus && h < program_.handles.size(); ++h) {
    if ((effects.handles >> h & 1) == 0 && !naming.bind(view.cpu[0].handles[h], after.cpu[actor].handles[h])) return;
  }
  naming.complete(!effects.bits && !effects.fresh, [&] {
    Guess guess{after, program_.commands[transition.command], effects, actor, after, found};
    State& before = guess.before;
    before.globals = view.globals;
    before.objects = naming.highest();
    for (std::uint8_t o = 1; o <= view.objects; ++o) {
      before.bits[naming(o)] = view.bits[o];
      before.types[naming(o)] = view.types[o];
    }
    for (std::size_t p = 0; p < program_.places.size(); ++p) before.places[p] = naming(view.places[p]);
    if (actor == after.cpus) before.cpu[before.cpus++] = {};
    step::CpuState& cpu = before.cpu[actor];
    cpu.pc = view.cpu[0].pc;
    cpu.locals = view.cpu[0].locals;
    for (std::size_t h = 0; h < program_.handles.size(); ++h) cpu.handles[h] = naming(view.cpu[0].handles[h]);

    // An object that the actor did not know before the step, but others did, may have come to it by reuse.
    std::uint64_t known = 0;
    for (std::size_t i = 0; effects.fresh && program_.has_alloc_reuse && i < after.cpus; ++i) {
      for (std::size_t h = 0; i != actor && h < program_.handles.size(); ++h) {
        const std::uint8_t object = after.cpu[i].handles[h];
        if (object != 0 && !naming.taken(object)) known |= std::uint64_t{1} << object;
      }
    }
    reused(guess, known);
  });
}

// Each of the candidates is as it was, or was freed before the step, with any other bits.
void Predecessors::reused(Guess& guess, std::uint64_t candidates) {
  if (candidates == 0) return others(guess, 0, 0);
  const int object = std::countr_zero(candidates);
  std::uint8_t& bits = guess.before.bits[static_cast<std::size_t>(object)];
  const std::uint8_t as_it_is = bits;
  candidates &= candidates - 1;
  reused(guess, candidates);
  const std::size_t type = guess.before.types[static_cast<std::size_t>(object)];
  for (std::uint32_t b = 1; b < 1U << program_.types[type].bits.size(); b += 2) {
    if (b == as_it_is) continue;
    bits = static_cast<std::uint8_t>(b);
    reused(guess, candidates);
  }
  bits = as_it_is;
}

// What the command may have overwritten in the other CPUs.
void Predecessors::others(Guess& guess, std::size_t cpu, std::size_t op) {
  if (op == guess.effects.others.size()) {
    ++cpu;
    op = 0;
  }
  if (guess.effects.others.empty() || cpu >= guess.after.cpus) return relate(guess);
  const step::Op& overwritten = guess.effects.others[op];
  step::CpuState& other = guess.before.cpu[cpu];
  others(guess, cpu, op + 1);
  if (cpu == guess.actor) return;
  if (overwritten.code == OpCode::others_set_local) {
    std::uint8_t& local = other.locals[overwritten.a];
    if (local != overwritten.value) return;
    for (std::uint32_t v = 0; v <= program_.locals[overwritten.a].max; ++v) {
      if (v == overwritten.value) continue;
      local = static_cast<std::uint8_t>(v);
      others(guess, cpu, op + 1);
    }
    local = overwritten.value;
    return;
  }
  std::uint8_t& handle = other.handles[overwritten.a];
  if (handle != 0) return;
  State& before = guess.before;
  const step::Id type = program_.handles[overwritten.a].type;
  for (std::uint8_t n = 1; n <= before.objects; ++n) {
    if (before.types[n] != type) continue;
    handle = n;
    others(guess, cpu, op + 1);
  }
  if (before.objects == step::max_objects) throw std::length_error("more than 63 objects in one picture");
  const std::uint8_t fresh = ++before.objects;
  before.types[fresh] = static_cast<std::uint8_t>(type);
  for (std::uint32_t b = 0; b < 1U << program_.types[type].bits.size(); ++b) {
    before.bits[fresh] = static_cast<std::uint8_t>(b);
    handle = fresh;
    others(guess, cpu, op + 1);
  }
  --before.objects;
  handle = 0;
}

void Predecessors::relate(Guess& guess) {
  State before = guess.before;
  tidy(program_, before);
  if (!within_.allows(before, 1)) return;
  std::vector<AwaitBit> bits;
  if (guess.actor == guess.after.cpus) {
    bits = gluing_.possible_awaits(before);
  } else {
    // A command sets bits of the actor and clears none.
    for (const std::size_t kind : guess.effects.kinds) {
      for (std::size_t to = 0; to < before.cpus; ++to) {
        if (awaits(guess.after, {guess.actor, to, kind})) bits.push_back({guess.actor, to, kind});
      }
    }
  }
  Guess trial{guess.after, guess.command, guess.effects, guess.actor, before, guess.found};
  each_choice(trial.before, bits, [&] { verify(trial); });
}

void Predecessors::verify(const Guess& guess) {
  tick_();
  const std::size_t n = guess.after.cpus;
  if (guess.actor == n && same_seen(program_, guess.before, guess.after, n)) return;
  if (!leads(guess, guess.before, step::World::open) || !within_.allows(guess.before)) return;
  with_witnesses(guess, guess.before, guess.effects.witnesses);
}

bool Predecessors::leads(const Guess& guess, const State& before, step::World world) const {
  bool found = false;
  step::run(program_, before, guess.actor, guess.command, world,
            [&](const State& next) { found = found || same_seen(program_, next, guess.after, guess.after.cpus); });
  return found;
}

// What `some` asks for has to be there: seen already, or one of `more` further CPUs.
void Predecessors::with_witnesses(const Guess& guess, const State& before, std::uint32_t more) {
  if (guess.effects.witnesses == 0 || leads(guess, before, step::World::closed)) {
    return guess.found(before, {static_cast<std::uint32_t>(guess.actor),
                                static_cast<std::uint32_t>(&guess.command - program_.commands.data())});
  }
  if (more == 0) return;
  gluing_.with_each(before, [&](const State& both) {
    if (leads(guess, both, step::World::open)) with_witnesses(guess, both, more - 1);
  });
}

void Predecessors::acknowledgements(const State& after, const Found& found) {
  for (std::size_t kind = 0; kind < program_.awaits.size(); ++kind) {
    const step::AwaitKind& await = program_.awaits[kind];
    for (std::size_t me = 0; me < after.cpus; ++me) {
      const step::CpuState& cpu = after.cpu[me];
      const auto null = [&](step::Id h) { return cpu.handles[h] == 0; };
      const auto zero = [&](step::Id l) { return cpu.locals[l] == 0; };
      if (!program_.locations[cpu.pc].can_acknowledge(kind)) continue;
      if (!std::all_of(await.clears_handles.begin(), await.clears_handles.end(), null)) continue;
      if (!std::all_of(await.clears_locals.begin(), await.clears_locals.end(), zero)) continue;
      forms_.load(after);
      for (const std::uint32_t view : within_.beside(forms_.form(0))) {
        const State& one = within_.ones()[view];
        std::array<std::uint8_t, step::max_locals> locals = one.cpu[0].locals;
        for (const step::Id l : await.clears_locals) locals[l] = 0;
        if (one.cpu[0].pc == cpu.pc && locals == cpu.locals) acknowledge(after, me, kind, one, found);
      }
    }
  }
}

// `one`: what CPU `me` looked like before.
void Predecessors::acknowledge(const State& after, std::size_t me, std::size_t kind, const State& one,
                               const Found& found) {
  const std::vector<step::Id>& cleared = program_.awaits[kind].clears_handles;
  Naming naming(one, after);
  for (std::size_t p = 0; p < program_.places.size(); ++p) {
    if (!naming.bind(one.places[p], after.places[p])) return;
  }
  for (step::Id h = 0; h < program_.handles.size(); ++h) {
    if (std::find(cleared.begin(), cleared.end(), h) != cleared.end()) continue;
    if (!naming.bind(one.cpu[0].handles[h], after.cpu[me].handles[h])) return;
  }
  naming.complete(true, [&] {
    State before = after;
    before.objects = naming.highest();
    for (std::uint8_t o = 1; o <= one.objects; ++o) {
      before.bits[naming(o)] = one.bits[o];
      before.types[naming(o)] = one.types[o];
    }
    before.cpu[me].locals = one.cpu[0].locals;
    for (std::size_t h = 0; h < program_.handles.size(); ++h) before.cpu[me].handles[h] = naming(one.cpu[0].handles[h]);
    tidy(program_, before);
    for (std::size_t sender = 0; sender < after.cpus; ++sender) {
      const AwaitBit bit{sender, me, kind};
      if (sender == me || awaits(before, bit) || !gluing_.may_await(kind, before.cpu[sender].pc)) continue;
      set_await(before, bit, true);
      verify(before, after, me, sender, kind, found);
      set_await(before, bit, false);
    }
    if (same_seen(program_, before, after, after.cpus)) return;
    const AwaitBit bit{after.cpus, me, kind};
    gluing_.with_each(before, [&](const State& both) {
      if (awaits(both, bit)) verify(both, after, me, after.cpus, kind, found);
    });
  });
}

void Predecessors::verify(const State& before, const State& after, std::size_t me, std::size_t sender, std::size_t kind,
                          const Found& found) const {
  tick_();
  if (!step::can_acknowledge(program_, before, me, sender, kind)) return;
  const State next = step::acknowledge(program_, before, me, sender, kind);
  if (same_seen(program_, next, after, after.cpus) && within_.allows(before))
    found(before, {static_cast<std::uint32_t>(me), step::acknowledgement});
}

}  // namespace faultline::check::coverability
