#include "checker/search/canonical.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace faultline::check::search {

Canonical::Canonical(const step::Program& program, const Layout& layout) : layout_(layout) {
  plain_ = layout.handles == 0 && layout.awaits == 0;
  std::vector<std::uint16_t> pcs(program.locations.size());
  std::iota(pcs.begin(), pcs.end(), std::uint16_t{0});
  std::stable_sort(pcs.begin(), pcs.end(),
                   [&](auto a, auto b) { return program.locations[a].line < program.locations[b].line; });
  ranks_.resize(pcs.size());
  for (std::size_t i = 0; i < pcs.size(); ++i) ranks_[pcs[i]] = static_cast<std::uint16_t>(i);
  signature_size_ = 2 + layout.locals + 2 * layout.handles + 2 * layout.awaits;
  trial_.resize(layout.size());
}

void Canonical::sign(const Byte* s, const Order& order, std::uint32_t n) {
  if (layout_.handles > 0) {
    std::fill_n(place_name_.begin(), s[1] + 1U, Byte{0});
    std::fill_n(holders_.begin(), s[1] + 1U, Byte{0});
    for (std::uint32_t p = 0; p < layout_.places; ++p) {
      Byte& name = place_name_[s[layout_.place_at + p]];
      if (name == 0) name = static_cast<Byte>(p + 1);
    }
    for (std::uint32_t k = 0; k < n; ++k) {
      const Byte* handles = layout_.cpu(s, order[k]) + layout_.handle_at;
      for (std::uint32_t h = 0; h < layout_.handles; ++h) {
        if (std::find(handles, handles + h, handles[h]) == handles + h) ++holders_[handles[h]];
      }
    }
  }
  std::uint32_t mask = 0;
  for (std::uint32_t k = 0; k < n; ++k) mask |= 1U << order[k];

  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t i = order[k];
    const Byte* cpu = layout_.cpu(s, i);
    Byte* to = signatures_[i].data();
    const std::uint16_t rank = ranks_[layout_.pc(s, i)];
    *to++ = static_cast<Byte>(rank >> 8);
    *to++ = static_cast<Byte>(rank);
    for (std::uint32_t l = 0; l < layout_.locals; ++l) *to++ = cpu[Layout::local_at + l];
    bool entangled = false;
    const Byte* handles = cpu + layout_.handle_at;
    for (std::uint32_t h = 0; h < layout_.handles; ++h) {
      const Byte object = handles[h];
      if (object == 0) {
        *to++ = 0;
        *to++ = 0;
      } else if (place_name_[object] != 0) {
        *to++ = place_name_[object];
        *to++ = 0;
      } else {
        const auto first = static_cast<Byte>(std::find(handles, handles + h, object) - handles);
        const bool shared = holders_[object] > 1;
        entangled = entangled || shared;
        *to++ = static_cast<Byte>((shared ? 128 : 64) + first);
        *to++ = static_cast<Byte>((s[layout_.object_at + object] & 15) | holders_[object] << 4);
      }
    }
    for (std::uint32_t a = 0; a < layout_.awaits; ++a) {
      std::uint32_t awaited = 0;
      for (std::uint32_t j = 0; j < n; ++j) awaited += layout_.await(s, order[j], a) >> i & 1U;
      const auto awaits = static_cast<std::uint32_t>(std::popcount(layout_.await(s, i, a) & mask));
      entangled = entangled || awaited + awaits > 0;
      *to++ = static_cast<Byte>(awaits);
      *to++ = static_cast<Byte>(awaited);
    }
    entangled_[i] = entangled;
    std::uint64_t head = 0;
    for (std::uint32_t b = 0; b < 8; ++b) head = head << 8 | (b < signature_size_ ? signatures_[i][b] : 0U);
    heads_[i] = head;
  }
}

bool Canonical::less(std::uint32_t a, std::uint32_t b) const {
  if (heads_[a] != heads_[b]) return heads_[a] < heads_[b];
  return signature_size_ > 8 &&
         std::memcmp(signatures_[a].data() + 8, signatures_[b].data() + 8, signature_size_ - 8) < 0;
}

bool Canonical::same_signature(std::uint32_t a, std::uint32_t b) const {
  return heads_[a] == heads_[b] &&
         (signature_size_ <= 8 ||
          std::memcmp(signatures_[a].data() + 8, signatures_[b].data() + 8, signature_size_ - 8) == 0);
}

// Signatures must be equal and of these CPUs (`mask`).
bool Canonical::swappable(const Byte* s, std::uint32_t i, std::uint32_t j, std::uint32_t mask) const {
  if (!entangled_[i]) return true;
  for (std::uint32_t h = 0; h < layout_.handles; ++h) {
    const Byte a = layout_.handle(s, i, h), b = layout_.handle(s, j, h);
    if (a != b && (holders_[a] > 1 || holders_[b] > 1)) return false;
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
  if (!plain_) {
    Order order{};
    std::iota(order.begin(), order.begin() + n, Byte{0});
    sign(s, order, n);
  }
  const auto are = [&](std::uint32_t i, std::uint32_t j) {
    if (layout_.pc(s, i) != layout_.pc(s, j)) return false;
    if (std::memcmp(layout_.cpu(s, i), layout_.cpu(s, j), layout_.handle_at) != 0) return false;
    return plain_ || (same_signature(i, j) && swappable(s, i, j, (1U << n) - 1));
  };
  for (std::uint32_t i = 0; i < n; ++i) {
    first[i] = static_cast<Byte>(i);
    for (std::uint32_t j = 0; j < i && first[i] == i; ++j) {
      if (first[j] == j && are(j, i)) first[i] = static_cast<Byte>(j);
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
    if (end - begin > 1 && (twins_apart || entangled_[order[begin]])) {
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

void Canonical::sort(const Byte* s, Order& order, std::uint32_t n, Byte* out) {
  sign(s, order, n);
  for (std::uint32_t k = 1; k < n; ++k) {
    const Byte cpu = order[k];
    std::uint32_t at = k;
    for (; at > 0 && less(cpu, order[at - 1]); --at) order[at] = order[at - 1];
    order[at] = cpu;
  }
  if (plain_) return name_objects(s, order, n, out);
  find_groups(s, order, n, false);
  if (groups_.empty()) return name_objects(s, order, n, out);
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
