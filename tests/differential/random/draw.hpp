// Draws of a seed. The standard fixes what mt19937_64 yields but not what its distributions make of it, so they are not
// used: a seed means the same model with every compiler. For the same reason no expression holds two draws.
#pragma once
#include <cstdint>
#include <random>
#include <vector>

namespace faultline::differential {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  // 0..n-1. The bias of the remainder is below 2^-50.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  bool chance(std::size_t percent) { return below(100) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[below(list.size())];
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace faultline::differential
