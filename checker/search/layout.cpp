#include "checker/search/layout.hpp"

#include <algorithm>

namespace faultline::check::search {

Layout::Layout(const step::Program& program, std::uint32_t cpus) : max_cpus(cpus) {
  const auto count = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  globals = count(program.globals);
  places = count(program.places);
  locals = count(program.locals);
  handles = count(program.handles);
  awaits = count(program.awaits);
  for (const step::ObjectType& type : program.types) type_shift = std::max(type_shift, count(type.bits));
  // Every place and handle may name an object of its own; one command may in between name as many more as it has
  // `fresh`.
  std::size_t fresh = 0;
  for (const step::Command& command : program.commands) {
    const auto ops = std::count_if(command.ops.begin(), command.ops.end(),
                                   [](const step::Op& op) { return op.code == step::OpCode::fresh; });
    fresh = std::max(fresh, static_cast<std::size_t>(ops));
  }
  if (places + handles > 0) {
    objects = std::min<std::uint32_t>(step::max_objects, places + handles * cpus + static_cast<std::uint32_t>(fresh));
  }
  place_at = global_at + globals;
  object_at = place_at + places;
  cpu_at = object_at + objects + 1;
  handle_at = local_at + locals;
  await_at = handle_at + handles;
  stride = await_at + 2 * awaits;
}

step::State Layout::to_state(const Byte* s) const {
  step::State state;
  state.cpus = s[0];
  state.objects = s[1];
  std::copy_n(s + global_at, globals, state.globals.begin());
  std::copy_n(s + place_at, places, state.places.begin());
  for (std::uint32_t n = 1; n <= state.objects; ++n) {
    state.bits[n] = bits(s[object_at + n]);
    state.types[n] = static_cast<Byte>(type(s[object_at + n]));
  }
  for (std::uint32_t i = 0; i < state.cpus; ++i) {
    step::CpuState& to = state.cpu[i];
    to.pc = pc(s, i);
    std::copy_n(cpu(s, i) + local_at, locals, to.locals.begin());
    std::copy_n(cpu(s, i) + handle_at, handles, to.handles.begin());
    for (std::uint32_t a = 0; a < awaits; ++a) to.awaits[a] = await(s, i, a);
  }
  return state;
}

void Layout::from_state(const step::State& state, Byte* s) const {
  std::memset(s, 0, size());
  s[0] = state.cpus;
  s[1] = state.objects;
  std::copy_n(state.globals.begin(), globals, s + global_at);
  std::copy_n(state.places.begin(), places, s + place_at);
  for (std::uint32_t n = 1; n <= state.objects; ++n) {
    s[object_at + n] = object(state.types[n], state.bits[n]);
  }
  for (std::uint32_t i = 0; i < state.cpus; ++i) {
    const step::CpuState& from = state.cpu[i];
    set_pc(s, i, from.pc);
    std::copy_n(from.locals.begin(), locals, cpu(s, i) + local_at);
    std::copy_n(from.handles.begin(), handles, cpu(s, i) + handle_at);
    for (std::uint32_t a = 0; a < awaits; ++a) set_await(s, i, a, from.awaits[a]);
  }
}

}  // namespace faultline::check::search
