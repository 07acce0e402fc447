// What a CPU is apart from names of objects and other CPUs: its position and locals, in a few bits. Numbers of cells
// compare as (line, position, locals) do, so that CPUs can be sorted by them, and they are what is stored of a CPU.
//
// Only what can be between two commands has bits: scratch, which every command that uses it clears again, has none.
#pragma once
#include "checker/search/fields.hpp"

namespace faultline::check::search {

class Cells {
 public:
  Cells(const step::Program& program, const Layout& layout);

  [[nodiscard]] std::uint32_t words() const { return locals_.words(); }
  // Of a word; without the position, which is above them in word 0.
  [[nodiscard]] std::uint32_t bits(std::uint32_t word) const { return locals_.bits(word); }
  [[nodiscard]] std::uint32_t first_rank(step::Id line) const { return first_rank_[line]; }
  [[nodiscard]] std::uint32_t pc(std::uint64_t word0) const { return pcs_[word0 >> locals_.bits(0)]; }

  void write(const Byte* cpu, std::uint64_t* to) const {
    locals_.write(cpu, to);
    to[0] |= std::uint64_t{ranks_[Layout::load(cpu)]} << locals_.bits(0);
  }
  void read(const std::uint64_t* from, Byte* cpu) const {
    Layout::store(cpu, pcs_[from[0] >> locals_.bits(0)]);
    locals_.read(from, cpu);
  }

 private:
  static constexpr std::uint32_t position_bits = 12;  // step::max_locations
  std::vector<std::uint16_t> ranks_;                  // of positions: by line, then position
  std::vector<std::uint16_t> pcs_;                    // by rank
  std::vector<std::uint32_t> first_rank_;
  Fields locals_{position_bits};
};

// Whether a handle can be other than null between two commands.
[[nodiscard]] bool lasts(const step::Program& program, step::Id handle);

}  // namespace faultline::check::search
