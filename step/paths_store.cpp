// Lowering of stores, and who owns what afterwards. An object that is not counted has one owner: a place, or a CPU
// under one of its names. Storing it into a place gives it to the place; overwriting a place gives the old one to the
// CPU if it has a copy, else it is lost.
#include <algorithm>

#include "fmt/format.h"
#include "step/paths.hpp"

namespace faultline::step {

using dsl::FlowNode;
using dsl::Index;
using dsl::nothing;

std::vector<Index> PathBuilder::copies(Index resource, Index except, Index live_at) const {
  std::vector<Index> found;
  for (std::size_t z = 0; z < flow_.refs.size(); ++z)
    if (z != except && flow_.refs[z].resource == resource && live_at != nothing && live_.refs[live_at][z])
      found.push_back(static_cast<Index>(z));
  return found;
}

// The first candidate that names the object becomes its owner; if there is none, the object is lost.
void PathBuilder::give_to_copy(Path path, const FlowNode& node, const RefValue& object,
                               const std::vector<Index>& candidates, std::size_t at, Span span, const Next& next) {
  if (at == candidates.size()) {
    const Index resource = object.kind == RefValue::Kind::place
                               ? context_.program.places[object.id].type
                               : (object.id >= scratch_base ? node.resource : context_.program.handles[object.id].type);
    const std::string type =
        resource < context_.model.resources.size() ? context_.model.resources[resource].name.text : "object";
    return violation(std::move(path), Kind::leak, fmt::format("the last name of a {} is lost here", type), span);
  }
  const Index z = candidates[at];
  if (path.ref[z].kind == RefValue::Kind::null)  // the object is none that NULL names
    return give_to_copy(std::move(path), node, object, candidates, at + 1, span, next);
  split(
      path, same(path.ref[z], object),
      [&](Path p) {
        p.own[z] = exprs_.constant(1);
        next(std::move(p));
      },
      [&](Path p) { give_to_copy(std::move(p), node, object, candidates, at + 1, span, next); });
}

// `ref` is about to lose its value.
void PathBuilder::drop(Path path, Index ref, Index live_at, Span span, const Next& next) {
  const bool holds = exprs_.value(path.credit[ref]) != 0U;
  if (!holds && exprs_.value(path.own[ref]) == 0U) return next(std::move(path));
  const auto candidates = copies(flow_.refs[ref].resource, ref, live_at);
  if (holds)
    return hand_over(std::move(path), ref, candidates, 0, span,
                     [&](Path p) { drop(std::move(p), ref, live_at, span, next); });
  FlowNode node;
  node.resource = flow_.refs[ref].resource;
  split(
      path, path.own[ref],
      [&](Path p) {
        const RefValue object = p.ref[ref];
        give_to_copy(std::move(p), node, object, candidates, 0, span, next);
      },
      [&](Path p) {
        p.own[ref] = exprs_.constant(0);
        next(std::move(p));
      });
}

// References that were read from a place earlier in this command keep their object when the place is overwritten.
void PathBuilder::save_place(Path& path, Id place) {
  const RefValue value{RefValue::Kind::place, place};
  for (std::size_t z = 0; z < path.ref.size(); ++z)
    if (path.ref[z] == value) (void)in_handle(path, static_cast<Index>(z));
}

void PathBuilder::save_global(Path& path, Id g) {
  const auto reads_g = [&](ExprId e) {
    return exprs_.reads(e, [&](const Expr& x) { return x.op == ExprOp::global && x.a == g; });
  };
  bool needed = false;
  for (const ExprId e : path.var) needed = needed || reads_g(e);
  if (!needed) return;
  const Id scratch = static_cast<Id>(scratch_base + path.scratch_locals++);
  op(path, OpCode::set_local, scratch, 0, 0, global(g));
  const std::function<ExprId(ExprId)> replace = [&](ExprId e) -> ExprId {
    if (!reads_g(e)) return e;
    const Expr x = exprs_.at(e);
    if (x.op == ExprOp::global) return local(scratch);
    if (x.op == ExprOp::in) return exprs_.in(replace(x.a), x.value);
    if (x.op == ExprOp::lnot) return exprs_.lnot(replace(x.a));
    if (x.op == ExprOp::land) return exprs_.land(replace(x.a), replace(x.b));
    return exprs_.binary(x.op, replace(x.a), replace(x.b));
  };
  for (ExprId& e : path.var) e = replace(e);
  changed(path);
}

// What stands in a place is owned by it, and a payload that the stored state does not have is NULL: the stored names
// own nothing.
void PathBuilder::stored(Path& path, const FlowNode& node) {
  for (const Index ref : node.refs)
    if (ref != nothing) path.own[ref] = exprs_.constant(0);
}

void PathBuilder::store(Path path, const FlowNode& node) {
  const auto& decl = context_.model.shared[node.shared];
  if (!node.text.empty()) path.notes.push_back({node.span, node.text, ""});
  if (decl.type.kind == dsl::TypeKind::resource) {
    const Id place = context_.layout.places[node.shared][0];
    const Index ref = node.refs.empty() ? nothing : node.refs[0];
    const Next put_it = [&](Path p) {
      put(std::move(p), node, place, false, false, ref, [&](Path q) {
        stored(q, node);
        go(std::move(q), node);
      });
    };
    if (ref == nothing) return put_it(std::move(path));
    return split(
        path, bit_of(path.ref[ref], 0),
        [&](Path p) {
          violation(std::move(p), Kind::use_after_free, fmt::format("a freed object is stored into {}", decl.name.text),
                    node.span);
        },
        put_it);
  }
  if (decl.type.kind != dsl::TypeKind::entry) return store_scalar(std::move(path), node);
  const auto& entry = context_.model.entries[decl.type.which];
  const ExprId to_expr = translate(path, *node.expr);
  const ExprId from_expr = global(context_.layout.global[node.shared]);
  for (Id to = 0; to < entry.states.size(); ++to) {
    Path chosen = path;
    if (!assume(chosen, exprs_.in(to_expr, std::uint64_t{1} << to), true)) continue;
    for (Id from = 0; from < entry.states.size(); ++from) {
      Path p = chosen;
      if (assume(p, exprs_.in(from_expr, std::uint64_t{1} << from), true)) store_entry(std::move(p), node, from, to);
    }
  }
}

void PathBuilder::store_scalar(Path path, const FlowNode& node) {
  const Id g = context_.layout.global[node.shared];
  const ExprId value = translate(path, *node.expr);
  if (path.in_atomic) {
    path.var.push_back(value);  // the value itself must survive the saving
    save_global(path, g);
  }
  const ExprId saved = path.in_atomic ? path.var.back() : value;
  if (path.in_atomic) path.var.pop_back();
  // `saved` may read the scratch copy; reading the global itself is as good
  op(path, OpCode::set_global, g, 0, 0, saved);
  changed(path);
  path.known.erase(global(g));
  if (const auto v = exprs_.value(saved); v && *v < 64) path.known[global(g)] = std::uint64_t{1} << *v;
  go(std::move(path), node);
}

void PathBuilder::store_entry(Path path, const FlowNode& node, Id from, Id to) {
  const auto& decl = context_.model.shared[node.shared];
  const auto& entry = context_.model.entries[decl.type.which];
  const auto held = [&](const dsl::LockNeed& need) {
    const Held* h = path.locks.find(static_cast<Id>(need.lock));
    if (h == nullptr) return false;
    if (need.mode == dsl::LockMode::any) return true;
    return h->mode == (need.mode == dsl::LockMode::read ? LockMode::read : LockMode::write);
  };
  const auto need_text = [&](const dsl::LockNeed& need) {
    const std::string& name = context_.model.locks[need.lock].name.text;
    return need.mode == dsl::LockMode::any    ? name
           : need.mode == dsl::LockMode::read ? "read(" + name + ")"
                                              : "write(" + name + ")";
  };
  const std::string arrow_text = fmt::format("{} -> {}", entry.states[from].name.text, entry.states[to].name.text);
  const dsl::ArrowDecl* arrow = entry.arrow(from, to);

  if (from == to) {  // a store of an equal value needs the locks of an arrow out of the state, another payload an arrow
    ExprId equal = exprs_.constant(1);
    for (const Index slot : entry.states[to].payload) {
      const Index ref = node.refs[slot];
      const RefValue value = ref == nothing ? RefValue{} : path.ref[ref];
      equal = exprs_.land(equal, same(value, {RefValue::Kind::place, context_.layout.places[node.shared][slot]}));
    }
    Path p = path;
    if (assume(p, equal, true)) {
      bool any = false;
      bool allowed = false;
      for (const auto& a : entry.arrows)
        if (a.from == from) {
          any = true;
          allowed = allowed || std::all_of(a.locks.begin(), a.locks.end(), held);
        }
      if (any && !allowed)
        violation(std::move(p), Kind::lock_missing,
                  fmt::format("{} is rewritten without the lock of any arrow out of `{}`", decl.name.text,
                              entry.states[from].name.text),
                  node.span);
      else {
        stored(p, node);
        go(std::move(p), node);
      }
    }
    if (!assume(path, equal, false)) return;
  }
  if (arrow == nullptr)
    return violation(std::move(path), Kind::transition,
                     fmt::format("{} has no arrow `{}`", entry.name.text, arrow_text), node.span);
  for (const auto& need : arrow->locks)
    if (!held(need))
      return violation(std::move(path), Kind::lock_missing,
                       fmt::format("`{}` needs {}, which is not held here", arrow_text, need_text(need)), node.span);
  if (arrow->after_flush && decl.tlb) {
    const Id h = context_.layout.tlb_handle[node.shared];
    const Id l = context_.layout.tlb_local[node.shared];
    const ExprId mine = h != no_id ? exprs_.lnot(exprs_.make(ExprOp::handle_null, h)) : local(l);
    const ExprId others =
        h != no_id ? exprs_.lnot(exprs_.make(ExprOp::other_null, h)) : exprs_.make(ExprOp::other_local, l);
    const std::string message =
        fmt::format("`{}` must come after a flush, but a TLB still has an entry of {}", arrow_text, decl.name.text);
    if (Path p = path; assume(p, mine, true)) violation(std::move(p), Kind::flush_missing, message, node.span);
    Path p = path;
    op(p, OpCode::some, 0, 0, 0, others);
    violation(std::move(p), Kind::flush_missing, message, node.span);
    if (!assume(path, mine, false)) return;
    op(path, OpCode::none, 0, 0, 0, others);
  }
  path.covers.push_back(context_.layout.arrow_cover.at({static_cast<Id>(decl.type.which), {from, to}}));
  path.covers.push_back(context_.layout.state_cover.at({static_cast<Id>(decl.type.which), to}));
  std::function<void(Path, std::size_t)> slots = [&](Path p, std::size_t slot) {
    if (slot == entry.slots.size()) {
      const Id g = context_.layout.global[node.shared];
      if (p.in_atomic) save_global(p, g);
      if (from != to) op(p, OpCode::set_global, g, 0, 0, exprs_.constant(to));
      p.known[global(g)] = std::uint64_t{1} << to;
      changed(p);
      stored(p, node);
      return go(std::move(p), node);
    }
    store_payload(std::move(p), node, slot, from, to, [&, slot](Path q) { slots(std::move(q), slot + 1); });
  };
  slots(std::move(path), 0);
}

void PathBuilder::store_payload(Path path, const FlowNode& node, std::size_t slot, Id from, Id to, const Next& next) {
  const auto& decl = context_.model.shared[node.shared];
  const auto& entry = context_.model.entries[decl.type.which];
  const auto has = [&](Id state) { return ((entry.with_slot(static_cast<Index>(slot)) >> state) & 1U) != 0; };
  if (!has(from) && !has(to)) return next(std::move(path));
  const Id place = context_.layout.places[node.shared][slot];
  const std::string type = context_.model.resources[entry.slots[slot].resource].name.text;
  if (!has(to)) return put(std::move(path), node, place, true, false, nothing, next);
  const Index ref = node.refs[slot];
  split(
      path, is_null(path.ref[ref]),
      [&](Path p) {
        violation(std::move(p), Kind::use_after_free,
                  fmt::format("NULL is stored into {} as its {}", decl.name.text, entry.slots[slot].name), node.span);
      },
      [&](Path p) {
        split(
            p, bit_of(p.ref[ref], 0),
            [&](Path q) {
              violation(std::move(q), Kind::use_after_free,
                        fmt::format("a freed {} is stored into {}", type, decl.name.text), node.span);
            },
            [&](Path q) { put(std::move(q), node, place, true, !has(from), ref, next); });
      });
}

void PathBuilder::put(Path path, const FlowNode& node, Id place, bool known, bool was_null, Index ref,
                      const Next& next) {
  const RefValue old{RefValue::Kind::place, place};
  const Index resource = context_.program.places[place].type;
  const Next assign = [&](Path p) {
    if (ref == nothing) {
      op(p, OpCode::clear_place, place);
      changed(p);
      return next(std::move(p));
    }
    const Id h = in_handle(p, ref);
    const RefValue object = p.ref[ref];
    p.own[ref] = exprs_.constant(0);
    const auto names = copies(resource, ref, node.next[0]);
    std::function<void(Path, std::size_t)> disown = [&](Path q, std::size_t i) {
      if (i == names.size()) {
        op(q, OpCode::place_from_handle, place, h);
        changed(q);
        return next(std::move(q));
      }
      const Index z = names[i];
      if (exprs_.value(q.own[z]) == 0U) return disown(std::move(q), i + 1);
      split(
          q, same(q.ref[z], object),
          [&](Path r) {
            r.own[z] = exprs_.constant(0);
            disown(std::move(r), i + 1);
          },
          [&](Path r) { disown(std::move(r), i + 1); });
    };
    disown(std::move(p), 0);
  };
  const Next over_old = [&](Path p) {
    const Next lose = [&](Path q) {
      save_place(q, place);
      give_to_copy(std::move(q), node, old, copies(resource, ref, node.next[0]), 0, node.span, assign);
    };
    if (ref == nothing) return lose(std::move(p));
    const Next nothing_moves = [&](Path q) {  // stored back where it is, and owned by the place
      q.own[ref] = exprs_.constant(0);
      next(std::move(q));
    };
    split(p, same(p.ref[ref], old), nothing_moves, lose);
  };
  if (known) return was_null ? assign(std::move(path)) : over_old(std::move(path));
  split(
      path, is_null(old),
      [&](Path p) {
        if (ref == nothing) return next(std::move(p));
        split(p, is_null(p.ref[ref]), next, assign);
      },
      [&](Path p) {
        if (ref == nothing) return over_old(std::move(p));
        split(
            p, is_null(p.ref[ref]),
            [&](Path q) {
              q.own[ref] = exprs_.constant(0);
              save_place(q, place);
              give_to_copy(std::move(q), node, old, copies(resource, nothing, node.next[0]), 0, node.span, [&](Path r) {
                op(r, OpCode::clear_place, place);
                changed(r);
                next(std::move(r));
              });
            },
            over_old);
      });
}

}  // namespace faultline::step
