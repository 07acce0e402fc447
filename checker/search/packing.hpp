// Packs a flat state with a fixed number of CPUs into as few bits as its variables need, and back. The CPU in each slot
// belongs to a known line, so its position is a number within the line.
#pragma once
#include "checker/search/layout.hpp"

namespace faultline::check::search {

class Packing {
 public:
  // lines[i]: line of CPU i.
  Packing(const step::Program& program, const Layout& layout, std::vector<step::Id> lines);

  [[nodiscard]] std::uint32_t words() const { return words_; }  // 64 bits each
  void pack(const Byte* s, std::uint64_t* to) const;
  void unpack(const std::uint64_t* from, Byte* s) const;

  // Without handles and awaits a CPU is one small number, and the canonical form is those of each line in order: this
  // packs it without writing it down first.
  [[nodiscard]] bool can_pack_sorted() const { return plain_; }
  void pack_sorted(const Byte* s, std::uint64_t* to) const;

 private:
  struct Field {
    std::uint32_t at = 0;  // byte of the flat state
    std::uint8_t bits = 0;
    bool two = false;  // a value of two bytes
  };
  static void add(std::vector<Field>& fields, std::uint32_t at, std::uint64_t max, bool two = false);
  [[nodiscard]] std::uint64_t cpu_number(const Byte* cpu, std::size_t i) const;

  const Layout& layout_;
  bool plain_ = false;
  std::vector<step::Id> lines_;
  std::vector<Field> shared_;            // globals, places, objects
  std::vector<Field> cpu_;               // of each CPU, its position apart; `at` within its record
  std::vector<std::uint8_t> pc_bits_;    // per CPU
  std::uint32_t cpu_bits_ = 0;           // of the fields in cpu_
  std::vector<std::uint16_t> pc_index_;  // of a position within its line
  std::vector<std::vector<std::uint16_t>> line_pcs_;
  std::uint32_t words_ = 0;
};

}  // namespace faultline::check::search
