// V for the own judge: name-free tuples, and the pictures that can be glued from them.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "checker/certificate_shapes.hpp"

namespace faultline::check::own {

inline constexpr std::uint32_t max_k = 3;

inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

struct PartHash {
  std::size_t operator()(const Shape& shape) const {
    std::uint64_t hash = 1;
    for (std::size_t n = 0; n < shape.bytes.size(); n += 8) {
      std::uint64_t word = 0;
      for (std::size_t b = 0; b < 8; ++b) word |= std::uint64_t{shape.bytes[n + b]} << (8 * b);
      hash = mixed(hash, word);
    }
    return hash;
  }
  std::size_t operator()(const Crossing& crossing) const { return mixed(mixed(1, crossing.same), crossing.awaits); }
  template <std::size_t n>
  std::size_t operator()(const std::array<std::uint32_t, n>& key) const {
    std::uint64_t hash = 1;
    for (const std::uint32_t part : key) hash = mixed(hash, part);
    return hash;
  }
};

inline constexpr std::uint32_t absent = 0xffffffff;

// Numbers for the different parts that occur in V.
template <class Part>
class Numbers {
 public:
  std::uint32_t add(const Part& part) {
    const auto [place, is_new] = ids_.try_emplace(part, static_cast<std::uint32_t>(parts_.size()));
    if (is_new) parts_.push_back(part);
    return place->second;
  }
  [[nodiscard]] std::uint32_t find(const Part& part) const {
    const auto place = ids_.find(part);
    return place == ids_.end() ? absent : place->second;
  }
  const Part& operator[](std::uint32_t id) const { return parts_[id]; }

 private:
  std::unordered_map<Part, std::uint32_t, PartHash> ids_;
  std::vector<Part> parts_;
};

// A tuple of up to three CPUs as numbers of its parts: the shared part, the CPUs, the crossings 01, 02, 12.
using Key = std::array<std::uint32_t, 7>;

// V as tuples, one for each order of the CPUs of each view, and what can be glued to a tuple.
class Tuples {
 public:
  // What a further CPU can be beside the k - 1 first CPUs of a tuple: its shape, and its crossings with them.
  struct Extension {
    std::uint32_t shape = 0;
    std::uint32_t who = 0;  // as interesting() says
    std::array<std::uint32_t, max_k - 1> crossings{};
  };

  Tuples(const step::Program& program, std::uint32_t k) : program_(program), k_(k) {}

  // The tuple of the view with its CPUs in their order.
  Key add(const step::State& view) {
    Key first{};
    std::array<std::size_t, max_k> order{0, 1, 2};
    const auto end = order.begin() + k_;
    do {
      Key key{};
      key[0] = shared.add(shared_shape(program_, view));
      for (std::size_t j = 0; j < k_; ++j) {
        key[1 + j] = shapes.add(cpu_shape(program_, view, order[j]));
        for (std::size_t i = 0; i < j; ++i) {
          key[slot(i, j)] = crossings.add(crossing(program_, view, order[i], order[j]));
        }
      }
      if (std::is_sorted(order.begin(), end)) first = key;
      if (!tuples_.insert(key).second) continue;
      Extension last{key[k_], 0, {}};
      for (std::size_t i = 0; i + 1 < k_; ++i) last.crossings[i] = key[slot(i, k_ - 1)];
      extensions_[without_last(key)].push_back(last);
      completions_[without_last_crossing(key)].push_back(key[slot(k_ - 2, k_ - 1)]);
    } while (std::next_permutation(order.begin(), end));
    return first;
  }

  [[nodiscard]] bool contains(const Key& key) const { return tuples_.count(key) != 0; }

  // Do CPUs 0 .. k - 1 of this state look like a view of V?
  [[nodiscard]] bool contains(const step::State& state) const {
    Key key{};
    if ((key[0] = shared.find(shared_shape(program_, state))) == absent) return false;
    for (std::size_t j = 0; j < k_; ++j) {
      if ((key[1 + j] = shapes.find(cpu_shape(program_, state, j))) == absent) return false;
      for (std::size_t i = 0; i < j; ++i) {
        std::uint32_t& part = key[slot(i, j)];
        if ((part = crossings.find(crossing(program_, state, i, j))) == absent) return false;
      }
    }
    return contains(key);
  }

  // Drops the further CPUs that are not interesting: interesting(shared, shape) numbers them, or says absent.
  template <class Interesting>
  void extend_only(const Interesting& interesting) {
    for (auto& [key, list] : extensions_) {
      for (Extension& e : list) e.who = interesting(key[0], e.shape);
      std::erase_if(list, [](const Extension& e) { return e.who == absent; });
    }
  }

  // Calls use(extension, crossings) for each CPU d that makes a picture with `base`: all k-subsets of base + d are in
  // V. crossings[i] is the number of that of CPU i and d.
  template <class Use>
  void glue(const Key& base, const Use& use) const {
    const auto found = extensions_.find(without_last(base));
    if (found == extensions_.end()) return;
    const Key without_first = without(base, 0);
    for (const Extension& e : found->second) {
      // base without its first CPU, and d: all parts but the crossing of the last of base and d are known.
      Key rest = without_first;
      rest[k_] = e.shape;
      for (std::size_t i = 1; i + 1 < k_; ++i) rest[slot(i - 1, k_ - 1)] = e.crossings[i];
      const auto completions = completions_.find(without_last_crossing(rest));
      if (completions == completions_.end()) continue;
      for (const std::uint32_t last : completions->second) {
        std::array<std::uint32_t, max_k> with_d{};
        std::copy_n(e.crossings.begin(), k_ - 1, with_d.begin());
        with_d[k_ - 1] = last;
        if (all_subsets(base, e.shape, with_d)) use(e, with_d);
      }
    }
  }

  Numbers<Shape> shared;
  Numbers<Shape> shapes;
  Numbers<Crossing> crossings;

 private:
  // Where the crossing of CPUs i < j < 3 stands in a key.
  static std::size_t slot(std::size_t i, std::size_t j) { return 3 + i + j; }

  // The k - 1 CPUs of a tuple but CPU x, the last place left open.
  [[nodiscard]] Key without(const Key& key, std::size_t x) const {
    Key result{};
    result[0] = key[0];
    std::size_t to = 0;
    for (std::size_t j = 0; j < k_; ++j) {
      if (j == x) continue;
      result[1 + to] = key[1 + j];
      for (std::size_t i = 0, at = 0; i < j; ++i) {
        if (i != x) result[slot(at++, to)] = key[slot(i, j)];
      }
      ++to;
    }
    return result;
  }
  [[nodiscard]] Key without_last(const Key& key) const { return without(key, k_ - 1); }
  [[nodiscard]] Key without_last_crossing(Key key) const {
    key[slot(k_ - 2, k_ - 1)] = 0;
    return key;
  }

  // The subsets that glue() has not seen: d with base but one of its middle CPUs.
  [[nodiscard]] bool all_subsets(const Key& base, std::uint32_t shape,
                                 const std::array<std::uint32_t, max_k>& with_d) const {
    for (std::size_t x = 1; x + 1 < k_; ++x) {
      Key subset = without(base, x);
      subset[k_] = shape;
      for (std::size_t i = 0, at = 0; i < k_; ++i) {
        if (i != x) subset[slot(at++, k_ - 1)] = with_d[i];
      }
      if (!contains(subset)) return false;
    }
    return true;
  }

  const step::Program& program_;
  std::uint32_t k_;
  std::unordered_set<Key, PartHash> tuples_;
  std::unordered_map<Key, std::vector<Extension>, PartHash> extensions_;       // by the first k - 1 CPUs
  std::unordered_map<Key, std::vector<std::uint32_t>, PartHash> completions_;  // by all but the last crossing
};

}  // namespace faultline::check::own
