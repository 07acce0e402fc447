// Flow builder: names, places, messages, and the one-star rule.
#include <algorithm>

#include "dsl/flow_build.hpp"

namespace faultline::dsl {

const Expr& bare(const Expr& expr) {
  const Expr* e = &expr;
  while (e->kind == ExprKind::paren) e = e->kids[0].get();
  return *e;
}

bool FlowBuilder::mentions_broken() const {
  if (model_.broken.empty() || current_ == nullptr) return false;
  const auto broken = [&](const std::string& name) {
    return std::find(model_.broken.begin(), model_.broken.end(), name) != model_.broken.end();
  };
  const std::function<bool(const ExprPtr&)> in = [&](const ExprPtr& e) {
    return e && (broken(e->text) || std::any_of(e->kids.begin(), e->kids.end(), in));
  };
  if (in(current_->expr) || in(current_->lhs) || broken(current_->type.text)) return true;
  return std::any_of(current_->declarators.begin(), current_->declarators.end(),
                     [&](const Declarator& d) { return in(d.init); });
}

void FlowBuilder::report(std::string code, Span span, std::string message, std::vector<std::string> notes,
                         std::vector<std::string> helps, std::vector<Related> related) {
  if (mentions_broken()) return;  // said where it is declared
  diagnostics_.add({Severity::error, std::move(code), span, std::move(message), std::move(related), std::move(notes),
                    std::move(helps)});
}

void FlowBuilder::fail(std::string code, Span span, std::string message, std::vector<std::string> notes,
                       std::vector<std::string> helps, std::vector<Related> related) {
  report(std::move(code), span, std::move(message), std::move(notes), std::move(helps), std::move(related));
  throw GiveUp{};
}

void FlowBuilder::unknown_name(const Ident& name, const std::string& what, const std::vector<std::string>& known,
                               const std::string& code, const std::string& title) {
  std::vector<std::string> notes;
  std::vector<std::string> helps;
  std::vector<std::string> candidates = known;
  if (code == "FL0206") {
    for (const Word& word : vocabulary()) candidates.emplace_back(word.name);
    helps.emplace_back("if the model does not need it, leave the call out");
  }
  if (const auto guess = did_you_mean(name.text, candidates); !guess.empty()) {
    notes.push_back("did you mean `" + guess + "`?");
    helps.clear();
  }
  if (!known.empty()) notes.push_back(fmt::format("{}: {}", title, fmt::join(known, ", ")));
  fail(code, name.span, fmt::format("no {} `{}`", what, name.text), notes, helps);
}

const LocalName* FlowBuilder::find_local(const std::string& name) const {
  const Frame& frame = frames_.back();
  for (auto scope = frame.scopes.rbegin(); scope != frame.scopes.rend(); ++scope)
    if (const auto it = scope->find(name); it != scope->end()) return &it->second;
  return nullptr;
}

std::vector<std::string> FlowBuilder::known_names() const {
  std::vector<std::string> known;
  for (const auto& scope : frames_.back().scopes)
    for (const auto& [name, local] : scope) known.push_back(name);
  for (const auto& s : model_.shared) known.push_back(s.name.text);
  for (const auto& e : model_.enums)
    for (const auto& c : e.constants) known.push_back(c.first);
  std::sort(known.begin(), known.end());
  return known;
}

std::vector<std::string> FlowBuilder::known_functions() const {
  std::vector<std::string> known;
  for (const auto& f : model_.functions)
    if (!f.item->is_handler) known.push_back(f.item->name.text);
  for (const auto& r : model_.resources) {
    if (!r.alloc.empty()) known.push_back(r.alloc);
    if (!r.free.empty()) known.push_back(r.free);
  }
  for (const auto& e : model_.entries)
    for (const auto& p : e.predicates) known.push_back(p.first);
  return known;
}

bool FlowBuilder::mentions_opaque(const Expr& expr) const {
  if (expr.kind == ExprKind::name) {
    if (const LocalName* local = find_local(expr.text)) return local->what == LocalName::What::ignored;
    return model_.is_opaque(expr.text);
  }
  return std::any_of(expr.kids.begin(), expr.kids.end(), [&](const ExprPtr& kid) { return mentions_opaque(*kid); });
}

// An expression about things that the model does not track: it has an opaque name in it and nothing tracked. A path
// that ends at a tracked place (mm->pmd) is not opaque.
bool FlowBuilder::is_opaque_expr(const Expr& expr) const {
  if (!mentions_opaque(expr)) return false;
  const std::function<bool(const Expr&)> tracked = [&](const Expr& e) {
    if (e.kind == ExprKind::name) {
      const LocalName* local = find_local(e.text);
      if (local != nullptr) return local->what != LocalName::What::ignored;
      return !model_.is_opaque(e.text) &&
             (model_.find_shared(e.text) != nothing || model_.find_lock(e.text) != nothing);
    }
    if (e.kind == ExprKind::arrow && (model_.find_shared(e.text) != nothing || model_.find_lock(e.text) != nothing))
      return true;
    if (e.kind == ExprKind::call && (model_.find_function(e.text) != nothing || model_.find_alloc(e.text) != nothing))
      return true;
    return std::any_of(e.kids.begin(), e.kids.end(), [&](const ExprPtr& kid) { return tracked(*kid); });
  };
  return !tracked(expr);
}

Index FlowBuilder::place(const Expr& expr, bool must) {
  const Expr& e = bare(expr);
  if (e.kind == ExprKind::address) return place(*e.kids[0], must);
  Index shared = nothing;
  if (e.kind == ExprKind::name) {
    if (const LocalName* local = find_local(e.text)) {
      if (local->what == LocalName::What::place) return local->shared;
      if (must)
        fail("FL0303", e.span, fmt::format("`{}` is a local, not a place in shared memory", e.text), {},
             {fmt::format("it is a copy already: write `{}`", e.text)}, {{local->span, "declared here"}});
      return nothing;
    }
    shared = model_.find_shared(e.text);
  } else if (e.kind == ExprKind::arrow && mentions_opaque(*e.kids[0])) {
    shared = model_.find_shared(e.text);
  }
  if (shared == nothing && must) {
    std::vector<std::string> known;
    for (const auto& s : model_.shared) known.push_back(s.name.text);
    if (e.kind == ExprKind::name || e.kind == ExprKind::arrow)
      unknown_name({e.text, e.text_span.known() ? e.text_span : e.span}, "shared place", known, "FL0201",
                   "shared places");
    fail("FL0303", e.span, "this is not a place in shared memory",
         {fmt::format("shared places: {}", fmt::join(known, ", "))});
  }
  return shared;
}

Index FlowBuilder::pointee(const Expr& expr) const {
  const Expr& e = bare(expr);
  const auto resource = [](const Type& type) { return type.kind == TypeKind::resource ? type.which : nothing; };
  if (e.kind == ExprKind::name) {
    const LocalName* local = find_local(e.text);
    return local != nullptr && local->what == LocalName::What::ref ? resource(local->type) : nothing;
  }
  const auto place_of = [&](const Expr& star) {
    const Expr& p = bare(*star.kids[0]);
    const LocalName* local = p.kind == ExprKind::name ? find_local(p.text) : nullptr;
    return local != nullptr ? local->shared : model_.find_shared(p.text);
  };
  if (e.kind == ExprKind::star) {
    const Index shared = place_of(e);
    return shared != nothing ? resource(model_.shared[shared].type) : nothing;
  }
  if (e.kind != ExprKind::dot) return nothing;
  const Expr& base = bare(*e.kids[0]);
  Index entry = nothing;
  if (const LocalName* local = base.kind == ExprKind::name ? find_local(base.text) : nullptr;
      local != nullptr && local->what == LocalName::What::entry_copy)
    entry = local->type.which;
  if (const Index shared = base.kind == ExprKind::star ? place_of(base) : nothing;
      shared != nothing && model_.shared[shared].type.kind == TypeKind::entry)
    entry = model_.shared[shared].type.which;
  if (entry == nothing) return nothing;
  for (const EntryDecl::Slot& slot : model_.entries[entry].slots)
    if (slot.name == e.text) return slot.resource;
  return nothing;
}

void FlowBuilder::needs_object(const Expr& arrow) {
  const Expr& base = bare(*arrow.kids[0]);
  if (base.kind != ExprKind::name) return;
  if (const LocalName* local = find_local(base.text)) {
    if (local->what == LocalName::What::var || local->what == LocalName::What::entry_copy)
      fail("FL0302", arrow.span,
           fmt::format("`{}` is `{}`, which has no fields", base.text, model_.type_name(local->type)),
           {"objects of a `resource` have"}, {}, {{local->span, "declared here"}});
    return;
  }
  const Index pointer = model_.find_shared(base.text);
  if (pointer == nothing || model_.shared[pointer].type.kind != TypeKind::resource) return;
  fail("FL0303", arrow.span, fmt::format("`{}` is a place in shared memory", base.text),
       {fmt::format("`{}->{}` would be two steps", base.text, arrow.text)},
       {fmt::format("read the place into a local first: `{} now = *{};`, then `now->{}`",
                    model_.type_name(model_.shared[pointer].type), base.text, arrow.text)});
}

Target FlowBuilder::target(const Expr& expr, bool must) {
  const Expr& e = bare(expr);
  if (e.kind == ExprKind::address) return target(*e.kids[0], must);
  const Index resource = e.kind == ExprKind::arrow ? pointee(*e.kids[0]) : nothing;
  if (resource == nothing) {
    if (must && e.kind == ExprKind::arrow) needs_object(e);
    const Index shared = place(e, must);
    if (shared == nothing) return {};
    return {{shared, nothing, nothing}, model_.shared[shared].type, model_.shared[shared].name};
  }
  std::vector<const Expr*> found;
  stars(*e.kids[0], found);
  if (!found.empty())
    fail("FL0301", e.span, "two shared accesses in one expression",
         {fmt::format("`{}` is one atomic step and `->{}` another", print(*found.front()), e.text)},
         {fmt::format("read once into a local: `{} now = {};`", model_.resources[resource].name.text,
                      print(*found.front()))},
         {{found.front()->span, "the first one"}});
  const ResourceDecl& decl = model_.resources[resource];
  const Index field = decl.field(e.text);
  if (field == nothing) {
    std::vector<std::string> known;
    for (const auto& f : decl.fields) known.push_back(f.name.text);
    unknown_name({e.text, e.text_span.known() ? e.text_span : e.span}, "field", known, "FL0201",
                 "fields of " + decl.name.text);
  }
  const FlowValue object = value(*e.kids[0]);
  return {{nothing, object.refs[0], field}, decl.fields[field].type, decl.fields[field].name};
}

Index FlowBuilder::lock_place(const Expr& expr) {
  const Expr& e = bare(expr);
  if (e.kind == ExprKind::address) return lock_place(*e.kids[0]);
  if (e.kind == ExprKind::name || (e.kind == ExprKind::arrow && mentions_opaque(*e.kids[0]))) {
    if (const Index lock = model_.find_lock(e.text); lock != nothing) return lock;
    std::vector<std::string> known;
    for (const auto& l : model_.locks) known.push_back(l.name.text);
    unknown_name({e.text, e.text_span.known() ? e.text_span : e.span}, "lock", known, "FL0201", "locks");
  }
  std::vector<std::string> known;
  for (const auto& l : model_.locks) known.push_back(l.name.text);
  fail("FL0303", e.span, "this is not a lock", {fmt::format("locks: {}", fmt::join(known, ", "))});
}

// ---------------------------------------------------------------- the one-star rule

void FlowBuilder::stars(const Expr& expr, std::vector<const Expr*>& found, bool all) const {
  if (expr.kind == ExprKind::star) {
    if (!is_opaque_expr(*expr.kids[0])) found.push_back(&expr);
    return;
  }
  if (expr.kind == ExprKind::arrow) {
    if (pointee(*expr.kids[0]) != nothing) {
      stars(*expr.kids[0], found, all);
      found.push_back(&expr);
      return;
    }
    const Index shared = mentions_opaque(*expr.kids[0]) ? model_.find_shared(expr.text) : nothing;
    if (shared != nothing && model_.shared[shared].type.scalar()) found.push_back(&expr);
    return;
  }
  if (expr.kind == ExprKind::address) return;
  if (expr.kind == ExprKind::call) {
    if (const Word* word = find_word(expr.text)) {
      const bool loads = word->builtin == Builtin::load || word->builtin == Builtin::atomic_read;
      if (loads && !expr.kids.empty()) {
        found.push_back(&expr);
        return;
      }
    }
  }
  const bool logical =
      expr.kind == ExprKind::conditional ||
      (expr.kind == ExprKind::binary && (expr.text == "&&" || expr.text == "||" || expr.text == "implies"));
  if (logical && !all) {
    std::vector<const Expr*> inside;
    for (const ExprPtr& kid : expr.kids) stars(*kid, inside);
    if (!inside.empty()) found.push_back(inside.front());
    return;
  }
  for (const ExprPtr& kid : expr.kids) stars(*kid, found, all);
}

void FlowBuilder::check_stars(const Expr& expr) {
  std::vector<const Expr*> found;
  stars(expr, found);
  if (found.size() < 2) return;
  std::string local = "now";
  std::string type = "…";
  const Expr& first = *found.front();
  const Index shared = first.kind == ExprKind::star ? place(*first.kids[0], false) : nothing;
  if (shared != nothing) type = model_.type_name(model_.shared[shared].type);
  if (const Index resource = first.kind == ExprKind::arrow ? pointee(*first.kids[0]) : nothing; resource != nothing) {
    const ResourceDecl& decl = model_.resources[resource];
    if (const Index field = decl.field(first.text); field != nothing) type = model_.type_name(decl.fields[field].type);
  }
  std::string what = first.kind == ExprKind::star ? print(*first.kids[0]) : print(first);
  fail("FL0301", found[1]->span, "two shared accesses in one expression",
       {fmt::format("each `*` is one atomic step; another CPU can change {} between the two", what)},
       {fmt::format("read once into a local: `{} {} = {};`", type, local, print(first))},
       {{first.span, "the first one"}});
}

}  // namespace faultline::dsl
