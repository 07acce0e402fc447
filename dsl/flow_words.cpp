// Flow builder: the words of the vocabulary: locks, checks, waits, TLB, counters.
#include <algorithm>

#include "dsl/flow_build.hpp"

namespace faultline::dsl {

void FlowBuilder::assertion(const Expr& e, bool negated) {
  std::string message = negated ? fmt::format("{}({})", e.text, print(*e.kids[0])) : print(*e.kids[0]);
  if (e.kids.size() > 1) {
    if (e.kids[1]->kind != ExprKind::string)
      fail("FL0302", e.kids[1]->span, "the message of an assertion is a text in quotes", {},
           {fmt::format("write `{}({}, \"{}\")`", e.text, print(*e.kids[0]), print(*e.kids[1]))});
    message = e.kids[1]->text;
  }
  const Index before_nodes = static_cast<Index>(flow_.nodes.size());
  auto [yes, no] = condition(*e.kids[0]);
  if (negated) std::swap(yes, no);
  // the last look of the assertion is shown as the assertion itself
  for (Index i = before_nodes; i < flow_.nodes.size(); ++i)
    if (flow_.nodes[i].two_ways() && !flow_.nodes[i].text.empty())
      flow_.nodes[i].text = fmt::format("{}({})", e.text, flow_.nodes[i].text);
  open_ = no;
  FlowNode node;
  node.kind = NodeKind::fail;
  node.span = e.span;
  node.message = message;
  emit(node);
  open_ = yes;
}

FlowValue FlowBuilder::builtin(const Word& word, const Expr& e, bool statement) {
  const auto arguments = real_arguments(e);
  const auto count = [&](std::size_t low, std::size_t high) {
    if (arguments.size() < low || arguments.size() > high)
      fail("FL0207", e.span,
           fmt::format("{} takes {} argument{}, {} given", e.text, low, low == 1 ? "" : "s", arguments.size()));
  };
  if (!statement && !word.value)
    fail("FL0307", e.span, fmt::format("{} is a statement and has no value", e.text), {},
         {fmt::format("write `{};` on its own", print(e))});
  FlowNode node;
  node.span = e.span;
  node.text = print(e);
  switch (word.builtin) {
    case Builtin::transparent: count(1, 1); return value(*arguments[0]);
    case Builtin::load: {
      count(1, 1);
      const Expr& argument = bare(*arguments[0]);
      if (argument.kind == ExprKind::star) return load(target(*argument.kids[0], true), e);
      return load(target(argument, true), e);
    }
    case Builtin::store:
    case Builtin::exchange: {
      if (word.builtin == Builtin::store && !statement) fail("FL0307", e.span, fmt::format("{} has no value", e.text));
      count(2, 2);
      const Expr& named = bare(*arguments[0]);
      const Target to = target(named.kind == ExprKind::star ? *named.kids[0] : named, true);
      if (word.builtin == Builtin::store) {
        const FlowValue v = coerce(*arguments[1], to.type);
        last_load_ = nothing;
        store_value(to, v, e.span, node.text);
        return FlowValue{};
      }
      const FlowValue v = coerce(*arguments[1], to.type);
      FlowNode begin;
      begin.kind = NodeKind::atomic_begin;
      begin.span = e.span;
      if (atomic_++ == 0) emit(begin);
      const FlowValue old = load(to, e);
      store_value(to, v, e.span, node.text);
      begin.kind = NodeKind::atomic_end;
      if (--atomic_ == 0) emit(begin);
      last_load_ = nothing;
      return old;
    }
    case Builtin::compare_exchange: {
      count(3, 3);
      const Expr& named = bare(*arguments[0]);
      const Target to = target(named.kind == ExprKind::star ? *named.kids[0] : named, true);
      const Type type = to.type;
      const FlowValue expected_old = coerce(*arguments[1], type);
      const FlowValue replacement = coerce(*arguments[2], type);
      FlowNode begin;
      begin.kind = NodeKind::atomic_begin;
      begin.span = e.span;
      if (atomic_++ == 0) emit(begin);
      const FlowValue old = load(to, e);
      FlowExprPtr same =
          type.kind == TypeKind::resource ? nullptr : flow_binary(FlowExprKind::eq, old.scalar, expected_old.scalar);
      for (std::size_t i = 0; i < old.refs.size(); ++i) {
        const Index b = expected_old.null || i >= expected_old.refs.size() ? nothing : expected_old.refs[i];
        const FlowExprPtr one = b == nothing ? flow_ref_null(old.refs[i]) : flow_refs_equal(old.refs[i], b);
        same = same ? flow_binary(FlowExprKind::land, same, one) : one;
      }
      FlowNode branch;
      branch.kind = NodeKind::branch;
      branch.span = e.span;
      branch.expr = same;
      branch.text = node.text;
      const Index id = emit(branch);
      open_ = {{id, 0}};
      store_value(to, replacement, e.span, "");
      open_.push_back({id, 1});
      begin.kind = NodeKind::atomic_end;
      if (--atomic_ == 0) emit(begin);
      last_load_ = nothing;
      return old;
    }
    case Builtin::lock:
    case Builtin::unlock:
    case Builtin::downgrade:
    case Builtin::trylock:
      if (word.builtin == Builtin::trylock && !statement) return from_condition(e);
      return lock_word(word, e, statement);
    case Builtin::synchronize_rcu:
      rcu_domain(arguments);
      not_in_atomic(e.text, e.span);
      node.kind = NodeKind::grace_begin;
      emit(node);
      node.kind = NodeKind::grace_end;
      node.text += " done";
      emit(node);
      return FlowValue{};
    case Builtin::seq_write_begin:
    case Builtin::seq_write_end:
    case Builtin::seq_read_begin:
    case Builtin::seq_read_retry: return sequence_word(word, e);
    case Builtin::irq_off:
    case Builtin::irq_on:
    case Builtin::rcu_lock:
    case Builtin::rcu_unlock:
      if (word.builtin == Builtin::rcu_lock || word.builtin == Builtin::rcu_unlock) rcu_domain(arguments);
      not_in_atomic(e.text, e.span);
      node.kind = word.builtin == Builtin::irq_off    ? NodeKind::irq_off
                  : word.builtin == Builtin::irq_on   ? NodeKind::irq_on
                  : word.builtin == Builtin::rcu_lock ? NodeKind::rcu_lock
                                                      : NodeKind::rcu_unlock;
      emit(node);
      return FlowValue{};
    case Builtin::barrier: return FlowValue{};  // nothing to order under sequential consistency
    case Builtin::may_sleep:
      not_in_atomic(e.text, e.span);
      node.kind = NodeKind::sleep;
      emit(node);
      return FlowValue{};
    case Builtin::assertion:
      if (e.kids.empty() || e.kids.size() > 2)
        fail("FL0207", e.span, fmt::format("assert takes a condition and maybe a text, {} given", e.kids.size()), {},
             {"write `assert(CONDITION, \"what is wrong otherwise\");`"});
      assertion(e, false);
      return FlowValue{};
    case Builtin::assertion_not:
      if (e.kids.size() != 1)
        fail("FL0207", e.span, fmt::format("{} takes a condition, {} given", e.text, e.kids.size()), {},
             {"for a text of your own write `assert(!CONDITION, \"what is wrong\");`"});
      assertion(e, true);
      return FlowValue{};
    case Builtin::wait_event: {
      count(1, 1);
      not_in_atomic("wait_event", e.span);
      std::vector<const Expr*> found;
      stars(*arguments[0], found, true);
      if (found.size() > 1)
        fail("FL0301", found[1]->span, "two shared accesses in one wait_event",
             {"its condition is one atomic look, so it holds one star"},
             {fmt::format("wait for one and look at the other behind it, in a loop if need be")},
             {{found[0]->span, "the first one"}});
      node.kind = NodeKind::atomic_begin;
      node.waits = true;
      emit(node);
      ++atomic_;
      const auto [yes, no] = condition(*arguments[0]);
      --atomic_;
      open_ = no;
      FlowNode stop;
      stop.kind = NodeKind::block;
      stop.span = e.span;
      emit(stop);
      open_ = yes;
      FlowNode end;
      end.kind = NodeKind::atomic_end;
      end.span = e.span;
      emit(end);
      return FlowValue{};
    }
    case Builtin::touch:
    case Builtin::flush_tlb: {
      if (word.builtin == Builtin::touch && arguments.size() == 2)
        fail("FL0313", e.span, "touch(place, write) is not supported yet",
             {"it comes with the stage \"Numbers, TLBs and objects\""});
      count(1, 1);
      const Index shared = place(*arguments[0], true);
      const SharedDecl& decl = model_.shared[shared];
      if (!decl.tlb)
        fail("FL0205", arguments[0]->span, fmt::format("no TLB caches `{}`", decl.name.text), {},
             {fmt::format("say what it caches: `tlb {} in STATE, …;`", decl.name.text)},
             {{decl.name.span, "declared here"}});
      not_in_atomic(e.text, e.span);
      node.shared = shared;
      node.kind = word.builtin == Builtin::touch ? NodeKind::touch : NodeKind::flush_send;
      emit(node);
      if (word.builtin == Builtin::flush_tlb) {
        node.kind = NodeKind::flush_wait;
        node.text += " done";
        emit(node);
      }
      return FlowValue{};
    }
    case Builtin::is_locked:
    case Builtin::is_write_locked:
    case Builtin::tlb_cached:
    case Builtin::running: {
      if (statement) fail("FL0316", e.span, "this statement has no effect", {}, {"test it: `if (…)` or `assert(…)`"});
      return from_condition(e);
    }
    case Builtin::atomic_inc:
    case Builtin::atomic_dec:
    case Builtin::atomic_dec_and_test:
    case Builtin::atomic_inc_not_zero:
    case Builtin::atomic_read:
    case Builtin::atomic_set: return counter_word(word, e, statement);
    case Builtin::clear:
    case Builtin::unsupported:
      fail("FL0313", e.span, fmt::format("`{}` is not supported yet", e.text),
           {"it comes with the stage \"Numbers, TLBs and objects\""});
  }
  fail("FL0313", e.span, fmt::format("`{}` is not supported", e.text));
}

// `rcu_read_lock()`, or with the name that the model gives to RCU.
void FlowBuilder::rcu_domain(const std::vector<const Expr*>& arguments) {
  if (arguments.empty()) return;
  const Expr& e = bare(*arguments.front());
  if (e.kind == ExprKind::address) return rcu_domain({e.kids[0].get()});
  std::vector<std::string> known;
  for (const Ident& name : model_.rcu) known.push_back(name.text);
  if (arguments.size() > 1 || e.kind != ExprKind::name)
    fail("FL0207", e.span, "this takes the name of an RCU domain, or nothing", {}, {"leave it out: there is one RCU"});
  if (std::find(known.begin(), known.end(), e.text) == known.end())
    unknown_name({e.text, e.span}, "RCU domain", known, "FL0201", "RCU domains");
}

FlowValue FlowBuilder::lock_word(const Word& word, const Expr& e, bool statement) {
  // spin_lock_irqsave(lock, flags): `flags` is opaque or undeclared, and only the lock counts
  if (e.kids.empty() || (e.kids.size() > 1 && !word.irqs)) {
    std::vector<std::string> known;
    for (const auto& l : model_.locks) known.push_back(l.name.text);
    fail("FL0207", e.span, fmt::format("{} takes one lock, {} given", e.text, e.kids.size()),
         {fmt::format("locks: {}", fmt::join(known, ", "))});
  }
  const Index lock = lock_place(*e.kids[0]);
  const LockDecl& decl = model_.locks[lock];
  const auto kind_name = [](LockKind kind) {
    return kind == LockKind::spinlock ? "spinlock" : kind == LockKind::mutex ? "mutex" : "rwsem";
  };
  const LockKind wanted = word.way == LockWay::spin    ? LockKind::spinlock
                          : word.way == LockWay::mutex ? LockKind::mutex
                                                       : LockKind::rwsem;
  if (decl.kind != wanted) {
    const bool taking = word.builtin != Builtin::unlock;
    const std::string better = decl.kind == LockKind::spinlock ? (taking ? "spin_lock" : "spin_unlock")
                               : decl.kind == LockKind::mutex  ? (taking ? "mutex_lock" : "mutex_unlock")
                               : taking                        ? "down_read or down_write"
                                                               : "up_read or up_write";
    fail(
        "FL0205", e.kids[0]->span,
        fmt::format("`{}` is a {}, and {} wants a {}", decl.name.text, kind_name(decl.kind), e.text, kind_name(wanted)),
        {}, {fmt::format("use {}", better)}, {{decl.name.span, "declared here"}});
  }
  not_in_atomic(word.builtin == Builtin::unlock ? "an unlock" : "taking a lock", e.span);
  FlowNode node;
  node.span = e.span;
  node.text = print(e);
  node.lock = lock;
  node.irqs = word.irqs;
  node.mode = word.way == LockWay::read ? LockMode::read : LockMode::write;
  node.kind = word.builtin == Builtin::lock        ? NodeKind::lock
              : word.builtin == Builtin::unlock    ? NodeKind::unlock
              : word.builtin == Builtin::downgrade ? NodeKind::downgrade
                                                   : NodeKind::trylock;
  const Index id = emit(node);
  if (word.builtin != Builtin::trylock) return FlowValue{};
  if (!statement) return FlowValue{};  // leaf() takes both ways
  open_.push_back({id, 1});
  return FlowValue{};
}

// atomic_inc(p) and friends on a shared int: load and store in one step.
FlowValue FlowBuilder::counter_word(const Word& word, const Expr& e, bool statement) {
  const auto arguments = real_arguments(e);
  const std::size_t wanted = word.builtin == Builtin::atomic_set ? 2 : 1;
  if (arguments.size() != wanted)
    fail("FL0207", e.span, fmt::format("{} takes {} argument{}", e.text, wanted, wanted == 1 ? "" : "s"));
  const Target counter = target(*arguments[0], true);
  const Type type = counter.type;
  if (type.kind == TypeKind::references) return reference_word(word, counter, e, statement);
  if (type.kind != TypeKind::integer)
    fail("FL0302", arguments[0]->span, fmt::format("{} needs a shared int", e.text),
         {fmt::format("`{}` is `{}`", counter.name.text, model_.type_name(type))}, {},
         {{counter.name.span, "declared here"}});
  if (word.builtin == Builtin::atomic_read) return load(counter, e);
  if (word.builtin == Builtin::atomic_set) {
    store_value(counter, coerce(*arguments[1], type), e.span, print(e));
    return FlowValue{};
  }
  const bool outermost = atomic_++ == 0;
  FlowNode begin;
  begin.kind = NodeKind::atomic_begin;
  begin.span = e.span;
  if (outermost) emit(begin);
  const FlowValue old = load(counter, e);
  last_load_ = nothing;
  const bool up = word.builtin == Builtin::atomic_inc || word.builtin == Builtin::atomic_inc_not_zero;
  FlowValue next;
  next.type = type;
  next.scalar = flow_binary(up ? FlowExprKind::add : FlowExprKind::sub, old.scalar, flow_constant(1));
  FlowValue result;
  result.type = {TypeKind::boolean, nothing, 1};
  Edges skipped;
  if (word.builtin == Builtin::atomic_inc_not_zero) {
    FlowNode branch;
    branch.kind = NodeKind::branch;
    branch.span = e.span;
    branch.expr = flow_binary(FlowExprKind::eq, old.scalar, flow_constant(0));
    const Index id = emit(branch);
    skipped = {{id, 0}};
    open_ = {{id, 1}};
    result.scalar = flow_not(flow_binary(FlowExprKind::eq, old.scalar, flow_constant(0)));
  }
  if (up)
    guard_range(next.scalar, type.high, e.span);
  else
    guard_range(flow_binary(FlowExprKind::le, flow_constant(1), old.scalar), 0, e.span);
  store_value(counter, next, e.span, print(e));
  open_.insert(open_.end(), skipped.begin(), skipped.end());
  begin.kind = NodeKind::atomic_end;
  if (--atomic_ == 0) emit(begin);
  if (word.builtin == Builtin::atomic_dec_and_test)
    result.scalar = flow_binary(FlowExprKind::eq, old.scalar, flow_constant(1));
  return result;
}

}  // namespace faultline::dsl
