// The guard table of a patch: two variants make the same call, but ask the entry different questions before it. In
// which states of the entry does each make the call, and does a CPU ever stand before the question with the entry in
// that state?
//
// A call is compared if it stands in the same function of all variants, as often and in the same order, and the
// conditions before it differ: `if` around it, operands of && || ?: before it, and an `if` before it that leaves the
// function or loop. Conditions that all variants share are left out. Predicates of the entry are data, so a condition
// is evaluated for each state by looking them up; what it asks besides the entry may be true or false (Passes::maybe).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "step/load.hpp"

namespace faultline::check {

enum class Passes : std::uint8_t { no, yes, maybe };

struct GuardCell {
  Passes passes = Passes::no;
  std::uint64_t seen = 0;  // explored states in which some CPU is about to look, with the entry in this state
};

struct GuardRow {
  std::string variant;
  std::string guard;             // as in the source, joined by &&: "!pmd_present(*pmd)"; empty: the call is always made
  dsl::Span span;                // of the call
  std::vector<GuardCell> cells;  // one for each state of the entry; `seen` is 0 in a row without a guard
  bool complete = true;          // false: the search for `seen` was cut off, it says at least
};

struct GuardTable {
  std::string function;  // "handle_mm_fault"
  std::string call;      // "__pte_alloc"
  dsl::Span place;       // of the call in the first row
  std::string entry;     // "pmd"
  std::vector<std::string> states;
  std::vector<GuardRow> rows;  // in the order of the variants
};

struct GuardOptions {
  std::uint32_t cpus = 2;  // of each `any` line, for `seen`; 0: do not look
  std::uint64_t max_states = 2'000'000;
};

// The tables that the variants give, in file order of the calls. Variants with errors are left out. Of several calls
// behind the same guard the first has the table.
[[nodiscard]] std::vector<GuardTable> guard_tables(const std::vector<const step::Variant*>& variants,
                                                   const GuardOptions& options = {});

}  // namespace faultline::check
