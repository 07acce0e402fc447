#include "checker/search/closed.hpp"

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
      packing_(program, machine_.layout(), canonical_.cells(), lines_) {
  std::iota(identity_.begin(), identity_.end(), Byte{0});
  form_.resize(layout().size());
  next_.resize(layout().size());
  for (std::size_t pc = 0; pc < program.locations.size(); ++pc) {
    inside_.push_back(program.locations[pc].handler != step::no_id ? 1 : 0);
    ends_deadlock_.push_back(step::ends_deadlock(program, static_cast<step::Id>(pc)) ? 1 : 0);
  }
}

std::vector<Byte> Closed::initial() const {
  std::vector<Byte> s(layout().size());
  layout().from_state(step::initial_state(program_, per_line_), s.data());
  return s;
}

void Closed::encode(const Byte* s, std::uint64_t* to) {
  if (merge_ != Merge::cpus) return encode_plain(s, to);
  sign_cells(s);
  canonical_.sign_names(s, identity_, cpus_);
  Order order = identity_;
  const bool settled = canonical_.order(s, order, cpus_);
  encode_ordered(s, order, settled, to);
}

void Closed::encode_plain(const Byte* s, std::uint64_t* to) {
  sign_cells(s);
  packing_.globals().write(s, globals_.data());
  const auto objects = merge_ == Merge::nothing ? Packing::Objects::as_they_are : Packing::Objects::renamed;
  packing_.pack(globals_.data(), canonical_, s, identity_, objects, to);
}

void Closed::encode_ordered(const Byte* s, Order& order, bool settled, std::uint64_t* to) {
  if (!settled) canonical_.sort(s, order, cpus_, form_.data());
  packing_.globals().write(s, globals_.data());
  packing_.pack(globals_.data(), canonical_, s, order, Packing::Objects::renamed, to);
}

bool Closed::deadlocked(const Byte* s) {
  bool somebody = false;
  for (std::uint32_t me = 0; me < cpus_; ++me) {
    bool moves_on = false;
    machine_.acknowledgements(s, me, [&](const Acknowledgement&) { moves_on = true; });
    if (moves_on) return false;
    const std::uint32_t pc = layout().pc(s, me);
    somebody = somebody || inside(pc);
    if (!ends_deadlock(pc)) continue;
    for (const Code* code = machine_.begin(pc); code != machine_.end(pc); ++code) {
      machine_.run(*code, s, me, World::closed, [&](const Byte*) { moves_on = true; });
      if (moves_on) return false;
    }
  }
  return somebody;
}

}  // namespace faultline::check::search
