#include "checker/search/packing.hpp"

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
  if (layout.objects > 0) add(1, layout.objects);
  for (std::uint32_t g = 0; g < layout.globals; ++g) add(Layout::global_at + g, program.globals[g].max);
  for (std::uint32_t p = 0; p < layout.places; ++p) add(layout.place_at + p, layout.objects);
  std::uint64_t object_max = 0;
  for (std::size_t t = 0; t < program.types.size(); ++t) {
    object_max |= t << 4 | ((1U << program.types[t].bits.size()) - 1);
  }
  for (std::uint32_t n = 1; n <= layout.objects; ++n) add(layout.object_at + n, object_max);
  for (std::uint32_t i = 0; i < cpus; ++i) {
    const std::uint32_t cpu = layout.cpu_at + i * layout.stride;
    for (std::uint32_t l = 0; l < layout.locals; ++l) add(cpu + Layout::local_at + l, program.locals[l].max);
    for (std::uint32_t h = 0; h < layout.handles; ++h) add(cpu + layout.handle_at + h, layout.objects);
    for (std::uint32_t a = 0; a < layout.awaits; ++a) add(cpu + layout.await_at + 2 * a, (1U << cpus) - 1, true);
  }
  std::uint32_t bits = 0;
  for (const Field& field : fields_) bits += field.bits;
  for (const step::Id line : lines_) {
    pc_bits_.push_back(bits_for(line_pcs_[line].size() - 1));
    bits += pc_bits_.back();
  }
  words_ = bits == 0 ? 1 : (bits + 63) / 64;
}

void Packing::add(std::uint32_t at, std::uint64_t max, bool two) {
  if (max > 0) fields_.push_back({at, bits_for(max), two});
}

void Packing::pack(const Byte* s, std::uint64_t* to) const {
  to[words_ - 1] = 0;
  Writer writer(to);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    writer.put(pc_index_[layout_.pc(s, static_cast<std::uint32_t>(i))], pc_bits_[i]);
  }
  for (const Field& field : fields_) writer.put(field.two ? Layout::load(s + field.at) : s[field.at], field.bits);
  writer.finish();
}

void Packing::unpack(const std::uint64_t* from, Byte* s) const {
  std::memset(s, 0, layout_.size());
  s[0] = static_cast<Byte>(lines_.size());
  Reader reader(from);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    layout_.set_pc(s, static_cast<std::uint32_t>(i), line_pcs_[lines_[i]][reader.get(pc_bits_[i])]);
  }
  for (const Field& field : fields_) {
    const std::uint64_t value = reader.get(field.bits);
    if (field.two) {
      Layout::store(s + field.at, static_cast<std::uint16_t>(value));
    } else {
      s[field.at] = static_cast<Byte>(value);
    }
  }
}

}  // namespace faultline::check::search
