// The canonical form of a state, or of what some CPUs of it see. Two states that differ only in the names of objects
// and in which CPU of a line is which have the same form.
//
// CPUs are sorted by what can be said of each without names: position, locals, which handles name an object of which
// place, how many CPUs name an object, how often it awaits and is awaited. Where that leaves CPUs apart only by whom
// they share an object with or await, every order is tried and the least result taken, so the form is exact. Then
// objects are named by first occurrence, places first; what nobody names is gone.
#pragma once
#include <array>

#include "checker/search/layout.hpp"

namespace faultline::check::search {

using Order = std::array<Byte, step::max_cpus>;
using ObjectMap = std::array<Byte, step::max_objects + 1>;

class Canonical {
 public:
  Canonical(const step::Program& program, const Layout& layout);

  // The n CPUs of s listed in `order`, sorted in place, written to `out` (layout.size(n) bytes) in canonical form.
  void sort(const Byte* s, Order& order, std::uint32_t n, Byte* out);

  // The same without sorting: CPUs in the order given, objects by first occurrence. `names`, if asked for: old to new.
  void name_objects(const Byte* s, const Order& order, std::uint32_t n, Byte* out, ObjectMap* names = nullptr) const;

  // Every order of these CPUs that gives the canonical form (more than one where the form has a symmetry).
  void orders(const Byte* s, Order order, std::uint32_t n, std::vector<Order>& all);

  // first[i] = the lowest CPU that can be swapped with i without changing anything but names of objects.
  void twins(const Byte* s, Order& first);

 private:
  struct Group {
    std::uint32_t begin = 0, size = 0;
    Order members{};  // sorted by class
    Order starts{};   // of each class: its first member
    Order classes{};  // the arrangement being tried: class of each position
  };
  void sign(const Byte* s, const Order& order, std::uint32_t n);
  [[nodiscard]] bool less(std::uint32_t a, std::uint32_t b) const;
  [[nodiscard]] bool same_signature(std::uint32_t a, std::uint32_t b) const;
  [[nodiscard]] bool swappable(const Byte* s, std::uint32_t i, std::uint32_t j, std::uint32_t mask) const;
  void find_groups(const Byte* s, const Order& order, std::uint32_t n, bool twins_apart);
  bool next_arrangement();
  void arrange(Order& order) const;

  const Layout& layout_;
  bool plain_ = false;                // no handles and no awaits: sorting is all there is
  std::vector<std::uint16_t> ranks_;  // of positions: by line, then position
  std::uint32_t signature_size_ = 0;
  std::array<std::array<Byte, 64>, step::max_cpus> signatures_{};
  std::array<std::uint64_t, step::max_cpus> heads_{};  // the first 8 bytes, as a number
  std::array<bool, step::max_cpus> entangled_{};       // shares an object that no place names, or awaits or is awaited
  std::array<Byte, step::max_objects + 1> place_name_{};
  std::array<Byte, step::max_objects + 1> holders_{};  // CPUs that name it
  std::vector<Group> groups_;
  std::vector<Byte> trial_;
};

}  // namespace faultline::check::search
