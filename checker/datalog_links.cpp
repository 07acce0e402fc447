#include "checker/datalog_links.hpp"

namespace faultline::check {
namespace {

std::uint8_t row_of(std::uint64_t same, std::size_t x) { return static_cast<std::uint8_t>(same >> (8 * x)); }

std::uint8_t column_of(std::uint64_t same, std::size_t y) {
  std::uint8_t column = 0;
  for (std::size_t x = 0; x < 8; ++x) column = static_cast<std::uint8_t>(column | (same >> (8 * x + y) & 1) << x);
  return column;
}

std::uint64_t without(std::uint64_t same, std::uint8_t rows, std::uint8_t columns) {
  for (std::size_t x = 0; x < 8; ++x) {
    const std::uint64_t gone = (rows >> x & 1) != 0 ? 0xff : columns;
    same &= ~(gone << (8 * x));
  }
  return same;
}

// One object that handles `first` of CPU 1 and handles `second` of CPU 2 name, and no others of theirs: can that be,
// beside what else they have in common?
bool one_object(std::uint64_t same, std::uint8_t first, std::uint8_t second) {
  for (std::size_t h = 0; h < 8; ++h) {
    if ((first >> h & 1) != 0 && row_of(same, h) != second) return false;
    if ((second >> h & 1) != 0 && column_of(same, h) != first) return false;
  }
  return true;
}

}  // namespace

std::uint32_t Links::number_of(Same same) {
  const std::size_t known = same_.things.size();
  const std::uint32_t number = same_.of(same);
  if (number == known) {
    for (std::uint32_t a = 0; a < links_.things.size(); ++a) {
      for (std::uint32_t b = 0; b < links_.things.size(); ++b) meet(number, a, b);
    }
  }
  return number;
}

std::uint32_t Links::number_of(const Link& link) {
  const std::size_t known = links_.things.size();
  const std::uint32_t number = links_.of(link);
  if (number == known) {
    for (std::uint32_t s = 0, matrices = static_cast<std::uint32_t>(same_.things.size()); s < matrices; ++s) {
      for (std::uint32_t other = 0; other < number; ++other) {
        meet(s, number, other);
        meet(s, other, number);
      }
      meet(s, number, number);
    }
  }
  return number;
}

void Links::meet(std::uint32_t same, std::uint32_t first, std::uint32_t second) {
  const Link& a = links_.things[first];
  const Link& b = links_.things[second];
  const Same both = same_.things[same];
  if ((a.crowded && b.crowded) || a.taken.size() != b.taken.size()) return;
  for (std::size_t h = 0; h < 8; ++h) {  // what each handle of CPU 3 names
    if (!one_object(both, row_of(a.same, h), row_of(b.same, h))) return;
  }
  for (std::size_t n = 0; n < a.taken.size(); ++n) {
    const Same then = without(both, a.taken[n].cleared, b.taken[n].cleared);
    if (!one_object(then, a.taken[n].named_by, b.taken[n].named_by)) return;
  }
  const std::uint32_t after = number_of(without(both, a.cleared, b.cleared));
  meetings_.insert(meetings_.end(), {same, first, second, after});
}

}  // namespace faultline::check
