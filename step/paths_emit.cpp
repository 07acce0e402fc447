// Lowering: the end of a command. What the next position needs is written to its slots, everything else is cleared.
#include <algorithm>
#include <stdexcept>

#include "fmt/format.h"
#include "step/paths.hpp"

namespace faultline::step {

using dsl::FlowNode;
using dsl::Index;
using dsl::nothing;

void PathBuilder::violation(Path path, Kind kind, std::string message, Span span, std::string name) {
  Command command;
  command.from = from_pc_;
  command.to = from_pc_;
  command.ops = std::move(path.ops);
  command.violation = Violation{kind, std::move(name), std::move(message), span};
  command.span = path.span.known() ? path.span : span;
  command.notes = std::move(path.notes);
  command.covers = std::move(path.covers);
  command.handler = handler_;
  command.starts = from_node_ == nothing;
  command.cost = path.cost;
  command.may_block = path.may_block;
  found_(std::move(command));
}

void PathBuilder::finish(Path path, const FlowNode& node) {
  const std::string& handler = context_.program.handlers[handler_];
  if (!path.locks.held.empty() || path.locks.irqs_off > 0 || path.locks.rcu > 0) {
    std::string what;
    for (const Held& h : path.locks.held) what += (what.empty() ? "" : ", ") + context_.program.locks[h.lock].name;
    if (path.locks.rcu > 0) what += std::string(what.empty() ? "" : ", ") + "the RCU read lock";
    const bool several = path.locks.held.size() + (path.locks.rcu > 0 ? 1U : 0U) > 1;
    if (what.empty())
      return violation(std::move(path), Kind::lock_unbalanced,
                       fmt::format("interrupts are still off when {} returns", handler), node.span);
    return violation(std::move(path), Kind::lock_unbalanced,
                     fmt::format("{} {} still held when {} returns", what, several ? "are" : "is", handler), node.span);
  }
  leave_owned(std::move(path), 0, node.span, [&](Path p) {
    if (!p.stepped) return;  // nothing was done: not a step
    emit(std::move(p), idle_, nothing);
  });
}

void PathBuilder::leave_owned(Path path, std::size_t ref, Span span, const Next& next) {
  if (ref == path.ref.size()) return next(std::move(path));
  const bool holds = exprs_.value(path.credit[ref]) != 0U;
  if (!holds && exprs_.value(path.own[ref]) == 0U) return leave_owned(std::move(path), ref + 1, span, next);
  const std::string& name = flow_.refs[ref].name;
  if (holds)
    return by_credit(path, ref, [&](Path p, std::uint8_t credit) {
      p.credit[ref] = exprs_.constant(0);
      if (credit == 0) return leave_owned(std::move(p), ref, span, next);
      violation(
          std::move(p), Kind::leak,
          fmt::format("{} ends and still holds a reference to the {} in `{}`", context_.program.handlers[handler_],
                      context_.model.resources[flow_.refs[ref].resource].name.text, name),
          span);
    });
  split(
      path, path.own[ref],
      [&](Path p) {
        violation(std::move(p), Kind::leak,
                  fmt::format("{} ends and still owns the {} in `{}`", context_.program.handlers[handler_],
                              context_.model.resources[flow_.refs[ref].resource].name.text, name),
                  span);
      },
      [&](Path p) { leave_owned(std::move(p), ref + 1, span, next); });
}

void PathBuilder::write_back(Path& path, Index target) {
  // ---- locals and ownership bits
  std::map<Id, ExprId> locals;
  std::map<Id, RefValue> handles;
  const auto source_slots = [&](const std::function<void(Id)>& local_slot, const std::function<void(Id)>& handle_slot) {
    if (from_node_ == nothing) return;
    for (std::size_t v = 0; v < flow_.vars.size(); ++v)
      if (live_.vars[from_node_][v]) local_slot(static_cast<Id>(slots_.var[v]));
    for (std::size_t r = 0; r < flow_.refs.size(); ++r) {
      if (!live_.refs[from_node_][r]) continue;
      const Id handle = static_cast<Id>(slots_.ref[r]);
      handle_slot(handle);
      if (context_.layout.credit[handle] != no_id) local_slot(context_.layout.credit[handle]);
      if (live_.own[from_node_][r] == Own::maybe) local_slot(static_cast<Id>(slots_.own[r]));
    }
  };
  source_slots([&](Id slot) { locals[slot] = exprs_.constant(0); }, [&](Id slot) { handles[slot] = {}; });
  if (target != nothing) {
    for (std::size_t v = 0; v < flow_.vars.size(); ++v)
      if (live_.vars[target][v]) locals[static_cast<Id>(slots_.var[v])] = path.var[v];
    for (std::size_t r = 0; r < flow_.refs.size(); ++r) {
      if (!live_.refs[target][r]) {
        if (exprs_.value(path.own[r]) != 0U || exprs_.value(path.credit[r]) != 0U)
          throw std::logic_error("lowering: a reference that owns is not kept");
        continue;
      }
      const Own own = live_.own[target][r];
      if (const Id credit = context_.layout.credit[slots_.ref[r]]; credit != no_id)
        locals[credit] = path.credit[r];
      else if (exprs_.value(path.credit[r]) != 0U)
        throw std::logic_error("lowering: references are not as analysed");
      handles[static_cast<Id>(slots_.ref[r])] = own == Own::null ? RefValue{} : path.ref[r];
      if (own == Own::maybe) locals[static_cast<Id>(slots_.own[r])] = path.own[r];
      if ((own == Own::borrowed || own == Own::null) && exprs_.value(path.own[r]) != 0U)
        throw std::logic_error("lowering: ownership is not as analysed");
    }
  }
  std::erase_if(locals, [&](const auto& item) { return item.second == local(item.first); });
  const auto reads_local = [&](ExprId e, Id slot) {
    return exprs_.reads(e, [&](const Expr& x) { return x.op == ExprOp::local && x.a == slot; });
  };
  while (!locals.empty()) {  // in an order in which nothing is overwritten before it is read
    auto pick = locals.end();
    for (auto it = locals.begin(); it != locals.end() && pick == locals.end(); ++it) {
      bool free = true;
      for (const auto& [slot, e] : locals)
        if (slot != it->first && reads_local(e, it->first)) free = false;
      if (free) pick = it;
    }
    if (pick == locals.end()) {  // a cycle: keep one old value aside
      const Id slot = locals.begin()->first;
      const Id scratch = static_cast<Id>(scratch_base + path.scratch_locals++);
      op(path, OpCode::set_local, scratch, 0, 0, local(slot));
      const std::function<ExprId(ExprId)> replace = [&](ExprId e) -> ExprId {
        if (!reads_local(e, slot)) return e;
        const Expr x = exprs_.at(e);
        if (x.op == ExprOp::local) return local(scratch);
        if (x.op == ExprOp::in) return exprs_.in(replace(x.a), x.value);
        if (x.op == ExprOp::lnot) return exprs_.lnot(replace(x.a));
        if (x.op == ExprOp::land) return exprs_.land(replace(x.a), replace(x.b));
        return exprs_.binary(x.op, replace(x.a), replace(x.b));
      };
      for (auto& [other, e] : locals) e = replace(e);
      continue;
    }
    op(path, OpCode::set_local, pick->first, 0, 0, pick->second);
    locals.erase(pick);
  }
  for (Id s = 0; s < path.scratch_locals; ++s)
    op(path, OpCode::set_local, static_cast<Id>(scratch_base + s), 0, 0, exprs_.constant(0));

  // ---- handles
  using K = RefValue::Kind;
  std::erase_if(handles,
                [](const auto& item) { return item.second.kind == K::handle && item.second.id == item.first; });
  while (!handles.empty()) {
    auto pick = handles.end();
    for (auto it = handles.begin(); it != handles.end() && pick == handles.end(); ++it) {
      bool free = true;
      for (const auto& [slot, value] : handles)
        if (slot != it->first && value.kind == K::handle && value.id == it->first) free = false;
      if (free) pick = it;
    }
    if (pick == handles.end()) {
      const Id slot = handles.begin()->first;
      const Id scratch = static_cast<Id>(scratch_base + path.scratch_handles++);
      op(path, OpCode::handle_from_handle, scratch, slot);
      for (auto& [other, value] : handles)
        if (value.kind == K::handle && value.id == slot) value.id = scratch;
      continue;
    }
    const auto [slot, value] = *pick;
    if (value.kind == K::null) op(path, OpCode::clear_handle, slot);
    if (value.kind == K::handle) op(path, OpCode::handle_from_handle, slot, value.id);
    if (value.kind == K::place) op(path, OpCode::handle_from_place, slot, value.id);
    handles.erase(pick);
  }
  for (Id s = 0; s < path.scratch_handles; ++s) op(path, OpCode::clear_handle, static_cast<Id>(scratch_base + s));
}

void PathBuilder::emit(Path path, Id to, Index target) {
  write_back(path, target);
  Command command;
  command.from = from_pc_;
  command.to = to;
  command.ops = std::move(path.ops);
  command.span = path.span;
  command.notes = std::move(path.notes);
  command.handler = handler_;
  command.starts = from_node_ == nothing;
  command.ends = target == nothing;
  command.may_block = path.may_block;
  command.cost = path.cost;
  command.covers = std::move(path.covers);
  found_(std::move(command));
}

}  // namespace faultline::step
