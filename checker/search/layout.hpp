// Where everything is in a flat state: one small array of bytes, cheap to copy, hash and compare. The engines' own form
// of step::State for one Program and at most a fixed number of CPUs.
//
//   byte 0: number of CPUs, byte 1: highest object name in use, globals, places, objects (the type above `type_shift`,
//   bits below; object 0 is null and stays 0), then for each CPU: position (2), locals, handles, await masks (2
//   each).
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "step/state.hpp"

namespace faultline::check::search {

using Byte = std::uint8_t;

class Layout {
 public:
  Layout(const step::Program& program, std::uint32_t max_cpus);

  std::uint32_t max_cpus = 0;
  std::uint32_t globals = 0, places = 0, locals = 0, handles = 0, awaits = 0;
  std::uint32_t objects = 0;  // names 1..objects fit
  std::uint32_t type_shift = 4;
  std::uint32_t place_at = 0, object_at = 0, cpu_at = 0;
  std::uint32_t handle_at = 0, await_at = 0, stride = 0;  // within the record of a CPU

  static constexpr std::uint32_t global_at = 2;
  static constexpr std::uint32_t local_at = 2;

  // Bytes of a state with n CPUs.
  [[nodiscard]] std::uint32_t size(std::uint32_t n) const { return cpu_at + n * stride; }
  [[nodiscard]] std::uint32_t size() const { return size(max_cpus); }

  [[nodiscard]] Byte* cpu(Byte* s, std::uint32_t i) const { return s + cpu_at + i * stride; }
  [[nodiscard]] const Byte* cpu(const Byte* s, std::uint32_t i) const { return s + cpu_at + i * stride; }
  [[nodiscard]] std::uint16_t pc(const Byte* s, std::uint32_t i) const { return load(cpu(s, i)); }
  void set_pc(Byte* s, std::uint32_t i, std::uint16_t pc) const { store(cpu(s, i), pc); }
  [[nodiscard]] Byte local(const Byte* s, std::uint32_t i, std::uint32_t l) const { return cpu(s, i)[local_at + l]; }
  [[nodiscard]] Byte& local(Byte* s, std::uint32_t i, std::uint32_t l) const { return cpu(s, i)[local_at + l]; }
  [[nodiscard]] Byte handle(const Byte* s, std::uint32_t i, std::uint32_t h) const { return cpu(s, i)[handle_at + h]; }
  [[nodiscard]] Byte& handle(Byte* s, std::uint32_t i, std::uint32_t h) const { return cpu(s, i)[handle_at + h]; }
  [[nodiscard]] std::uint16_t await(const Byte* s, std::uint32_t i, std::uint32_t a) const {
    return load(cpu(s, i) + await_at + 2 * a);
  }
  void set_await(Byte* s, std::uint32_t i, std::uint32_t a, std::uint32_t mask) const {
    store(cpu(s, i) + await_at + 2 * a, static_cast<std::uint16_t>(mask));
  }

  // Of the byte of an object.
  [[nodiscard]] std::uint32_t type(Byte object) const { return std::uint32_t{object} >> type_shift; }
  [[nodiscard]] Byte bits(Byte object) const { return static_cast<Byte>(object & ((1U << type_shift) - 1)); }
  [[nodiscard]] Byte object(std::uint32_t type, std::uint32_t bits) const {
    return static_cast<Byte>(type << type_shift | bits);
  }

  [[nodiscard]] static std::uint16_t load(const Byte* at) {
    std::uint16_t v = 0;
    std::memcpy(&v, at, sizeof v);
    return v;
  }
  static void store(Byte* at, std::uint16_t v) { std::memcpy(at, &v, sizeof v); }

  [[nodiscard]] step::State to_state(const Byte* s) const;
  void from_state(const step::State& state, Byte* s) const;
};

}  // namespace faultline::check::search
