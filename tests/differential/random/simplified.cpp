// The simplifications of a model, counted through from the outside in, and the one that is wanted made.
#include <algorithm>

#include "dsl/patch.hpp"
#include "tests/differential/random/shrink.hpp"

namespace faultline::differential {

namespace {

using dsl::ExprKind;
using dsl::ExprPtr;
using dsl::File;
using dsl::Item;
using dsl::StmtKind;
using dsl::StmtPtr;

class Simplifier {
 public:
  explicit Simplifier(std::size_t wanted) : left_(wanted) {}

  std::optional<File> run(File file) {
    for (const Item& item : file.items)
      if (item.function) functions_.push_back(item.function);
    apply_patches(file);
    for (std::size_t i = 0; i < file.items.size() && !done_; ++i)
      if (hit()) drop_item(file, i);
    for (std::size_t i = 0; i < file.items.size() && !done_; ++i) inside(file.items[i]);
    for (std::size_t i = 0; i < file.items.size() && !done_; ++i)
      if (file.items[i].function) {
        auto function = std::make_shared<dsl::FunctionItem>(*file.items[i].function);
        function->body = inside(function->body);
        file.items[i].function = function;
      }
    if (!done_) return {};
    return file;
  }

 private:
  // Is this the simplification that is wanted?
  bool hit() {
    if (done_ || left_-- > 0) return false;
    return done_ = true;
  }

  void apply_patches(File& file) {
    for (const std::string& variant : dsl::variants(file)) {
      if (variant == "base" || !hit()) continue;
      dsl::Diagnostics diagnostics;
      file = dsl::apply_variant(file, variant, diagnostics);
      std::erase_if(file.items, [](const Item& item) { return item.patch || item.expect; });
      return;
    }
  }

  static void drop_item(File& file, std::size_t at) {
    const auto function = file.items[at].function;
    file.items.erase(file.items.begin() + static_cast<std::ptrdiff_t>(at));
    if (!function) return;
    for (Item& item : file.items) {
      if (!item.run) continue;
      auto run = std::make_shared<dsl::RunItem>(*item.run);
      std::erase_if(run->handlers, [&](const dsl::Ident& h) { return h.text == function->name.text; });
      item.run = run;
    }
    std::erase_if(file.items, [](const Item& item) { return item.run && item.run->handlers.empty(); });
  }

  // One of several goes.
  template <class T>
  void fewer(std::vector<T>& list, std::size_t at_least) {
    for (std::size_t i = 0; i < list.size() && list.size() > at_least; ++i)
      if (hit()) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
        return;
      }
  }

  template <class T, class Change>
  void with_copy(std::shared_ptr<T>& item, const Change& change) {
    if (!item || done_) return;
    auto copy = std::make_shared<T>(*item);
    change(*copy);
    item = copy;
  }

  void inside(Item& item) {
    with_copy(item.lock, [&](dsl::LockItem& l) { fewer(l.names, 1); });
    with_copy(item.opaque, [&](dsl::OpaqueItem& o) { fewer(o.names, 1); });
    with_copy(item.entry, [&](dsl::EntryItem& e) { inside(e); });
    with_copy(item.tlb, [&](dsl::TlbItem& t) { fewer(t.states, 1); });
    with_copy(item.run, [&](dsl::RunItem& r) {
      fewer(r.handlers, 1);
      for (const int cpus : {1, 2, 3})
        if (!r.cpus && hit()) r.cpus = cpus;
    });
    with_copy(item.invariant, [&](dsl::InvariantItem& i) { i.expr = inside(i.expr); });
  }

  void inside(dsl::EntryItem& e) {
    fewer(e.arrows, 0);
    fewer(e.states, 1);
    for (dsl::StateDecl& s : e.states) {
      fewer(s.payload, 0);
      fewer(s.predicates, 0);
    }
    for (dsl::Arrow& a : e.arrows) {
      fewer(a.from, 1);
      fewer(a.to, 1);
      fewer(a.locks, 0);
      if (a.after_flush && hit()) a.after_flush = false;
    }
  }

  // ---- statements

  StmtPtr inside(const StmtPtr& block) {
    auto copy = std::make_shared<dsl::Stmt>(*block);
    copy->body = inside(block->body);
    return copy;
  }

  std::vector<StmtPtr> inside(const std::vector<StmtPtr>& list) {
    std::vector<StmtPtr> result;
    for (const StmtPtr& s : list) {
      const std::vector<StmtPtr> instead = done_ ? std::vector<StmtPtr>{s} : simpler(s);
      result.insert(result.end(), instead.begin(), instead.end());
    }
    return result;
  }

  // What stands in its place.
  std::vector<StmtPtr> simpler(const StmtPtr& s) {
    if (hit()) return {};
    const bool compound = s->kind == StmtKind::block || s->kind == StmtKind::atomic || s->kind == StmtKind::if_ ||
                          s->kind == StmtKind::while_ || s->kind == StmtKind::do_while || s->kind == StmtKind::for_;
    if (compound) {
      const bool is_list = s->kind == StmtKind::block || s->kind == StmtKind::atomic;
      if (is_list && hit()) return s->body;
      for (std::size_t part = 0; part < s->body.size() && !is_list; ++part)
        if (hit()) return s->body[part]->kind == StmtKind::block ? s->body[part]->body : std::vector{s->body[part]};
    }
    if (const auto* body = body_of_call(*s); body != nullptr && hit()) return *body;
    auto copy = std::make_shared<dsl::Stmt>(*s);
    if (s->kind == StmtKind::if_ && s->body.size() > 1 && hit()) {
      copy->body.pop_back();
      return {copy};
    }
    if (s->kind == StmtKind::if_ || s->kind == StmtKind::while_ || s->kind == StmtKind::do_while)
      copy->expr = condition(s->expr);
    if (s->kind == StmtKind::expression && s->expr->kind == ExprKind::call) copy->expr = inside_call(s->expr);
    if (compound && (s->kind == StmtKind::block || s->kind == StmtKind::atomic)) {
      copy->body = inside(s->body);
    } else if (compound) {
      for (StmtPtr& part : copy->body)
        if (part->kind == StmtKind::block) part = inside(part);
    }
    return {copy};
  }

  // Of a call `f();` without arguments.
  [[nodiscard]] const std::vector<StmtPtr>* body_of_call(const dsl::Stmt& s) const {
    if (s.kind != StmtKind::expression || s.expr->kind != ExprKind::call || !s.expr->kids.empty()) return nullptr;
    for (const auto& function : functions_)
      if (function->name.text == s.expr->text) return &function->body->body;
    return nullptr;
  }

  // ---- conditions

  ExprPtr condition(const ExprPtr& e) {
    const bool chance = e->kind == ExprKind::name && e->text == "maybe";
    if (!chance && hit()) {
      auto maybe = std::make_shared<dsl::Expr>();
      maybe->text = "maybe";
      return maybe;
    }
    return inside(e);
  }

  ExprPtr inside_call(const ExprPtr& call) {
    auto copy = std::make_shared<dsl::Expr>(*call);
    if (!copy->kids.empty() && (call->text == "assert" || call->text == "wait_event")) {
      copy->kids[0] = inside(copy->kids[0]);
      if (copy->kids.size() > 1 && hit()) copy->kids.pop_back();
    }
    return copy;
  }

  ExprPtr inside(const ExprPtr& e) {
    const bool joined = e->kind == ExprKind::binary && (e->text == "&&" || e->text == "||" || e->text == "implies");
    if (!joined && e->kind != ExprKind::lnot && e->kind != ExprKind::paren && e->kind != ExprKind::conditional)
      return e;
    for (const ExprPtr& kid : e->kids)
      if (hit()) return kid;
    auto copy = std::make_shared<dsl::Expr>(*e);
    for (ExprPtr& kid : copy->kids) kid = inside(kid);
    return copy;
  }

  std::vector<std::shared_ptr<const dsl::FunctionItem>> functions_;
  std::size_t left_;
  bool done_ = false;
};

}  // namespace

std::optional<File> simplified(const File& file, std::size_t n) { return Simplifier(n).run(file); }

}  // namespace faultline::differential
