#include "dsl/protocol_graph.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace faultline::dsl::protocol {

namespace {

std::uint64_t bit(std::uint64_t n) { return std::uint64_t{1} << n; }

// ---------------------------------------------------------------- what is still needed

struct Live {
  std::vector<std::vector<bool>> vars, refs;  // [node]
};

class Liveness {
 public:
  explicit Liveness(const Flow& flow) : flow_(flow) {}

  Live run() {
    const std::size_t n = flow_.nodes.size();
    live_.vars.assign(n, std::vector<bool>(flow_.vars.size()));
    live_.refs.assign(n, std::vector<bool>(flow_.refs.size()));
    std::vector<std::vector<Index>> before(n);
    for (Index i = 0; i < n; ++i)
      for (const Index next : flow_.nodes[i].next)
        if (next != nothing) before[next].push_back(i);
    std::vector<Index> work;
    std::vector<bool> queued(n, true);
    for (Index i = 0; i < n; ++i) work.push_back(i);
    while (!work.empty()) {
      const Index i = work.back();
      work.pop_back();
      queued[i] = false;
      if (!update(i)) continue;
      for (const Index b : before[i])
        if (!queued[b]) {
          queued[b] = true;
          work.push_back(b);
        }
    }
    return std::move(live_);
  }

 private:
  bool update(Index i) {
    const FlowNode& node = flow_.nodes[i];
    vars_.assign(flow_.vars.size(), false);
    refs_.assign(flow_.refs.size(), false);
    for (const Index next : node.next) {
      if (next == nothing) continue;
      for (std::size_t v = 0; v < vars_.size(); ++v) vars_[v] = vars_[v] || live_.vars[next][v];
      for (std::size_t r = 0; r < refs_.size(); ++r) refs_[r] = refs_[r] || live_.refs[next][r];
    }
    const bool writes_var = node.kind == NodeKind::set_var || node.kind == NodeKind::load;
    if (writes_var && node.var != nothing) vars_[node.var] = false;
    if (node.kind == NodeKind::load)
      for (const Index r : node.refs)
        if (r != nothing) refs_[r] = false;
    const bool writes_ref = node.kind == NodeKind::set_ref || node.kind == NodeKind::alloc;
    if (writes_ref) refs_[node.ref] = false;
    if (node.expr) use(*node.expr);
    if (node.kind == NodeKind::set_ref) use_ref(node.other);
    if (node.kind == NodeKind::uses_payload) {
      use_var(node.var);
      use_ref(node.ref);
    }
    if (node.kind == NodeKind::free || node.kind == NodeKind::look_tlb_ref) use_ref(node.ref);
    if (node.kind == NodeKind::store)
      for (const Index r : node.refs) use_ref(r);
    if (vars_ == live_.vars[i] && refs_ == live_.refs[i]) return false;
    live_.vars[i] = vars_;
    live_.refs[i] = refs_;
    return true;
  }

  void use_var(Index v) {
    if (v != nothing) vars_[v] = true;
  }
  void use_ref(Index r) {
    if (r == nothing) return;
    refs_[r] = true;
  }
  void use(const FlowExpr& e) {
    if (e.kind == FlowExprKind::var) use_var(e.a);
    if (e.kind == FlowExprKind::ref_null || e.kind == FlowExprKind::refs_equal) {
      for (const Index r : {e.a, e.kind == FlowExprKind::refs_equal ? e.b : e.a}) {
        use_ref(r);
        use_var(flow_.refs[r].copy_state);  // says whether it is NULL
      }
    }
    if (e.left) use(*e.left);
    if (e.right) use(*e.right);
  }

  const Flow& flow_;
  Live live_;
  std::vector<bool> vars_, refs_;
};

// ---------------------------------------------------------------- one node

struct Outcome {
  std::size_t way = 0;
  Facts facts;
  std::vector<Event> events;
};

class Transfer {
 public:
  Transfer(const Model& model, const Flow& flow) : model_(model), flow_(flow), reader_(model, flow) {}

  std::vector<Outcome> run(const FlowNode& node, Index id, Facts f) {
    out_.clear();
    const auto done = [&](Facts facts, std::size_t way = 0, std::vector<Event> events = {}) {
      out_.push_back({way, std::move(facts), std::move(events)});
    };
    switch (node.kind) {
      case NodeKind::block:
      case NodeKind::fail:
      case NodeKind::overflow:
      case NodeKind::unreachable:
      case NodeKind::finish: break;
      case NodeKind::set_var: set_var(node, std::move(f)); break;
      case NodeKind::set_ref:
        f.ref[node.ref] = node.other == nothing ? null_object : f.ref[node.other];
        done(std::move(f));
        break;
      case NodeKind::branch:
        for (const bool truth : {true, false}) {
          Facts g = f;
          if (reader_.assume(g, *node.expr, truth)) done(std::move(g), truth ? 0 : 1);
        }
        break;
      case NodeKind::choose:
      case NodeKind::look_locked:
      case NodeKind::look_tlb_ref:
      case NodeKind::look_tlb_place:
        done(f, 0);
        done(std::move(f), 1);
        break;
      case NodeKind::uses_payload: {
        Values& v = f.values[f.var[node.var]];
        v.mask &= model_.entries[flow_.vars[node.var].type.which].with_slot(flow_.refs[node.ref].slot);
        if (v.none()) break;
        if (f.ref[node.ref] != null_object && f.ref[node.ref] != nothing) f.nulls[f.ref[node.ref]] = Null::no;
        done(std::move(f));
        break;
      }
      case NodeKind::load: load(node, std::move(f)); break;
      case NodeKind::store: store(node, id, std::move(f)); break;
      case NodeKind::lock:
        lock(node, id, f);
        done(std::move(f));
        break;
      case NodeKind::trylock: {
        if (f.locks.find(node.lock) == nullptr) {
          Facts g = f;
          lock(node, id, g);
          done(std::move(g), 0);
        }
        done(std::move(f), 1);
        break;
      }
      case NodeKind::unlock:
        unlock(node, f);
        done(std::move(f));
        break;
      case NodeKind::downgrade:
        downgrade(node, f);
        done(std::move(f));
        break;
      case NodeKind::irq_off:
        deeper(f, f.locks.irqs_off, f.locks.irqs_taken, irqs_bit, id);
        done(std::move(f));
        break;
      case NodeKind::irq_on:
        shallower(f, f.locks.irqs_off, irqs_bit);
        done(std::move(f));
        break;
      case NodeKind::rcu_lock:
        deeper(f, f.locks.rcu, f.locks.rcu_taken, rcu_bit, id);
        done(std::move(f));
        break;
      case NodeKind::rcu_unlock:
        shallower(f, f.locks.rcu, rcu_bit);
        done(std::move(f));
        break;
      case NodeKind::alloc: {
        if (node.next[1] != nothing) {
          Facts g = f;
          g.ref[node.ref] = null_object;
          done(std::move(g), 1);
        }
        f.ref[node.ref] = f.new_object(Null::no);
        f.owned.push_back({f.ref[node.ref], id});
        done(std::move(f), 0);
        break;
      }
      case NodeKind::free: free(node, std::move(f)); break;
      case NodeKind::flush_wait:
        f.flushed |= bit(node.shared);
        done(std::move(f));
        break;
      case NodeKind::atomic_begin:
        f.locks.atomic = true;
        done(std::move(f));
        break;
      case NodeKind::atomic_end:
        f.locks.atomic = false;
        for (Knowledge& k : f.known) k.atomic = false;
        done(std::move(f));
        break;
      case NodeKind::pass:
      case NodeKind::touch:
      case NodeKind::flush_send:
      case NodeKind::step:
      case NodeKind::sleep: done(std::move(f)); break;
    }
    return std::move(out_);
  }

 private:
  void set_var(const FlowNode& node, Facts f) {
    const FlowExpr& e = *node.expr;
    using enum FlowExprKind;
    if (e.kind == var && f.var[e.a] != nothing) {
      f.var[node.var] = f.var[e.a];
      out_.push_back({0, std::move(f), {}});
      return;
    }
    const bool is_truth = e.kind == in || e.kind == lnot || e.kind == land || e.kind == lor || e.kind == eq ||
                          e.kind == lt || e.kind == le || e.kind == ref_null || e.kind == refs_equal;
    if (!is_truth) {
      const Values v = reader_.evaluate(f, e);
      f.var[node.var] = f.new_value(v);
      out_.push_back({0, std::move(f), {}});
      return;
    }
    for (const bool truth : {true, false}) {  // what was asked stays known with the answer
      Facts g = f;
      if (!reader_.assume(g, e, truth)) continue;
      g.var[node.var] = g.new_value(one_value(truth ? 1 : 0));
      out_.push_back({0, std::move(g), {}});
    }
  }

  static Knowledge knowledge(const Facts& f, Index shared, Symbol value, bool stored) {
    Knowledge k{shared, value, 0, 0, f.locks.atomic, stored};
    for (const HeldLock& h : f.locks.held) {
      k.locks |= bit(h.lock);
      if (h.mode != LockMode::read) k.exclusive |= bit(h.lock);
    }
    return k;
  }

  void load(const FlowNode& node, Facts f) {
    const Type& type = model_.shared[node.shared].type;
    if (node.var != nothing) {
      Values v = all_values(model_, type);
      if (type.kind == TypeKind::entry) v.mask = reader_.states(f, node.shared, nothing);
      if (v.none()) return;
      f.var[node.var] = f.new_value(v);
      if (type.kind == TypeKind::entry) f.known.push_back(knowledge(f, node.shared, f.var[node.var], false));
    }
    for (const Index r : node.refs)
      if (r != nothing) f.ref[r] = f.new_object(Null::maybe);
    out_.push_back({0, std::move(f), {}});
  }

  void store(const FlowNode& node, Index id, Facts f) {
    const Type& type = model_.shared[node.shared].type;
    f.flushed &= ~bit(node.shared);
    std::erase_if(f.stored, [&](const Stored& s) { return s.shared == node.shared; });
    if (type.kind == TypeKind::resource) {
      const Index ref = node.refs.empty() ? nothing : node.refs[0];
      if (ref == nothing || reader_.null_of(f, ref) == Null::yes) {
        out_.push_back({0, std::move(f), {{Event::What::stored_null, id, nothing, nothing}}});
        return;
      }
      if (reader_.null_of(f, ref) == Null::maybe && f.ref[ref] != nothing) {
        Facts g = f;
        g.nulls[g.ref[ref]] = Null::yes;
        same_object(g, null_object, g.ref[ref]);
        out_.push_back({0, std::move(g), {{Event::What::stored_null, id, nothing, nothing}}});
      }
      give(f, ref, node.shared, 0, id);
      out_.push_back({0, std::move(f), {}});
      return;
    }
    if (type.kind != TypeKind::entry) {
      out_.push_back({0, std::move(f), {}});
      return;
    }
    const EntryDecl& entry = model_.entries[type.which];
    const Values to = reader_.evaluate(f, *node.expr);
    std::erase_if(f.known, [&](const Knowledge& k) { return k.shared == node.shared; });
    const bool is_var = node.expr->kind == FlowExprKind::var && f.var[node.expr->a] != nothing;
    const Symbol value = is_var ? f.var[node.expr->a] : f.new_value(to);
    f.known.push_back(knowledge(f, node.shared, value, true));
    for (std::size_t slot = 0; slot < node.refs.size(); ++slot)
      if (node.refs[slot] != nothing && (to.mask & ~entry.with_slot(static_cast<Index>(slot))) == 0)
        give(f, node.refs[slot], node.shared, static_cast<Index>(slot), id);
    out_.push_back({0, std::move(f), {}});
  }

  void give(Facts& f, Index ref, Index shared, Index slot, Index id) {
    const Symbol object = f.ref[ref];
    if (object == nothing || object == null_object) return;
    f.nulls[object] = Null::no;
    std::erase_if(f.owned, [&](const Owned& o) { return o.object == object; });
    f.stored.push_back({shared, slot, object, id});
  }

  void free(const FlowNode& node, Facts f) {
    const Symbol object = f.ref[node.ref];
    std::vector<Event> events;
    if (object != nothing && object != null_object) {
      f.nulls[object] = Null::no;
      for (const Stored& s : f.stored)
        if (s.object == object) events.push_back({Event::What::freed, s.node, s.shared, s.slot});
      std::erase_if(f.stored, [&](const Stored& s) { return s.object == object; });
      std::erase_if(f.owned, [&](const Owned& o) { return o.object == object; });
    }
    out_.push_back({0, std::move(f), std::move(events)});
  }

  // ---- locks. After a mistake the path goes on as the author may have meant it; nothing more is said about that lock.

  static void lock(const FlowNode& node, Index id, Facts& f) {
    if (f.locks.find(node.lock) != nullptr) {
      f.locks.misused |= bit(node.lock);
      return;
    }
    f.locks.held.push_back({node.lock, node.mode, id});
    std::sort(f.locks.held.begin(), f.locks.held.end(),
              [](const HeldLock& a, const HeldLock& b) { return a.lock < b.lock; });
    if (node.irqs) deeper(f, f.locks.irqs_off, f.locks.irqs_taken, irqs_bit, id);
  }

  static void unlock(const FlowNode& node, Facts& f) {
    const HeldLock* held = f.locks.find(node.lock);
    if (held == nullptr || held->mode != node.mode) f.locks.misused |= bit(node.lock);
    std::erase_if(f.locks.held, [&](const HeldLock& h) { return h.lock == node.lock; });
    for (Knowledge& k : f.known) {
      k.locks &= ~bit(node.lock);
      k.exclusive &= ~bit(node.lock);
    }
    if (node.irqs && f.locks.irqs_off > 0) --f.locks.irqs_off;
  }

  static void downgrade(const FlowNode& node, Facts& f) {
    const auto held =
        std::find_if(f.locks.held.begin(), f.locks.held.end(), [&](const HeldLock& h) { return h.lock == node.lock; });
    if (held == f.locks.held.end() || held->mode != LockMode::write) {
      f.locks.misused |= bit(node.lock);
      return;
    }
    held->mode = LockMode::read;
    for (Knowledge& k : f.known) k.exclusive &= ~bit(node.lock);
  }

  static void deeper(Facts& f, std::uint8_t& depth, Index& taken, Index which, Index id) {
    if (depth == 8) {
      f.locks.misused |= bit(which);
      return;
    }
    if (depth++ == 0) taken = id;
  }

  static void shallower(Facts& f, std::uint8_t& depth, Index which) {
    if (depth == 0)
      f.locks.misused |= bit(which);
    else
      --depth;
  }

  const Model& model_;
  const Flow& flow_;
  Reader reader_;
  std::vector<Outcome> out_;
};

// ---------------------------------------------------------------- all paths

class Explorer {
 public:
  Explorer(const Model& model, const Flow& flow, const Live& live, bool coarse)
      : flow_(flow), live_(live), transfer_(model, flow) {
    graph_.coarse = coarse;
    graph_.at.assign(flow.nodes.size(), {});
    most_ = std::max<std::size_t>(20000, 4 * flow.nodes.size());
  }

  std::optional<Graph> run() {
    Facts start;
    start.nulls = {Null::yes};
    start.values = {one_value(0)};
    start.var.assign(flow_.vars.size(), 0);
    start.ref.assign(flow_.refs.size(), null_object);
    std::vector<Event> events;
    (void)config(flow_.entry, std::move(start), events);
    while (!work_.empty()) {
      const Index c = work_.back();
      work_.pop_back();
      queued_[c] = false;
      graph_.configs[c].steps.clear();
      const Index id = graph_.configs[c].node;
      const FlowNode& node = flow_.nodes[id];
      for (Outcome& o : transfer_.run(node, id, graph_.configs[c].facts)) {
        const Index next = node.next[o.way];
        if (next == nothing) continue;
        const Index to = config(next, std::move(o.facts), o.events);
        if (to == nothing) return std::nullopt;
        graph_.configs[c].steps.push_back({c, to, o.way, std::move(o.events)});
      }
    }
    // Where some paths are right so far, those that are not have ended.
    for (std::vector<Index>& at : graph_.at) {
      const auto right = [&](Index c) { return graph_.configs[c].facts.locks.misused == 0; };
      if (std::any_of(at.begin(), at.end(), right)) std::erase_if(at, [&](Index c) { return !right(c); });
    }
    return std::move(graph_);
  }

 private:
  Index config(Index node, Facts facts, std::vector<Event>& events) {
    for (const Index lost : tidy(facts, live_.vars[node], live_.refs[node]))
      events.push_back({Event::What::lost, lost, nothing, nothing});
    if (graph_.coarse) forget_relations(facts);
    auto& known = known_[node];
    const auto [it, fresh] =
        known.emplace(graph_.coarse ? lock_key(facts) : key(facts), static_cast<Index>(graph_.configs.size()));
    if (!fresh) {
      if (graph_.coarse && join(graph_.configs[it->second].facts, facts)) queue(it->second);
      return it->second;
    }
    if (graph_.configs.size() >= most_) return nothing;
    graph_.at[node].push_back(it->second);
    graph_.configs.push_back({node, std::move(facts), {}});
    queued_.push_back(false);
    queue(it->second);
    return it->second;
  }

  void queue(Index c) {
    if (queued_[c]) return;
    queued_[c] = true;
    work_.push_back(c);
  }

  const Flow& flow_;
  const Live& live_;
  Transfer transfer_;
  Graph graph_;
  std::map<Index, std::map<std::vector<std::uint32_t>, Index>> known_;
  std::vector<Index> work_;
  std::vector<bool> queued_;
  std::size_t most_ = 0;
};

}  // namespace

std::optional<Graph> explore(const Model& model, const Flow& flow) {
  constexpr std::size_t most_cells = 64U << 20U;
  if (flow.nodes.size() * (flow.vars.size() + flow.refs.size() + 1) > most_cells / 8) return std::nullopt;
  const Live live = Liveness(flow).run();
  if (auto graph = Explorer(model, flow, live, false).run()) return graph;
  return Explorer(model, flow, live, true).run();
}

// ---------------------------------------------------------------- questions about all paths

std::optional<Reached> always(const Graph& graph, const Flow& flow, const std::vector<const Step*>& starts,
                              const Goal& goal) {
  std::optional<Reached> first;
  std::vector<Index> order;  // in the order of discovery: nearest first
  std::map<Index, std::size_t> indegree;
  const auto go = [&](const Step& step) {
    if (goal.good && goal.good(step)) {
      if (!first) first = Reached{step.from};
      return true;
    }
    const auto [it, fresh] = indegree.emplace(step.to, 0);
    ++it->second;
    if (fresh) order.push_back(step.to);
    return true;
  };
  // a run that misuses a lock is over then, and that has been said
  const bool wrong_before = std::any_of(starts.begin(), starts.end(), [&](const Step* step) {
    return graph.configs[step->from].facts.locks.misused != 0;
  });
  const auto over = [&](const Config& c) { return c.facts.locks.misused != 0 && !wrong_before; };
  std::map<Index, std::size_t> roots;
  for (const Step* start : starts) {
    (void)go(*start);
    if (indegree.contains(start->to)) ++roots[start->to];
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Config& c = graph.configs[order[i]];
    const FlowNode& node = flow.nodes[c.node];
    if (over(c)) continue;
    if (node.kind == NodeKind::finish) {
      if (!goal.good_end || !goal.good_end(c)) return std::nullopt;
      if (!first) first = Reached{order[i]};
      continue;
    }
    if (node.is_end()) continue;
    if (goal.alive && !goal.alive(c)) return std::nullopt;
    for (const Step& step : c.steps) (void)go(step);
  }
  // no way round for ever: taking away what has no predecessor left must take all
  std::vector<Index> ready;
  for (auto& [c, n] : indegree) {
    if (const auto it = roots.find(c); it != roots.end()) n -= std::min(n, it->second);
    if (n == 0) ready.push_back(c);
  }
  std::size_t taken = 0;
  while (!ready.empty()) {
    const Index c = ready.back();
    ready.pop_back();
    ++taken;
    if (over(graph.configs[c])) continue;
    for (const Step& step : graph.configs[c].steps) {
      if (goal.good && goal.good(step)) continue;
      const auto it = indegree.find(step.to);
      if (it != indegree.end() && --it->second == 0) ready.push_back(step.to);
    }
  }
  return taken == order.size() ? first : std::nullopt;
}

}  // namespace faultline::dsl::protocol
