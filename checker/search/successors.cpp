#include "checker/search/successors.hpp"

#include <numeric>

namespace faultline::check::search {

Successors::Successors(Closed& closed)
    : closed_(closed), canonical_(closed.canonical()), rows_(closed), flat_(closed.layout().size()) {
  std::iota(identity_.begin(), identity_.end(), Byte{0});
}

void Successors::look_at(const std::uint64_t* packed) {
  packed_ = packed;
  is_flat_ = false;
}

const Byte* Successors::flat() {
  if (!is_flat_) closed_.decode(packed_, flat_.data());
  is_flat_ = true;
  return flat_.data();
}

// The state is as encode() leaves it, so CPUs that are alike stand together.
void Successors::sign() {
  const std::uint32_t n = closed_.cpus();
  if (closed_.merge() != Merge::cpus) {
    twin_ = identity_;
  } else if (rows_.all()) {
    for (std::uint32_t i = 0; i < n; ++i) {
      cells_[i] = closed_.packing().cell_of(packed_, i);
      twin_[i] = i > 0 && cells_[i] == cells_[i - 1] ? twin_[i - 1] : static_cast<Byte>(i);
    }
  } else {
    closed_.twins(flat(), twin_);
    base_signs_ = canonical_.signs();
    names_are_of_base_ = true;
    for (std::uint32_t i = 0; i < n; ++i) cells_[i] = canonical_.cell(i);
  }
  times_.fill(0);
  for (std::uint32_t i = 0; i < n; ++i) ++times_[twin_[i]];
  if (rows_.usable()) find_rows();
}

void Successors::find_rows() {
  rows_.trim();
  once_ = twice_ = 0;
  const std::uint64_t globals = closed_.packing().globals_of(packed_);
  for (std::uint32_t i = 0; i < closed_.cpus(); ++i) {
    row_[i] = twin_[i] != i ? row_[twin_[i]] : rows_.row(globals, cells_[i], i, [&]() { return flat(); });
    twice_ |= once_ & row_[i].facts;
    once_ |= row_[i].facts;
  }
}

void Successors::names_of_base() {
  if (!names_are_of_base_) canonical_.put_back(base_signs_);
  names_are_of_base_ = true;
}

void Successors::encode(const Rows::Outcome& outcome, std::uint32_t me) {
  if (rows_.all()) {
    std::array<std::uint64_t, step::max_cpus> cells = cells_;
    std::uint32_t at = me;
    for (; at > 0 && outcome.cell < cells[at - 1]; --at) cells[at] = cells[at - 1];
    for (; at + 1 < closed_.cpus() && cells[at + 1] < outcome.cell; ++at) cells[at] = cells[at + 1];
    cells[at] = outcome.cell;
    return closed_.packing().pack_cells(outcome.globals, cells.data(), key_);
  }
  names_of_base();
  canonical_.set_cell(me, outcome.cell);
  Order order = identity_;
  if (canonical_.reorder(flat_.data(), order, closed_.cpus(), me)) {
    closed_.packing().pack(&outcome.globals, canonical_, flat_.data(), order, Packing::Objects::renamed, key_);
    canonical_.set_cell(me, cells_[me]);
    return;
  }
  // Orders have to be tried, on the flat state.
  next_ = flat_;
  closed_.packing().globals().read(&outcome.globals, next_.data());
  canonical_.cells().read(&outcome.cell, closed_.layout().cpu(next_.data(), me));
  return encode_anew(next_.data());
}

void Successors::encode(const Byte* next, const Move& move) {
  if (closed_.merge() != Merge::cpus || move.code == nullptr || move.code->changes_names ||
      move.code->sets_others_locals)
    return encode_anew(next);
  names_of_base();
  const std::uint32_t me = move.cpu();
  canonical_.sign_cell(next, me);
  Order order = identity_;
  const bool settled = canonical_.reorder(next, order, closed_.cpus(), me);
  closed_.encode_ordered(next, order, settled, key_);
  names_are_of_base_ = settled;
  canonical_.sign_cell(flat_.data(), me);
}

void Successors::encode_anew(const Byte* next) {
  closed_.encode(next, key_);
  names_are_of_base_ = false;
}

}  // namespace faultline::check::search
