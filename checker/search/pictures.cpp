#include "checker/search/pictures.hpp"

#include <algorithm>

namespace faultline::check::search {

void Extensions::extract(const Byte* s, std::uint32_t cpu, const Order& order, std::uint32_t n, Byte* to) const {
  std::memcpy(to, layout_.cpu(s, cpu), layout_.stride);
  std::memset(to + awaited_at_, 0, size_ - awaited_at_);
  if (layout_.handles > 0) {
    ObjectMap map;
    std::memset(map.data(), 0, s[1] + 1U);
    Byte count = 0;
    const auto rename = [&](Byte object) {
      if (object != 0 && map[object] == 0) map[object] = ++count;
      return map[object];
    };
    for (std::uint32_t p = 0; p < layout_.places; ++p) rename(s[layout_.place_at + p]);
    for (std::uint32_t k = 0; k < n; ++k) {
      for (std::uint32_t h = 0; h < layout_.handles; ++h) rename(layout_.handle(s, order[k], h));
    }
    const Byte shared = count;
    for (std::uint32_t h = 0; h < layout_.handles; ++h) {
      const Byte object = layout_.handle(s, cpu, h);
      const Byte before = count;
      to[layout_.handle_at + h] = rename(object);
      if (count > before) to[object_at_ + before - shared] = s[layout_.object_at + object];
    }
    to[count_at_] = static_cast<Byte>(count - shared);
  }
  for (std::uint32_t a = 0; a < layout_.awaits; ++a) {
    std::uint32_t awaits = 0, awaited = 0;
    for (std::uint32_t k = 0; k < n; ++k) {
      awaits |= (layout_.await(s, cpu, a) >> order[k] & 1U) << k;
      awaited |= (layout_.await(s, order[k], a) >> cpu & 1U) << k;
    }
    Layout::store(to + layout_.await_at + 2 * a, static_cast<std::uint16_t>(awaits));
    Layout::store(to + awaited_at_ + 2 * a, static_cast<std::uint16_t>(awaited));
  }
}

void Extensions::append(Byte* picture, const Byte* extension, std::uint32_t n, std::uint32_t m,
                        const Byte* names) const {
  const std::uint32_t cpu = picture[0]++;
  std::memcpy(layout_.cpu(picture, cpu), extension, layout_.stride);
  for (std::uint32_t h = 0; h < layout_.handles; ++h) {
    Byte& handle = layout_.handle(picture, cpu, h);
    if (handle > m) handle = names[handle - m - 1];
  }
  for (std::uint32_t i = 0; i < own_objects(extension); ++i) {
    picture[layout_.object_at + names[i]] = own_object(extension, i);
    picture[1] = std::max(picture[1], names[i]);
  }
  for (std::uint32_t a = 0; a < layout_.awaits; ++a) {
    const std::uint32_t awaited = Layout::load(extension + awaited_at_ + 2 * a);
    for (std::uint32_t k = 0; k < n; ++k) {
      if ((awaited >> k & 1) != 0) layout_.set_await(picture, k, a, layout_.await(picture, k, a) | 1U << cpu);
    }
  }
}

bool Extensions::awaits_any(const Byte* extension) const {
  for (std::uint32_t a = 0; a < layout_.awaits; ++a) {
    if (Layout::load(extension + layout_.await_at + 2 * a) != 0) return true;
    if (Layout::load(extension + awaited_at_ + 2 * a) != 0) return true;
  }
  return false;
}

std::vector<std::vector<Byte>> may_await(const step::Program& program) {
  std::vector<std::vector<Byte>> may(program.awaits.size(), std::vector<Byte>(program.locations.size()));
  for (std::size_t kind = 0; kind < may.size(); ++kind) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const step::Command& command : program.commands) {
        if (command.violation) continue;
        bool awaits = may[kind][command.from] != 0;
        for (const step::Op& op : command.ops) {
          if (op.code == step::OpCode::await_others && op.a == kind) awaits = true;
          const step::Expr& e = program.exprs[op.e];
          if (op.code == step::OpCode::none && e.op == step::ExprOp::i_await_other && e.a == kind) awaits = false;
        }
        if (!awaits || may[kind][command.to] != 0) continue;
        may[kind][command.to] = 1;
        changed = true;
      }
    }
  }
  return may;
}

}  // namespace faultline::check::search
