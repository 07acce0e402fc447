// Two passes. Backwards by levels over the reduced states: mark those that lie on some trace of minimal length to a
// target. Forwards over unreduced states paired with the CPU that moved last, through marked states only: keep for each
// pair the best way to it (switches, then source order, then CPU numbers). That is enough, because what follows depends
// on the pair only.
#include "checker/search/shortest.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <tuple>

namespace faultline::check::search {
namespace {

using Index = StateSet::Index;

bool ends_here(Closed& closed, const Byte* s, const Target& target) {
  for (std::size_t i = 0; i < target.invariants.size(); ++i) {
    if (target.invariants[i] && !closed.machine().holds(s, closed.program().invariants[i])) return true;
  }
  return target.deadlock && closed.deadlocked(s);
}

// marks[i] bit t: state i lies on a shortest trace to targets[t]. At most 64 targets.
std::vector<std::uint64_t> mark(Closed& closed, const Levels& levels, const std::vector<Target>& targets,
                                const Watch& watch) {
  std::uint32_t deepest = 0;
  for (const Target& target : targets) deepest = std::max(deepest, target.steps);
  const std::size_t marked = levels.first[std::min<std::size_t>(deepest + 1, levels.first.size() - 1)];
  watch.check(marked * sizeof(std::uint64_t));
  std::vector<std::uint64_t> marks(marked);
  std::vector<Byte> s(closed.layout().size());
  std::vector<std::uint64_t> key(closed.words());
  for (std::uint32_t level = deepest + 1; level-- > 0;) {
    if (level + 1 >= levels.first.size()) continue;
    const Index next_first = levels.first[level + 1];
    const Index next_last = level + 2 < levels.first.size() ? levels.first[level + 2] : next_first;
    for (Index i = levels.first[level]; i < next_first; ++i) {
      watch.tick();
      closed.decode((*levels.states)[i], s.data());
      std::uint64_t bits = 0;
      for (std::size_t t = 0; t < targets.size(); ++t) {
        if (targets[t].steps == level && ends_here(closed, s.data(), targets[t])) bits |= std::uint64_t{1} << t;
      }
      for (std::uint32_t me = 0; level < deepest && me < closed.cpus(); ++me) {
        closed.moves(s.data(), me, [&](const Move& move, const Byte* next) {
          if (move.code != nullptr && move.code->violation) {
            for (std::size_t t = 0; t < targets.size(); ++t) {
              if (targets[t].steps == level + 1 && targets[t].commands[move.code->index]) bits |= std::uint64_t{1} << t;
            }
            return;
          }
          if (next_last == next_first || next_first >= marks.size()) return;
          closed.encode(next, key.data());
          const Index to = levels.states->find(key.data());
          if (to >= next_first && to < next_last && to < marks.size()) bits |= marks[to];
        });
      }
      marks[i] = bits;
    }
  }
  return marks;
}

// How good a way is, apart from its length. `steps` and `who` are ranks among the ways of one layer.
struct Way {
  std::uint32_t switches = 0;
  std::uint64_t steps = 0;
  std::uint64_t who = 0;
  friend auto operator<=>(const Way&, const Way&) = default;
};

struct Node {
  Way way;  // while its layer is being made: (rank of the parent, of the last step)
  Index parent = 0;
  Move move;
};

struct Layer {
  explicit Layer(std::uint32_t words) : states(words) {}
  StateSet states;  // packed plain state, then the CPU that moved last
  std::vector<Node> nodes;

  // Replaces (rank of the parent, last step) by ranks in this layer, so that numbers stay small.
  void rank() {
    const auto renumber = [&](std::uint64_t Way::*part) {
      std::vector<std::uint64_t> values;
      for (const Node& node : nodes) values.push_back(node.way.*part);
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
      for (Node& node : nodes) {
        const auto at = std::lower_bound(values.begin(), values.end(), node.way.*part);
        node.way.*part = static_cast<std::uint64_t>(at - values.begin());
      }
    };
    renumber(&Way::steps);
    renumber(&Way::who);
  }
};

class Forward {
 public:
  Forward(Closed& closed, const Levels& levels, const std::vector<std::uint64_t>& marks, std::size_t bit,
          const Target& target, const Watch& watch)
      : closed_(closed),
        levels_(levels),
        marks_(marks),
        bit_(bit),
        target_(target),
        watch_(watch),
        source_rank_(source_ranks()) {
    key_.resize(closed.words());
    plain_.resize(closed.words() + 1);
  }

  Path run() {
    start();
    for (std::uint32_t level = 0; level < target_.steps; ++level) advance(level);
    if (layers_.size() == target_.steps + 1) best_final_state();
    if (!best_) throw std::logic_error("the shortest trace was lost");
    return path();
  }

 private:
  // Best end so far: a way as made in its layer, and either a final command after node `parent` of the last but one
  // layer or node `node` of the last.
  struct End {
    Way way;
    Index parent = 0;
    std::optional<Index> node;
    Move move;
  };

  std::vector<std::uint32_t> source_ranks() const {
    const auto& commands = closed_.program().commands;
    std::vector<std::uint32_t> order(commands.size()), ranks(commands.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const dsl::Span &x = commands[a].span, &y = commands[b].span;
      return std::tie(x.file, x.line, x.column) < std::tie(y.file, y.line, y.column);
    });
    for (std::uint32_t i = 0; i < order.size(); ++i) ranks[order[i]] = i + 1;
    return ranks;
  }

  void start() {
    Layer layer(closed_.words() + 1);
    closed_.encode_plain(closed_.initial().data(), plain_.data());
    plain_.back() = closed_.cpus();  // nobody
    layer.states.insert(plain_.data());
    layer.nodes.emplace_back();
    layers_.push_back(std::move(layer));
  }

  [[nodiscard]] Way extend(const Way& way, std::uint64_t last, const Move& move) const {
    Way longer = way;
    if (last != closed_.cpus() && last != move.cpu()) ++longer.switches;
    const std::uint32_t rank = move.code != nullptr ? source_rank_[move.code->index] : 0;
    const std::uint32_t who = move.cpu() << 16 | move.ack.sender << 8 | move.ack.kind;
    longer.steps = way.steps << 32 | rank;
    longer.who = way.who << 32 | who;
    return longer;
  }

  void advance(std::uint32_t level) {
    const Index first = levels_.first[level + 1];
    const Index last = level + 2 < levels_.first.size() ? levels_.first[level + 2] : first;
    Layer next(closed_.words() + 1);
    std::vector<Byte> s(closed_.layout().size());
    Order twin{};
    for (Index n = 0; n < layers_.back().nodes.size(); ++n) {
      if (watch_.due()) watch_.check(next.states.growth(until_next_look) + growth(next.nodes, until_next_look));
      const std::uint64_t* packed = layers_.back().states[n];
      const Way way = layers_.back().nodes[n].way;
      const std::uint64_t last_cpu = packed[closed_.words()];
      closed_.decode(packed, s.data());
      closed_.twins(s.data(), twin);
      for (std::uint32_t me = 0; me < closed_.cpus(); ++me) {
        // What a CPU can do, its twin can do too, at no more switches unless this one moved last.
        if (twin[me] != me && me != last_cpu) continue;
        closed_.moves(s.data(), me, [&](const Move& move, const Byte* to) {
          if (move.code != nullptr && move.code->violation) {
            if (level + 1 != target_.steps || !target_.commands[move.code->index]) return;
            offer(End{extend(way, last_cpu, move), n, std::nullopt, move});
            return;
          }
          if (first == last) return;
          closed_.encode(to, key_.data());
          const Index index = levels_.states->find(key_.data());
          if (index < first || index >= last || (marks_[index] >> bit_ & 1) == 0) return;
          closed_.encode_plain(to, plain_.data());
          plain_.back() = me;
          const auto [at, is_new] = next.states.insert(plain_.data());
          const Node node{extend(way, last_cpu, move), n, move};
          if (is_new) {
            next.nodes.push_back(node);
          } else if (node.way < next.nodes[at].way) {
            next.nodes[at] = node;
          }
        });
      }
    }
    if (next.nodes.empty()) return;
    if (level + 1 < target_.steps) next.rank();
    layers_.push_back(std::move(next));
  }

  // Ways of the last layer are still in terms of ranks of the last but one, and so are those of final commands.
  void best_final_state() {
    const Layer& layer = layers_.back();
    std::vector<Byte> s(closed_.layout().size());
    for (Index n = 0; n < layer.nodes.size(); ++n) {
      closed_.decode(layer.states[n], s.data());
      if (ends_here(closed_, s.data(), target_)) offer(End{layer.nodes[n].way, layer.nodes[n].parent, n, {}});
    }
  }

  void offer(const End& end) {
    if (!best_ || end.way < best_->way) best_ = end;
  }

  [[nodiscard]] Path path() const {
    Path path;
    const auto keep = [&](std::size_t level, Index n) {
      const std::uint64_t* packed = layers_[level].states[n];
      path.states.emplace_back(packed, packed + closed_.words());
    };
    std::size_t level = target_.steps;
    Index n = 0;
    if (best_->node) {
      n = *best_->node;
    } else {
      path.moves.push_back(best_->move);
      n = best_->parent;
      --level;
    }
    for (; level > 0; --level) {
      keep(level, n);
      path.moves.push_back(layers_[level].nodes[n].move);
      n = layers_[level].nodes[n].parent;
    }
    keep(0, n);
    std::reverse(path.moves.begin(), path.moves.end());
    std::reverse(path.states.begin(), path.states.end());
    return path;
  }

  Closed& closed_;
  const Levels& levels_;
  const std::vector<std::uint64_t>& marks_;
  std::size_t bit_;
  const Target& target_;
  static constexpr std::size_t until_next_look = 4096;  // states that 64 others may lead to
  const Watch& watch_;
  std::vector<std::uint32_t> source_rank_;
  std::vector<Layer> layers_;
  std::optional<End> best_;
  std::vector<std::uint64_t> key_, plain_;
};

}  // namespace

std::vector<Path> shortest_paths(Closed& closed, const Levels& levels, const std::vector<Target>& targets,
                                 const Watch& watch) {
  std::vector<Path> paths;
  for (std::size_t begin = 0; begin < targets.size(); begin += 64) {
    const std::vector<Target> batch(
        targets.begin() + static_cast<std::ptrdiff_t>(begin),
        targets.begin() + static_cast<std::ptrdiff_t>(std::min(begin + 64, targets.size())));
    const auto marks = mark(closed, levels, batch, watch);
    for (std::size_t t = 0; t < batch.size(); ++t)
      paths.push_back(Forward(closed, levels, marks, t, batch[t], watch).run());
  }
  return paths;
}

}  // namespace faultline::check::search
