// The guard table: in which states of an entry each variant goes through the place that a patch changed.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace faultline::cli {

struct GuardCell {
  bool passes = false;
  std::uint64_t seen = 0;  // explored states in which a CPU stood at the guard with the entry in this state
  bool depends = false;    // passes, but only if something besides the entry is so
};

struct GuardRow {
  std::string variant;
  std::string guard;             // "!pmd_present(*pmd)"; empty: none, always passed
  std::vector<GuardCell> cells;  // one for each state
};

struct GuardTable {
  std::string place;                // "handle_mm_fault:48, before __pte_alloc()"
  std::vector<std::string> states;  // "none", "table", ...
  std::vector<GuardRow> rows;
};

//   guard at handle_mm_fault:48           none  table  huge  splitting  frozen
//     base           (always)                x      x     x          x       x
//     guard_present  !pmd_present(*pmd)      x                               x
//     guard_none     pmd_none(*pmd)          x
//   frozen: reachable there, seen in 20 explored states
// A `?` where the answer depends on more than the entry. The last lines are for the states in which variants with a
// guard differ and that were seen.
[[nodiscard]] std::string guard_table(const GuardTable& table, bool colour, std::size_t width = 100);

}  // namespace faultline::cli
