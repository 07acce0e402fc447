// Packs a flat state with a fixed number of CPUs into as few bits as its variables need, and back. The CPU in each slot
// belongs to a known line, so its position is a number within the line.
#pragma once
#include <span>

#include "checker/search/layout.hpp"

namespace faultline::check::search {

class Packing {
 public:
  // lines[i]: line of CPU i.
  Packing(const step::Program& program, const Layout& layout, std::vector<step::Id> lines);

  [[nodiscard]] std::uint32_t words() const { return words_; }  // 64 bits each
  void pack(const Byte* s, std::uint64_t* to) const;
  void unpack(const std::uint64_t* from, Byte* s) const;

 private:
  struct Field {
    std::uint32_t at = 0;  // byte of the flat state
    std::uint8_t bits = 0;
    bool two = false;  // a value of two bytes
  };
  void add(std::uint32_t at, std::uint64_t max, bool two = false);

  const Layout& layout_;
  std::vector<step::Id> lines_;
  std::vector<Field> fields_;            // all but the positions
  std::vector<std::uint8_t> pc_bits_;    // per CPU
  std::vector<std::uint16_t> pc_index_;  // of a position within its line
  std::vector<std::vector<std::uint16_t>> line_pcs_;
  std::uint32_t words_ = 0;
};

}  // namespace faultline::check::search
