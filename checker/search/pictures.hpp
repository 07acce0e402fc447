// Pictures for the view engine: what some CPUs and the objects they can see look like. A view of k CPUs is taken apart
// into its shared part (k - 1 of the CPUs, in canonical form) and an extension (the one left out, as the shared part
// sees it); two extensions of the same shared part are glued to a picture of k + 1 CPUs.
#pragma once
#include "checker/search/canonical.hpp"
#include "checker/search/machine.hpp"

namespace faultline::check::search {

// One CPU relative to a shared part with m objects, as a row of bytes: its record (handles: 0, 1..m for objects of the
// shared part, then m+1.. for its own; await masks over the CPUs of the shared part), for each kind the mask of CPUs of
// the shared part that await it, the number of own objects and these objects.
class Extensions {
 public:
  explicit Extensions(const Layout& layout) : layout_(layout) {
    awaited_at_ = layout.stride;
    count_at_ = awaited_at_ + 2 * layout.awaits;
    object_at_ = count_at_ + 1;
    size_ = object_at_ + layout.handles;
  }
  [[nodiscard]] std::uint32_t size() const { return size_; }

  // CPU `cpu` of s as seen by the n CPUs listed in `order`.
  void extract(const Byte* s, std::uint32_t cpu, const Order& order, std::uint32_t n, Byte* to) const;

  // Adds the CPU to a picture whose first n CPUs and first m objects are the shared part. Own object i becomes
  // names[i].
  void append(Byte* picture, const Byte* extension, std::uint32_t n, std::uint32_t m, const Byte* names) const;

  [[nodiscard]] std::uint16_t pc(const Byte* extension) const { return Layout::load(extension); }
  [[nodiscard]] std::uint32_t own_objects(const Byte* extension) const { return extension[count_at_]; }
  [[nodiscard]] Byte own_object(const Byte* extension, std::uint32_t i) const { return extension[object_at_ + i]; }
  // Await bits of this CPU in either direction.
  [[nodiscard]] bool awaits_any(const Byte* extension) const;

 private:
  const Layout& layout_;
  std::uint32_t awaited_at_ = 0, count_at_ = 0, object_at_ = 0, size_ = 0;
};

// may[kind][pc]: a CPU at this position may await somebody. Over-approximated along the commands.
[[nodiscard]] std::vector<std::vector<Byte>> may_await(const step::Program& program);

}  // namespace faultline::check::search
