// A run over many seeds: every model judged, every disagreement shrunk and kept.
#pragma once
#include <filesystem>
#include <functional>

#include "tests/differential/random/generator.hpp"
#include "tests/differential/random/judge.hpp"
#include "tests/differential/random/tally.hpp"

namespace faultline::differential {

struct Settings {
  std::uint64_t models = 500;
  Family family = Family::entries;
  std::uint64_t seed = 1;  // of the first model; the others follow
  std::uint32_t max_cpus = 4;
  std::uint64_t max_states = 40'000;  // of one search
  std::uint64_t spin_every = 0;       // every so-manieth model is compared with Spin; 0: none
  std::uint64_t removals_every = 10;  // … has each of its choices dropped in turn
  std::uint64_t z3_every = 100;       // … has its proofs judged by Z3
  unsigned jobs = 1;
  std::vector<Engine> engines = differential::engines();
  std::filesystem::path findings;                // folder for shrunk disagreements; empty: they are not kept
  std::function<void(const Tally&)> progress{};  // after each thousand models
};

// The tally is the same for every number of jobs.
[[nodiscard]] Tally run(const Settings& settings);

}  // namespace faultline::differential
