// The cost table: what one undisturbed run of a handler takes, variants against each other.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "checker/cost.hpp"

namespace faultline::cli {

struct NamedCost {
  std::string name;        // "allocs", "mmap_sem", "page_table_lock", "ipis"
  check::CostRange range;  // over all outcomes that the model leaves open in one run without other CPUs
};

// One variant started in one state. A name that a row lacks counts as 0..0.
struct CostRow {
  std::string variant;
  std::string state;  // "table"
  std::vector<NamedCost> costs;
};

struct CostTable {
  std::string handler;  // "page_fault"
  std::string entry;    // "pmd"
  std::vector<CostRow> rows;
};

//   uncontended cost of page_fault, one run alone (least..most over its own choices)
//
//     from pmd = table    allocs  mmap_sem  page_table_lock  ipis
//       base                   1         1             1..2     0
//       guard_none             0         1                0     0
// Columns in order of first appearance; rows of one start state stand together, in the order given. Wider than `width`:
// columns are continued in a second block.
[[nodiscard]] std::string cost_table(const CostTable& table, bool colour, std::size_t width = 100);

}  // namespace faultline::cli
