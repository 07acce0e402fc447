// Packs a flat state with a fixed number of CPUs into as few bits as its variables need, and back: globals, places,
// CPUs, then what objects are. The CPU in each slot belongs to a known line, so its position is a number within the
// line.
#pragma once
#include "checker/search/canonical.hpp"

namespace faultline::check::search {

class Packing {
 public:
  // lines[i]: line of CPU i.
  Packing(const step::Program& program, const Layout& layout, const Cells& cells, const std::vector<step::Id>& lines);

  enum class Objects : std::uint8_t { renamed, as_they_are };  // by first occurrence, places first; unnamed ones are 0

  [[nodiscard]] std::uint32_t words() const { return words_; }  // 64 bits each
  [[nodiscard]] const Fields& globals() const { return globals_; }

  // Takes the globals from `globals`, the cells of CPUs from the beginning of `signs`, and handles, awaits and objects
  // from s. CPUs in this order, each of the line of its slot.
  void pack(const std::uint64_t* globals, const Canonical& signs, const Byte* s, const Order& order, Objects objects,
            std::uint64_t* to) const;
  void unpack(const std::uint64_t* from, Byte* s) const;
  // The same where there are no places, handles and awaits and globals take one word: cells in order are all there is.
  void pack_cells(std::uint64_t globals, const std::uint64_t* cells, std::uint64_t* to) const;

  // Globals and cells alone, where each takes one word.
  [[nodiscard]] std::uint64_t globals_of(const std::uint64_t* from) const { return get(from, pieces_[0]); }
  [[nodiscard]] std::uint64_t cell_of(const std::uint64_t* from, std::uint32_t slot) const {
    return (get(from, pieces_[slots_[slot].piece]) >> cell_shift_) + slots_[slot].first;
  }

 private:
  // A number of up to 64 bits, somewhere in a packed state.
  struct Piece {
    std::uint32_t word = 0, shift = 0, bits = 0;
    bool goes_on = false;  // in the next word
    std::uint64_t mask = 0;
  };
  // A CPU is a few pieces, one where that is enough. The first begins with word 0 of its cell, counted from the first
  // position of its line; names that its handles have and masks of whom it awaits follow where there is room.
  struct Slot {
    std::uint64_t first = 0;
    std::uint32_t piece = 0, bits = 0;  // number and size of the first
  };
  struct Part {
    std::uint8_t at = 0;  // handle or kind of await
    std::uint8_t piece = 0, shift = 0;
  };
  static constexpr std::uint32_t max_slot_pieces = 8;

  void shape_slots(const step::Program& program, std::uint32_t name_bits, std::uint32_t cpus);
  void add(std::uint32_t bits);
  static std::uint64_t get(const std::uint64_t* from, const Piece& piece) {
    std::uint64_t value = from[piece.word] >> piece.shift;
    if (piece.goes_on) value |= from[piece.word + 1] << (64 - piece.shift);
    return value & piece.mask;
  }

  const Layout& layout_;
  const Cells& cells_;
  Fields globals_;
  std::vector<Part> handles_, awaits_;  // within a slot; handles that last
  std::uint64_t name_mask_ = 0, await_mask_ = 0;
  std::uint32_t cell_shift_ = 0;
  std::vector<std::uint32_t> slot_bits_;  // of its pieces, without the position
  std::vector<Piece> pieces_;
  std::vector<Slot> slots_;
  std::uint32_t used_ = 0, words_ = 1;  // bits, words
};

}  // namespace faultline::check::search
