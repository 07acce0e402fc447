// Taking a piece out: one walk over the bodies that shares what it does not change, as patches do.
#include <algorithm>

#include "dsl/ablate.hpp"
#include "dsl/tree.hpp"
#include "dsl/vocabulary.hpp"

namespace faultline::dsl {
namespace {

bool is_constant(const Expr& e, bool value) {
  const Expr& inner = plain(e);
  return inner.kind == ExprKind::name && inner.text == (value ? "true" : "false");
}

class Removal {
 public:
  explicit Removal(const Ablation& ablation) : ablation_(ablation) {}

  StmtPtr statement(const StmtPtr& s) const {
    if (!s) return s;
    if (!ablation_.taken_as && s->kind == StmtKind::expression && goes(plain(*s->expr).span)) {
      auto nothing_left = std::make_shared<Stmt>();
      nothing_left->kind = StmtKind::empty;
      nothing_left->span = s->span;
      return nothing_left;
    }
    auto out = std::make_shared<Stmt>(*s);
    bool changed = false;
    const auto take = [&changed](auto& slot, auto now) {
      changed = changed || slot != now;
      slot = std::move(now);
    };
    take(out->expr, expression(s->expr));
    take(out->lhs, expression(s->lhs));
    take(out->init, statement(s->init));
    take(out->step, statement(s->step));
    for (StmtPtr& part : out->body) take(part, statement(part));
    for (Declarator& d : out->declarators) take(d.init, expression(d.init));
    return changed ? out : s;
  }

 private:
  [[nodiscard]] bool goes(const Span& span) const {
    return std::find(ablation_.parts.begin(), ablation_.parts.end(), span) != ablation_.parts.end();
  }

  // Checks become their constant; a trylock of a lock pair is taken at once.
  ExprPtr expression(const ExprPtr& e) const {
    if (!e) return e;
    if (goes(e->span)) {
      auto constant = std::make_shared<Expr>();
      constant->kind = ExprKind::name;
      constant->span = e->span;
      constant->text_span = e->span;
      constant->text = ablation_.taken_as.value_or(true) ? "true" : "false";
      return constant;
    }
    auto out = std::make_shared<Expr>(*e);
    for (ExprPtr& kid : out->kids) kid = expression(kid);
    if (out->kids == e->kids) return e;
    const bool both = e->kind == ExprKind::binary && e->text == "&&";
    const bool either = e->kind == ExprKind::binary && e->text == "||";
    if (both || either) {  // the operand that says nothing is gone
      if (is_constant(*out->kids[0], both)) return out->kids[1];
      if (is_constant(*out->kids[1], both)) return out->kids[0];
    }
    return out;
  }

  const Ablation& ablation_;
};

template <typename Change>
File with_arrows(const File& file, Change change) {
  File out = file;
  for (Item& item : out.items) {
    if (!item.entry) continue;
    auto entry = std::make_shared<EntryItem>(*item.entry);
    for (Arrow& arrow : entry->arrows) change(arrow);
    item.entry = std::move(entry);
  }
  return out;
}

}  // namespace

File without(const File& file, const Ablation& ablation) {
  if (ablation.kind == AblationKind::after_flush) return without_flush_rule(file, ablation.parts.front());
  const Removal removal(ablation);
  File out = file;
  for (Item& item : out.items) {
    if (!item.function) continue;
    const StmtPtr body = removal.statement(item.function->body);
    if (body == item.function->body) continue;
    auto function = std::make_shared<FunctionItem>(*item.function);
    function->body = body;
    item.function = std::move(function);
  }
  return out;
}

File without_lock_rule(const File& file, const std::string& lock) {
  return with_arrows(file, [&](Arrow& arrow) {
    std::erase_if(arrow.locks, [&](const LockUse& use) { return use.lock.text == lock; });
  });
}

File without_flush_rule(const File& file, const std::optional<Span>& only) {
  return with_arrows(file, [&](Arrow& arrow) {
    if (!only || arrow.flush_span == *only) arrow.after_flush = false;
  });
}

}  // namespace faultline::dsl
