// Views without names. The judges see a view as a shared part, one shape for each CPU, and one crossing for each two
// CPUs; objects appear only through what names them, so that two views are the same iff these parts are.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "step/state.hpp"

namespace faultline::check {

// Of the shared part: the globals, then a look for each place. Of a CPU: its position (two bytes), its locals, then a
// look for each handle. Unused bytes are 0.
struct Shape {
  std::array<std::uint8_t, 48> bytes{};
  friend bool operator==(const Shape&, const Shape&) = default;
  friend auto operator<=>(const Shape&, const Shape&) = default;
};
static_assert(2 + step::max_locals + step::max_handles <= sizeof(Shape) &&
              step::max_globals + step::max_places <= sizeof(Shape));

// A look at an object through a place or handle.
enum Look : std::uint8_t {
  look_null = 0,
  look_at_place = 1,     // + p: a handle that equals place p (the first such)
  look_at_earlier = 64,  // + n: equals the earlier place n, or the CPU's earlier handle n, and no place
  look_at_own = 128,     // + bits: none of these; the object has these bits
};

// Between CPUs i and j, in this order.
struct Crossing {
  std::uint64_t same = 0;   // bit 8 * x + y: handle x of i and handle y of j name the same object
  std::uint8_t awaits = 0;  // bit a: i awaits j, kind a; bit 4 + a: j awaits i, kind a
  friend bool operator==(const Crossing&, const Crossing&) = default;
  friend auto operator<=>(const Crossing&, const Crossing&) = default;
};
static_assert(step::max_handles <= 8 && step::max_awaits <= 4);

[[nodiscard]] Shape shared_shape(const step::Program& program, const step::State& state);
[[nodiscard]] Shape cpu_shape(const step::Program& program, const step::State& state, std::size_t cpu);
[[nodiscard]] Crossing crossing(const step::Program& program, const step::State& state, std::size_t i, std::size_t j);
[[nodiscard]] Crossing reversed(const Crossing& crossing);

// Adds one CPU of the given shape to `state`, whose shared part the shape belongs to. crossings[i] is that of CPU i and
// the new one. False, and `state` is unspecified, when there is no such picture.
[[nodiscard]] bool add_cpu(const step::Program& program, step::State& state, const Shape& shape,
                           const std::vector<Crossing>& crossings);

// Is `view` a state of k CPUs of this program at all (ranges of everything)?
[[nodiscard]] bool well_formed(const step::Program& program, const step::State& view, std::uint32_t k);

}  // namespace faultline::check
