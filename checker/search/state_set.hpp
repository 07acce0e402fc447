// A set of states of equal size in words of 64 bits, numbered in order of insertion. States live in blocks that never
// move; the hash table holds the number and 32 bits of the hash, so a look rarely touches a state that is not the one
// sought.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace faultline::check::search {

class StateSet {
 public:
  using Index = std::uint32_t;
  static constexpr Index none = 0xffffffff;

  explicit StateSet(std::uint32_t words) : words_(words), table_(1U << 10, empty) {}

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] std::uint32_t words() const { return words_; }  // of a state
  [[nodiscard]] const std::uint64_t* operator[](Index i) const {
    return blocks_[i >> block_bits].get() + std::size_t{i & block_mask} * words_;
  }
  // How many states from this one on lie side by side in memory.
  [[nodiscard]] static Index together(Index i) { return block_mask + 1 - (i & block_mask); }
  [[nodiscard]] std::uint64_t hash(const std::uint64_t* state) const {
    std::uint64_t h = 0x243f6a8885a308d3ULL;
    for (std::uint32_t w = 0; w < words_; ++w) {
      h = (h ^ state[w]) * 0x9e3779b97f4a7c15ULL;
      h ^= h >> 32;
    }
    h *= 0xd6e8feb86659fd93ULL;
    return h ^ h >> 32;
  }
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&table_[slot(hash)]); }

  struct Inserted {
    Index index = none;
    bool is_new = false;
  };
  Inserted insert(const std::uint64_t* state, std::uint64_t hash) {
    if ((size_ + 1) * std::size_t{5} > table_.size() * 3) grow();
    std::size_t at = 0;
    if (const Index found = look(state, hash, at); found != none) return {found, false};
    if ((size_ & block_mask) == 0)
      blocks_.push_back(std::make_unique_for_overwrite<std::uint64_t[]>(block_mask * std::size_t{words_} + words_));
    std::memcpy(blocks_.back().get() + std::size_t{size_ & block_mask} * words_, state, words_ * sizeof(std::uint64_t));
    table_[at] = tag(hash) | size_;
    return {size_++, true};
  }
  Inserted insert(const std::uint64_t* state) { return insert(state, hash(state)); }
  [[nodiscard]] Index find(const std::uint64_t* state) const {
    std::size_t at = 0;
    return look(state, hash(state), at);
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return table_.size() * sizeof(std::uint64_t) +
           blocks_.size() * (std::uint64_t{1} << block_bits) * words_ * sizeof(std::uint64_t);
  }

  // What the next `more` states may take at once, beyond bytes(): a table of twice the size beside the old one.
  [[nodiscard]] std::uint64_t growth(std::size_t more) const {
    const std::uint64_t blocks = (more + block_mask) >> block_bits << block_bits;
    const bool table = (size_ + more) * std::size_t{5} > table_.size() * 3;
    return blocks * words_ * sizeof(std::uint64_t) + (table ? 2 * table_.size() * sizeof(std::uint64_t) : 0);
  }

 private:
  static constexpr std::uint32_t block_bits = 14;
  static constexpr std::uint32_t block_mask = (1U << block_bits) - 1;
  static constexpr std::uint64_t empty = ~std::uint64_t{0};

  static std::uint64_t tag(std::uint64_t hash) { return hash & ~std::uint64_t{0xffffffff}; }
  [[nodiscard]] std::size_t slot(std::uint64_t hash) const { return hash >> shift_; }

  Index look(const std::uint64_t* state, std::uint64_t hash, std::size_t& at) const {
    const std::size_t mask = table_.size() - 1;
    for (at = slot(hash);; at = (at + 1) & mask) {
      const std::uint64_t entry = table_[at];
      if (entry == empty) return none;
      if (tag(entry) != tag(hash)) continue;
      const auto index = static_cast<Index>(entry);
      if (equal((*this)[index], state)) return index;
    }
  }
  [[nodiscard]] bool equal(const std::uint64_t* a, const std::uint64_t* b) const {
    for (std::uint32_t w = 0; w < words_; ++w) {
      if (a[w] != b[w]) return false;
    }
    return true;
  }
  void grow() {
    // Tags hold the upper half of the hash, which is all that slot() needs while the table has at most 2^32 slots.
    std::vector<std::uint64_t> old(table_.size() * 2, empty);
    old.swap(table_);
    --shift_;
    const std::size_t mask = table_.size() - 1;
    for (const std::uint64_t entry : old) {
      if (entry == empty) continue;
      std::size_t at = slot(entry);
      while (table_[at] != empty) at = (at + 1) & mask;
      table_[at] = entry;
    }
  }

  std::uint32_t words_;
  Index size_ = 0;
  std::uint32_t shift_ = 64 - 10;
  std::vector<std::uint64_t> table_;
  std::vector<std::unique_ptr<std::uint64_t[]>> blocks_;
};

}  // namespace faultline::check::search
