#include "dsl/protocol_facts.hpp"

#include <algorithm>
#include <bit>

namespace faultline::dsl::protocol {

namespace {

std::uint64_t bit(std::uint64_t n) { return std::uint64_t{1} << n; }

Values truth_values(bool can_be_false, bool can_be_true) {
  return {(can_be_false ? 1U : 0U) | (can_be_true ? 2U : 0U), false};
}

template <class Keep>
Values filter(Values v, const Keep& keep, bool keep_more) {
  Values out{0, v.more && keep_more};
  for (std::uint64_t n = 0; n < 64; ++n)
    if ((v.mask & bit(n)) != 0 && keep(n)) out.mask |= bit(n);
  return out;
}

}  // namespace

Index Values::value() const { return static_cast<Index>(std::countr_zero(mask)); }

const HeldLock* Locks::find(Index lock) const {
  const auto it = std::find_if(held.begin(), held.end(), [&](const HeldLock& h) { return h.lock == lock; });
  return it == held.end() ? nullptr : &*it;
}

Symbol Facts::new_value(Values v) {
  values.push_back(v);
  return static_cast<Symbol>(values.size() - 1);
}

Symbol Facts::new_object(Null n) {
  if (nulls.empty()) nulls.push_back(Null::yes);
  nulls.push_back(n);
  return static_cast<Symbol>(nulls.size() - 1);
}

Values all_values(const Model& model, const Type& type) {
  if (type.kind == TypeKind::boolean) return {3, false};
  if (type.kind == TypeKind::entry) return {model.entries[type.which].all(), false};
  if (type.high < 63) return {bit(type.high + 1U) - 1, false};
  return {~std::uint64_t{0}, type.high > 63};
}

Values one_value(std::uint64_t value) { return value < 64 ? Values{bit(value), false} : Values{0, true}; }

// ---------------------------------------------------------------- expressions

std::uint64_t Reader::slot_states(Index ref) const {
  const FlowRef& r = flow_.refs[ref];
  return model_.entries[flow_.vars[r.copy_state].type.which].with_slot(r.slot);
}

Null Reader::null_of(const Facts& facts, Index ref) const {
  const Symbol symbol = facts.ref[ref];
  if (symbol == nothing) return Null::maybe;
  if (symbol == null_object) return Null::yes;
  if (facts.nulls[symbol] != Null::maybe) return facts.nulls[symbol];
  const Index state = flow_.refs[ref].copy_state;
  if (state == nothing || facts.var[state] == nothing) return Null::maybe;
  const std::uint64_t possible = facts.values[facts.var[state]].mask;
  if ((possible & ~slot_states(ref)) == 0) return Null::no;
  if ((possible & slot_states(ref)) == 0) return Null::yes;
  return Null::maybe;
}

Values Reader::evaluate(const Facts& facts, const FlowExpr& e) const {
  using enum FlowExprKind;
  const auto can = [](const Values& v, bool truth) {
    return truth ? (v.mask & ~std::uint64_t{1}) != 0 || v.more : (v.mask & 1U) != 0;
  };
  switch (e.kind) {
    case constant: return one_value(e.value);
    case var: return facts.var[e.a] == nothing ? Values{} : facts.values[facts.var[e.a]];
    case in: {
      const Values v = evaluate(facts, *e.left);
      return truth_values((v.mask & ~e.value) != 0 || v.more, (v.mask & e.value) != 0);
    }
    case lnot: {
      const Values v = evaluate(facts, *e.left);
      return truth_values(can(v, true), can(v, false));
    }
    case land: {
      const Values a = evaluate(facts, *e.left);
      const Values b = evaluate(facts, *e.right);
      return truth_values(can(a, false) || can(b, false), can(a, true) && can(b, true));
    }
    case lor: {
      const Values a = evaluate(facts, *e.left);
      const Values b = evaluate(facts, *e.right);
      return truth_values(can(a, false) && can(b, false), can(a, true) || can(b, true));
    }
    case eq: {
      if (e.left->kind == var && e.right->kind == var && facts.var[e.left->a] != nothing &&
          facts.var[e.left->a] == facts.var[e.right->a])
        return truth_values(false, true);
      const Values a = evaluate(facts, *e.left);
      const Values b = evaluate(facts, *e.right);
      return truth_values(!(a.one() && a == b), (a.mask & b.mask) != 0 || (a.more && b.more));
    }
    case lt:
    case le: {
      const Values a = evaluate(facts, *e.left);
      const Values b = evaluate(facts, *e.right);
      if (!a.one() || !b.one()) return truth_values(true, true);
      const bool truth = e.kind == lt ? a.value() < b.value() : a.value() <= b.value();
      return truth_values(!truth, truth);
    }
    case add:
    case sub:
    case bit_and: {
      const Values a = evaluate(facts, *e.left);
      const Values b = evaluate(facts, *e.right);
      if (!a.one() || !b.one() || (e.kind == sub && a.value() < b.value())) return {};
      const std::uint64_t x = a.value();
      const std::uint64_t y = b.value();
      return one_value(e.kind == add ? x + y : e.kind == sub ? x - y : x & y);
    }
    case ref_null: {
      const Null n = null_of(facts, e.a);
      return truth_values(n != Null::yes, n != Null::no);
    }
    case refs_equal: {
      const Symbol a = facts.ref[e.a];
      const Symbol b = facts.ref[e.b];
      if (a == nothing || b == nothing) return truth_values(true, true);
      if (a == b) return truth_values(false, true);
      const Null n = null_of(facts, e.a);
      const Null m = null_of(facts, e.b);
      if (n == Null::yes && m == Null::yes) return truth_values(false, true);
      return truth_values(true, !((n == Null::yes && m == Null::no) || (n == Null::no && m == Null::yes)));
    }
  }
  return {};
}

bool Reader::assume(Facts& facts, const FlowExpr& e, bool truth) const {
  using enum FlowExprKind;
  const Values now = evaluate(facts, e);
  const bool can_be_true = (now.mask & ~std::uint64_t{1}) != 0 || now.more;
  if (truth ? !can_be_true : (now.mask & 1U) == 0) return false;
  const auto narrow = [&](Index variable, Values v) {
    const Symbol symbol = facts.var[variable];
    if (symbol == nothing) return true;
    Values& mine = facts.values[symbol];
    mine = {mine.mask & v.mask, mine.more && v.more};
    return !mine.none();
  };
  switch (e.kind) {
    case var: return narrow(e.a, truth ? Values{~std::uint64_t{1}, true} : Values{1, false});
    case in:
      if (e.left->kind == var) return narrow(e.left->a, truth ? Values{e.value, false} : Values{~e.value, true});
      return true;
    case lnot: return assume(facts, *e.left, !truth);
    case land:
    case lor: {
      const bool both = (e.kind == land) == truth;
      if (both) return assume(facts, *e.left, truth) && assume(facts, *e.right, truth);
      const Values a = evaluate(facts, *e.left);
      const Values b = evaluate(facts, *e.right);
      const auto is = [](const Values& v, bool value) { return value ? (v.mask & 1U) == 0 : v == Values{1, false}; };
      if (is(a, !truth)) return assume(facts, *e.right, truth);
      if (is(b, !truth)) return assume(facts, *e.left, truth);
      return true;
    }
    case eq: {
      if (truth) return assume_equal(facts, *e.left, *e.right);
      const Values a = evaluate(facts, *e.left);
      const Values b = evaluate(facts, *e.right);
      if (e.left->kind == var && b.one()) return narrow(e.left->a, {~b.mask, true});
      if (e.right->kind == var && a.one()) return narrow(e.right->a, {~a.mask, true});
      return true;
    }
    case lt:
    case le: return assume_order(facts, e, truth);
    case ref_null: return assume_null(facts, e.a, truth);
    case refs_equal: return assume_same(facts, e.a, e.b, truth);
    default: return true;
  }
}

bool Reader::assume_equal(Facts& facts, const FlowExpr& a, const FlowExpr& b) const {
  const bool a_var = a.kind == FlowExprKind::var && facts.var[a.a] != nothing;
  const bool b_var = b.kind == FlowExprKind::var && facts.var[b.a] != nothing;
  const Values x = evaluate(facts, a);
  const Values y = evaluate(facts, b);
  const Values common{x.mask & y.mask, x.more && y.more};
  if (common.none()) return false;
  if (a_var) facts.values[facts.var[a.a]] = common;
  if (b_var) facts.values[facts.var[b.a]] = common;
  if (a_var && b_var) same_value(facts, facts.var[a.a], facts.var[b.a]);
  return true;
}

bool Reader::assume_order(Facts& facts, const FlowExpr& e, bool truth) const {
  const Values a = evaluate(facts, *e.left);
  const Values b = evaluate(facts, *e.right);
  const bool strict = e.kind == FlowExprKind::lt;
  const auto holds = [&](std::uint64_t x, std::uint64_t y) { return (strict ? x < y : x <= y) == truth; };
  if (e.left->kind == FlowExprKind::var && facts.var[e.left->a] != nothing && b.one()) {
    Values& mine = facts.values[facts.var[e.left->a]];
    mine = filter(
        mine, [&](std::uint64_t n) { return holds(n, b.value()); }, !truth);
    return !mine.none();
  }
  if (e.right->kind == FlowExprKind::var && facts.var[e.right->a] != nothing && a.one()) {
    Values& mine = facts.values[facts.var[e.right->a]];
    mine = filter(
        mine, [&](std::uint64_t n) { return holds(a.value(), n); }, truth);
    return !mine.none();
  }
  return true;
}

bool Reader::assume_null(Facts& facts, Index ref, bool truth) const {
  const Symbol symbol = facts.ref[ref];
  if (symbol == nothing) return true;
  const Index state = flow_.refs[ref].copy_state;
  if (state != nothing && facts.var[state] != nothing && symbol != null_object) {
    Values& v = facts.values[facts.var[state]];
    v.mask &= truth ? ~slot_states(ref) : slot_states(ref);
    if (v.none()) return false;
  }
  if (symbol == null_object) return truth;
  if (facts.nulls[symbol] != Null::maybe) return (facts.nulls[symbol] == Null::yes) == truth;
  facts.nulls[symbol] = truth ? Null::yes : Null::no;
  if (truth) same_object(facts, null_object, symbol);
  return true;
}

bool Reader::assume_same(Facts& facts, Index a, Index b, bool truth) const {
  const Symbol x = facts.ref[a];
  const Symbol y = facts.ref[b];
  if (x == nothing || y == nothing) return true;
  const Null n = null_of(facts, a);
  const Null m = null_of(facts, b);
  if (!truth) {
    if (n == Null::yes) return assume_null(facts, b, false);
    if (m == Null::yes) return assume_null(facts, a, false);
    return true;
  }
  if (x == y) return true;
  if (n == Null::yes) return assume_null(facts, b, true);
  if (m == Null::yes) return assume_null(facts, a, true);
  if (n == Null::no || m == Null::no)
    if (!assume_null(facts, a, false) || !assume_null(facts, b, false)) return false;
  same_object(facts, facts.ref[a], facts.ref[b]);
  return true;
}

// A state that the last look ruled out is ruled out still if no other CPU can have brought it about: each arrow into it
// needs a lock that this CPU has held since. And (semantics.md) a copy speaks for a store only if the arrow of the
// store needs one of those locks.
std::uint64_t Reader::states(const Facts& facts, Index shared, Index to) const {
  const EntryDecl& entry = model_.entries[model_.shared[shared].type.which];
  std::uint64_t possible = reachable(shared);
  for (const Knowledge& k : facts.known) {
    if (k.shared != shared) continue;
    const std::uint64_t ruled_out = entry.all() & ~facts.values[k.value].mask;
    for (Index f = 0; f < entry.states.size(); ++f) {
      if ((ruled_out & bit(f)) == 0) continue;
      const auto kept_out = [&](const LockNeed& need) {
        return (k.exclusive & bit(need.lock)) != 0 || ((k.locks & bit(need.lock)) != 0 && need.mode == LockMode::write);
      };
      bool speaks = true;
      for (const ArrowDecl& a : entry.arrows)
        if (a.to == f && a.from != f) speaks = speaks && std::any_of(a.locks.begin(), a.locks.end(), kept_out);
      if (to != nothing)
        if (const ArrowDecl* a = entry.arrow(f, to); a != nullptr)
          speaks = speaks && std::any_of(a->locks.begin(), a->locks.end(),
                                         [&](const LockNeed& need) { return (k.locks & bit(need.lock)) != 0; });
      if (speaks || k.atomic) possible &= ~bit(f);
    }
  }
  return possible;
}

std::uint64_t Reader::reachable(Index shared) const {
  const SharedDecl& place = model_.shared[shared];
  std::uint64_t states = bit(place.init);
  for (std::uint64_t before = 0; before != states;) {
    before = states;
    for (const ArrowDecl& a : model_.entries[place.type.which].arrows)
      if ((states & bit(a.from)) != 0) states |= bit(a.to);
  }
  return states;
}

// ---------------------------------------------------------------- symbols

void same_value(Facts& facts, Symbol keep, Symbol other) {
  if (keep == other) return;
  for (Symbol& v : facts.var)
    if (v == other) v = keep;
  for (Knowledge& k : facts.known)
    if (k.value == other) k.value = keep;
}

void same_object(Facts& facts, Symbol keep, Symbol other) {
  if (keep == other) return;
  for (Symbol& r : facts.ref)
    if (r == other) r = keep;
  for (Stored& s : facts.stored)
    if (s.object == other) s.object = keep;
  for (Owned& o : facts.owned)
    if (o.object == other) o.object = keep;
  std::erase_if(facts.stored, [](const Stored& s) { return s.object == null_object; });
  std::erase_if(facts.owned, [](const Owned& o) { return o.object == null_object; });
}

std::vector<Index> tidy(Facts& facts, const std::vector<bool>& live_vars, const std::vector<bool>& live_refs) {
  for (std::size_t v = 0; v < facts.var.size(); ++v)
    if (!live_vars[v]) facts.var[v] = nothing;
  for (std::size_t r = 0; r < facts.ref.size(); ++r)
    if (!live_refs[r]) facts.ref[r] = nothing;
  // ---- objects
  std::vector<Symbol> new_name(facts.nulls.size(), nothing);
  std::vector<Null> nulls = {Null::yes};
  for (Symbol& r : facts.ref) {
    if (r == nothing) continue;
    if (r != null_object && facts.nulls[r] == Null::yes) r = null_object;
    if (r == null_object) continue;
    if (new_name[r] == nothing) {
      new_name[r] = static_cast<Symbol>(nulls.size());
      nulls.push_back(facts.nulls[r]);
    }
    r = new_name[r];
  }
  std::vector<Index> lost;
  for (const Owned& o : facts.owned)
    if (new_name[o.object] == nothing) lost.push_back(o.node);
  std::erase_if(facts.owned, [&](const Owned& o) { return new_name[o.object] == nothing; });
  std::erase_if(facts.stored, [&](const Stored& s) { return new_name[s.object] == nothing; });
  for (Owned& o : facts.owned) o.object = new_name[o.object];
  for (Stored& s : facts.stored) s.object = new_name[s.object];
  facts.nulls = std::move(nulls);
  std::sort(facts.owned.begin(), facts.owned.end(), [](const Owned& a, const Owned& b) { return a.object < b.object; });
  std::sort(facts.stored.begin(), facts.stored.end(),
            [](const Stored& a, const Stored& b) { return std::pair(a.shared, a.slot) < std::pair(b.shared, b.slot); });
  // ---- scalars; equal constants have one symbol
  std::erase_if(facts.known, [](const Knowledge& k) { return k.locks == 0 && !k.atomic; });
  std::vector<Symbol> new_value(facts.values.size(), nothing);
  std::vector<Values> values;
  const auto rename = [&](Symbol& v) {
    if (v == nothing) return;
    if (new_value[v] == nothing) {
      if (facts.values[v].one()) {
        const auto same = std::find(values.begin(), values.end(), facts.values[v]);
        if (same != values.end()) new_value[v] = static_cast<Symbol>(same - values.begin());
      }
      if (new_value[v] == nothing) {
        new_value[v] = static_cast<Symbol>(values.size());
        values.push_back(facts.values[v]);
      }
    }
    v = new_value[v];
  };
  for (Symbol& v : facts.var) rename(v);
  std::stable_sort(facts.known.begin(), facts.known.end(), [](const Knowledge& a, const Knowledge& b) {
    return std::tuple(a.shared, a.locks, a.exclusive) < std::tuple(b.shared, b.locks, b.exclusive);
  });
  for (Knowledge& k : facts.known) rename(k.value);
  // Of two that say the same, the one with fewer locks goes. A value that nothing else names is no more than the set it
  // is from; a loop that looks at a place under a lock would else learn something each time round.
  std::vector<std::size_t> uses(values.size(), 0);
  for (const Symbol v : facts.var)
    if (v != nothing) ++uses[v];
  for (const Knowledge& k : facts.known) ++uses[k.value];
  for (std::size_t i = 0; i < facts.known.size();) {
    const Knowledge& k = facts.known[i];
    const bool covered = std::any_of(facts.known.begin(), facts.known.end(), [&](const Knowledge& o) {
      return &o != &k && o.shared == k.shared &&
             (o.value == k.value ||
              (uses[k.value] == 1 && o.stored == k.stored && values[o.value] == values[k.value])) &&
             (o.locks & k.locks) == k.locks && (o.exclusive & k.exclusive) == k.exclusive && o.atomic >= k.atomic;
    });
    if (covered) --uses[k.value];
    if (covered)
      facts.known.erase(facts.known.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
  facts.values = std::move(values);
  return lost;
}

// ---------------------------------------------------------------- coarse facts

void forget_relations(Facts& facts) {
  facts.known.clear();
  facts.stored.clear();
  facts.owned.clear();
  std::vector<Values> values;
  for (Symbol& v : facts.var) {
    if (v == nothing) continue;
    values.push_back(facts.values[v]);
    v = static_cast<Symbol>(values.size() - 1);
  }
  facts.values = std::move(values);
  std::vector<Null> nulls = {Null::yes};
  for (Symbol& r : facts.ref) {
    if (r == nothing) continue;
    nulls.push_back(r == null_object ? Null::yes : facts.nulls[r]);
    r = static_cast<Symbol>(nulls.size() - 1);
  }
  facts.nulls = std::move(nulls);
}

bool join(Facts& into, const Facts& other) {
  bool changed = false;
  const auto set = [&](auto& mine, auto value) {
    changed = changed || !(mine == value);
    mine = value;
  };
  for (std::size_t i = 0; i < into.values.size(); ++i)
    set(into.values[i],
        Values{into.values[i].mask | other.values[i].mask, into.values[i].more || other.values[i].more});
  for (std::size_t i = 0; i < into.nulls.size(); ++i)
    set(into.nulls[i], into.nulls[i] == other.nulls[i] ? into.nulls[i] : Null::maybe);
  set(into.flushed, into.flushed | other.flushed);
  return changed;
}

std::vector<std::uint32_t> lock_key(const Facts& facts) {
  std::vector<std::uint32_t> k = {facts.locks.irqs_off,
                                  facts.locks.rcu,
                                  facts.locks.atomic ? 1U : 0U,
                                  static_cast<std::uint32_t>(facts.locks.misused),
                                  static_cast<std::uint32_t>(facts.locks.misused >> 32U),
                                  static_cast<std::uint32_t>(facts.locks.held.size())};
  for (const HeldLock& h : facts.locks.held) k.push_back(h.lock * 4 + static_cast<std::uint32_t>(h.mode));
  return k;
}

std::vector<std::uint32_t> key(const Facts& facts) {
  std::vector<std::uint32_t> k = lock_key(facts);
  const auto wide = [&](std::uint64_t v) {
    k.push_back(static_cast<std::uint32_t>(v));
    k.push_back(static_cast<std::uint32_t>(v >> 32U));
  };
  k.insert(k.end(), facts.var.begin(), facts.var.end());
  k.insert(k.end(), facts.ref.begin(), facts.ref.end());
  for (const Values& v : facts.values) {
    wide(v.mask);
    k.push_back(v.more ? 1 : 0);
  }
  for (const Null n : facts.nulls) k.push_back(static_cast<std::uint32_t>(n));
  k.push_back(static_cast<std::uint32_t>(facts.known.size()));
  for (const Knowledge& n : facts.known) {
    k.push_back(n.shared);
    k.push_back(n.value);
    wide(n.locks);
    wide(n.exclusive);
    k.push_back((n.atomic ? 1U : 0U) | (n.stored ? 2U : 0U));
  }
  k.push_back(static_cast<std::uint32_t>(facts.stored.size()));
  for (const Stored& s : facts.stored) k.insert(k.end(), {s.shared, s.slot, s.object, s.node});
  for (const Owned& o : facts.owned) k.insert(k.end(), {o.object, o.node});
  wide(facts.flushed);
  return k;
}

}  // namespace faultline::dsl::protocol
