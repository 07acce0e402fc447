// What a table excludes, in few words: "CPU 1 at 7 or 9 and page_table_lock = 0 never occur together". Two-level
// minimisation with many-valued fields, after espresso (Brayton and others, 1984): exact, so V means the same before
// and after.
#pragma once
#include "checker/queries_table.hpp"

namespace faultline::check {

// The field has one of these values: indices into Field::values; the last one, of index values.size(), stands for all
// values that do not occur in the table.
struct OneOf {
  std::size_t field = 0;
  std::vector<bool> values;
  friend bool operator==(const OneOf&, const OneOf&) = default;
};

// Excludes the rows in which all of these hold. Ascending by field; none holds always.
using Exclusion = std::vector<OneOf>;

// A row is in the table iff no exclusion excludes it. Each is maximal: none can say less, or more values, and still
// exclude no row of the table. Throws OverLimit.
[[nodiscard]] std::vector<Exclusion> exclusions(const Table& table, const Watch& watch = Watch({}));

}  // namespace faultline::check
