// Stores to entries on all paths: without the lock of the arrow (FL0410), without an arrow (FL0411), without the flush
// that the arrow asks for (FL0412, a warning: whether a TLB holds something is a matter of the state).
//
// The rule of semantics.md: a store is wrong here only if no possible state of the place allows it, whatever the other
// CPUs do. What a copy says about the place counts only while a lock that the arrow needs was held since it was read.
#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <set>

#include "dsl/protocol_graph.hpp"
#include "fmt/format.h"

namespace faultline::dsl::protocol {

namespace {

std::uint64_t bit(std::uint64_t n) { return std::uint64_t{1} << n; }

// How a store looks in one configuration.
struct Look {
  std::uint64_t to = 0;                    // states that may be stored
  std::uint64_t from = 0;                  // states that the place may be in
  bool legal = false;                      // some pair of the two is allowed
  bool flushes = true;                     // and every allowed pair asks for a flush
  std::vector<const ArrowDecl*> unlocked;  // arrows that only lack a lock
  std::vector<const ArrowDecl*> again;     // what is stored may be there already: arrows out of it, none with its locks
};

class Checker {
 public:
  explicit Checker(const Context& context) : context_(context), reader_(context.model, context.flow) {}

  void run() {
    for (Index n = 0; n < context_.flow.nodes.size(); ++n) {
      const FlowNode& node = context_.node(n);
      if (node.kind != NodeKind::store || node.object != nothing || context_.graph.at[n].empty()) continue;
      if (context_.model.shared[node.shared].type.kind == TypeKind::entry) store(n, node);
    }
  }

 private:
  [[nodiscard]] const SharedDecl& place(const FlowNode& node) const { return context_.model.shared[node.shared]; }
  [[nodiscard]] const EntryDecl& entry(const FlowNode& node) const {
    return context_.model.entries[place(node).type.which];
  }

  [[nodiscard]] std::string names(const EntryDecl& entry, std::uint64_t states, const char* last = "and") const {
    std::vector<std::string> list;
    for (std::size_t i = 0; i < entry.states.size(); ++i)
      if ((states & bit(i)) != 0) list.push_back(entry.states[i].name.text);
    if (list.empty()) return "none at all";
    std::string text = list.front();
    for (std::size_t i = 1; i < list.size(); ++i)
      text += (i + 1 < list.size() || last == std::string_view(",") ? ", " : fmt::format(" {} ", last)) + list[i];
    return text;
  }

  static bool held(const Facts& f, const LockNeed& need) {
    if (f.locks.is_misused(need.lock)) return true;  // already said
    const HeldLock* h = f.locks.find(need.lock);
    return h != nullptr && (need.mode == LockMode::any || need.mode == h->mode);
  }
  static bool all_held(const Facts& f, const ArrowDecl& arrow) {
    return std::all_of(arrow.locks.begin(), arrow.locks.end(), [&](const LockNeed& need) { return held(f, need); });
  }

  Look look(const FlowNode& node, const Facts& f) const {
    const EntryDecl& e = entry(node);
    Look l;
    l.to = reader_.evaluate(f, *node.expr).mask & e.all();
    for (Index to = 0; to < e.states.size(); ++to) {
      if ((l.to & bit(to)) == 0) continue;
      const std::uint64_t from = reader_.states(f, node.shared, to);
      l.from |= from;
      for (Index s = 0; s < e.states.size(); ++s) {
        if ((from & bit(s)) == 0) continue;
        if (const ArrowDecl* arrow = e.arrow(s, to); arrow != nullptr) {
          if (all_held(f, *arrow)) {
            l.legal = true;
            l.flushes = l.flushes && arrow->after_flush;
          } else if (std::find(l.unlocked.begin(), l.unlocked.end(), arrow) == l.unlocked.end()) {
            l.unlocked.push_back(arrow);
          }
        }
        if (s != to) continue;  // an equal value: with the locks of any arrow out of the state
        bool any = false;
        bool allowed = false;
        for (const ArrowDecl& a : e.arrows)
          if (a.from == s) {
            any = true;
            allowed = allowed || all_held(f, a);
          }
        if (!any || allowed) {
          l.legal = true;
          l.flushes = false;
        } else {
          for (const ArrowDecl& a : e.arrows)
            if (a.from == s) l.again.push_back(&a);
        }
      }
    }
    return l;
  }

  void store(Index n, const FlowNode& node) {
    bool legal = false;
    bool flushes = true;
    bool flushed = false;
    std::vector<const ArrowDecl*> unlocked;
    std::vector<const ArrowDecl*> again;
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    for (const Index c : context_.graph.at[n]) {
      const Facts& f = context_.config(c).facts;
      const Look l = look(node, f);
      legal = legal || l.legal;
      flushes = flushes && l.legal && l.flushes;
      flushed = flushed || (f.flushed & bit(node.shared)) != 0;
      from |= l.from;
      to |= l.to;
      for (const ArrowDecl* a : l.unlocked)
        if (std::find(unlocked.begin(), unlocked.end(), a) == unlocked.end()) unlocked.push_back(a);
      for (const ArrowDecl* a : l.again)
        if (std::find(again.begin(), again.end(), a) == again.end()) again.push_back(a);
    }
    if (legal) {
      if (flushes && !flushed && place(node).tlb) flush(node, from, to);
    } else if (!unlocked.empty()) {
      without_lock(n, node, unlocked, false);
    } else if (from == to && std::popcount(to) == 1 && !again.empty()) {
      without_lock(n, node, again, true);
    } else {
      without_arrow(n, node, from, to);
    }
  }

  [[nodiscard]] std::string arrow_text(const EntryDecl& e, const ArrowDecl& a) const {
    return fmt::format("`{} -> {}`", e.states[a.from].name.text, e.states[a.to].name.text);
  }
  [[nodiscard]] std::string list(const EntryDecl& e, const std::vector<const ArrowDecl*>& arrows) const {
    std::string text;
    for (std::size_t i = 0; i < arrows.size(); ++i)
      text += (i == 0 ? "" : i + 1 < arrows.size() ? ", " : " and ") + arrow_text(e, *arrows[i]);
    return text;
  }

  // ---------------------------------------------------------------- FL0410

  void without_lock(Index n, const FlowNode& node, const std::vector<const ArrowDecl*>& arrows, bool again) {
    const EntryDecl& e = entry(node);
    // what each of these arrows asks for and no path has
    std::vector<LockNeed> missing;
    std::vector<LockNeed> asked;
    const auto add = [](std::vector<LockNeed>& to, const LockNeed& need) {
      if (std::find(to.begin(), to.end(), need) == to.end()) to.push_back(need);
    };
    for (const ArrowDecl* a : arrows)
      for (const LockNeed& need : a->locks) {
        add(asked, need);
        if (!std::any_of(context_.graph.at[n].begin(), context_.graph.at[n].end(),
                         [&](Index c) { return held(context_.config(c).facts, need); }))
          add(missing, need);
      }
    const bool together = missing.empty();
    const auto& wanted = together ? asked : missing;
    std::string what;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      what += (i == 0                  ? ""
               : i + 1 < wanted.size() ? ", "
                                       : " and ") +
              context_.lock_text(wanted[i].lock, wanted[i].mode);
    const bool several = wanted.size() > 1;
    std::vector<Related> related;
    for (const ArrowDecl* a : arrows) {
      const Span span = a->under_span.known() ? a->under_span : a->span;
      const bool seen = std::any_of(related.begin(), related.end(), [&](const Related& r) { return r.span == span; });
      if (!seen && related.size() < 3) related.push_back({span, "the arrow asks for it"});
    }
    const LockNeed& first = wanted.front();
    const LockDecl& lock = context_.model.locks[first.lock];
    const char* word = lock.kind == LockKind::spinlock ? "spin_lock"
                       : lock.kind == LockKind::mutex  ? "mutex_lock"
                       : first.mode == LockMode::write ? "down_write"
                                                       : "down_read";
    // what sleeps is taken before a spinlock
    Index inner = nothing;
    for (const HeldLock& h : context_.config(context_.graph.at[n].front()).facts.locks.held)
      if (lock.kind != LockKind::spinlock && context_.model.locks[h.lock].kind == LockKind::spinlock) inner = h.lock;
    const bool other_mode = context_.all(n, [&](const Facts& f) { return f.locks.find(first.lock) != nullptr; });
    const std::string help =
        other_mode ? fmt::format("take it with {}", word)
        : inner != nothing
            ? fmt::format("take it before {}: `{}({});`", context_.model.locks[inner].name.text, word, lock.name.text)
            : fmt::format("take it first: `{}({});`", word, lock.name.text);
    context_.diagnostics.add({Severity::error,
                              "FL0410",
                              node.span,
                              again ? fmt::format("storing `{}` again needs the lock of an arrow out of it: {}",
                                                  e.states[arrows.front()->from].name.text, what)
                                    : fmt::format("{} {} {}, which {} not {}held here", list(e, arrows),
                                                  arrows.size() > 1 ? "need" : "needs", what, several ? "are" : "is",
                                                  together ? "together " : ""),
                              related,
                              {fmt::format("held here: {}", context_.held_text(n))},
                              {help}});
  }

  // ---------------------------------------------------------------- FL0411

  void without_arrow(Index n, const FlowNode& node, std::uint64_t from, std::uint64_t to) {
    const EntryDecl& e = entry(node);
    const std::string& shared = place(node).name.text;
    const bool known = from != reader_.reachable(node.shared);
    std::string message;
    if (std::popcount(from) == 1 && std::popcount(to) == 1)
      message = fmt::format("{} has no arrow `{} -> {}`", e.name.text, names(e, from), names(e, to));
    else if (known)
      message = fmt::format("{} has no arrow from {} to {}", e.name.text, names(e, from, "or"), names(e, to, "or"));
    else
      message = fmt::format("{} has no arrow to {}", e.name.text, names(e, to, "or"));
    std::vector<std::string> notes;
    if (known) notes.push_back(fmt::format("the {} is {} here{}", shared, names(e, from, "or"), why(n, node)));
    if (std::popcount(from) == 1) {
      std::uint64_t out = 0;
      for (const ArrowDecl& a : e.arrows)
        if ((from & bit(a.from)) != 0) out |= bit(a.to);
      const std::string text =
          fmt::format("the arrows out of {} are: {}", names(e, from), out == 0 ? "none at all" : names(e, out, ","));
      if (notes.empty())
        notes.push_back(text);
      else
        notes.back() += "; " + text;
    } else {
      std::uint64_t in = 0;
      for (const ArrowDecl& a : e.arrows)
        if ((to & bit(a.to)) != 0) in |= bit(a.from);
      notes.push_back(in == 0 ? fmt::format("no arrow leads to {}", names(e, to, "or"))
                              : fmt::format("arrows to {} come from: {}", names(e, to, "or"), names(e, in, ",")));
    }
    std::string help = fmt::format("add the arrow to `entry {}`", e.name.text);
    if (std::popcount(from) == 1 && std::popcount(to) == 1)
      if (const auto way =
              through(e, static_cast<Index>(std::countr_zero(from)), static_cast<Index>(std::countr_zero(to)));
          !way.empty()) {
        std::string states;
        for (std::size_t i = 0; i < way.size(); ++i)
          states += fmt::format("{}`{}`",
                                i == 0               ? ""
                                : i + 1 < way.size() ? ", "
                                                     : " and ",
                                e.states[way[i]].name.text);
        help = fmt::format("go through {}, or {}", states, help);
      }
    context_.diagnostics.add({Severity::error, "FL0411", node.span, message, {}, notes, {help}});
  }

  // " (read under page_table_lock, still held)", if that is so on all paths.
  [[nodiscard]] std::string why(Index n, const FlowNode& node) const {
    std::uint64_t locks = ~std::uint64_t{0};
    bool atomic = true;
    bool stored = false;
    for (const Index c : context_.graph.at[n]) {
      std::uint64_t mine = 0;
      bool one_step = false;
      for (const Knowledge& k : context_.config(c).facts.known)
        if (k.shared == node.shared) {
          mine |= k.locks;
          one_step = one_step || k.atomic;
          stored = stored || k.stored;
        }
      locks &= mine;
      atomic = atomic && one_step;
    }
    if (atomic) return " (in the same atomic step)";
    for (Index l = 0; l < context_.model.locks.size(); ++l) {
      const bool asked = std::any_of(entry(node).arrows.begin(), entry(node).arrows.end(), [&](const ArrowDecl& a) {
        return std::any_of(a.locks.begin(), a.locks.end(), [&](const LockNeed& need) { return need.lock == l; });
      });
      if ((locks & bit(l)) != 0 && asked)
        return fmt::format(" ({} under {}, still held)", stored ? "stored" : "read", context_.model.locks[l].name.text);
    }
    return "";
  }

  // The states between the two on the shortest way over arrows, if there is one that keeps what both have, over such
  // states only; empty if there is none.
  static std::vector<Index> through(const EntryDecl& e, Index from, Index to) {
    std::uint64_t keep = e.all();
    for (Index slot = 0; slot < e.slots.size(); ++slot)
      if ((e.with_slot(slot) & bit(from)) != 0 && (e.with_slot(slot) & bit(to)) != 0) keep &= e.with_slot(slot);
    const auto way = through(e, from, to, keep);
    return way.empty() ? through(e, from, to, e.all()) : way;
  }

  static std::vector<Index> through(const EntryDecl& e, Index from, Index to, std::uint64_t over) {
    std::map<Index, Index> before;
    std::deque<Index> work = {from};
    while (!work.empty()) {
      const Index s = work.front();
      work.pop_front();
      for (const ArrowDecl& a : e.arrows) {
        if (a.from != s || a.to == from || before.contains(a.to) || (over & bit(a.to)) == 0) continue;
        before[a.to] = s;
        work.push_back(a.to);
      }
    }
    std::vector<Index> way;
    if (!before.contains(to)) return way;
    for (Index s = before[to]; s != from; s = before[s]) way.push_back(s);
    std::reverse(way.begin(), way.end());
    return way;
  }

  // ---------------------------------------------------------------- FL0412

  void flush(const FlowNode& node, std::uint64_t from, std::uint64_t to) {
    const EntryDecl& e = entry(node);
    std::vector<const ArrowDecl*> arrows;
    for (const ArrowDecl& a : e.arrows)
      if (a.after_flush && (from & bit(a.from)) != 0 && (to & bit(a.to)) != 0) arrows.push_back(&a);
    std::vector<Related> related;
    for (const ArrowDecl* a : arrows) {
      const Span span = a->flush_span.known() ? a->flush_span : a->span;
      const bool seen = std::any_of(related.begin(), related.end(), [&](const Related& r) { return r.span == span; });
      if (!seen && related.size() < 3) related.push_back({span, "the arrow asks for it"});
    }
    const std::string& shared = place(node).name.text;
    context_.diagnostics.add(
        {Severity::warning,
         "FL0412",
         node.span,
         fmt::format("{} must come after a flush of {}", list(e, arrows), shared),
         related,
         {fmt::format("{} has not flushed {} since its last store there", context_.handler(), shared)},
         {fmt::format("put `flush_tlb({});` before it", shared)}});
  }

  const Context& context_;
  Reader reader_;
};

}  // namespace

void check_stores(const Context& context) { Checker(context).run(); }

}  // namespace faultline::dsl::protocol
