// One CPU more in a picture: every way in which a further CPU can be there beside those that the picture shows.
#pragma once
#include <functional>

#include "checker/coverability/pictures.hpp"

namespace faultline::check::coverability {

// An await bit that a picture may or may not have: CPU `of` awaits CPU `to`.
struct AwaitBit {
  std::size_t of = 0, to = 0, kind = 0;
};
[[nodiscard]] inline bool awaits(const step::State& s, const AwaitBit& bit) {
  return (s.cpu[bit.of].awaits[bit.kind] >> bit.to & 1) != 0;
}
inline void set_await(step::State& s, const AwaitBit& bit, bool on) {
  std::uint16_t& mask = s.cpu[bit.of].awaits[bit.kind];
  mask = static_cast<std::uint16_t>(on ? mask | 1U << bit.to : mask & ~(1U << bit.to));
}
// Calls use() with `s` having each choice of these bits.
void each_choice(step::State& s, const std::vector<AwaitBit>& bits, const std::function<void()>& use,
                 std::size_t from = 0);

class Gluing {
 public:
  // `tick` is called now and then, and may throw to end it.
  Gluing(const step::Program& program, const Within& within, Forms& forms, std::function<void()> tick);

  // Adds one CPU, last, in every way that the views allow: what it looks like, which objects are the same, who awaits
  // whom. `picture` must be tidy.
  void with_each(const step::State& picture, const std::function<void(const step::State&)>& use) const;

  // Has the line of this position one CPU more than the picture shows of it?
  [[nodiscard]] bool has_room(const step::State& picture, step::Id pc) const;
  [[nodiscard]] bool may_await(std::size_t kind, step::Id pc) const { return may_await_[kind][pc] != 0; }
  // Bits between the last CPU and the others that their positions allow.
  [[nodiscard]] std::vector<AwaitBit> possible_awaits(const step::State& s) const;

 private:
  void add(const step::State& picture, const step::State& one,
           const std::function<void(const step::State&)>& use) const;

  const step::Program& program_;
  const Within& within_;
  Forms& forms_;
  std::function<void()> tick_;
  std::vector<std::vector<search::Byte>> may_await_;
};

}  // namespace faultline::check::coverability
