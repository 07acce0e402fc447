#include "checker/search/packing.hpp"

#include <array>
#include <bit>

namespace faultline::check::search {
namespace {

class Writer {
 public:
  explicit Writer(std::uint64_t* to) : to_(to) {}
  void put(std::uint64_t value, std::uint32_t bits) {
    word_ |= value << used_;
    if (used_ + bits >= 64) {
      *to_++ = word_;
      word_ = used_ == 0 ? 0 : value >> (64 - used_);
      used_ = used_ + bits - 64;
    } else {
      used_ += bits;
    }
  }
  void finish() {
    if (used_ > 0) *to_ = word_;
  }

 private:
  std::uint64_t* to_;
  std::uint64_t word_ = 0;
  std::uint32_t used_ = 0;
};

class Reader {
 public:
  explicit Reader(const std::uint64_t* from) : from_(from) {}
  std::uint64_t get(std::uint32_t bits) {
    if (bits == 0) return 0;
    std::uint64_t value = *from_ >> used_;
    if (used_ + bits > 64) value |= from_[1] << (64 - used_);
    used_ += bits;
    if (used_ >= 64) {
      ++from_;
      used_ -= 64;
    }
    return value & ((std::uint64_t{1} << bits) - 1);
  }

 private:
  const std::uint64_t* from_;
  std::uint32_t used_ = 0;
};

std::uint8_t bits_for(std::uint64_t max) { return static_cast<std::uint8_t>(std::bit_width(max)); }

}  // namespace

Packing::Packing(const step::Program& program, const Layout& layout, std::vector<step::Id> lines)
    : layout_(layout), lines_(std::move(lines)) {
  line_pcs_.resize(program.lines.size());
  for (std::size_t pc = 0; pc < program.locations.size(); ++pc) {
    auto& pcs = line_pcs_[program.locations[pc].line];
    pc_index_.push_back(static_cast<std::uint16_t>(pcs.size()));
    pcs.push_back(static_cast<std::uint16_t>(pc));
  }
  const auto cpus = static_cast<std::uint32_t>(lines_.size());
  if (layout.objects > 0) add(shared_, 1, layout.objects);
  for (std::uint32_t g = 0; g < layout.globals; ++g) add(shared_, Layout::global_at + g, program.globals[g].max);
  for (std::uint32_t p = 0; p < layout.places; ++p) add(shared_, layout.place_at + p, layout.objects);
  std::uint64_t object_max = 0;
  for (std::size_t t = 0; t < program.types.size(); ++t) {
    object_max |= t << 4 | ((1U << program.types[t].bits.size()) - 1);
  }
  for (std::uint32_t n = 1; n <= layout.objects; ++n) add(shared_, layout.object_at + n, object_max);
  for (std::uint32_t l = 0; l < layout.locals; ++l) add(cpu_, Layout::local_at + l, program.locals[l].max);
  for (std::uint32_t h = 0; h < layout.handles; ++h) add(cpu_, layout.handle_at + h, layout.objects);
  for (std::uint32_t a = 0; a < layout.awaits; ++a) add(cpu_, layout.await_at + 2 * a, (1U << cpus) - 1, true);
  std::uint32_t bits = 0;
  for (const Field& field : shared_) bits += field.bits;
  for (const Field& field : cpu_) cpu_bits_ += field.bits;
  for (const step::Id line : lines_) {
    pc_bits_.push_back(bits_for(line_pcs_[line].size() - 1));
    bits += pc_bits_.back() + cpu_bits_;
  }
  words_ = bits == 0 ? 1 : (bits + 63) / 64;
  plain_ = layout.handles == 0 && layout.awaits == 0 && cpu_bits_ + 12 < 64;
}

void Packing::add(std::vector<Field>& fields, std::uint32_t at, std::uint64_t max, bool two) {
  if (max > 0) fields.push_back({at, bits_for(max), two});
}

void Packing::pack(const Byte* s, std::uint64_t* to) const {
  to[words_ - 1] = 0;
  Writer writer(to);
  for (const Field& field : shared_) writer.put(s[field.at], field.bits);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const Byte* cpu = layout_.cpu(s, static_cast<std::uint32_t>(i));
    writer.put(pc_index_[Layout::load(cpu)], pc_bits_[i]);
    for (const Field& field : cpu_) {
      writer.put(field.two ? Layout::load(cpu + field.at) : cpu[field.at], field.bits);
    }
  }
  writer.finish();
}

std::uint64_t Packing::cpu_number(const Byte* cpu, std::size_t i) const {
  std::uint64_t number = pc_index_[Layout::load(cpu)];
  std::uint32_t shift = pc_bits_[i];
  for (const Field& field : cpu_) {
    number |= std::uint64_t{cpu[field.at]} << shift;
    shift += field.bits;
  }
  return number;
}

void Packing::pack_sorted(const Byte* s, std::uint64_t* to) const {
  to[words_ - 1] = 0;
  Writer writer(to);
  for (const Field& field : shared_) writer.put(s[field.at], field.bits);
  std::array<std::uint64_t, step::max_cpus> numbers{};
  std::size_t first = 0;  // of the line
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i] != lines_[first]) first = i;
    const std::uint64_t number = cpu_number(layout_.cpu(s, static_cast<std::uint32_t>(i)), i);
    std::size_t at = i;
    for (; at > first && number < numbers[at - 1]; --at) numbers[at] = numbers[at - 1];
    numbers[at] = number;
  }
  for (std::size_t i = 0; i < lines_.size(); ++i) writer.put(numbers[i], pc_bits_[i] + cpu_bits_);
  writer.finish();
}

void Packing::unpack(const std::uint64_t* from, Byte* s) const {
  std::memset(s, 0, layout_.size());
  s[0] = static_cast<Byte>(lines_.size());
  Reader reader(from);
  for (const Field& field : shared_) s[field.at] = static_cast<Byte>(reader.get(field.bits));
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    Byte* cpu = layout_.cpu(s, static_cast<std::uint32_t>(i));
    Layout::store(cpu, line_pcs_[lines_[i]][reader.get(pc_bits_[i])]);
    for (const Field& field : cpu_) {
      const std::uint64_t value = reader.get(field.bits);
      if (field.two) {
        Layout::store(cpu + field.at, static_cast<std::uint16_t>(value));
      } else {
        cpu[field.at] = static_cast<Byte>(value);
      }
    }
  }
}

}  // namespace faultline::check::search
