#include "checker/search/canonical.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace faultline::check::search {

Canonical::Canonical(const step::Program& program, const Layout& layout) : layout_(layout), cells_(program, layout) {
  plain_ = layout.handles == 0 && layout.awaits == 0;
  words_ = cells_.words();
  std::uint32_t left = 0;  // bits of the last word
  const auto sign = [&](std::uint32_t bits, std::uint32_t handle) {
    if (left < bits) {
      ++words_;
      left = 64;
    }
    left -= bits;
    return Sign{static_cast<std::uint16_t>(words_ - 1), static_cast<std::uint8_t>(left), static_cast<Byte>(handle)};
  };
  for (std::uint32_t h = 0; h < layout.handles; ++h) {
    if (lasts(program, static_cast<step::Id>(h))) handle_signs_.push_back(sign(16, h));
  }
  for (std::uint32_t a = 0; a < layout.awaits; ++a) await_signs_.push_back(sign(16, 0));
  signs_.words.resize(std::size_t{layout.max_cpus} * words_);
  trial_.resize(layout.size());
}

void Canonical::sign(const Byte* s, const Order& order, std::uint32_t n) {
  for (std::uint32_t k = 0; k < n; ++k) sign_cell(s, order[k]);
  sign_names(s, order, n);
}

void Canonical::count_holders(const Byte* s, const Order& order, std::uint32_t n) {
  place_name_.fill(0);
  signs_.holders.fill(0);
  for (std::uint32_t p = 0; p < layout_.places; ++p) {
    Byte& name = place_name_[s[layout_.place_at + p]];
    if (name == 0) name = static_cast<Byte>(p + 1);
  }
  for (std::uint32_t k = 0; k < n; ++k) {
    const Byte* handles = layout_.cpu(s, order[k]) + layout_.handle_at;
    for (std::uint32_t h = 0; h < layout_.handles; ++h) {
      bool again = false;
      for (std::uint32_t g = 0; g < h; ++g) again = again || handles[g] == handles[h];
      if (!again) ++signs_.holders[handles[h]];
    }
  }
}

void Canonical::sign_names(const Byte* s, const Order& order, std::uint32_t n) {
  if (plain_) return;
  if (layout_.handles > 0) count_holders(s, order, n);
  signs_.entangled = 0;
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t i = order[k];
    const Byte* handles = layout_.cpu(s, i) + layout_.handle_at;
    std::uint64_t* to = to_sign(i);
    for (std::uint32_t w = cells_.words(); w < words_; ++w) to[w] = 0;
    for (const Sign& sign : handle_signs_) {
      const Byte object = handles[sign.handle];
      if (object == 0) continue;
      std::uint32_t what = std::uint32_t{place_name_[object]} << 8;
      if (what == 0) {
        const auto first = static_cast<std::uint32_t>(std::find(handles, handles + sign.handle, object) - handles);
        const bool shared = signs_.holders[object] > 1;
        if (shared) signs_.entangled |= 1U << i;
        what = ((shared ? 128U : 64U) + first) << 8;
        what |= layout_.bits(s[layout_.object_at + object]) |
                (std::uint32_t{signs_.holders[object]} << layout_.type_shift & 0xffU);
      }
      to[sign.word] |= std::uint64_t{what} << sign.shift;
    }
  }
  if (layout_.awaits > 0) sign_awaits(s, order, n);
}

void Canonical::sign_awaits(const Byte* s, const Order& order, std::uint32_t n) {
  std::uint32_t seen = 0;
  for (std::uint32_t k = 0; k < n; ++k) seen |= 1U << order[k];
  for (std::uint32_t a = 0; a < layout_.awaits; ++a) {
    const Sign& sign = await_signs_[a];
    for (std::uint32_t k = 0; k < n; ++k) {
      std::uint32_t awaited = layout_.await(s, order[k], a) & seen;
      if (awaited == 0) continue;
      signs_.entangled |= awaited | 1U << order[k];
      for (; awaited != 0; awaited &= awaited - 1) {
        to_sign(order[k])[sign.word] += std::uint64_t{1} << (sign.shift + 8);
        to_sign(static_cast<std::uint32_t>(std::countr_zero(awaited)))[sign.word] += std::uint64_t{1} << sign.shift;
      }
    }
  }
}

// Signatures must be equal and of these CPUs (`mask`).
bool Canonical::swappable(const Byte* s, std::uint32_t i, std::uint32_t j, std::uint32_t mask) const {
  if ((signs_.entangled >> i & 1) == 0) return true;
  for (std::uint32_t h = 0; h < layout_.handles; ++h) {
    const Byte a = layout_.handle(s, i, h), b = layout_.handle(s, j, h);
    if (a != b && (signs_.holders[a] > 1 || signs_.holders[b] > 1)) return false;
  }
  const std::uint32_t rest = mask & ~(1U << i | 1U << j);
  for (std::uint32_t a = 0; a < layout_.awaits; ++a) {
    const std::uint32_t of_i = layout_.await(s, i, a), of_j = layout_.await(s, j, a);
    if ((of_i & rest) != (of_j & rest) || (of_i >> j & 1) != (of_j >> i & 1)) return false;
    for (std::uint32_t k = 0; rest >> k != 0; ++k) {
      const std::uint32_t of_k = layout_.await(s, k, a);
      if ((rest >> k & 1) != 0 && (of_k >> i & 1) != (of_k >> j & 1)) return false;
    }
  }
  return true;
}

void Canonical::twins(const Byte* s, Order& first) {
  const std::uint32_t n = s[0];
  Order order{};
  std::iota(order.begin(), order.begin() + n, Byte{0});
  sign(s, order, n);
  for (std::uint32_t i = 0; i < n; ++i) {
    first[i] = static_cast<Byte>(i);
    for (std::uint32_t j = 0; j < i && first[i] == i; ++j) {
      if (first[j] == j && same_signature(i, j) && swappable(s, i, j, (1U << n) - 1)) first[i] = static_cast<Byte>(j);
    }
  }
}

void Canonical::find_groups(const Byte* s, const Order& order, std::uint32_t n, bool twins_apart) {
  groups_.clear();
  std::uint32_t mask = 0;
  for (std::uint32_t k = 0; k < n; ++k) mask |= 1U << order[k];
  for (std::uint32_t begin = 0; begin < n;) {
    std::uint32_t end = begin + 1;
    while (end < n && same_signature(order[begin], order[end])) ++end;
    if (end - begin > 1 && (twins_apart || (signs_.entangled >> order[begin] & 1) != 0)) {
      Group group;
      group.begin = begin;
      group.size = end - begin;
      std::uint32_t classes = 0, placed = 0;
      std::array<bool, step::max_cpus> taken{};
      for (std::uint32_t k = begin; k < end; ++k) {
        if (taken[k]) continue;
        group.starts[classes] = static_cast<Byte>(placed);
        for (std::uint32_t m = k; m < end; ++m) {
          const bool same = m == k || (!twins_apart && !taken[m] && swappable(s, order[k], order[m], mask));
          if (!same) continue;
          taken[m] = true;
          group.members[placed] = order[m];
          group.classes[placed++] = static_cast<Byte>(classes);
        }
        ++classes;
      }
      if (classes > 1) groups_.push_back(group);
    }
    begin = end;
  }
}

void Canonical::arrange(Order& order) const {
  for (const Group& group : groups_) {
    Order next = group.starts;  // of each class: the member to place next
    for (std::uint32_t k = 0; k < group.size; ++k) order[group.begin + k] = group.members[next[group.classes[k]]++];
  }
}

bool Canonical::next_arrangement() {
  for (Group& group : groups_) {
    if (std::next_permutation(group.classes.begin(), group.classes.begin() + group.size)) return true;
  }
  return false;
}

bool Canonical::order(const Byte* s, Order& order, std::uint32_t n) {
  for (std::uint32_t k = 1; k < n; ++k) {
    const Byte cpu = order[k];
    std::uint32_t at = k;
    for (; at > 0 && less(cpu, order[at - 1]); --at) order[at] = order[at - 1];
    order[at] = cpu;
  }
  return is_settled(s, order, n);
}

bool Canonical::reorder(const Byte* s, Order& order, std::uint32_t n, std::uint32_t moved) {
  const Byte cpu = order[moved];
  std::uint32_t at = moved;
  for (; at > 0 && less(cpu, order[at - 1]); --at) order[at] = order[at - 1];
  for (; at + 1 < n && less(order[at + 1], cpu); ++at) order[at] = order[at + 1];
  order[at] = cpu;
  return is_settled(s, order, n);
}

void Canonical::sort(const Byte* s, Order& order, std::uint32_t n, Byte* out) {
  sign(s, order, n);
  if (this->order(s, order, n)) return name_objects(s, order, n, out);
  arrange(order);
  name_objects(s, order, n, out);
  Order trial = order;
  while (next_arrangement()) {
    arrange(trial);
    name_objects(s, trial, n, trial_.data());
    if (std::memcmp(trial_.data(), out, layout_.size(n)) < 0) {
      std::memcpy(out, trial_.data(), layout_.size(n));
      order = trial;
    }
  }
}

void Canonical::orders(const Byte* s, Order order, std::uint32_t n, std::vector<Order>& all) {
  all.clear();
  std::vector<Byte> best(layout_.size());
  sort(s, order, n, best.data());
  find_groups(s, order, n, true);
  if (groups_.empty()) {
    all.push_back(order);
    return;
  }
  do {
    arrange(order);
    name_objects(s, order, n, trial_.data());
    if (std::memcmp(trial_.data(), best.data(), layout_.size(n)) == 0) all.push_back(order);
  } while (next_arrangement());
}

void Canonical::name_objects(const Byte* s, const Order& order, std::uint32_t n, Byte* out, ObjectMap* names) const {
  out[0] = static_cast<Byte>(n);
  out[1] = 0;
  std::memcpy(out + Layout::global_at, s + Layout::global_at, layout_.globals);
  for (std::uint32_t k = 0; k < n; ++k) std::memcpy(layout_.cpu(out, k), layout_.cpu(s, order[k]), layout_.stride);
  std::memset(out + layout_.object_at, 0, layout_.objects + 1);
  if (layout_.objects > 0) {
    ObjectMap map;
    std::memset(map.data(), 0, s[1] + 1U);
    Byte count = 0;
    const auto rename = [&](Byte object) -> Byte {
      if (object == 0) return 0;
      if (map[object] == 0) {
        map[object] = ++count;
        out[layout_.object_at + count] = s[layout_.object_at + object];
      }
      return map[object];
    };
    for (std::uint32_t p = 0; p < layout_.places; ++p) out[layout_.place_at + p] = rename(s[layout_.place_at + p]);
    for (std::uint32_t k = 0; k < n; ++k) {
      Byte* handles = layout_.cpu(out, k) + layout_.handle_at;
      for (std::uint32_t h = 0; h < layout_.handles; ++h) handles[h] = rename(handles[h]);
    }
    out[1] = count;
    if (names != nullptr) *names = map;
  }
  for (std::uint32_t a = 0; a < layout_.awaits; ++a) {
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t old = layout_.await(out, k, a);
      if (old == 0) continue;
      std::uint32_t mask = 0;
      for (std::uint32_t j = 0; j < n; ++j) mask |= (old >> order[j] & 1U) << j;
      layout_.set_await(out, k, a, mask);
    }
  }
}

}  // namespace faultline::check::search
