#include "checker/search/packing.hpp"

#include <algorithm>
#include <bit>

namespace faultline::check::search {
namespace {

class Writer {
 public:
  explicit Writer(std::uint64_t* to) : to_(to) {}
  void put(std::uint64_t value, std::uint32_t bits) {
    word_ |= value << used_;
    used_ += bits;
    if (used_ < 64) return;
    *to_++ = word_;
    used_ -= 64;
    word_ = used_ == 0 ? 0 : value >> (bits - used_);
  }
  void finish(const std::uint64_t* end) {
    for (; to_ != end; word_ = 0) *to_++ = word_;
  }

 private:
  std::uint64_t* to_;
  std::uint64_t word_ = 0;
  std::uint32_t used_ = 0;
};

std::uint32_t bits_for(std::uint64_t max) { return static_cast<std::uint32_t>(std::bit_width(max)); }

}  // namespace

Packing::Packing(const step::Program& program, const Layout& layout, const Cells& cells,
                 const std::vector<step::Id>& lines)
    : layout_(layout), cells_(cells) {
  for (std::uint32_t g = 0; g < layout.globals; ++g) globals_.add(Layout::global_at + g, program.globals[g].max);
  globals_.close();
  const std::uint32_t name_bits = bits_for(layout.objects);
  shape_slots(program, name_bits, static_cast<std::uint32_t>(lines.size()));

  for (std::uint32_t w = 0; w < globals_.words(); ++w) add(globals_.bits(w));
  for (std::uint32_t p = 0; p < layout.places; ++p) add(name_bits);
  for (const step::Id line : lines) {
    const auto positions = std::count_if(program.locations.begin(), program.locations.end(),
                                         [&](const step::Location& location) { return location.line == line; });
    const std::uint32_t bits = slot_bits_[0] + bits_for(static_cast<std::uint64_t>(positions) - 1);
    slots_.push_back(
        {std::uint64_t{cells.first_rank(line)} << cells.bits(0), static_cast<std::uint32_t>(pieces_.size()), bits});
    add(bits);
    for (std::size_t piece = 1; piece < slot_bits_.size(); ++piece) add(slot_bits_[piece]);
  }
  std::uint64_t most = 0;  // that a byte about an object can be
  for (std::size_t t = 0; t < program.types.size(); ++t) {
    most |= layout.object(static_cast<std::uint32_t>(t), (1U << program.types[t].bits.size()) - 1);
  }
  for (std::uint32_t n = 1; n <= layout.objects; ++n) add(bits_for(most));
  words_ = std::max(1U, (used_ + 63) / 64);
}

void Packing::shape_slots(const step::Program& program, std::uint32_t name_bits, std::uint32_t cpus) {
  for (std::uint32_t w = 0; w < cells_.words(); ++w) slot_bits_.push_back(cells_.bits(w));
  std::uint32_t piece = 0, room = 64 - bits_for(program.locations.size()) - cells_.bits(0);
  const auto part = [&](std::uint32_t at, std::uint32_t bits) {
    if (room < bits) {
      room = 64;
      piece = static_cast<std::uint32_t>(slot_bits_.size());
      slot_bits_.push_back(0);
    }
    const std::uint32_t shift = slot_bits_[piece] - (piece == 0 ? cells_.bits(0) : 0);
    slot_bits_[piece] += bits;
    room -= bits;
    return Part{static_cast<std::uint8_t>(at), static_cast<std::uint8_t>(piece), static_cast<std::uint8_t>(shift)};
  };
  for (std::uint32_t h = 0; h < layout_.handles; ++h) {
    if (lasts(program, static_cast<step::Id>(h))) handles_.push_back(part(h, name_bits));
  }
  for (std::uint32_t a = 0; a < layout_.awaits; ++a) awaits_.push_back(part(a, cpus));
  cell_shift_ = slot_bits_[0] - cells_.bits(0);
  name_mask_ = (std::uint64_t{1} << name_bits) - 1;
  await_mask_ = (std::uint64_t{1} << cpus) - 1;
}

void Packing::add(std::uint32_t bits) {
  Piece piece;
  if (bits > 0) {
    piece.word = used_ / 64;
    piece.shift = used_ % 64;
    piece.bits = bits;
    piece.goes_on = piece.shift + bits > 64;
    piece.mask = ~std::uint64_t{0} >> (64 - bits);
  }
  used_ += bits;
  pieces_.push_back(piece);
}

void Packing::pack(const std::uint64_t* globals, const Canonical& signs, const Byte* s, const Order& order,
                   Objects objects, std::uint64_t* to) const {
  Writer writer(to);
  const Piece* piece = pieces_.data();
  const auto put = [&](std::uint64_t value) { writer.put(value, piece++->bits); };
  for (std::uint32_t w = 0; w < globals_.words(); ++w) put(globals[w]);

  ObjectMap names;
  ObjectMap old;  // by new name
  std::uint32_t count = 0;
  std::uint64_t named = 0;
  const auto name = [&](Byte object) -> std::uint64_t {
    if (object == 0) return 0;
    const bool is_new = (named >> object & 1) == 0;
    named |= std::uint64_t{1} << object;
    if (objects == Objects::as_they_are) return object;
    if (is_new) {
      names[object] = static_cast<Byte>(++count);
      old[count] = object;
    }
    return names[object];
  };
  for (std::uint32_t p = 0; p < layout_.places; ++p) put(name(s[layout_.place_at + p]));
  const std::size_t slot_pieces = slot_bits_.size();
  std::array<std::uint64_t, max_slot_pieces> values;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const std::uint64_t* cell = signs.signature(order[k]);
    values[0] = (cell[0] - slots_[k].first) << cell_shift_;
    for (std::size_t w = 1; w < slot_pieces; ++w) values[w] = w < cells_.words() ? cell[w] : 0;
    const Byte* cpu = layout_.cpu(s, order[k]);
    for (const Part& part : handles_) values[part.piece] |= name(cpu[layout_.handle_at + part.at]) << part.shift;
    for (const Part& part : awaits_) {
      const std::uint32_t awaited = layout_.await(s, order[k], part.at);
      for (std::uint32_t j = 0; awaited != 0 && j < slots_.size(); ++j) {
        values[part.piece] |= std::uint64_t{awaited >> order[j] & 1U} << (part.shift + j);
      }
    }
    for (std::size_t w = 0; w < slot_pieces; ++w) put(values[w]);
  }
  if (objects == Objects::renamed) {
    for (std::uint32_t n = 1; n <= count; ++n) put(s[layout_.object_at + old[n]]);
  } else {
    const auto end = static_cast<std::uint32_t>(std::bit_width(named));  // one past the greatest name
    for (std::uint32_t n = 1; n < end; ++n) put((named >> n & 1) != 0 ? s[layout_.object_at + n] : 0U);
  }
  writer.finish(to + words_);
}

void Packing::pack_cells(std::uint64_t globals, const std::uint64_t* cells, std::uint64_t* to) const {
  Writer writer(to);
  writer.put(globals, globals_.bits(0));
  for (std::size_t k = 0; k < slots_.size(); ++k) writer.put(cells[k] - slots_[k].first, slots_[k].bits);
  writer.finish(to + words_);
}

void Packing::unpack(const std::uint64_t* from, Byte* s) const {
  std::memset(s, 0, layout_.size());
  s[0] = static_cast<Byte>(slots_.size());
  const Piece* piece = pieces_.data();
  std::array<std::uint64_t, step::max_globals> words;  // of the globals, then of each slot
  for (std::uint32_t w = 0; w < globals_.words(); ++w) words[w] = get(from, *piece++);
  globals_.read(words.data(), s);
  const auto is_name = [&](std::uint64_t name) {
    const auto object = static_cast<Byte>(name);
    s[1] = std::max(s[1], object);
    return object;
  };
  for (std::uint32_t p = 0; p < layout_.places; ++p) s[layout_.place_at + p] = is_name(get(from, *piece++));
  for (std::uint32_t k = 0; k < slots_.size(); ++k) {
    for (std::size_t w = 0; w < slot_bits_.size(); ++w) words[w] = get(from, *piece++);
    Byte* cpu = layout_.cpu(s, k);
    for (const Part& part : handles_) {
      cpu[layout_.handle_at + part.at] = is_name(words[part.piece] >> part.shift & name_mask_);
    }
    for (const Part& part : awaits_) {
      layout_.set_await(s, k, part.at, static_cast<std::uint32_t>(words[part.piece] >> part.shift & await_mask_));
    }
    words[0] = (words[0] >> cell_shift_) + slots_[k].first;
    cells_.read(words.data(), cpu);
  }
  for (std::uint32_t n = 1; n <= s[1]; ++n) s[layout_.object_at + n] = static_cast<Byte>(get(from, *piece++));
}

}  // namespace faultline::check::search
