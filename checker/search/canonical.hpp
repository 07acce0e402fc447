// The canonical form of a state, or of what some CPUs of it see. Two states that differ only in the names of objects
// and in which CPU of a line is which have the same form.
//
// CPUs are sorted by what can be said of each without names: position, locals, which handles name an object of which
// place, how many CPUs name an object, how often it awaits and is awaited. Where that leaves CPUs apart only by whom
// they share an object with or await, every order is tried and the least result taken, so the form is exact. Then
// objects are named by first occurrence, places first; what nobody names is gone.
#pragma once
#include <algorithm>
#include <array>

#include "checker/search/cells.hpp"

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

  [[nodiscard]] const Cells& cells() const { return cells_; }
  [[nodiscard]] bool is_plain() const { return plain_; }

  // In parts, for those who know what has changed since they last asked. sign_cell and sign_names say how the CPUs of s
  // compare, one by one and (by whom they share objects with or await) all at once; then order() sorts. It is false
  // where that does not tell CPUs apart: then sort() has to try orders.
  void sign_cell(const Byte* s, std::uint32_t cpu) { cells_.write(layout_.cpu(s, cpu), to_sign(cpu)); }
  void set_cell(std::uint32_t cpu, std::uint64_t cell) { *to_sign(cpu) = cell; }  // where cells take one word
  void sign_names(const Byte* s, const Order& order, std::uint32_t n);
  [[nodiscard]] bool order(const Byte* s, Order& order, std::uint32_t n);
  // The same for an order in which at most the CPU at `moved` is out of place.
  [[nodiscard]] bool reorder(const Byte* s, Order& order, std::uint32_t n, std::uint32_t moved);
  [[nodiscard]] std::uint64_t cell(std::uint32_t cpu) const { return *signature(cpu); }
  [[nodiscard]] const std::uint64_t* signature(std::uint32_t cpu) const { return &signs_.words[cpu * words_]; }

  // What is said of all CPUs, to be kept and put back.
  struct Signs {
    std::vector<std::uint64_t> words;  // of each CPU: its cell, then what sign_names says
    std::uint32_t entangled = 0;       // CPUs that share an object that no place names, or await or are awaited
    std::array<Byte, step::max_objects + 1> holders{};  // of each object: CPUs that name it
  };
  [[nodiscard]] const Signs& signs() const { return signs_; }
  void put_back(const Signs& signs) { signs_ = signs; }

 private:
  struct Group {
    std::uint32_t begin = 0, size = 0;
    Order members{};  // sorted by class
    Order starts{};   // of each class: its first member
    Order classes{};  // the arrangement being tried: class of each position
  };
  struct Sign {
    std::uint16_t word = 0;  // of the signature
    std::uint8_t shift = 0;
    Byte handle = 0;
  };
  void sign(const Byte* s, const Order& order, std::uint32_t n);
  void count_holders(const Byte* s, const Order& order, std::uint32_t n);
  void sign_awaits(const Byte* s, const Order& order, std::uint32_t n);
  [[nodiscard]] std::uint64_t* to_sign(std::uint32_t cpu) { return &signs_.words[cpu * words_]; }
  [[nodiscard]] bool less(std::uint32_t a, std::uint32_t b) const {
    const std::uint64_t *x = signature(a), *y = signature(b);
    for (std::uint32_t w = 0; w < words_; ++w) {
      if (x[w] != y[w]) return x[w] < y[w];
    }
    return false;
  }
  [[nodiscard]] bool same_signature(std::uint32_t a, std::uint32_t b) const {
    const std::uint64_t *x = signature(a), *y = signature(b);
    std::uint64_t different = 0;
    for (std::uint32_t w = 0; w < words_; ++w) different |= x[w] ^ y[w];
    return different == 0;
  }
  [[nodiscard]] bool swappable(const Byte* s, std::uint32_t i, std::uint32_t j, std::uint32_t mask) const;
  [[nodiscard]] bool is_settled(const Byte* s, const Order& order, std::uint32_t n) {
    if (plain_ || signs_.entangled == 0) return true;
    find_groups(s, order, n, false);
    return groups_.empty();
  }
  void find_groups(const Byte* s, const Order& order, std::uint32_t n, bool twins_apart);
  bool next_arrangement();
  void arrange(Order& order) const;

  const Layout& layout_;
  Cells cells_;
  bool plain_ = false;              // no handles and no awaits: cells are all there is
  std::vector<Sign> handle_signs_;  // of handles that last
  std::vector<Sign> await_signs_;   // by kind
  std::uint32_t words_ = 0;         // of a signature
  Signs signs_;
  std::array<Byte, step::max_objects + 1> place_name_{};
  std::vector<Group> groups_;
  std::vector<Byte> trial_;
};

}  // namespace faultline::check::search
