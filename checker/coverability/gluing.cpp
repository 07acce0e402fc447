#include "checker/coverability/gluing.hpp"

#include <stdexcept>

#include "checker/search/pictures.hpp"

namespace faultline::check::coverability {

using step::Program;
using step::State;

Gluing::Gluing(const Program& program, const Within& within, Forms& forms, std::function<void()> tick)
    : program_(program),
      within_(within),
      forms_(forms),
      tick_(std::move(tick)),
      may_await_(search::may_await(program)) {}

bool Gluing::has_room(const State& picture, step::Id pc) const {
  const step::Id line = program_.locations[pc].line;
  if (program_.lines[line].cpus == 0) return true;
  std::uint32_t taken = 0;
  for (std::size_t i = 0; i < picture.cpus; ++i) taken += program_.locations[picture.cpu[i].pc].line == line ? 1U : 0U;
  return taken < program_.lines[line].cpus;
}

void Gluing::with_each(const State& picture, const std::function<void(const State&)>& use) const {
  forms_.load(picture);
  for (const std::uint32_t view : within_.beside(forms_.form(0))) {
    const State& one = within_.ones()[view];
    if (has_room(picture, one.cpu[0].pc)) add(picture, one, use);
  }
}

void Gluing::add(const State& picture, const State& one, const std::function<void(const State&)>& use) const {
  if (picture.cpus == forms_.max_cpus()) throw std::length_error("a step with too many CPUs for a picture");
  Naming naming(one, picture);
  for (std::size_t p = 0; p < program_.places.size(); ++p) {
    if (!naming.bind(one.places[p], picture.places[p])) return;
  }
  naming.complete(true, [&] {
    State both = picture;
    both.objects = naming.highest();
    for (std::uint8_t o = 1; o <= one.objects; ++o) {
      both.bits[naming(o)] = one.bits[o];
      both.types[naming(o)] = one.types[o];
    }
    step::CpuState& cpu = both.cpu[both.cpus++];
    cpu = one.cpu[0];
    for (std::size_t h = 0; h < program_.handles.size(); ++h) cpu.handles[h] = naming(one.cpu[0].handles[h]);
    tidy(program_, both);
    each_choice(both, possible_awaits(both), [&] {
      tick_();
      if (within_.allows(both)) use(both);
    });
  });
}

void each_choice(State& s, const std::vector<AwaitBit>& bits, const std::function<void()>& use, std::size_t from) {
  if (from == bits.size()) return use();
  for (const bool on : {false, true}) {
    set_await(s, bits[from], on);
    each_choice(s, bits, use, from + 1);
  }
}

std::vector<AwaitBit> Gluing::possible_awaits(const State& s) const {
  std::vector<AwaitBit> bits;
  const std::size_t last = s.cpus - 1U;
  for (std::size_t kind = 0; kind < program_.awaits.size(); ++kind) {
    for (std::size_t i = 0; i < last; ++i) {
      if (may_await_[kind][s.cpu[last].pc] != 0) bits.push_back({last, i, kind});
      if (may_await_[kind][s.cpu[i].pc] != 0) bits.push_back({i, last, kind});
    }
  }
  return bits;
}

}  // namespace faultline::check::coverability
