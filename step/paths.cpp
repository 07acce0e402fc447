#include "step/paths.hpp"

#include <algorithm>

#include "fmt/format.h"

namespace faultline::step {

using dsl::FlowExpr;
using dsl::FlowExprKind;
using dsl::FlowNode;
using dsl::Index;
using dsl::NodeKind;
using dsl::nothing;

namespace {

// Of one path between two steps: beyond these it is taken for a loop that never makes a step. Each branch costs stack.
constexpr int max_nodes = 4000;
constexpr int max_branches = 200;
// Of all paths from one position.
constexpr int max_paths = 20'000;

}  // namespace

// ---------------------------------------------------------------- lock sets

const Held* LockSet::find(Id lock) const {
  const auto it = std::find_if(held.begin(), held.end(), [&](const Held& h) { return h.lock == lock; });
  return it == held.end() ? nullptr : &*it;
}

void LockSet::add(Held h) {
  held.push_back(h);
  std::sort(held.begin(), held.end(), [](const Held& a, const Held& b) { return a.lock < b.lock; });
}

void LockSet::remove(Id lock) {
  held.erase(std::remove_if(held.begin(), held.end(), [&](const Held& h) { return h.lock == lock; }), held.end());
}

bool operator<(const LockSet& a, const LockSet& b) {
  const auto key = [](const LockSet& s) {
    std::vector<int> k = {s.irqs_off, s.rcu};
    for (const Held& h : s.held) k.push_back(h.lock * 4 + static_cast<int>(h.mode));
    return k;
  };
  return key(a) < key(b);
}

// ---------------------------------------------------------------- paths

PathBuilder::PathBuilder(PathContext& context, const dsl::Flow& flow, const Liveness& live, const Slots& slots,
                         Id handler, Id idle, std::function<Id(Index, const LockSet&)> position,
                         std::function<void(Command)> found)
    : context_(context),
      exprs_(context.exprs),
      flow_(flow),
      live_(live),
      slots_(slots),
      handler_(handler),
      idle_(idle),
      position_(std::move(position)),
      found_(std::move(found)) {}

void PathBuilder::from_idle(Id started) {
  from_pc_ = idle_;
  paths_ = 0;
  from_node_ = nothing;
  Path path;
  path.var.assign(flow_.vars.size(), exprs_.constant(0));
  path.ref.assign(flow_.refs.size(), {});
  path.own.assign(flow_.refs.size(), exprs_.constant(0));
  path.credit = path.own;
  if (started != no_id) {
    assume(path, global(started), false);
    op(path, OpCode::set_global, started, 0, 0, exprs_.constant(1));
    path.known[global(started)] = 2;
  }
  run(std::move(path), flow_.entry);
}

void PathBuilder::from(Index node, const LockSet& locks, Id pc) {
  from_pc_ = pc;
  paths_ = 0;
  from_node_ = node;
  Path path;
  path.locks = locks;
  path.var.assign(flow_.vars.size(), exprs_.constant(0));
  path.ref.assign(flow_.refs.size(), {});
  path.own.assign(flow_.refs.size(), exprs_.constant(0));
  path.credit = path.own;
  for (std::size_t v = 0; v < flow_.vars.size(); ++v)
    if (live_.vars[node][v]) path.var[v] = local(static_cast<Id>(slots_.var[v]));
  for (std::size_t r = 0; r < flow_.refs.size(); ++r) {
    if (!live_.refs[node][r] || live_.own[node][r] == Own::null) continue;
    path.ref[r] = {RefValue::Kind::handle, static_cast<Id>(slots_.ref[r])};
    if (live_.own[node][r] == Own::exact) path.own[r] = exprs_.lnot(is_null(path.ref[r]));
    if (live_.own[node][r] == Own::maybe) path.own[r] = local(static_cast<Id>(slots_.own[r]));
    const Credit credit = live_.credit[node][r];
    if (credit.low == credit.high)
      path.credit[r] = exprs_.constant(credit.low);
    else
      path.credit[r] = local(context_.layout.credit[slots_.ref[r]]);
  }
  run(std::move(path), node);
}

void PathBuilder::op(Path& path, OpCode code, Id a, Id b, std::uint8_t value, ExprId e) {
  path.ops.push_back({code, a, b, value, e});
}

ExprId PathBuilder::is_null(const RefValue& r) {
  if (r.kind == RefValue::Kind::null) return exprs_.constant(1);
  return exprs_.make(r.kind == RefValue::Kind::handle ? ExprOp::handle_null : ExprOp::place_null, r.id);
}

ExprId PathBuilder::same(const RefValue& a, const RefValue& b) {
  using K = RefValue::Kind;
  if (a == b) return exprs_.constant(1);
  if (a.kind == K::null) return is_null(b);
  if (b.kind == K::null) return is_null(a);
  if (a.kind == K::place && b.kind == K::handle) return same(b, a);
  const ExprId low = std::min(a.id, b.id);
  const ExprId high = std::max(a.id, b.id);
  if (a.kind == K::handle && b.kind == K::handle) return exprs_.make(ExprOp::handles_equal, low, high);
  if (a.kind == K::place) return exprs_.make(ExprOp::places_equal, low, high);
  return exprs_.make(ExprOp::handle_is_place, a.id, b.id);
}

ExprId PathBuilder::bit_of(const RefValue& r, Id bit) {
  if (r.kind == RefValue::Kind::null) return exprs_.constant(0);
  return exprs_.make(r.kind == RefValue::Kind::handle ? ExprOp::object_bit : ExprOp::place_bit, r.id, bit);
}

ExprId PathBuilder::translate(const Path& path, const FlowExpr& e) {
  switch (e.kind) {
    case FlowExprKind::constant: return exprs_.constant(e.value);
    case FlowExprKind::var: return path.var[e.a];
    case FlowExprKind::in: return exprs_.in(translate(path, *e.left), e.value);
    case FlowExprKind::lnot: return exprs_.lnot(translate(path, *e.left));
    case FlowExprKind::land: return exprs_.land(translate(path, *e.left), translate(path, *e.right));
    case FlowExprKind::lor: return exprs_.lor(translate(path, *e.left), translate(path, *e.right));
    case FlowExprKind::eq: return exprs_.binary(ExprOp::eq, translate(path, *e.left), translate(path, *e.right));
    case FlowExprKind::lt: return exprs_.binary(ExprOp::lt, translate(path, *e.left), translate(path, *e.right));
    case FlowExprKind::le: return exprs_.binary(ExprOp::le, translate(path, *e.left), translate(path, *e.right));
    case FlowExprKind::add: return exprs_.binary(ExprOp::add, translate(path, *e.left), translate(path, *e.right));
    case FlowExprKind::sub: return exprs_.binary(ExprOp::sub, translate(path, *e.left), translate(path, *e.right));
    case FlowExprKind::bit_and:
      return exprs_.binary(ExprOp::bit_and, translate(path, *e.left), translate(path, *e.right));
    case FlowExprKind::ref_null: return is_null(path.ref[e.a]);
    case FlowExprKind::refs_equal: return same(path.ref[e.a], path.ref[e.b]);
  }
  return exprs_.constant(0);
}

bool PathBuilder::assume(Path& path, ExprId e, bool value) {
  if (const auto v = exprs_.value(e)) return (*v != 0) == value;
  const Expr x = exprs_.at(e);
  if (x.op == ExprOp::lnot) return assume(path, x.a, !value);
  if (x.op == ExprOp::land && value) return assume(path, x.a, true) && assume(path, x.b, true);
  // a set of values of one variable
  ExprId leaf = e;
  std::uint64_t mask = ~std::uint64_t{1};  // a variable as a Boolean: not 0
  if (x.op == ExprOp::in) {
    leaf = x.a;
    mask = x.value;
  }
  const Expr variable = exprs_.at(leaf);
  if (variable.op == ExprOp::global || variable.op == ExprOp::local) {
    const auto& list = variable.op == ExprOp::global ? context_.program.globals : context_.program.locals;
    const std::uint8_t max = variable.a < list.size() ? list[variable.a].max : 255;
    if (max < 64) {
      const std::uint64_t all = max == 63 ? ~std::uint64_t{0} : (std::uint64_t{1} << (max + 1)) - 1;
      const auto it = path.known.find(leaf);
      const std::uint64_t before = it == path.known.end() ? all : it->second;
      const std::uint64_t after = before & (value ? mask : ~mask);
      if (after == 0) return false;
      path.known[leaf] = after;
      if (after != before) op(path, OpCode::assume, 0, 0, 0, exprs_.in(leaf, after));
      return true;
    }
  }
  for (const auto& [fact, truth] : path.facts)
    if (fact == e) return truth == value;
  path.facts.emplace_back(e, value);
  op(path, OpCode::assume, 0, 0, 0, value ? e : exprs_.lnot(e));
  return true;
}

void PathBuilder::split(const Path& path, ExprId e, const Next& yes, const Next& no) {
  if (yes) {
    Path p = path;
    if (assume(p, e, true)) yes(std::move(p));
  }
  if (no) {
    Path p = path;
    if (assume(p, e, false)) no(std::move(p));
  }
}

void PathBuilder::take(Path path, const FlowNode& node, std::size_t way, const std::string& result) {
  if (++path.branches > max_branches) return endless(node.span);
  if (++paths_ > max_paths) {
    if (paths_ == max_paths + 1)
      context_.diagnostics.add({dsl::Severity::error,
                                "FL0314",
                                node.span,
                                fmt::format("more than {} paths lead from one step to the next here", max_paths),
                                {},
                                {"every choice between two steps doubles their number"},
                                {"put `step;` between the choices"}});
    return;
  }
  if (!node.text.empty()) path.notes.push_back({node.span, node.text, result});
  run(std::move(path), node.next[way]);
}

void PathBuilder::endless(Span span) {
  context_.diagnostics.add({dsl::Severity::error,
                            "FL0309",
                            span,
                            "this loop can go on for ever without a step",
                            {},
                            {"no other CPU can move while it turns"},
                            {"read shared memory in it, or put `step;` into its body"}});
}

void PathBuilder::run(Path path, Index id) {
  for (;;) {
    if (id == nothing) return;
    const FlowNode& node = flow_.nodes[id];
    if (node.is_step() && !path.in_atomic) {
      if (path.stepped) {
        const Id to = position_(id, path.locks);  // before the move: arguments have no order
        return emit(std::move(path), to, id);
      }
      path.stepped = true;
      path.span = node.span;
    }
    if (node.cover != nothing) path.covers.push_back(node.cover);
    if (++path.budget > max_nodes) return endless(node.span);
    switch (node.kind) {
      case NodeKind::pass:
      case NodeKind::uses_payload: break;
      case NodeKind::atomic_begin:
        path.in_atomic = true;
        if (node.waits) {
          if (may_not_sleep(path, node))
            return violation(std::move(path), Kind::sleep_atomic, node.text + " can sleep, but a spinlock is held",
                             node.span);
          path.may_block = true;
        }
        break;
      case NodeKind::atomic_end: path.in_atomic = false; break;
      case NodeKind::set_var: path.var[node.var] = translate(path, *node.expr); break;
      case NodeKind::set_ref:
        return drop(std::move(path), node.ref, node.next[0], node.span, [&](Path p) {
          if (node.other == nothing) {
            p.ref[node.ref] = {};
            p.own[node.ref] = p.credit[node.ref] = exprs_.constant(0);
          } else {
            p.ref[node.ref] = p.ref[node.other];
            p.own[node.ref] = p.own[node.other];
            p.credit[node.ref] = p.credit[node.other];
            p.own[node.other] = p.credit[node.other] = exprs_.constant(0);
          }
          go(std::move(p), node);
        });
      case NodeKind::branch: {
        // a reference that is found to be NULL names nothing, so it owns nothing
        const NullTest test = null_test(*node.expr);
        const auto way = [&](Path p, std::size_t w) {
          if (test.ref != nothing && w == test.null_way) {
            p.ref[test.ref] = {};
            p.own[test.ref] = p.credit[test.ref] = exprs_.constant(0);
          }
          take(std::move(p), node, w, w == 0 ? "true" : "false");
        };
        return split(
            path, translate(path, *node.expr), [&](Path p) { way(std::move(p), 0); },
            [&](Path p) { way(std::move(p), 1); });
      }
      case NodeKind::choose: take(path, node, 0, "true"); return take(std::move(path), node, 1, "false");
      case NodeKind::load:
        return node.object != nothing ? load_field(std::move(path), node) : load(std::move(path), node);
      case NodeKind::store:
        return node.object != nothing ? store_field(std::move(path), node) : store(std::move(path), node);
      case NodeKind::lock: return lock(std::move(path), node);
      case NodeKind::trylock: return trylock(std::move(path), node);
      case NodeKind::unlock:
      case NodeKind::downgrade: return unlock(std::move(path), node);
      case NodeKind::irq_off:
      case NodeKind::irq_on:
      case NodeKind::rcu_lock:
      case NodeKind::rcu_unlock: return context_word(std::move(path), node);
      case NodeKind::alloc: return alloc(std::move(path), node);
      case NodeKind::free: return free(std::move(path), node);
      case NodeKind::touch: return touch(std::move(path), node);
      case NodeKind::flush_send: return flush_send(std::move(path), node);
      case NodeKind::flush_wait: return wait_for_others(std::move(path), node, context_.layout.await[node.shared]);
      case NodeKind::seq_write: return seq_write(std::move(path), node);
      case NodeKind::seq_begin: return seq_begin(std::move(path), node);
      case NodeKind::seq_retry: return seq_retry(std::move(path), node);
      case NodeKind::refs_start: return refs_start(std::move(path), node);
      case NodeKind::refs_get:
      case NodeKind::refs_try_get: return refs_get(std::move(path), node);
      case NodeKind::refs_put:
      case NodeKind::refs_put_test: return refs_put(std::move(path), node);
      case NodeKind::grace_begin: return grace_begin(std::move(path), node);
      case NodeKind::grace_end: return wait_for_others(std::move(path), node, context_.layout.grace);
      case NodeKind::step: path.notes.push_back({node.span, node.text, ""}); break;
      case NodeKind::sleep:
        if (may_not_sleep(path, node))
          return violation(std::move(path), Kind::sleep_atomic, node.text + " can sleep, but a spinlock is held",
                           node.span);
        path.notes.push_back({node.span, node.text, ""});
        break;
      case NodeKind::look_locked:
      case NodeKind::look_tlb_ref:
      case NodeKind::look_tlb_place: return look(std::move(path), node);
      case NodeKind::block: return;
      case NodeKind::fail: return violation(std::move(path), Kind::assertion, node.message, node.span);
      case NodeKind::unreachable: return violation(std::move(path), Kind::assertion, node.message, node.span);
      case NodeKind::overflow: return violation(std::move(path), Kind::bound, node.message, node.span);
      case NodeKind::finish: return finish(std::move(path), node);
    }
    id = node.next[0];
  }
}

Id PathBuilder::in_handle(Path& path, Index ref) {
  RefValue& value = path.ref[ref];
  if (value.kind == RefValue::Kind::handle) return value.id;
  const Id scratch = static_cast<Id>(scratch_base + path.scratch_handles++);
  if (value.kind == RefValue::Kind::place) op(path, OpCode::handle_from_place, scratch, value.id);
  const RefValue old = value;
  value = {RefValue::Kind::handle, scratch};
  for (RefValue& other : path.ref)
    if (old.kind == RefValue::Kind::place && other == old) other = value;
  changed(path);
  return scratch;
}

}  // namespace faultline::step
