// What two CPUs look like as five numbers, and what the reference interpreter says of it as facts about these numbers.
//
// A pair (first CPU, second CPU) is: the shared part, the two CPUs, which handles of theirs name the same object, who
// awaits whom. The parts are name-free (certificate_shapes.hpp) and numbered as they occur. Facts are true of a pair
// whether or not it can be reached.
//
// Three CPUs are never put together here. What a step of CPU 3 does to CPU 1 is seen in the pair (3, 1), and what it
// does to CPU 2 in the pair (3, 2): an op looks at one other CPU at a time. The two effects belong to one step iff they
// belong to one event, which is all that CPU 3 and the shared part decide about it, and their links meet.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "checker/certificate_shapes.hpp"
#include "checker/datalog.hpp"
#include "checker/datalog_links.hpp"
#include "step/state.hpp"

namespace faultline::check {

// shared, first, second, same, awaits
using Pair = std::array<std::uint32_t, 5>;

// The relations of facts and their columns. t, u: pairs.
enum class Fact : std::uint8_t {
  parts,    // t, shared, first, second, same, awaits
  asked,    // shared, first, second, same, awaits: all facts about this pair are there
  start,    // t: an initial pair
  swapped,  // t, u: the same in the other order
  step,     // t, u: the first CPU steps, or acknowledges the second
  effect,   // t, event, shared, shared', second, second', link: a step of the first CPU, as the second is hit by it
  change,   // the same, those that the second CPU notices: its look or the shared part changes
  answer,   // t, shared, first, second, second', link: the second CPU acknowledges the first
  beside,   // t, shared, first, second, link: the second CPU stands by
  meets,    // same, link, link', same': of CPUs 1 and 2, when links of (3, 1) and (3, 2) belong to one picture of three
};
inline constexpr std::size_t fact_kinds = 10;
inline constexpr std::array<std::size_t, fact_kinds> fact_columns = {6, 5, 1, 2, 2, 7, 7, 6, 5, 4};

class PairFacts {
 public:
  // The initial pairs are to be asked about.
  PairFacts(const step::Program& program, const std::vector<Clause>& clauses);

  // The interpreter is to be asked about this pair; false if it has been.
  bool want(const Pair& pair);
  // Asks it about the wanted pairs, and about those that own steps and symmetry lead to from there (if there are such
  // clauses), until it is `enough`, or one of them is wrong.
  void ask(const std::function<bool()>& enough);
  // A violation that a pair shows: the number of its command, or of its invariant + the number of commands.
  [[nodiscard]] std::optional<std::uint32_t> wrong() const { return wrong_; }
  [[nodiscard]] bool is_asked(std::uint32_t pair) const { return asked_.at(pair); }

  // All facts of one kind so far, row after row.
  [[nodiscard]] const std::vector<std::uint32_t>& rows(Fact kind) const;
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  // A command up to a `fresh`, the `fresh`, and so on: what it takes is seen between.
  struct Steps {
    std::vector<step::Command> parts;
    bool touches_others = false;
  };
  // One way to run a command from some pair on.
  struct Run {
    step::State state;
    std::vector<std::uint32_t> labels{};  // of each `fresh`: 0, or what names the object that it takes
    std::vector<Taken> taken{};
  };

  void start_from(std::vector<std::uint32_t>& counts, std::size_t line, std::uint32_t left);
  std::uint32_t number_of(const step::State& state, Clause reached_by);
  Pair parts_of(const step::State& state);
  [[nodiscard]] step::State state_of(const Pair& pair) const;
  void ask_one(std::uint32_t t);
  void run_command(std::uint32_t t, const step::State& state, const step::Command& command);
  void acknowledge(std::uint32_t t, const step::State& state);
  [[nodiscard]] std::vector<Run> runs(const step::State& state, const Steps& steps) const;
  void note_taken(Run& run, const step::State& before, const step::State& original, step::Id handle) const;
  std::uint32_t event_of(const std::vector<std::uint32_t>& event, std::uint32_t shared_after);
  [[nodiscard]] std::uint8_t cleared(const step::State& before, const step::State& after) const;
  [[nodiscard]] bool crowded(const step::State& state) const;
  template <class... Columns>
  void add(Fact kind, Columns... columns);

  const step::Program& program_;
  const std::vector<Clause>& clauses_;
  std::optional<std::uint32_t> wrong_;
  std::vector<Steps> steps_;  // by command
  Numbered<Shape> shared_, cpus_;
  Links links_;
  Numbered<std::uint8_t> awaits_;
  Numbered<std::vector<std::uint32_t>> events_;
  std::vector<std::uint32_t> shared_after_;  // by event
  Numbered<Pair> pairs_;
  std::vector<step::State> shared_states_;  // by shared part
  std::vector<bool> asked_;                 // by pair
  std::deque<std::uint32_t> queue_;
  std::array<std::vector<std::uint32_t>, fact_kinds> rows_;
};

}  // namespace faultline::check
