// What the explicit search finds with 1..N CPUs on each any-line: the ground on which the engines are judged.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "step/program.hpp"

namespace faultline::differential {

struct Searched {
  std::uint32_t cpus = 1;   // on each any-line
  std::uint32_t total = 1;  // of all lines
  bool complete = false;
  std::uint64_t states = 0;
  std::optional<std::uint32_t> shortest{};  // steps of the shortest violation but deadlock
  bool bound = false;                       // a value left its declared range
  std::set<std::string> violations;         // every kind (and name) that was reached
};

struct Reference {
  std::vector<Searched> searched;       // by number of CPUs, without gaps; ends behind the first that is not complete
  std::vector<std::string> complaints;  // what the search contradicts itself in

  [[nodiscard]] const Searched* with(std::uint32_t cpus) const;
  [[nodiscard]] const Searched* first_violated() const;
  [[nodiscard]] bool exhaustive(std::uint32_t cpus) const;
};

// Numbers of CPUs with more than about `max_states` states are left out.
[[nodiscard]] Reference search_all(const step::Program& program, std::uint32_t max_cpus, std::uint64_t max_states);

}  // namespace faultline::differential
