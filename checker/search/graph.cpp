#include "checker/search/graph.hpp"

#include <chrono>

namespace faultline::check::search {

StateGraph::StateGraph(Closed& closed, const Limits& limits) : states_(closed.words()) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  auto reported = start;
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
        if (limits.seconds > 0 && std::chrono::duration<double>(now - start).count() > limits.seconds)
          reason_ = "time limit";
        const std::uint64_t bytes =
            states_.bytes() + edges_.capacity() * sizeof(Edge) + first_.capacity() * sizeof(first_[0]);
        if (limits.memory_bytes > 0 && bytes > limits.memory_bytes) reason_ = "memory limit";
        if (!reason_.empty()) return;
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
