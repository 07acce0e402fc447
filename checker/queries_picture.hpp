// A picture of some CPUs as terms, and what commands do to it. Objects have no names here either: for each two places
// or handles there is a Boolean "they name the same object".
#pragma once
#include <optional>

#include "checker/queries_cover.hpp"
#include "checker/smt/terms.hpp"
#include "step/interpreter.hpp"

namespace faultline::check {

// What a place or handle holds after some ops: what one of the original places or handles, or a fresh object, was (its
// number), unless it was cleared.
struct Reference {
  std::size_t slot = 0;
  smt::Term kept = smt::yes;
};

// One term for each value: "it is v".
using Number = std::vector<smt::Term>;

struct SymbolicCpu {
  Number position;
  std::vector<Number> locals;
  std::vector<Reference> handles;
  std::vector<std::vector<smt::Term>> awaits;  // by kind and CPU
};

struct SymbolicState {
  std::vector<Number> globals;
  std::vector<Reference> places;
  std::vector<SymbolicCpu> cpus;
  std::vector<std::vector<smt::Term>> bits;  // by slot; false when the slot is null
};

// A step: when it is possible, and what it leads to.
struct SymbolicStep {
  smt::Term enabled = smt::yes;
  SymbolicState after;
};

struct PictureOptions {
  std::string prefix{};           // of the names of its variables
  std::vector<step::Id> lines{};  // the run line of each CPU; empty: any line each
  bool one_hot = false;           // numbers as one Boolean for each value, not as bit vectors
};

class Picture {
 public:
  Picture(const step::Program& program, smt::Terms& terms, std::size_t cpus, const PictureOptions& options = {});

  [[nodiscard]] const SymbolicState& state() const { return state_; }

  // What holds of any picture: sameness of objects is an equivalence, the same objects have the same bits, no line has
  // more CPUs than it may.
  [[nodiscard]] std::vector<smt::Term> axioms();

  // Does `field` of the view that CPUs `view` make have value `value` (not its index)?
  smt::Term has(const SymbolicState& state, const std::vector<std::size_t>& view, const Field& field,
                std::uint16_t value);

  smt::Term null(const SymbolicState& state, const Reference& r);
  smt::Term same(const SymbolicState& state, const Reference& a, const Reference& b);  // and not null
  smt::Term bit(const SymbolicState& state, const Reference& r, std::size_t b);

  // `me` and `other` as in step::evaluate.
  smt::Term truth(const SymbolicState& state, std::size_t me, std::size_t other, step::ExprId e);
  // open: a CPU outside the picture may be what a `some` of a command that is no violation asks for.
  SymbolicStep run(std::size_t me, const step::Command& command, step::World world = step::World::open);
  SymbolicStep acknowledge(std::size_t me, std::size_t sender, std::size_t kind);
  // In the picture itself: numbers have exactly one value. Only one-hot numbers need it said.
  [[nodiscard]] std::vector<smt::Term> exactly_one_value();
  // The position is one of the set.
  smt::Term position_in(const Number& position, const std::vector<bool>& set);

 private:
  using Cases = std::vector<std::pair<std::uint32_t, smt::Term>>;  // values and when

  std::size_t add_slot(const std::string& name, step::Id type, bool maybe_null);
  smt::Term same_slots(std::size_t a, std::size_t b);
  smt::Term look(const SymbolicState& state, const Reference& r, std::uint8_t look,
                 const std::vector<Reference>& places, const std::vector<Reference>& earlier);
  Cases cases(const SymbolicState& state, std::size_t me, std::size_t other, step::ExprId e);
  Cases cases_of_two(const SymbolicState& state, std::size_t me, std::size_t other, const step::Expr& e);
  void apply(SymbolicStep& step, std::size_t me, const step::Op& op, bool must_see);
  void fresh(SymbolicStep& step, std::size_t me, step::Id handle);

  const step::Program& program_;
  smt::Terms& terms_;
  PictureOptions options_;
  SymbolicState state_;
  struct Slot {
    std::string name;
    step::Id type = 0;
    smt::Term null = smt::no;
  };
  std::vector<Slot> slots_;
  std::vector<std::vector<smt::Term>> same_;  // same_[a][b] for b < a
  std::vector<std::size_t> fresh_slots_;
  std::size_t fresh_used_ = 0;  // in the step that is being built
};

}  // namespace faultline::check
