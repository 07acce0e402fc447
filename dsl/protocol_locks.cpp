// Locks on all paths: held at a return (FL0420), sleeping with a spinlock (FL0421), released but not held (FL0422),
// taken twice (FL0423).
#include <algorithm>
#include <set>

#include "dsl/protocol_graph.hpp"
#include "fmt/format.h"

namespace faultline::dsl::protocol {

namespace {

// Something that a CPU holds: a lock, interrupts (off), RCU.
struct Holding {
  Index lock = nothing;  // or irqs_bit, rcu_bit
  LockMode mode = LockMode::write;
  Index taken = nothing;
};

std::vector<Holding> holdings(const Locks& locks) {
  std::vector<Holding> all;
  for (const HeldLock& h : locks.held)
    if (!locks.is_misused(h.lock)) all.push_back({h.lock, h.mode, h.taken});
  if (locks.irqs_off > 0 && !locks.is_misused(irqs_bit)) all.push_back({irqs_bit, LockMode::write, locks.irqs_taken});
  if (locks.rcu > 0 && !locks.is_misused(rcu_bit)) all.push_back({rcu_bit, LockMode::write, locks.rcu_taken});
  return all;
}

const Holding* find(const std::vector<Holding>& all, Index lock) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const Holding& h) { return h.lock == lock; });
  return it == all.end() ? nullptr : &*it;
}

// What all configurations of a node hold, the one taken last in front.
std::vector<Holding> held_by_all(const Context& context, Index n) {
  std::vector<Holding> common;
  bool first = true;
  for (const Index c : context.graph.at[n]) {
    const auto here = holdings(context.config(c).facts.locks);
    if (first) common = here;
    first = false;
    std::erase_if(common, [&](const Holding& h) { return find(here, h.lock) == nullptr; });
  }
  std::stable_sort(common.begin(), common.end(), [](const Holding& a, const Holding& b) { return a.taken > b.taken; });
  return common;
}

class Checker {
 public:
  explicit Checker(const Context& context) : context_(context) {}

  void run() {
    for (Index n = 0; n < context_.flow.nodes.size(); ++n) {
      if (context_.graph.at[n].empty()) continue;
      const FlowNode& node = context_.node(n);
      switch (node.kind) {
        case NodeKind::lock: taken(n, node); break;
        case NodeKind::unlock:
        case NodeKind::downgrade: released(n, node); break;
        case NodeKind::irq_on: ended(n, node, irqs_bit); break;
        case NodeKind::rcu_unlock: ended(n, node, rcu_bit); break;
        case NodeKind::grace_begin:
        case NodeKind::sleep: sleeps(n, node); break;
        case NodeKind::atomic_begin:
          if (node.waits) sleeps(n, node);
          break;
        case NodeKind::finish: returns(n, node); break;
        default: break;
      }
    }
    returns_inside();
  }

 private:
  void report(std::string code, Span span, std::string message, std::vector<Related> related,
              std::vector<std::string> notes, std::vector<std::string> helps) {
    context_.diagnostics.add({Severity::error, std::move(code), span, std::move(message), std::move(related),
                              std::move(notes), std::move(helps)});
  }

  [[nodiscard]] std::string name(const Holding& h) const {
    if (h.lock == irqs_bit) return "interrupts";
    if (h.lock == rcu_bit) return "the RCU read lock";
    return context_.model.locks[h.lock].name.text;
  }
  // As a list of what is held shows it.
  [[nodiscard]] std::string text(const Holding& h) const {
    if (h.lock == irqs_bit) return "interrupts off";
    if (h.lock == rcu_bit) return "the RCU read lock";
    return context_.lock_text(h.lock, h.mode);
  }
  [[nodiscard]] std::vector<Related> where(const Holding& h) const {
    if (h.taken == nothing) return {};
    return {{context_.node(h.taken).span, h.lock == irqs_bit ? "turned off here" : "taken here"}};
  }
  [[nodiscard]] std::string release(const Holding& h) const {
    if (h.taken != nothing) {  // the word that goes with the one it was taken with
      const std::string& word = context_.node(h.taken).text;
      const auto open = word.find('(');
      const std::string verb = word.substr(0, open);
      static const std::vector<std::pair<std::string_view, std::string_view>> pairs = {
          {"spin_lock_irqsave", "spin_unlock_irqrestore"},
          {"spin_lock_irq", "spin_unlock_irq"},
          {"local_irq_save", "local_irq_restore"},
          {"local_irq_disable", "local_irq_enable"},
          {"rcu_read_lock", "rcu_read_unlock"},
          {"spin_lock", "spin_unlock"},
          {"spin_trylock", "spin_unlock"},
          {"mutex_lock", "mutex_unlock"},
          {"mutex_trylock", "mutex_unlock"},
          {"down_read", "up_read"},
          {"down_read_trylock", "up_read"},
          {"down_write", h.mode == LockMode::read ? "up_read" : "up_write"},
          {"down_write_trylock", h.mode == LockMode::read ? "up_read" : "up_write"}};
      for (const auto& [take, give] : pairs)
        if (take == verb && open != std::string::npos) return fmt::format("{}{};", give, word.substr(open));
    }
    if (h.lock == irqs_bit) return "local_irq_enable();";
    if (h.lock == rcu_bit) return "rcu_read_unlock();";
    const LockKind kind = context_.model.locks[h.lock].kind;
    return fmt::format("{}({});",
                       kind == LockKind::spinlock ? "spin_unlock"
                       : kind == LockKind::mutex  ? "mutex_unlock"
                       : h.mode == LockMode::read ? "up_read"
                                                  : "up_write",
                       name(h));
  }

  static std::string verb(const FlowNode& node) { return node.text.substr(0, node.text.find('(')); }

  // ---------------------------------------------------------------- FL0423, FL0421

  void taken(Index n, const FlowNode& node) {
    const bool twice = context_.all(
        n, [&](const Facts& f) { return f.locks.find(node.lock) != nullptr && !f.locks.is_misused(node.lock); });
    const std::string& lock = context_.model.locks[node.lock].name.text;
    if (twice) {
      const Facts& f = context_.config(context_.graph.at[n].front()).facts;
      const HeldLock& held = *f.locks.find(node.lock);
      const bool reading = held.mode == LockMode::read && node.mode == LockMode::read;
      report(
          "FL0423", node.span, fmt::format("{} is taken twice", lock), where({held.lock, held.mode, held.taken}),
          {reading
               ? "a writer that queues up between the two down_read waits for the first, and the second for the writer"
               : "this CPU would wait for itself"},
          {fmt::format("remove one of the two, or put `{}` between them",
                       release({held.lock, held.mode, held.taken}))});
      return;
    }
    if (context_.model.locks[node.lock].kind != LockKind::spinlock) sleeps(n, node);
  }

  [[nodiscard]] bool forbids_sleep(const Holding& h) const {
    return h.lock == irqs_bit || h.lock == rcu_bit || context_.model.locks[h.lock].kind == LockKind::spinlock;
  }

  void sleeps(Index n, const FlowNode& node) {
    const bool all = context_.all(n, [&](const Facts& f) {
      const auto here = holdings(f.locks);
      return std::any_of(here.begin(), here.end(), [&](const Holding& h) { return forbids_sleep(h); });
    });
    if (!all) return;
    auto common = held_by_all(context_, n);
    std::erase_if(common, [&](const Holding& h) { return !forbids_sleep(h); });
    std::stable_sort(common.begin(), common.end(),
                     [](const Holding& a, const Holding& b) { return (a.lock < irqs_bit) > (b.lock < irqs_bit); });
    std::vector<std::string> notes;
    if (common.empty()) {  // one thing here, another there
      for (const Holding& h : holdings(context_.config(context_.graph.at[n].front()).facts.locks))
        if (forbids_sleep(h)) common.push_back(h);
      notes.emplace_back("this is one path; on each other path something else forbids it");
    }
    const Holding& h = common.front();
    const std::string why = h.lock == irqs_bit  ? "interrupts are off"
                            : h.lock == rcu_bit ? "this is an RCU read section"
                                                : fmt::format("spinlock {} is held", name(h));
    std::string others;
    for (std::size_t i = 1; i < common.size(); ++i) others += (i == 1 ? "" : ", ") + text(common[i]);
    if (!others.empty()) notes.push_back("also: " + others);
    report("FL0421", node.span, fmt::format("{} can sleep, but {}", verb(node), why), where(h), notes,
           {fmt::format("put `{}` before it", release(h))});
  }

  // ---------------------------------------------------------------- FL0422

  void released(Index n, const FlowNode& node) {
    const bool none = context_.all(
        n, [&](const Facts& f) { return f.locks.find(node.lock) == nullptr && !f.locks.is_misused(node.lock); });
    const std::string& lock = context_.model.locks[node.lock].name.text;
    if (none) {
      const std::string held = context_.held_text(n);
      const bool down = node.kind == NodeKind::downgrade;
      report("FL0422", node.span, fmt::format("{} is {}, but not held here", lock, down ? "downgraded" : "released"),
             {}, {fmt::format("held here: {}", held)}, {fmt::format("remove this line, or take {} first", lock)});
      return;
    }
    const bool other_mode = context_.all(n, [&](const Facts& f) {
      const HeldLock* held = f.locks.find(node.lock);
      return held != nullptr && held->mode != node.mode && !f.locks.is_misused(node.lock);
    });
    if (!other_mode) return;
    const HeldLock& held = *context_.config(context_.graph.at[n].front()).facts.locks.find(node.lock);
    const bool reading = held.mode == LockMode::read;
    report("FL0422", node.span,
           fmt::format("{} is held for {} here, so {} is wrong", lock, reading ? "reading" : "writing", verb(node)),
           where({held.lock, held.mode, held.taken}), {},
           {node.kind == NodeKind::downgrade ? fmt::format("take it with `down_write({});`, or remove this line", lock)
                                             : fmt::format("write `{}`", release({held.lock, held.mode, held.taken}))});
  }

  void ended(Index n, const FlowNode& node, Index which) {
    const bool none = context_.all(n, [&](const Facts& f) {
      return (which == irqs_bit ? f.locks.irqs_off : f.locks.rcu) == 0 && !f.locks.is_misused(which);
    });
    if (!none) return;
    report("FL0422", node.span,
           fmt::format("{} ends what has not begun: {}", verb(node),
                       which == irqs_bit ? "interrupts are on here" : "this is no RCU read section"),
           {}, {fmt::format("held here: {}", context_.held_text(n))},
           {fmt::format("remove this line, or put `{}` before",
                        which == irqs_bit ? "local_irq_disable();" : "rcu_read_lock();")});
  }

  // ---------------------------------------------------------------- FL0420

  void still_held(const FlowNode& node, const std::vector<Holding>& held) {
    const Holding& h = held.front();
    std::vector<std::string> notes;
    std::string others;
    for (std::size_t i = 1; i < held.size(); ++i) others += (i == 1 ? "" : ", ") + text(held[i]);
    if (!others.empty()) notes.push_back("also held: " + others);
    // interrupts went off with a lock that was then released without them
    const bool on_their_own = h.lock == irqs_bit && h.taken != nothing &&
                              context_.node(h.taken).kind == NodeKind::lock &&
                              find(held, context_.node(h.taken).lock) == nullptr;
    report("FL0420", node.span,
           h.lock == irqs_bit ? fmt::format("interrupts are still off when {} returns", context_.handler())
                              : fmt::format("{} is still held when {} returns", name(h), context_.handler()),
           where(h), notes,
           {on_their_own ? fmt::format("release {} with `{}`",
                                       context_.model.locks[context_.node(h.taken).lock].name.text, release(h))
                         : fmt::format("put `{}` before it", release(h))});
  }

  void returns(Index n, const FlowNode& node) {
    const auto held = held_by_all(context_, n);
    if (held.empty()) return;
    for (const Holding& h : held) reported_.insert({n, h.lock});
    still_held(node, held);
  }

  // A return inside of a called function, after which every path ends with the lock.
  void returns_inside() {
    std::set<std::pair<Index, Index>> behind;  // (configuration, lock): explained by a return before
    for (Index n = 0; n < context_.flow.nodes.size(); ++n) {
      const FlowNode& node = context_.node(n);
      if (!node.returns || context_.graph.at[n].empty()) continue;
      std::vector<Holding> kept;
      for (const Holding& h : held_by_all(context_, n)) {
        if (!taken_by_the_same(n, h)) continue;
        std::vector<const Step*> starts;
        bool explained = true;
        for (const Index c : context_.graph.at[n]) {
          explained = explained && behind.contains({c, h.lock});
          for (const auto& step : context_.config(c).steps) starts.push_back(&step);
        }
        if (explained) continue;
        const auto ends_with_it = [&](const Config& c) {
          return !reported_.contains({c.node, h.lock}) && find(holdings(c.facts.locks), h.lock) != nullptr;
        };
        if (!always(context_.graph, context_.flow, starts, {nullptr, nullptr, ends_with_it})) continue;
        kept.push_back(h);
        mark_behind(starts, h.lock, behind);
      }
      if (!kept.empty()) still_held(node, kept);
    }
  }

  // The lock was taken in the body of the function that the return is of: else the return is not to blame.
  [[nodiscard]] bool taken_by_the_same(Index n, const Holding& h) const {
    if (h.taken == nothing) return false;
    const auto inside = [](const Span& body, const Span& s) {
      return s.file == body.file && body.begin <= s.begin && s.end <= body.end;
    };
    for (const FunctionDecl& f : context_.model.functions)
      if (f.item->body && inside(f.item->body->span, context_.node(n).span))
        return inside(f.item->body->span, context_.node(h.taken).span);
    return true;  // a patched body: not told
  }

  void mark_behind(const std::vector<const Step*>& starts, Index lock,
                   std::set<std::pair<Index, Index>>& behind) const {
    std::vector<Index> work;
    for (const Step* step : starts) work.push_back(step->to);
    while (!work.empty()) {
      const Index c = work.back();
      work.pop_back();
      if (!behind.insert({c, lock}).second) continue;
      for (const Step& step : context_.config(c).steps) work.push_back(step.to);
    }
  }

  const Context& context_;
  std::set<std::pair<Index, Index>> reported_;  // (finish, lock)
};

}  // namespace

void check_locks(const Context& context) { Checker(context).run(); }

}  // namespace faultline::dsl::protocol
