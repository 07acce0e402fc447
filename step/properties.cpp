#include "step/properties.hpp"

#include <algorithm>

#include "dsl/patch.hpp"
#include "dsl/vocabulary.hpp"
#include "fmt/format.h"

namespace faultline::step {

using dsl::Index;
using dsl::nothing;
using AstExpr = dsl::Expr;
using AstKind = dsl::ExprKind;

namespace {

struct GiveUp {};

class Translator {
 public:
  Translator(PathContext& context, const std::function<Id(Id)>& positions, bool progress)
      : context_(context), positions_(positions), progress_(progress) {}

  ExprId boolean(const AstExpr& expr) {
    const AstExpr& e = bare(expr);
    Exprs& x = context_.exprs;
    if (e.kind == AstKind::lnot) return x.lnot(boolean(*e.kids[0]));
    if (e.kind == AstKind::binary) {
      if (e.text == "&&") return x.land(boolean(*e.kids[0]), boolean(*e.kids[1]));
      if (e.text == "||") return x.lor(boolean(*e.kids[0]), boolean(*e.kids[1]));
      if (e.text == "implies") return x.lor(x.lnot(boolean(*e.kids[0])), boolean(*e.kids[1]));
      return compare(e);
    }
    if (e.kind == AstKind::name && (e.text == "true" || e.text == "false")) return x.constant(e.text == "true" ? 1 : 0);
    if (e.kind == AstKind::call) return call(e);
    if (const Index shared = starred(e); shared != nothing) {
      const auto& decl = context_.model.shared[shared];
      if (decl.type.kind == dsl::TypeKind::resource)
        return x.lnot(x.make(ExprOp::place_null, context_.layout.places[shared][0]));
      if (decl.type.kind == dsl::TypeKind::boolean) return global(shared);
      if (decl.type.scalar()) return x.lnot(x.in(global(shared), 1));
    }
    fail("FL0302", e.span, "this is not a condition on the shared state",
         {"an invariant may use predicates of `*place`, comparisons, locked(), write_locked() and tlb_cached()"});
  }

 private:
  static const AstExpr& bare(const AstExpr& expr) {
    const AstExpr* e = &expr;
    while (e->kind == AstKind::paren) e = e->kids[0].get();
    return *e;
  }

  [[noreturn]] void fail(std::string code, dsl::Span span, std::string message, std::vector<std::string> notes = {}) {
    context_.diagnostics.add(
        {dsl::Severity::error, std::move(code), span, std::move(message), {}, std::move(notes), {}});
    throw GiveUp{};
  }

  ExprId global(Index shared) { return context_.exprs.make(ExprOp::global, context_.layout.global[shared]); }

  // The place behind `*place`, `READ_ONCE(*place)` or `*mm->place`; nothing if it is something else.
  Index starred(const AstExpr& expr) {
    const AstExpr& e = bare(expr);
    if (e.kind == AstKind::call && e.kids.size() == 1)
      if (const auto* word = dsl::find_word(e.text); word != nullptr && word->builtin == dsl::Builtin::load)
        return starred(*e.kids[0]);
    if (e.kind != AstKind::star) return nothing;
    const AstExpr& place = bare(*e.kids[0]);
    const Index shared = context_.model.find_shared(place.text);
    if (shared == nothing) {
      std::vector<std::string> known;
      for (const auto& s : context_.model.shared) known.push_back(s.name.text);
      std::vector<std::string> notes;
      if (const auto guess = dsl::did_you_mean(place.text, known); !guess.empty())
        notes.push_back("did you mean `" + guess + "`?");
      notes.push_back(fmt::format("shared places: {}", fmt::join(known, ", ")));
      fail("FL0201", place.span, fmt::format("no shared place `{}`", place.text), notes);
    }
    return shared;
  }

  Id lock(const AstExpr& expr) {
    const AstExpr* e = &bare(expr);
    if (e->kind == AstKind::address) e = &bare(*e->kids[0]);
    const Index index = context_.model.find_lock(e->text);
    if (index == nothing) {
      std::vector<std::string> known;
      for (const auto& l : context_.model.locks) known.push_back(l.name.text);
      std::vector<std::string> notes;
      if (const auto guess = dsl::did_you_mean(e->text, known); !guess.empty())
        notes.push_back("did you mean `" + guess + "`?");
      notes.push_back(fmt::format("locks: {}", fmt::join(known, ", ")));
      fail("FL0201", e->span, fmt::format("no lock `{}`", e->text), notes);
    }
    return static_cast<Id>(index);
  }

  ExprId call(const AstExpr& e) {
    Exprs& x = context_.exprs;
    const auto* word = dsl::find_word(e.text);
    if (word != nullptr && e.kids.size() == 1) switch (word->builtin) {
        case dsl::Builtin::transparent: return boolean(*e.kids[0]);
        case dsl::Builtin::is_locked:
        case dsl::Builtin::is_write_locked: {
          const Id id = lock(*e.kids[0]);
          const ExprId exclusive = x.make(ExprOp::global, context_.layout.lock_global[id]);
          const Id readers = context_.layout.readers[id];
          if (word->builtin == dsl::Builtin::is_write_locked || readers == no_id) return exclusive;
          return x.lor(exclusive, x.make(ExprOp::any_cpu, x.make(ExprOp::other_pc_in, readers)));
        }
        case dsl::Builtin::tlb_cached: {
          const AstExpr& argument = bare(*e.kids[0]);
          const Index shared = context_.model.find_shared(argument.text);
          if (shared == nothing || !context_.model.shared[shared].tlb) {
            std::vector<std::string> known;
            for (const auto& s : context_.model.shared)
              if (s.tlb) known.push_back(s.name.text);
            fail("FL0201", argument.span, "tlb_cached takes a place with a `tlb` line here",
                 {known.empty() ? std::string("there is none")
                                : fmt::format("such places: {}", fmt::join(known, ", "))});
          }
          const Id h = context_.layout.tlb_handle[shared];
          const ExprId cached = h != no_id ? x.lnot(x.make(ExprOp::other_null, h))
                                           : x.make(ExprOp::other_local, context_.layout.tlb_local[shared]);
          return x.make(ExprOp::any_cpu, cached);
        }
        case dsl::Builtin::running: {
          if (!progress_)
            fail("FL0307", e.span, "`running` is for progress lines only",
                 {"an invariant looks at what the CPUs share"});
          const AstExpr& argument = bare(*e.kids[0]);
          const auto& handlers = context_.program.handlers;
          const auto it = std::find(handlers.begin(), handlers.end(), argument.text);
          if (it == handlers.end())
            fail("FL0201", argument.span, fmt::format("no handler `{}`", argument.text),
                 {fmt::format("handlers that run: {}", fmt::join(handlers, ", "))});
          return x.make(ExprOp::pc_in, positions_(static_cast<Id>(it - handlers.begin())));
        }
        default:
          fail("FL0307", e.span, fmt::format("`{}` cannot stand in an invariant", e.text),
               {"it may use predicates of `*place`, locked(), write_locked(), tlb_cached()"});
      }
    if (e.kids.size() == 1)
      if (const Index shared = starred(*e.kids[0]); shared != nothing) {
        const auto& decl = context_.model.shared[shared];
        if (decl.type.kind == dsl::TypeKind::entry) {
          const auto& entry = context_.model.entries[decl.type.which];
          if (const auto* mask = entry.predicate(e.text)) return x.in(global(shared), *mask);
          std::vector<std::string> known;
          for (const auto& p : entry.predicates) known.push_back(p.first);
          std::vector<std::string> notes;
          if (const auto guess = dsl::did_you_mean(e.text, known); !guess.empty())
            notes.push_back("did you mean `" + guess + "`?");
          notes.push_back(fmt::format("predicates of {}: {}", entry.name.text, fmt::join(known, ", ")));
          fail("FL0201", e.text_span.known() ? e.text_span : e.span,
               fmt::format("no predicate `{}` for {}", e.text, entry.name.text), notes);
        }
      }
    fail("FL0206", e.span, fmt::format("`{}` cannot stand in an invariant", e.text),
         {"it may use predicates of `*place`, locked(), write_locked(), tlb_cached()"});
  }

  // A number: a constant or a shared scalar.
  ExprId number(const AstExpr& expr, Index entry_type) {
    const AstExpr& e = bare(expr);
    Exprs& x = context_.exprs;
    if (e.kind == AstKind::integer) return x.constant(static_cast<std::uint64_t>(e.value));
    if (e.kind == AstKind::name) {
      if (entry_type != nothing)
        if (const Index state = context_.model.entries[entry_type].state(e.text); state != nothing)
          return x.constant(state);
      if (const auto constant = context_.model.find_constant(e.text)) return x.constant(constant->value);
      if (e.text == "true" || e.text == "false") return x.constant(e.text == "true" ? 1 : 0);
    }
    if (const Index shared = starred(e); shared != nothing && context_.layout.global[shared] != no_id)
      return global(shared);
    fail("FL0302", e.span, "this is no number of the shared state",
         {"numbers are constants and `*place` of a shared int, bool or enum"});
  }

  ExprId compare(const AstExpr& e) {
    Exprs& x = context_.exprs;
    const Index left = starred(*e.kids[0]);
    const Index right = starred(*e.kids[1]);
    const auto is_pointer = [&](Index s) {
      return s != nothing && context_.model.shared[s].type.kind == dsl::TypeKind::resource;
    };
    if (is_pointer(left) || is_pointer(right)) {
      const Index pointer = is_pointer(left) ? left : right;
      const AstExpr& other = bare(*e.kids[is_pointer(left) ? 1 : 0]);
      ExprId equal = 0;
      if (is_pointer(left) && is_pointer(right))
        equal = x.make(ExprOp::places_equal, context_.layout.places[left][0], context_.layout.places[right][0]);
      else if (other.kind == AstKind::name && other.text == "NULL")
        equal = x.make(ExprOp::place_null, context_.layout.places[pointer][0]);
      else
        fail("FL0302", other.span, "a pointer is compared with NULL or another pointer",
             {fmt::format("`{}` points to a {}", context_.model.shared[pointer].name.text,
                          context_.model.type_name(context_.model.shared[pointer].type))});
      if (e.text == "==") return equal;
      if (e.text == "!=") return x.lnot(equal);
      fail("FL0302", e.span, fmt::format("`{}` compares numbers", e.text));
    }
    Index entry_type = nothing;
    for (const Index s : {left, right})
      if (s != nothing && context_.model.shared[s].type.kind == dsl::TypeKind::entry)
        entry_type = context_.model.shared[s].type.which;
    const ExprId a = number(*e.kids[0], entry_type);
    const ExprId b = number(*e.kids[1], entry_type);
    if (e.text == "==") return x.binary(ExprOp::eq, a, b);
    if (e.text == "!=") return x.lnot(x.binary(ExprOp::eq, a, b));
    if (e.text == "<") return x.binary(ExprOp::lt, a, b);
    if (e.text == "<=") return x.binary(ExprOp::le, a, b);
    if (e.text == ">") return x.binary(ExprOp::lt, b, a);
    if (e.text == ">=") return x.binary(ExprOp::le, b, a);
    fail("FL0302", e.span, fmt::format("`{}` cannot stand in an invariant", e.text),
         {"it compares with == != < <= > >=, and joins with && || ! implies"});
  }

  PathContext& context_;
  const std::function<Id(Id)>& positions_;
  bool progress_;
};

}  // namespace

void lower_properties(PathContext& context, const std::function<Id(Id)>& handler_positions) {
  for (const auto& invariant : context.model.invariants) try {
      const ExprId e = Translator(context, handler_positions, false).boolean(*invariant.expr);
      context.program.invariants.push_back({invariant.name.text, e, invariant.expr->span});
    } catch (const GiveUp&) {
    }
  for (const auto& progress : context.model.progress) try {
      Translator translator(context, handler_positions, true);
      const ExprId p = translator.boolean(*progress.from);
      const ExprId q = translator.boolean(*progress.to);
      context.program.progress.push_back({progress.name.text, p, q, progress.name.span});
    } catch (const GiveUp&) {
    }
}

}  // namespace faultline::step
