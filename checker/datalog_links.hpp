// When two pairs of CPUs belong to one picture of three: what CPU 3 does is seen in the pairs (3, 1) and (3, 2), and
// all that has to fit between them is which objects they mean.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

namespace faultline::check {

// Gives numbers to things, as they come.
template <class Thing>
struct Numbered {
  std::map<Thing, std::uint32_t> numbers;
  std::vector<Thing> things;
  std::uint32_t of(const Thing& thing) {
    const auto [place, is_new] = numbers.try_emplace(thing, static_cast<std::uint32_t>(things.size()));
    if (is_new) things.push_back(thing);
    return place->second;
  }
};

// As Crossing::same: bit 8 * x + y, handle x of the one and handle y of the other name the same object.
using Same = std::uint64_t;

// An object that a `fresh` of CPU 3 takes, when neither CPU 3 nor a place names it at that time: which handles of the
// other CPU do (none: it may be new), and which of them have been cleared by then in this step.
struct Taken {
  std::uint8_t named_by = 0;
  std::uint8_t cleared = 0;
  friend auto operator<=>(const Taken&, const Taken&) = default;
};

// All that matters of CPU 3 and another CPU, and of a step that one of the two makes, to a third.
struct Link {
  Same same = 0;               // CPU 3, other
  bool crowded = false;        // both are of a line that has 2 CPUs
  std::uint8_t cleared = 0;    // handles of the other that the step clears
  std::vector<Taken> taken{};  // for each such `fresh` of the step
  friend auto operator<=>(const Link&, const Link&) = default;
};

class Links {
 public:
  std::uint32_t number_of(Same same);
  std::uint32_t number_of(const Link& link);
  [[nodiscard]] Same same(std::uint32_t number) const { return same_.things.at(number); }

  // Rows of four: same, link, link', same'. CPUs 1 and 2 have the objects `same` in common; it may be that CPU 3 has
  // these links to them, and after its step they have `same'` in common. Complete for the numbers given so far.
  [[nodiscard]] const std::vector<std::uint32_t>& meetings() const { return meetings_; }

 private:
  void meet(std::uint32_t same, std::uint32_t first, std::uint32_t second);

  Numbered<Same> same_;
  Numbered<Link> links_;
  std::vector<std::uint32_t> meetings_;
};

}  // namespace faultline::check
