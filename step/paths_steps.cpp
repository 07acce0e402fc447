// Lowering of the steps that are not stores: looks, locks, allocation, TLB.
#include "fmt/format.h"
#include "step/paths.hpp"

namespace faultline::step {

using dsl::FlowNode;
using dsl::Index;
using dsl::NodeKind;
using dsl::nothing;

namespace {

LockMode mode_of(dsl::LockMode mode) { return mode == dsl::LockMode::read ? LockMode::read : LockMode::write; }

}  // namespace

void PathBuilder::load(Path path, const FlowNode& node) {
  const auto& places = context_.layout.places[node.shared];
  if (!node.text.empty()) {
    Note note{node.span, node.text, ""};
    note.entry = context_.layout.entry_info[node.shared];
    path.notes.push_back(note);
  }
  if (node.var != nothing) path.var[node.var] = global(context_.layout.global[node.shared]);
  // a reference that is read anew loses what it held
  std::function<void(Path, std::size_t)> refs = [&](Path p, std::size_t i) {
    if (i == node.refs.size()) return go(std::move(p), node);
    drop(std::move(p), node.refs[i], node.next[0], node.span, [&, i](Path q) {
      q.ref[node.refs[i]] = {RefValue::Kind::place, places[i]};
      q.own[node.refs[i]] = q.credit[node.refs[i]] = exprs_.constant(0);
      refs(std::move(q), i + 1);
    });
  };
  refs(std::move(path), 0);
}

bool PathBuilder::may_not_sleep(Path& path, const FlowNode&) {
  if (path.locks.irqs_off > 0 || path.locks.rcu > 0) return true;
  for (const Held& h : path.locks.held)
    if (context_.program.locks[h.lock].kind == LockKind::spinlock) return true;
  return false;
}

// The paths on which the lock can be taken.
void PathBuilder::acquire(const Path& path, Id lock_id, LockMode mode, const Next& next) {
  const Id g = context_.layout.lock_global[lock_id];
  Path p = path;
  if (!assume(p, global(g), false)) return;
  if (mode == LockMode::write) {
    if (context_.layout.readers[lock_id] != no_id)
      op(p, OpCode::none, 0, 0, 0, exprs_.make(ExprOp::other_pc_in, context_.layout.readers[lock_id]));
    op(p, OpCode::set_global, g, 0, 0, exprs_.constant(1));
    p.known[global(g)] = 2;
    changed(p);
  }
  p.locks.add({lock_id, mode});
  p.cost.locks = 1;
  p.cost.lock = lock_id;
  next(std::move(p));
}

void PathBuilder::lock(Path path, const FlowNode& node) {
  const Id id = static_cast<Id>(node.lock);
  const auto& decl = context_.program.locks[id];
  path.notes.push_back({node.span, node.text, ""});
  if (path.locks.find(id) != nullptr)
    return violation(std::move(path), Kind::lock_recursion,
                     fmt::format("{} is taken again by the CPU that holds it", decl.name), node.span);
  if (decl.kind != LockKind::spinlock && may_not_sleep(path, node))
    return violation(std::move(path), Kind::sleep_atomic,
                     fmt::format("{} can sleep, but a spinlock is held", node.text), node.span);
  if (node.irqs) ++path.locks.irqs_off;
  path.may_block = true;
  acquire(path, id, mode_of(node.mode), [&](Path p) { go(std::move(p), node); });
}

void PathBuilder::trylock(Path path, const FlowNode& node) {
  const Id id = static_cast<Id>(node.lock);
  const Id g = context_.layout.lock_global[id];
  const Id readers = context_.layout.readers[id];
  const LockMode mode = mode_of(node.mode);
  if (path.locks.find(id) != nullptr) return take(std::move(path), node, 1, "false");  // held by this CPU: fails
  acquire(path, id, mode, [&](Path p) { take(std::move(p), node, 0, "true"); });
  if (Path p = path; assume(p, global(g), true)) take(std::move(p), node, 1, "false");
  if (mode == LockMode::write && readers != no_id) {
    if (Path p = path; assume(p, global(g), false)) {
      op(p, OpCode::some, 0, 0, 0, exprs_.make(ExprOp::other_pc_in, readers));
      take(std::move(p), node, 1, "false");
    }
  }
}

void PathBuilder::unlock(Path path, const FlowNode& node) {
  const Id id = static_cast<Id>(node.lock);
  const auto& decl = context_.program.locks[id];
  const Held* held = path.locks.find(id);
  const LockMode mode = mode_of(node.mode);
  path.notes.push_back({node.span, node.text, ""});
  if (held == nullptr)
    return violation(std::move(path), Kind::lock_unbalanced,
                     fmt::format("{} is released, but this CPU does not hold it", decl.name), node.span);
  if (held->mode != mode)
    return violation(std::move(path), Kind::lock_unbalanced,
                     fmt::format("{} is held for {}, so {} is wrong", decl.name,
                                 held->mode == LockMode::read ? "reading" : "writing", node.text),
                     node.span);
  path.locks.remove(id);
  if (node.kind == NodeKind::downgrade) path.locks.add({id, LockMode::read});
  if (mode == LockMode::write) {
    const Id g = context_.layout.lock_global[id];
    op(path, OpCode::set_global, g, 0, 0, exprs_.constant(0));
    path.known[global(g)] = 1;
    changed(path);
  }
  if (node.irqs && path.locks.irqs_off > 0) --path.locks.irqs_off;
  go(std::move(path), node);
}

void PathBuilder::context_word(Path path, const FlowNode& node) {
  path.notes.push_back({node.span, node.text, ""});
  std::uint8_t& depth =
      node.kind == NodeKind::irq_off || node.kind == NodeKind::irq_on ? path.locks.irqs_off : path.locks.rcu;
  const bool down = node.kind == NodeKind::irq_on || node.kind == NodeKind::rcu_unlock;
  if (down && depth == 0)
    return violation(std::move(path), Kind::lock_unbalanced, fmt::format("{} without its counterpart", node.text),
                     node.span);
  if (!down && depth == 8)
    return violation(std::move(path), Kind::lock_unbalanced, fmt::format("{} nested too deeply", node.text), node.span);
  depth = static_cast<std::uint8_t>(down ? depth - 1 : depth + 1);
  go(std::move(path), node);
}

void PathBuilder::alloc(Path path, const FlowNode& node) {
  drop(std::move(path), node.ref, node.next[0], node.span, [&](Path p) {
    if (node.next[1] != nothing) {
      Path failed = p;
      failed.ref[node.ref] = {};
      failed.own[node.ref] = failed.credit[node.ref] = exprs_.constant(0);
      failed.cost.allocs = 1;
      take(std::move(failed), node, 1, "NULL");
    }
    const Id scratch = static_cast<Id>(scratch_base + p.scratch_handles++);
    // the type of a scratch handle is known from its use here
    op(p, OpCode::fresh, scratch, static_cast<Id>(node.resource));
    changed(p);
    p.ref[node.ref] = {RefValue::Kind::handle, scratch};
    p.own[node.ref] = exprs_.constant(1);
    p.credit[node.ref] = exprs_.constant(0);
    p.facts.emplace_back(is_null(p.ref[node.ref]), false);
    p.cost.allocs = 1;
    take(std::move(p), node, 0, "");
  });
}

void PathBuilder::free(Path path, const FlowNode& node) {
  path.notes.push_back({node.span, node.text, ""});
  const std::string type = context_.model.resources[node.resource].name.text;
  path.cost.frees = 1;
  split(
      path, is_null(path.ref[node.ref]),
      [&](Path p) {
        violation(std::move(p), Kind::double_free, fmt::format("NULL is freed as a {}", type), node.span);
      },
      [&](Path p) {
        const Id h = in_handle(p, node.ref);
        const RefValue object = p.ref[node.ref];
        split(
            p, bit_of(object, 0),
            [&](Path q) {
              violation(std::move(q), Kind::double_free, fmt::format("the {} is freed twice", type), node.span);
            },
            [&](Path q) {
              // a TLB that still maps it
              std::vector<Id> tlbs;
              for (std::size_t s = 0; s < context_.model.shared.size(); ++s) {
                const Id tlb = context_.layout.tlb_handle[s];
                if (tlb == no_id) continue;
                const auto& decl = context_.model.shared[s];
                if (context_.model.entries[decl.type.which].slots[decl.tlb->slot].resource == node.resource)
                  tlbs.push_back(tlb);
              }
              const std::string stale = fmt::format("the {} is freed while a TLB still maps it", type);
              for (const Id tlb : tlbs) {
                const ExprId mine = same({RefValue::Kind::handle, tlb}, object);
                if (Path bad = q; assume(bad, mine, true)) violation(std::move(bad), Kind::stale_tlb, stale, node.span);
                const ExprId others = exprs_.make(ExprOp::other_is_mine, tlb, h);
                Path bad = q;
                op(bad, OpCode::some, 0, 0, 0, others);
                violation(std::move(bad), Kind::stale_tlb, stale, node.span);
              }
              for (const Id tlb : tlbs) {
                if (!assume(q, same({RefValue::Kind::handle, tlb}, object), false)) return;
                op(q, OpCode::none, 0, 0, 0, exprs_.make(ExprOp::other_is_mine, tlb, h));
              }
              // nobody of this CPU owns it afterwards, under whatever name
              const auto names = copies(static_cast<Index>(node.resource), node.ref, node.next[0]);
              q.own[node.ref] = exprs_.constant(0);
              std::function<void(Path, std::size_t)> disown = [&](Path r, std::size_t i) {
                if (i == names.size()) {
                  op(r, OpCode::set_object_bit, h, 0, 1);
                  changed(r);
                  return go(std::move(r), node);
                }
                const Index z = names[i];
                if (exprs_.value(r.own[z]) == 0U) return disown(std::move(r), i + 1);
                split(
                    r, same(r.ref[z], object),
                    [&](Path s) {
                      s.own[z] = exprs_.constant(0);
                      disown(std::move(s), i + 1);
                    },
                    [&](Path s) { disown(std::move(s), i + 1); });
              };
              disown(std::move(q), 0);
            });
      });
}

void PathBuilder::touch(Path path, const FlowNode& node) {
  const auto& decl = context_.model.shared[node.shared];
  const Id g = context_.layout.global[node.shared];
  path.notes.push_back({node.span, node.text, ""});
  split(
      path, exprs_.in(global(g), decl.tlb->states),
      [&](Path p) {
        if (context_.layout.tlb_handle[node.shared] == no_id) {
          op(p, OpCode::set_local, context_.layout.tlb_local[node.shared], 0, 0, exprs_.constant(1));
          p.known.erase(local(context_.layout.tlb_local[node.shared]));
          changed(p);
          return go(std::move(p), node);
        }
        const Id place = context_.layout.places[node.shared][decl.tlb->slot];
        split(
            p, exprs_.make(ExprOp::place_bit, place, 0),
            [&](Path q) {
              violation(
                  std::move(q), Kind::stale_tlb,
                  fmt::format(
                      "the hardware walk of {} finds a freed {}", decl.name.text,
                      context_.model.resources[context_.model.entries[decl.type.which].slots[decl.tlb->slot].resource]
                          .name.text),
                  node.span);
            },
            [&](Path q) {
              op(q, OpCode::handle_from_place, context_.layout.tlb_handle[node.shared], place);
              changed(q);
              go(std::move(q), node);
            });
      },
      [&](Path p) { go(std::move(p), node); });
}

void PathBuilder::flush_send(Path path, const FlowNode& node) {
  path.notes.push_back({node.span, node.text, ""});
  if (context_.layout.tlb_handle[node.shared] != no_id)
    op(path, OpCode::clear_handle, context_.layout.tlb_handle[node.shared]);
  if (context_.layout.tlb_local[node.shared] != no_id) {
    op(path, OpCode::set_local, context_.layout.tlb_local[node.shared], 0, 0, exprs_.constant(0));
    path.known.erase(local(context_.layout.tlb_local[node.shared]));
  }
  op(path, OpCode::await_others, context_.layout.await[node.shared], 0, 0, exprs_.constant(1));
  path.cost.flushes = 1;
  path.cost.ipis = 1;
  changed(path);
  go(std::move(path), node);
}

// Waits for the readers that had begun before it, and for no others: the CPU of a reader is in a quiescent state as
// soon as it has left its section.
void PathBuilder::grace_begin(Path path, const FlowNode& node) {
  path.notes.push_back({node.span, node.text, ""});
  if (may_not_sleep(path, node))
    return violation(std::move(path), Kind::sleep_atomic, node.text + " can sleep, but a spinlock is held", node.span);
  op(path, OpCode::await_others, context_.layout.grace, 0, 0,
     exprs_.make(ExprOp::other_pc_in, context_.layout.rcu_readers));
  changed(path);
  go(std::move(path), node);
}

void PathBuilder::wait_for_others(Path path, const FlowNode& node, Id kind) {
  path.notes.push_back({node.span, node.text, ""});
  path.may_block = true;
  op(path, OpCode::none, 0, 0, 0, exprs_.make(ExprOp::i_await_other, kind));
  go(std::move(path), node);
}

void PathBuilder::look(Path path, const FlowNode& node) {
  const auto yes = [&](Path p) { take(std::move(p), node, 0, "true"); };
  const auto no = [&](Path p) { take(std::move(p), node, 1, "false"); };
  if (node.kind == NodeKind::look_locked) {
    const Id id = static_cast<Id>(node.lock);
    const bool any = node.mode == dsl::LockMode::any;
    const Held* held = path.locks.find(id);
    if (held != nullptr && (any || held->mode == LockMode::write)) return yes(std::move(path));
    const ExprId exclusive = global(context_.layout.lock_global[id]);
    const Id readers = context_.layout.readers[id];
    if (!any || readers == no_id) return split(path, exclusive, yes, no);
    const ExprId reader = exprs_.make(ExprOp::other_pc_in, readers);
    split(path, exclusive, yes, [&](Path p) {
      Path some = p;
      op(some, OpCode::some, 0, 0, 0, reader);
      yes(std::move(some));
      op(p, OpCode::none, 0, 0, 0, reader);
      no(std::move(p));
    });
    return;
  }
  // does some CPU's TLB have it?
  std::vector<std::pair<ExprId, ExprId>> questions;  // (mine, others)
  if (node.kind == NodeKind::look_tlb_place) {
    const Id h = context_.layout.tlb_handle[node.shared];
    const Id l = context_.layout.tlb_local[node.shared];
    if (h != no_id)
      questions.emplace_back(exprs_.lnot(exprs_.make(ExprOp::handle_null, h)),
                             exprs_.lnot(exprs_.make(ExprOp::other_null, h)));
    else
      questions.emplace_back(local(l), exprs_.make(ExprOp::other_local, l));
  } else {
    if (exprs_.value(is_null(path.ref[node.ref])) == 1U) return no(std::move(path));
    const Id h = in_handle(path, node.ref);
    for (std::size_t s = 0; s < context_.model.shared.size(); ++s) {
      const Id tlb = context_.layout.tlb_handle[s];
      if (tlb == no_id) continue;
      const auto& decl = context_.model.shared[s];
      if (context_.model.entries[decl.type.which].slots[decl.tlb->slot].resource != flow_.refs[node.ref].resource)
        continue;
      const ExprId mine = exprs_.land(same({RefValue::Kind::handle, tlb}, path.ref[node.ref]),
                                      exprs_.lnot(exprs_.make(ExprOp::handle_null, tlb)));
      questions.emplace_back(mine, exprs_.make(ExprOp::other_is_mine, tlb, h));
    }
  }
  for (const auto& [mine, others] : questions) {
    if (Path p = path; assume(p, mine, true)) yes(std::move(p));
    Path p = path;
    if (!assume(p, mine, false)) continue;
    op(p, OpCode::some, 0, 0, 0, others);
    yes(std::move(p));
  }
  for (const auto& [mine, others] : questions) {
    if (!assume(path, mine, false)) return;
    op(path, OpCode::none, 0, 0, 0, others);
  }
  no(std::move(path));
}

}  // namespace faultline::step
