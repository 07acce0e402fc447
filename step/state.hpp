// A state of a Program with a number of CPUs, in the plain form that the reference interpreter and the certificate
// checkers use. Objects have names 1..objects here; 0 is null. (The search engines have a packed form of their own.)
#pragma once
#include <array>
#include <cstdint>

#include "step/program.hpp"

namespace faultline::step {

inline constexpr std::size_t max_cpus = 16;
inline constexpr std::size_t max_objects = 63;

struct CpuState {
  Id pc = 0;
  std::array<std::uint8_t, max_locals> locals{};
  std::array<std::uint8_t, max_handles> handles{};
  std::array<std::uint16_t, max_awaits> awaits{};  // per kind: bit j = I await CPU j
  friend bool operator==(const CpuState&, const CpuState&) = default;
};

struct State {
  std::array<std::uint8_t, max_globals> globals{};
  std::array<std::uint8_t, max_places> places{};
  std::uint8_t objects = 0;                           // highest name in use
  std::array<std::uint8_t, max_objects + 1> bits{};   // of object n: its bits
  std::array<std::uint8_t, max_objects + 1> types{};  // of object n: its type
  std::uint8_t cpus = 0;
  std::array<CpuState, max_cpus> cpu{};
  friend bool operator==(const State&, const State&) = default;
};

// The initial state with the given number of CPUs on each line, lines in order.
[[nodiscard]] State initial_state(const Program& program, const std::vector<std::uint32_t>& cpus_per_line);

}  // namespace faultline::step
