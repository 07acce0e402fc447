#include "step/liveness.hpp"

#include <algorithm>
#include <functional>

namespace faultline::step {

using dsl::Flow;
using dsl::FlowExpr;
using dsl::FlowExprKind;
using dsl::FlowExprPtr;
using dsl::FlowNode;
using dsl::Index;
using dsl::NodeKind;
using dsl::nothing;

namespace {

void reads(const FlowExpr& e, std::vector<bool>& vars, std::vector<bool>& refs) {
  if (e.kind == FlowExprKind::var) vars[e.a] = true;
  if (e.kind == FlowExprKind::ref_null) refs[e.a] = true;
  if (e.kind == FlowExprKind::refs_equal) refs[e.a] = refs[e.b] = true;
  if (e.left) reads(*e.left, vars, refs);
  if (e.right) reads(*e.right, vars, refs);
}

// live before = (live after − written) + read
void transfer(const FlowNode& node, std::vector<bool>& vars, std::vector<bool>& refs) {
  switch (node.kind) {
    case NodeKind::set_var:
      if (!vars[node.var]) return;
      vars[node.var] = false;
      break;
    case NodeKind::set_ref:
      if (!refs[node.ref]) return;
      refs[node.ref] = false;
      if (node.other != nothing) refs[node.other] = true;
      return;
    case NodeKind::load:
      if (node.var != nothing) vars[node.var] = false;
      for (const Index r : node.refs)
        if (r != nothing) refs[r] = false;
      return;
    case NodeKind::seq_begin:
    case NodeKind::seq_retry: vars[node.var] = false; break;
    case NodeKind::alloc: refs[node.ref] = false; return;
    case NodeKind::store:
      for (const Index r : node.refs)
        if (r != nothing) refs[r] = true;
      break;
    case NodeKind::free:
    case NodeKind::look_tlb_ref: refs[node.ref] = true; break;
    default: break;
  }
  if (node.expr) reads(*node.expr, vars, refs);
}

void backward(const Flow& flow, std::vector<std::vector<bool>>& vars, std::vector<std::vector<bool>>& refs) {
  vars.assign(flow.nodes.size(), std::vector<bool>(flow.vars.size(), false));
  refs.assign(flow.nodes.size(), std::vector<bool>(flow.refs.size(), false));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = flow.nodes.size(); i-- > 0;) {
      std::vector<bool> v(flow.vars.size(), false);
      std::vector<bool> r(flow.refs.size(), false);
      for (const Index next : flow.nodes[i].next) {
        if (next == nothing) continue;
        for (std::size_t k = 0; k < v.size(); ++k) v[k] = v[k] || vars[next][k];
        for (std::size_t k = 0; k < r.size(); ++k) r[k] = r[k] || refs[next][k];
      }
      transfer(flow.nodes[i], v, r);
      if (flow.nodes[i].object != nothing) r[flow.nodes[i].object] = true;
      if (v != vars[i] || r != refs[i]) {
        vars[i] = std::move(v);
        refs[i] = std::move(r);
        changed = true;
      }
    }
  }
}

Own join(Own a, Own b) {
  if (a == b) return a;
  if (a == Own::null) return b;
  if (b == Own::null) return a;
  return Own::maybe;
}

// Ownership after a node, on its way `way`.
std::vector<Own> own_after(const Flow& flow, const FlowNode& node, int way, std::vector<Own> own,
                           const std::vector<bool>& live_after) {
  const auto copies_may_own = [&](Index resource, Index except) {
    for (std::size_t z = 0; z < own.size(); ++z)
      if (z != except && flow.refs[z].resource == resource && live_after[z] && own[z] == Own::borrowed)
        own[z] = Own::maybe;
  };
  const auto drop = [&](Index r) {
    if (own[r] == Own::exact || own[r] == Own::maybe) copies_may_own(flow.refs[r].resource, r);
  };
  switch (node.kind) {
    case NodeKind::branch:
      if (const NullTest test = null_test(*node.expr);
          test.ref != nothing && static_cast<std::size_t>(way) == test.null_way)
        own[test.ref] = Own::null;
      break;
    case NodeKind::set_ref:
      drop(node.ref);
      if (node.other == nothing) {
        own[node.ref] = Own::null;
      } else {
        own[node.ref] = own[node.other];
        if (own[node.other] != Own::null) own[node.other] = Own::borrowed;
      }
      break;
    case NodeKind::load:
      for (const Index r : node.refs)
        if (r != nothing) {
          drop(r);
          own[r] = Own::borrowed;
        }
      break;
    case NodeKind::alloc:
      drop(node.ref);
      own[node.ref] = way == 0 ? Own::exact : Own::null;
      break;
    case NodeKind::free:
      for (std::size_t z = 0; z < own.size(); ++z)
        if (z != node.ref && flow.refs[z].resource == node.resource && own[z] == Own::exact) own[z] = Own::maybe;
      if (own[node.ref] != Own::null) own[node.ref] = Own::borrowed;
      break;
    case NodeKind::store: {
      if (node.object != nothing) break;  // a number
      for (const Index r : node.refs)
        if (r != nothing && own[r] != Own::null) {
          for (std::size_t z = 0; z < own.size(); ++z)  // another name of the stored object may have been the owner
            if (z != r && flow.refs[z].resource == flow.refs[r].resource && own[z] == Own::exact) own[z] = Own::maybe;
        }
      for (std::size_t z = 0; z < own.size(); ++z) {
        const bool stored = std::count(node.refs.begin(), node.refs.end(), static_cast<Index>(z)) != 0;
        if (!stored && live_after[z] && own[z] == Own::borrowed) own[z] = Own::maybe;
      }
      for (const Index r : node.refs)
        if (r != nothing && own[r] != Own::null) own[r] = Own::borrowed;
      break;
    }
    case NodeKind::refs_put:
    case NodeKind::refs_put_test: {
      const bool last = node.kind == NodeKind::refs_put_test && way == 0;
      for (std::size_t z = 0; z < own.size(); ++z)
        if (z != node.object && flow.refs[z].resource == flow.refs[node.object].resource && own[z] == Own::exact)
          own[z] = Own::maybe;
      Own& mine = own[node.object];  // who puts the last reference has to free the object
      if (last)
        mine = Own::exact;
      else if (node.kind == NodeKind::refs_put || mine == Own::exact)
        mine = Own::maybe;
      break;
    }
    default: break;
  }
  return own;
}

// References held after a node, on its way `way`.
std::vector<Credit> credit_after(const Flow& flow, const FlowNode& node, int way, std::vector<Credit> credit) {
  const auto add = [](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(std::min<int>(a + b, max_credit));
  };
  const auto less = [](std::uint8_t a) { return static_cast<std::uint8_t>(a > 0 ? a - 1 : 0); };
  const auto drop = [&](Index r) {  // another name of the object takes them over
    for (std::size_t z = 0; z < credit.size(); ++z)
      if (z != r && flow.refs[z].resource == flow.refs[r].resource)
        credit[z].high = add(credit[z].high, credit[r].high);
    credit[r] = {};
  };
  switch (node.kind) {
    case NodeKind::branch:
      if (const NullTest test = null_test(*node.expr);
          test.ref != nothing && static_cast<std::size_t>(way) == test.null_way)
        credit[test.ref] = {};
      break;
    case NodeKind::set_ref:
      drop(node.ref);
      if (node.other != nothing) std::swap(credit[node.ref], credit[node.other]);
      break;
    case NodeKind::load:
      for (const Index r : node.refs)
        if (r != nothing) drop(r);
      break;
    case NodeKind::alloc: drop(node.ref); break;
    case NodeKind::refs_try_get:
      if (way == 1) break;
      [[fallthrough]];
    case NodeKind::refs_get: {
      Credit& mine = credit[node.object];
      mine = {add(mine.low, 1), add(mine.high, 1)};
      break;
    }
    case NodeKind::refs_put:
    case NodeKind::refs_put_test: {
      Credit& mine = credit[node.object];
      if (mine.low > 0) {
        mine = {less(mine.low), less(mine.high)};
        break;
      }
      for (std::size_t z = 0; z < credit.size(); ++z)
        if (flow.refs[z].resource == flow.refs[node.object].resource) credit[z].low = less(credit[z].low);
      break;
    }
    default: break;
  }
  return credit;
}

std::uint32_t upper(const FlowExpr& e, const std::vector<std::uint8_t>& bounds) {
  switch (e.kind) {
    case FlowExprKind::constant: return static_cast<std::uint32_t>(e.value);
    case FlowExprKind::var: return bounds[e.a];
    case FlowExprKind::add: return std::min(255U, upper(*e.left, bounds) + upper(*e.right, bounds));
    case FlowExprKind::sub: return upper(*e.left, bounds);
    case FlowExprKind::bit_and: return std::min(upper(*e.left, bounds), upper(*e.right, bounds));
    default: return 1;
  }
}

std::uint8_t highest(const dsl::Model& model, const dsl::Type& type) {
  if (type.kind == dsl::TypeKind::entry) return static_cast<std::uint8_t>(model.entries[type.which].states.size() - 1);
  return type.high;
}

}  // namespace

NullTest null_test(const FlowExpr& expr) {
  NullTest test;
  const FlowExpr* e = &expr;
  while (e->kind == FlowExprKind::lnot) {
    test.null_way = 1 - test.null_way;
    e = e->left.get();
  }
  if (e->kind == FlowExprKind::ref_null) test.ref = e->a;
  return test;
}

Liveness liveness(const dsl::Model& model, const Flow& flow) {
  Liveness live;
  backward(flow, live.vars, live.refs_used);
  live.refs = live.refs_used;
  // ownership, forwards
  const std::size_t n = flow.nodes.size();
  std::vector<bool> reached(n, false);
  live.own.assign(n, std::vector<Own>(flow.refs.size(), Own::null));
  live.credit.assign(n, std::vector<Credit>(flow.refs.size()));
  std::vector<Index> work = {flow.entry};
  reached[flow.entry] = true;
  while (!work.empty()) {
    const Index id = work.back();
    work.pop_back();
    const FlowNode& node = flow.nodes[id];
    for (int way = 0; way < 2; ++way) {
      const Index next = node.next[static_cast<std::size_t>(way)];
      if (next == nothing) continue;
      const auto out = own_after(flow, node, way, live.own[id], live.refs_used[next]);
      bool changed = !reached[next];
      for (std::size_t r = 0; r < out.size(); ++r) {
        const Own joined = reached[next] ? join(live.own[next][r], out[r]) : out[r];
        if (joined != live.own[next][r]) changed = true;
        live.own[next][r] = joined;
      }
      const auto credit = credit_after(flow, node, way, live.credit[id]);
      for (std::size_t r = 0; r < credit.size(); ++r) {
        Credit joined = credit[r];
        if (reached[next]) {
          joined.low = std::min(joined.low, live.credit[next][r].low);
          joined.high = std::max(joined.high, live.credit[next][r].high);
        }
        changed = changed || joined != live.credit[next][r];
        live.credit[next][r] = joined;
      }
      reached[next] = true;
      if (changed) work.push_back(next);
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t r = 0; r < flow.refs.size(); ++r)
      if (live.own[i][r] == Own::exact || live.own[i][r] == Own::maybe || live.credit[i][r].high > 0)
        live.refs[i][r] = true;
  // bounds of values
  live.bounds.assign(flow.vars.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (const FlowNode& node : flow.nodes) {
      if (!node.writes_var()) continue;
      const std::uint32_t bound =
          node.kind == NodeKind::set_var ? upper(*node.expr, live.bounds) : highest(model, flow.vars[node.var].type);
      const auto capped = static_cast<std::uint8_t>(std::min<std::uint32_t>(bound, 255));
      if (capped > live.bounds[node.var]) {
        live.bounds[node.var] = capped;
        changed = true;
      }
    }
  }
  return live;
}

Slots assign_slots(const Flow& flow, const Liveness& live, SlotPool& pool) {
  Slots slots;
  slots.var.assign(flow.vars.size(), nothing);
  slots.ref.assign(flow.refs.size(), nothing);
  slots.own.assign(flow.refs.size(), nothing);
  // local things: vars, then ownership bits; at which positions is each needed?
  const std::size_t n_vars = flow.vars.size();
  const std::size_t n_refs = flow.refs.size();
  std::vector<std::vector<bool>> needed_local(n_vars + n_refs, std::vector<bool>(flow.nodes.size(), false));
  std::vector<std::vector<bool>> needed_handle(n_refs, std::vector<bool>(flow.nodes.size(), false));
  for (std::size_t i = 0; i < flow.nodes.size(); ++i) {
    if (!flow.nodes[i].is_step()) continue;
    for (std::size_t v = 0; v < n_vars; ++v) needed_local[v][i] = live.vars[i][v];
    for (std::size_t r = 0; r < n_refs; ++r) {
      needed_handle[r][i] = live.refs[i][r];
      needed_local[n_vars + r][i] = live.refs[i][r] && live.own[i][r] == Own::maybe;
    }
  }
  const auto colour = [](const std::vector<std::vector<bool>>& needed,
                         const std::function<std::size_t(std::size_t)>& pick, std::vector<Index>& result) {
    for (std::size_t i = 0; i < needed.size(); ++i)
      if (std::find(needed[i].begin(), needed[i].end(), true) != needed[i].end())
        result[i] = static_cast<Index>(pick(i));
  };
  const auto clash = [](const std::vector<bool>& a, const std::vector<bool>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] && b[i]) return true;
    return false;
  };
  std::vector<Index> local(n_vars + n_refs, nothing);
  colour(
      needed_local,
      [&](std::size_t i) {
        const std::uint8_t max = i < n_vars ? std::max<std::uint8_t>(1, live.bounds[i]) : 1;
        std::size_t best = pool.local_max.size();
        for (std::size_t s = 0; s < pool.local_max.size(); ++s) {
          bool free = true;
          for (std::size_t j = 0; j < i && free; ++j) free = local[j] != s || !clash(needed_local[i], needed_local[j]);
          if (!free) continue;
          if (pool.local_max[s] == max) {
            best = s;
            break;
          }
          if (best == pool.local_max.size()) best = s;
        }
        if (best == pool.local_max.size()) pool.local_max.push_back(max);
        pool.local_max[best] = std::max(pool.local_max[best], max);
        return best;
      },
      local);
  for (std::size_t v = 0; v < n_vars; ++v) slots.var[v] = local[v];
  for (std::size_t r = 0; r < n_refs; ++r) slots.own[r] = local[n_vars + r];
  colour(
      needed_handle,
      [&](std::size_t i) {
        std::size_t s = 0;
        for (; s < pool.handle_types.size(); ++s) {
          if (pool.handle_types[s] != flow.refs[i].resource) continue;
          bool free = true;
          for (std::size_t j = 0; j < i && free; ++j)
            free = slots.ref[j] != s || !clash(needed_handle[i], needed_handle[j]);
          if (free) break;
        }
        if (s == pool.handle_types.size()) pool.handle_types.push_back(flow.refs[i].resource);
        return s;
      },
      slots.ref);
  return slots;
}

}  // namespace faultline::step
