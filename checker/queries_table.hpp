// A view set as a table of small numbers: a row for each view and each order of its CPUs, a column for each field. This
// is the truth table of V(1, .., k) that the queries speak of.
#pragma once
#include <cstdint>
#include <vector>

#include "checker/views.hpp"

namespace faultline::check {

// What a column holds.
struct Field {
  enum class What : std::uint8_t {
    global,    // value of global a
    place,     // look at place a (certificate_shapes.hpp)
    position,  // of CPU i
    local,     // local a of CPU i
    handle,    // look at handle a of CPU i
    same,      // handle a of CPU i and handle b of CPU j (i < j) name the same object
    awaits,    // CPU i awaits CPU j (i != j), kind a
  } what = What::global;
  step::Id a = 0;
  step::Id b = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  std::vector<std::uint16_t> values;  // that occur, ascending; the table holds indices into it
};

struct Table {
  std::vector<Field> fields;
  std::vector<std::vector<std::uint16_t>> rows;  // sorted, no two the same
};

[[nodiscard]] Table table_of(const step::Program& program, const ViewSet& set, const Watch& watch = Watch({}));

}  // namespace faultline::check
