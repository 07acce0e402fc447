// Pictures for backward coverability. A picture is a step::State read as a part: some CPUs of a system, everything that
// is shared, and the objects that these name. It stands for every system state that contains it (its upward closure).
// Two pictures are the same if they differ in names of objects and the order of CPUs only.
#pragma once
#include <bit>

#include "checker/search/canonical.hpp"
#include "checker/search/state_set.hpp"
#include "checker/views.hpp"

namespace faultline::check::coverability {

// Bit i: CPU i of a picture.
using Mask = std::uint32_t;
[[nodiscard]] inline Mask all_of(const step::State& picture) { return (Mask{1} << picture.cpus) - 1; }

// Drops the objects that nobody names and renames the others 1, 2, ... by first occurrence.
void tidy(const step::Program& program, step::State& picture);

// Do the first n CPUs of both see the same, CPU by CPU? Up to names of objects.
[[nodiscard]] bool same_seen(const step::Program& program, const step::State& a, const step::State& b, std::size_t n);

// Canonical forms of what some CPUs of one picture see. Forms of different numbers of CPUs may share a StateSet.
class Forms {
 public:
  Forms(const step::Program& program, std::uint32_t max_cpus);

  [[nodiscard]] std::uint32_t words() const { return words_; }
  [[nodiscard]] std::uint32_t max_cpus() const { return layout_.max_cpus; }
  // `picture` must be tidy.
  void load(const step::State& picture) { layout_.from_state(picture, flat_.data()); }
  // Of the CPUs in `mask` of the picture loaded last; valid until the next call. `order`, if asked for: which of its
  // CPUs stands where.
  const std::uint64_t* form(Mask mask, search::Order* order = nullptr);
  [[nodiscard]] step::State picture(const std::uint64_t* form) const {
    return layout_.to_state(reinterpret_cast<const search::Byte*>(form));
  }

 private:
  search::Layout layout_;
  search::Canonical canonical_;
  std::uint32_t words_ = 0;
  std::vector<search::Byte> flat_;
  std::vector<std::uint64_t> form_;
};

// The view set that prunes: in every reachable state of a system of at least k CPUs, any CPUs look like one of these.
class Within {
 public:
  Within(const step::Program& program, const ViewSet& set, Forms& forms);

  // What one CPU can look like, and what can be shared (pictures of no CPU).
  [[nodiscard]] const std::vector<step::State>& ones() const { return ones_; }
  [[nodiscard]] const std::vector<step::State>& shared() const { return shared_; }
  // Those of ones() whose shared part is this one: a form of no CPU.
  [[nodiscard]] const std::vector<std::uint32_t>& beside(const std::uint64_t* shared) const;

  // Is every part of at most `most` CPUs (and at most k) one of the set? `picture` must be tidy.
  [[nodiscard]] bool allows(const step::State& picture, std::uint32_t most = step::max_cpus) const;

 private:
  Forms& forms_;
  std::uint32_t k_;
  search::StateSet parts_;  // forms of 0 .. k CPUs
  search::StateSet shared_forms_;
  std::vector<step::State> ones_, shared_;
  std::vector<std::vector<std::uint32_t>> beside_;  // by number in shared_forms_
};

// Which objects of a view are which of a picture. Some are bound, the rest is tried in every way: each is an object of
// the picture that no other is, or one that the picture does not name.
class Naming {
 public:
  Naming(const step::State& view, const step::State& picture)
      : view_(view), picture_(picture), highest_(picture.objects) {}

  // These two are the same (0: null). False if that cannot be.
  [[nodiscard]] bool bind(std::uint8_t of_view, std::uint8_t of_picture);

  // In `picture`'s names, or new ones from picture.objects + 1 on.
  [[nodiscard]] std::uint8_t operator()(std::uint8_t of_view) const { return names_[of_view]; }
  [[nodiscard]] std::uint8_t highest() const { return highest_; }
  [[nodiscard]] bool taken(std::uint8_t of_picture) const { return (taken_ >> of_picture & 1) != 0; }

  // Calls use() for each way. `equal_bits`: objects that are the same have the same bits.
  template <class Use>
  void complete(bool equal_bits, const Use& use, std::uint8_t from = 1);

 private:
  const step::State& view_;
  const step::State& picture_;
  std::array<std::uint8_t, step::max_objects + 1> names_{};
  std::uint64_t taken_ = 0;
  std::uint8_t highest_;
};

template <class Use>
void Naming::complete(bool equal_bits, const Use& use, std::uint8_t from) {
  while (from <= view_.objects && names_[from] != 0) {
    if (equal_bits && names_[from] <= picture_.objects && view_.bits[from] != picture_.bits[names_[from]]) return;
    ++from;
  }
  if (from > view_.objects) return use();
  const auto next = static_cast<std::uint8_t>(from + 1);
  for (std::uint8_t x = 1; x <= picture_.objects; ++x) {
    if (taken(x) || picture_.types[x] != view_.types[from]) continue;
    if (equal_bits && picture_.bits[x] != view_.bits[from]) continue;
    names_[from] = x;
    taken_ |= std::uint64_t{1} << x;
    complete(equal_bits, use, next);
    taken_ &= ~(std::uint64_t{1} << x);
  }
  if (highest_ == step::max_objects) throw std::length_error("more than 63 objects in one picture");
  names_[from] = ++highest_;
  complete(equal_bits, use, next);
  --highest_;
  names_[from] = 0;
}

}  // namespace faultline::check::coverability
