// What a view set says about each position, in facts short enough to read: "at line 105 pmd is table or huge", "while a
// CPU is here, no other is at line 110". Each holds in every system that the views cover.
#pragma once
#include "checker/queries_table.hpp"

namespace faultline::check {

// When CPU 0 of a view is at `position`, `field` has one of `values`.
struct Fact {
  step::Id position = 0;
  std::size_t field = 0;              // of Facts::fields
  std::vector<std::uint16_t> values;  // the field's own, ascending
};

struct Facts {
  std::vector<Field> fields;  // of views of two CPUs: CPU 0 is the one at the position, CPU 1 any other
  std::vector<Fact> facts;    // by position, then by field
};

// One fact for each position and field that does not take all of its values there. set.k must be 2.
[[nodiscard]] Facts facts_of(const Table& table);

}  // namespace faultline::check
