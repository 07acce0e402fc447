#include "dsl/protocol_step.hpp"

#include <algorithm>

namespace faultline::dsl::protocol {

namespace {

std::uint64_t bit(std::uint64_t n) { return std::uint64_t{1} << n; }

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
    if (node.writes_var()) vars_[node.var] = false;
    if (node.kind == NodeKind::load)
      for (const Index r : node.refs)
        if (r != nothing) refs_[r] = false;
    const bool writes_ref = node.kind == NodeKind::set_ref || node.kind == NodeKind::alloc;
    if (writes_ref) refs_[node.ref] = false;
    if (node.expr) use(*node.expr);
    use_ref(node.object);
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

// ---- locks. After a mistake the path goes on as the author may have meant it; nothing more is said about that lock.

void deeper(Facts& f, std::uint8_t& depth, Index& taken, Index which, Index id) {
  if (depth == 8) {
    f.locks.misused |= bit(which);
    return;
  }
  if (depth++ == 0) taken = id;
}

void shallower(Facts& f, std::uint8_t& depth, Index which) {
  if (depth == 0)
    f.locks.misused |= bit(which);
  else
    --depth;
}

void lock(const FlowNode& node, Index id, Facts& f) {
  if (f.locks.find(node.lock) != nullptr) {
    f.locks.misused |= bit(node.lock);
    return;
  }
  f.locks.held.push_back({node.lock, node.mode, id});
  std::sort(f.locks.held.begin(), f.locks.held.end(),
            [](const HeldLock& a, const HeldLock& b) { return a.lock < b.lock; });
  if (node.irqs) deeper(f, f.locks.irqs_off, f.locks.irqs_taken, irqs_bit, id);
}

void unlock(const FlowNode& node, Facts& f) {
  const HeldLock* held = f.locks.find(node.lock);
  if (held == nullptr || held->mode != node.mode) f.locks.misused |= bit(node.lock);
  std::erase_if(f.locks.held, [&](const HeldLock& h) { return h.lock == node.lock; });
  for (Knowledge& k : f.known) {
    k.locks &= ~bit(node.lock);
    k.exclusive &= ~bit(node.lock);
  }
  if (node.irqs && f.locks.irqs_off > 0) --f.locks.irqs_off;
}

void downgrade(const FlowNode& node, Facts& f) {
  const auto held =
      std::find_if(f.locks.held.begin(), f.locks.held.end(), [&](const HeldLock& h) { return h.lock == node.lock; });
  if (held == f.locks.held.end() || held->mode != LockMode::write) {
    f.locks.misused |= bit(node.lock);
    return;
  }
  held->mode = LockMode::read;
  for (Knowledge& k : f.known) k.exclusive &= ~bit(node.lock);
}

// ---- places

Knowledge knowledge(const Facts& f, Index shared, Symbol value, bool stored) {
  Knowledge k{shared, value, 0, 0, f.locks.atomic, stored};
  for (const HeldLock& h : f.locks.held) {
    k.locks |= bit(h.lock);
    if (h.mode != LockMode::read) k.exclusive |= bit(h.lock);
  }
  return k;
}

void give(Facts& f, Index ref, Index shared, Index slot, Index id) {
  const Symbol object = f.ref[ref];
  if (object == nothing || object == null_object) return;
  f.nulls[object] = Null::no;
  std::erase_if(f.owned, [&](const Owned& o) { return o.object == object; });
  f.stored.push_back({shared, slot, object, id});
}

void given_up(Facts& f, Symbol object) {
  std::erase_if(f.owned, [&](const Owned& o) { return o.object == object; });
  std::erase_if(f.stored, [&](const Stored& s) { return s.object == object; });
}

}  // namespace

Live needed(const Flow& flow) { return Liveness(flow).run(); }

std::vector<Outcome> Transfer::run(const FlowNode& node, Index id, Facts f) {
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
    case NodeKind::seq_begin:
    case NodeKind::seq_retry:
      f.var[node.var] = f.new_value(all_values(model_, flow_.vars[node.var].type));
      done(std::move(f));
      break;
    case NodeKind::refs_try_get:
      done(f, 0);
      done(std::move(f), 1);
      break;
    case NodeKind::refs_put:  // who owns it then is seen when the model runs
      given_up(f, f.ref[node.object]);
      done(std::move(f));
      break;
    case NodeKind::refs_put_test:
      given_up(f, f.ref[node.object]);
      done(f, 0);
      done(std::move(f), 1);
      break;
    case NodeKind::refs_start:
    case NodeKind::refs_get:
    case NodeKind::seq_write:
    case NodeKind::pass:
    case NodeKind::touch:
    case NodeKind::flush_send:
    case NodeKind::step:
    case NodeKind::grace_begin:
    case NodeKind::grace_end:
    case NodeKind::sleep: done(std::move(f)); break;
  }
  return std::move(out_);
}

void Transfer::set_var(const FlowNode& node, Facts f) {
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

void Transfer::load(const FlowNode& node, Facts f) {
  if (node.object != nothing) {
    f.var[node.var] = f.new_value(all_values(model_, flow_.vars[node.var].type));
    out_.push_back({0, std::move(f), {}});
    return;
  }
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

void Transfer::store(const FlowNode& node, Index id, Facts f) {
  if (node.object != nothing) {
    out_.push_back({0, std::move(f), {}});
    return;
  }
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

void Transfer::free(const FlowNode& node, Facts f) {
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

}  // namespace faultline::dsl::protocol
