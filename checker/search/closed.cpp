#include "checker/search/closed.hpp"

#include <bit>
#include <numeric>
#include <stdexcept>

namespace faultline::check::search {
namespace {

std::vector<step::Id> lines_of(const std::vector<std::uint32_t>& per_line) {
  std::vector<step::Id> lines;
  for (std::size_t line = 0; line < per_line.size(); ++line) {
    lines.insert(lines.end(), per_line[line], static_cast<step::Id>(line));
  }
  if (lines.size() > step::max_cpus) throw std::length_error("more than 16 CPUs in one state");
  return lines;
}

}  // namespace

Closed::Closed(const step::Program& program, std::vector<std::uint32_t> cpus_per_line, Merge merge)
    : program_(program),
      per_line_(std::move(cpus_per_line)),
      lines_(lines_of(per_line_)),
      cpus_(static_cast<std::uint32_t>(lines_.size())),
      merge_(merge),
      machine_(program, cpus_),
      canonical_(program, machine_.layout()),
      packing_(program, machine_.layout(), lines_) {
  std::iota(identity_.begin(), identity_.end(), Byte{0});
  form_.resize(layout().size());
  next_.resize(layout().size());
  for (const step::Location& location : program.locations) inside_.push_back(location.handler != step::no_id ? 1 : 0);
}

std::vector<Byte> Closed::initial() const {
  std::vector<Byte> s(layout().size());
  layout().from_state(step::initial_state(program_, per_line_), s.data());
  return s;
}

void Closed::encode(const Byte* s, std::uint64_t* to) {
  if (merge_ != Merge::cpus) return encode_plain(s, to);
  if (packing_.can_pack_sorted()) return packing_.pack_sorted(s, to);
  Order order = identity_;
  canonical_.sort(s, order, cpus_, form_.data());
  packing_.pack(form_.data(), to);
}

void Closed::encode_plain(const Byte* s, std::uint64_t* to) {
  if (merge_ == Merge::nothing) return encode_pool(s, to);
  if (packing_.can_pack_sorted()) return packing_.pack(s, to);
  canonical_.name_objects(s, identity_, cpus_, form_.data());
  packing_.pack(form_.data(), to);
}

void Closed::encode_pool(const Byte* s, std::uint64_t* to) {
  if (layout().objects == 0) return packing_.pack(s, to);
  const std::uint64_t names = machine_.named(s) >> 1 << 1;
  std::memcpy(form_.data(), s, layout().size());
  for (std::uint32_t n = 1; n <= layout().objects; ++n) {
    if ((names >> n & 1) == 0) form_[layout().object_at + n] = 0;
  }
  form_[1] = names == 0 ? Byte{0} : static_cast<Byte>(std::bit_width(names) - 1);
  packing_.pack(form_.data(), to);
}

bool Closed::deadlocked(const Byte* s) {
  bool somebody = false;
  for (std::uint32_t me = 0; me < cpus_; ++me) {
    bool moves_on = false;
    machine_.acknowledgements(s, me, [&](const Acknowledgement&) { moves_on = true; });
    if (moves_on) return false;
    if (!inside(s, me)) continue;
    somebody = true;
    const std::uint32_t pc = layout().pc(s, me);
    for (const Code* code = machine_.begin(pc); code != machine_.end(pc); ++code) {
      machine_.run(*code, s, me, World::closed, [&](const Byte*) { moves_on = true; });
      if (moves_on) return false;
    }
  }
  return somebody;
}

}  // namespace faultline::check::search
