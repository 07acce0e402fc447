// Small numbers of a record of bytes, moved into words of 64 bits and back. A number never lies across two words.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "checker/search/layout.hpp"

namespace faultline::check::search {

class Fields {
 public:
  // The upper `reserved` bits of word 0 are left alone.
  explicit Fields(std::uint32_t reserved = 0) : used_(reserved), bits_(1) {}

  // The byte at `at` has values 0..max. Call close() after the last one.
  void add(std::uint32_t at, std::uint32_t max) {
    const auto bits = static_cast<std::uint32_t>(std::bit_width(max));
    if (bits == 0) return;
    if (used_ + bits > 64) {
      bits_.push_back(0);
      used_ = 0;
    }
    used_ += bits;
    bits_.back() += bits;
    fields_.push_back(
        {at, static_cast<std::uint8_t>(bits_.size() - 1), 0, static_cast<std::uint8_t>((1U << bits) - 1)});
  }
  // The first field of a word is the most significant.
  void close() {
    std::vector<std::uint32_t> left = bits_;
    for (Field& field : fields_) {
      left[field.word] -= static_cast<std::uint32_t>(std::bit_width(field.mask));
      field.shift = static_cast<std::uint8_t>(left[field.word]);
    }
  }

  [[nodiscard]] std::uint32_t words() const { return static_cast<std::uint32_t>(bits_.size()); }
  [[nodiscard]] std::uint32_t bits(std::uint32_t word) const { return bits_[word]; }

  void write(const Byte* bytes, std::uint64_t* to) const {
    for (std::uint32_t w = 0; w < bits_.size(); ++w) to[w] = 0;
    for (const Field& field : fields_) to[field.word] |= std::uint64_t{bytes[field.at]} << field.shift;
  }
  void read(const std::uint64_t* from, Byte* bytes) const {
    for (const Field& field : fields_)
      bytes[field.at] = static_cast<Byte>(from[field.word] >> field.shift & field.mask);
  }

 private:
  struct Field {
    std::uint32_t at = 0;
    std::uint8_t word = 0, shift = 0, mask = 0;
  };
  std::uint32_t used_ = 0;  // of the last word
  std::vector<std::uint32_t> bits_;
  std::vector<Field> fields_;
};

}  // namespace faultline::check::search
