#include "checker/certificate_shapes.hpp"

#include <stdexcept>

namespace faultline::check {

using step::CpuState;
using step::Program;
using step::State;

Shape shared_shape(const Program& program, const State& state) {
  Shape shape;
  std::size_t n = 0;
  for (std::size_t g = 0; g < program.globals.size(); ++g) shape.bytes[n++] = state.globals[g];
  for (std::size_t p = 0; p < program.places.size(); ++p) {
    const std::uint8_t object = state.places[p];
    std::uint8_t look = look_null;
    if (object != 0) look = static_cast<std::uint8_t>(look_at_own + state.bits[object]);
    for (std::size_t q = p; object != 0 && q-- > 0;) {
      if (state.places[q] == object) look = static_cast<std::uint8_t>(look_at_earlier + q);
    }
    shape.bytes[n++] = look;
  }
  return shape;
}

Shape cpu_shape(const Program& program, const State& state, std::size_t i) {
  const CpuState& cpu = state.cpu[i];
  Shape shape;
  shape.bytes[0] = static_cast<std::uint8_t>(cpu.pc & 0xff);
  shape.bytes[1] = static_cast<std::uint8_t>(cpu.pc >> 8);
  std::size_t n = 2;
  for (std::size_t l = 0; l < program.locals.size(); ++l) shape.bytes[n++] = cpu.locals[l];
  for (std::size_t h = 0; h < program.handles.size(); ++h) {
    const std::uint8_t object = cpu.handles[h];
    std::uint8_t look = look_null;
    if (object != 0) look = static_cast<std::uint8_t>(look_at_own + state.bits[object]);
    for (std::size_t y = h; object != 0 && y-- > 0;) {
      if (cpu.handles[y] == object) look = static_cast<std::uint8_t>(look_at_earlier + y);
    }
    for (std::size_t p = program.places.size(); object != 0 && p-- > 0;) {
      if (state.places[p] == object) look = static_cast<std::uint8_t>(look_at_place + p);
    }
    shape.bytes[n++] = look;
  }
  return shape;
}

Crossing crossing(const Program& program, const State& state, std::size_t i, std::size_t j) {
  const CpuState& a = state.cpu[i];
  const CpuState& b = state.cpu[j];
  Crossing result;
  for (std::size_t x = 0; x < program.handles.size(); ++x) {
    if (a.handles[x] == 0) continue;
    for (std::size_t y = 0; y < program.handles.size(); ++y) {
      if (a.handles[x] == b.handles[y]) result.same |= std::uint64_t{1} << (8 * x + y);
    }
  }
  for (std::size_t kind = 0; kind < program.awaits.size(); ++kind) {
    const unsigned forth = a.awaits[kind] >> j & 1u;
    const unsigned back = b.awaits[kind] >> i & 1u;
    result.awaits = static_cast<std::uint8_t>(result.awaits | forth << kind | back << (4 + kind));
  }
  return result;
}

Crossing reversed(const Crossing& crossing) {
  Crossing result;
  for (std::size_t x = 0; x < 8; ++x) {
    for (std::size_t y = 0; y < 8; ++y) result.same |= (crossing.same >> (8 * x + y) & 1) << (8 * y + x);
  }
  result.awaits = static_cast<std::uint8_t>(crossing.awaits >> 4 | (crossing.awaits & 15) << 4);
  return result;
}

bool add_cpu(const Program& program, State& state, const Shape& shape, const std::vector<Crossing>& crossings) {
  const std::size_t me = state.cpus++;
  CpuState& cpu = state.cpu[me];
  cpu = {};
  cpu.pc = static_cast<step::Id>(shape.bytes[0] | shape.bytes[1] << 8);
  std::size_t n = 2;
  for (std::size_t l = 0; l < program.locals.size(); ++l) cpu.locals[l] = shape.bytes[n++];
  for (std::size_t h = 0; h < program.handles.size(); ++h) {
    const std::uint8_t look = shape.bytes[n++];
    if (look >= look_at_own) {
      // An object that an older CPU names too, else a new one. All crossings are looked at again below.
      for (std::size_t i = 0; i < me && cpu.handles[h] == 0; ++i) {
        for (std::size_t x = 0; x < program.handles.size(); ++x) {
          if ((crossings[i].same >> (8 * x + h) & 1) != 0) cpu.handles[h] = state.cpu[i].handles[x];
        }
      }
      const auto bits = static_cast<std::uint8_t>(look - look_at_own);
      if (cpu.handles[h] == 0) {
        if (state.objects == step::max_objects) throw std::length_error("more than 63 objects in one picture");
        cpu.handles[h] = ++state.objects;
        state.bits[state.objects] = bits;
        state.types[state.objects] = static_cast<std::uint8_t>(program.handles[h].type);
      }
    } else if (look >= look_at_earlier) {
      cpu.handles[h] = cpu.handles[look - look_at_earlier];
    } else if (look != look_null) {
      cpu.handles[h] = state.places[look - look_at_place];
    }
  }
  for (std::size_t i = 0; i < me; ++i) {
    for (std::size_t kind = 0; kind < program.awaits.size(); ++kind) {
      const unsigned forth = crossings[i].awaits >> kind & 1u;
      const unsigned back = crossings[i].awaits >> (4 + kind) & 1u;
      std::uint16_t& older = state.cpu[i].awaits[kind];
      older = static_cast<std::uint16_t>((older & ~(1u << me)) | forth << me);
      cpu.awaits[kind] = static_cast<std::uint16_t>(cpu.awaits[kind] | back << i);
    }
    if (crossing(program, state, i, me) != crossings[i]) return false;
  }
  return cpu_shape(program, state, me) == shape;
}

bool well_formed(const Program& program, const State& view, std::uint32_t k) {
  if (view.cpus != k || view.objects > program.places.size() + k * program.handles.size()) return false;
  for (std::size_t g = 0; g < program.globals.size(); ++g) {
    if (view.globals[g] > program.globals[g].max) return false;
  }
  const auto names = [&](std::uint8_t object, step::Id type) {
    return object == 0 || (object <= view.objects && view.types[object] == type &&
                           view.bits[object] >> program.types[type].bits.size() == 0);
  };
  for (std::size_t p = 0; p < program.places.size(); ++p) {
    if (!names(view.places[p], program.places[p].type)) return false;
  }
  for (std::size_t i = 0; i < k; ++i) {
    const CpuState& cpu = view.cpu[i];
    if (cpu.pc >= program.locations.size()) return false;
    for (std::size_t l = 0; l < program.locals.size(); ++l) {
      if (cpu.locals[l] > program.locals[l].max) return false;
    }
    for (std::size_t h = 0; h < program.handles.size(); ++h) {
      if (!names(cpu.handles[h], program.handles[h].type)) return false;
    }
    for (std::size_t kind = 0; kind < program.awaits.size(); ++kind) {
      if (cpu.awaits[kind] >> k != 0 || (cpu.awaits[kind] >> i & 1) != 0) return false;
    }
  }
  return true;
}

}  // namespace faultline::check
