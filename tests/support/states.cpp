#include "tests/support/states.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <tuple>
#include <unordered_set>

namespace faultline::testing {
namespace {

using step::Program;
using step::State;

Form text(const Program& program, const State& state, const std::vector<std::size_t>& order) {
  Form out;
  const auto put = [&](std::size_t v) { out += static_cast<char>(v); };
  for (std::size_t g = 0; g < program.globals.size(); ++g) put(state.globals[g]);
  std::array<std::uint8_t, step::max_objects + 1> names{};
  std::uint8_t count = 0;
  Form objects;
  const auto object = [&](std::uint8_t n) {
    if (n != 0 && names[n] == 0) {
      names[n] = ++count;
      objects += static_cast<char>(state.types[n]);
      objects += static_cast<char>(state.bits[n]);
    }
    put(names[n]);
  };
  for (std::size_t p = 0; p < program.places.size(); ++p) object(state.places[p]);
  for (const std::size_t i : order) {
    const step::CpuState& cpu = state.cpu[i];
    put(cpu.pc & 255);
    put(cpu.pc >> 8);
    for (std::size_t l = 0; l < program.locals.size(); ++l) put(cpu.locals[l]);
    for (std::size_t h = 0; h < program.handles.size(); ++h) object(cpu.handles[h]);
    for (std::size_t a = 0; a < program.awaits.size(); ++a) {
      for (const std::size_t j : order) put(cpu.awaits[a] >> j & 1);
    }
  }
  return out + objects;
}

State subset(const State& state, const std::vector<std::size_t>& cpus) {
  State part = state;
  part.cpus = static_cast<std::uint8_t>(cpus.size());
  part.cpu = {};
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    part.cpu[i] = state.cpu[cpus[i]];
    for (auto& mask : part.cpu[i].awaits) {
      std::uint16_t renamed = 0;
      for (std::size_t j = 0; j < cpus.size(); ++j) {
        if ((mask >> cpus[j] & 1) != 0) renamed = static_cast<std::uint16_t>(renamed | 1U << j);
      }
      mask = renamed;
    }
  }
  return part;
}

}  // namespace

Form plain_form(const Program& program, const State& state) {
  std::vector<std::size_t> order(state.cpus);
  std::iota(order.begin(), order.end(), 0U);
  return text(program, state, order);
}

Form form(const Program& program, const State& state) {
  std::vector<std::size_t> order(state.cpus);
  std::iota(order.begin(), order.end(), 0U);
  const auto line = [&](std::size_t i) { return program.locations[state.cpu[i].pc].line; };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return line(a) < line(b); });
  // Permutations of all, except that position and locals may decide first: they do not depend on names.
  const auto less = [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t i) { return std::tuple(line(i), state.cpu[i].pc, state.cpu[i].locals); };
    return key(a) < key(b);
  };
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return less(a, b) || (!less(b, a) && a < b); });
  std::vector<std::pair<std::size_t, std::size_t>> groups;
  for (std::size_t i = 0; i < order.size();) {
    std::size_t j = i + 1;
    while (j < order.size() && !less(order[i], order[j])) ++j;
    if (j - i > 1) groups.emplace_back(i, j);
    i = j;
  }
  Form best = text(program, state, order);
  const auto next = [&] {
    for (const auto& [b, e] : groups) {
      const auto at = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
      if (std::next_permutation(at(b), at(e))) return true;
    }
    return false;
  };
  while (next()) best = std::min(best, text(program, state, order));
  return best;
}

std::vector<Successor> successors(const Program& program, const State& state) {
  std::vector<Successor> all;
  for (std::uint32_t me = 0; me < state.cpus; ++me) {
    for (std::size_t sender = 0; sender < state.cpus; ++sender) {
      for (std::size_t kind = 0; kind < program.awaits.size(); ++kind) {
        if (!step::can_acknowledge(program, state, me, sender, kind)) continue;
        all.push_back({me, 0xffffffff, step::acknowledge(program, state, me, sender, kind)});
      }
    }
    const step::Id pc = state.cpu[me].pc;
    for (std::uint32_t c = program.first[pc]; c < program.first[pc + 1U]; ++c) {
      step::run(program, state, me, program.commands[c], step::World::closed, [&](const State& next) {
        all.push_back({me, c, next});
      });
    }
  }
  return all;
}

void for_each_reachable(const Program& program, std::uint32_t n, const std::function<void(const State&)>& found) {
  std::unordered_set<Form> seen;
  std::deque<State> queue;
  const auto add = [&](const State& state) {
    if (seen.insert(form(program, state)).second) queue.push_back(state);
  };
  add(step::initial_state(program, step::cpus_per_line(program, n)));
  for (; !queue.empty(); queue.pop_front()) {
    found(queue.front());
    for (const Successor& successor : successors(program, queue.front())) {
      if (successor.command == 0xffffffff || !program.commands[successor.command].violation) add(successor.state);
    }
  }
}

std::optional<std::size_t> pool_states(const step::Program& program, std::uint32_t n, std::size_t limit) {
  std::unordered_set<std::string> seen;
  std::vector<step::State> work;
  const auto add = [&](const step::State& s) {
    std::string bytes;
    const auto put = [&](const auto& array) { bytes.append(reinterpret_cast<const char*>(&array), sizeof array); };
    put(s.globals);
    put(s.places);
    put(s.bits);
    put(s.types);
    for (std::size_t i = 0; i < s.cpus; ++i) {
      put(s.cpu[i].pc);
      put(s.cpu[i].locals);
      put(s.cpu[i].handles);
      put(s.cpu[i].awaits);
    }
    if (seen.insert(std::move(bytes)).second) work.push_back(s);
  };
  add(step::initial_state(program, step::cpus_per_line(program, n)));
  while (!work.empty() && seen.size() <= limit) {
    const step::State state = work.back();
    work.pop_back();
    for (const Successor& next : successors(program, state)) {
      if (next.command == 0xffffffff || !program.commands[next.command].violation) add(next.state);
    }
  }
  if (!work.empty()) return std::nullopt;
  return seen.size();
}

void for_each_subset(const State& state, std::uint32_t k, const std::function<void(const State&)>& found) {
  std::vector<bool> chosen(state.cpus);
  std::fill_n(chosen.begin(), std::min<std::size_t>(k, state.cpus), true);
  if (state.cpus < k) return;
  do {
    std::vector<std::size_t> cpus;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (chosen[i]) cpus.push_back(i);
    }
    found(subset(state, cpus));
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
}

}  // namespace faultline::testing
