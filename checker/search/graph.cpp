#include "checker/search/graph.hpp"

#include <chrono>

namespace faultline::check::search {

StateGraph::StateGraph(Closed& closed, const Limits& limits, const Watch& watch) : states_(closed.words()) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t until_next_look = 16'384;  // states and edges that 256 states may lead to
  auto reported = Clock::now();
  std::vector<std::uint64_t> key(closed.words());
  std::vector<Byte> s(closed.layout().size());
  closed.encode_plain(closed.initial().data(), key.data());
  states_.insert(key.data());
  try {
    for (StateSet::Index i = 0; i < states_.size(); ++i) {
      if ((i & 255) == 0) {
        const auto now = Clock::now();
        if (limits.progress && now - reported > std::chrono::milliseconds(500)) {
          reported = now;
          limits.progress(states_.size(), 0);
        }
        const std::uint64_t bytes =
            states_.bytes() + edges_.capacity() * sizeof(Edge) + first_.capacity() * sizeof(first_[0]);
        const std::uint64_t soon = states_.growth(until_next_look) + check::growth(edges_, until_next_look) +
                                   check::growth(first_, until_next_look);
        if (const char* reason = watch.over(soon, bytes); reason != nullptr) {
          reason_ = reason;
          return;
        }
      }
      closed.decode(states_[i], s.data());
      for (std::uint32_t me = 0; me < closed.cpus(); ++me) {
        closed.moves(s.data(), me, [&](const Move& move, const Byte* next) {
          if (move.code != nullptr && move.code->violation) return;
          closed.encode_plain(next, key.data());
          edges_.push_back(
              {states_.insert(key.data()).index, move.code != nullptr ? move.code->index : no_command, move.ack});
        });
      }
      first_.push_back(edges_.size());
    }
  } catch (const TooManyObjects& e) {
    reason_ = e.what();
  }
}

}  // namespace faultline::check::search
