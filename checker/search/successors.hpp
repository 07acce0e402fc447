// All steps of a packed state, packed again: what the explicit search is made of. CPUs that can be swapped step once.
//
// A step is looked up (rows.hpp) or taken on the flat state; either way only what it changed is sorted and named anew.
#pragma once
#include "checker/search/rows.hpp"

namespace faultline::check::search {

class Successors {
 public:
  explicit Successors(Closed& closed);

  // `key` has room for words() words: where steps are written to, from now on.
  void write_to(std::uint64_t* key) { key_ = key; }
  void look_at(const std::uint64_t* packed);
  // The state looked at.
  [[nodiscard]] const Byte* flat();

  // Calls found(move, times) for each step: `times` CPUs can take it; the state after it is written as encode() has it,
  // for a violation nothing is. Returns false where the state is a deadlock.
  template <class Found>
  bool each(Found&& found);

 private:
  void sign();  // and find twins
  void find_rows();
  void encode(const Byte* next, const Move& move);
  void encode(const Rows::Outcome& outcome, std::uint32_t me);
  void encode_anew(const Byte* next);
  void names_of_base();

  Closed& closed_;
  Canonical& canonical_;
  Rows rows_;
  const std::uint64_t* packed_ = nullptr;
  bool is_flat_ = false;
  std::vector<Byte> flat_, next_;
  std::uint64_t* key_ = nullptr;
  Order identity_{}, twin_{};
  std::array<std::uint32_t, step::max_cpus> times_{};  // of the first of its twins
  std::array<std::uint64_t, step::max_cpus> cells_{};  // where rows are usable
  std::array<Rows::Row, step::max_cpus> row_{};
  std::uint32_t once_ = 0, twice_ = 0;  // facts that one, and that two CPUs satisfy
  Canonical::Signs base_signs_;
  bool names_are_of_base_ = true;
};

template <class Found>
bool Successors::each(Found&& found) {
  sign();
  bool somebody = false, moved = false;
  for (std::uint32_t me = 0; me < closed_.cpus(); ++me) {
    if (twin_[me] != me) continue;
    const std::uint32_t pc = rows_.usable() ? row_[me].pc : closed_.layout().pc(flat(), me);
    const bool counts = closed_.ends_deadlock(pc);
    somebody = somebody || closed_.inside(pc);
    const auto take = [&](const Move& move, const Byte* next) {
      moved = moved || counts || move.code == nullptr;
      if (move.code == nullptr || !move.code->violation) encode(next, move);
      found(move, times_[me]);
    };
    if (closed_.layout().awaits > 0) closed_.acknowledgements(flat(), me, take);
    if (!row_[me].complete) {
      closed_.commands(flat(), me, take);
      continue;
    }
    const std::uint32_t others = twice_ | (once_ & ~row_[me].facts);
    for (auto outcome = rows_.begin(row_[me]); outcome != rows_.end(row_[me]); ++outcome) {
      if ((outcome->none & others) != 0 || (outcome->some & ~others) != 0) continue;
      moved = moved || counts;
      if (!outcome->code->violation) encode(*outcome, me);
      found(Move{outcome->code, {me, 0, 0}}, times_[me]);
    }
  }
  return moved || !somebody;
}

}  // namespace faultline::check::search
