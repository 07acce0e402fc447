// Two parts: the questions are compared on the trees, and `seen` is counted by visiting every reachable state once, as
// the explicit search does.
#include "checker/guards.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "checker/guards_sites.hpp"
#include "checker/search/closed.hpp"
#include "dsl/patch.hpp"
#include "dsl/tree.hpp"
#include "dsl/vocabulary.hpp"

namespace faultline::check {
namespace {

using dsl::Expr;
using dsl::ExprKind;

Passes negated(Passes p) { return p == Passes::maybe ? p : p == Passes::yes ? Passes::no : Passes::yes; }
Passes both(Passes a, Passes b) {
  if (a == Passes::no || b == Passes::no) return Passes::no;
  return a == Passes::yes && b == Passes::yes ? Passes::yes : Passes::maybe;
}
Passes either(Passes a, Passes b) { return negated(both(negated(a), negated(b))); }

// The shared entry that questions are about.
struct Asked {
  dsl::Index shared = dsl::nothing;
  const dsl::EntryDecl* entry = nullptr;
};

const std::uint64_t* predicate(const dsl::Model& model, const Expr& e, const Asked& about) {
  if (e.kind != ExprKind::call || e.kids.size() != 1) return nullptr;
  const std::uint64_t* states = about.entry->predicate(e.text);
  if (states == nullptr) return nullptr;
  const Expr& argument = dsl::plain(*e.kids[0]);
  if (argument.kind != ExprKind::star && argument.kind != ExprKind::call) return states;  // a copy
  const Expr& inner = dsl::plain(*argument.kids[0]);
  const Expr& place = inner.kind == ExprKind::star ? dsl::plain(*inner.kids[0]) : inner;
  const dsl::Index named = model.find_shared(place.text);  // a parameter that names a place has no shared of its name
  return named == dsl::nothing || named == about.shared ? states : nullptr;
}

// The entry of the first predicate in the expression.
void find_entry(const dsl::Model& model, const Expr& e, Asked& found) {
  if (found.entry != nullptr) return;
  if (e.kind == ExprKind::call && e.kids.size() == 1) {
    for (dsl::Index s = 0; s < model.shared.size() && found.entry == nullptr; ++s) {
      if (model.shared[s].type.kind != dsl::TypeKind::entry) continue;
      const dsl::EntryDecl& entry = model.entries[model.shared[s].type.which];
      const Asked candidate{s, &entry};
      if (predicate(model, e, candidate) != nullptr) found = candidate;
    }
  }
  for (const dsl::ExprPtr& kid : e.kids) find_entry(model, *kid, found);
}

Passes evaluate(const dsl::Model& model, const Expr& expr, const Asked& about, std::size_t state) {
  const Expr& e = dsl::plain(expr);
  const auto kid = [&](std::size_t i) { return evaluate(model, *e.kids[i], about, state); };
  if (const std::uint64_t* states = predicate(model, e, about))
    return (*states >> state & 1U) != 0 ? Passes::yes : Passes::no;
  if (e.kind == ExprKind::lnot) return negated(kid(0));
  if (e.kind == ExprKind::binary && e.text == "&&") return both(kid(0), kid(1));
  if (e.kind == ExprKind::binary && e.text == "||") return either(kid(0), kid(1));
  if (e.kind == ExprKind::binary && e.text == "implies") return either(negated(kid(0)), kid(1));
  if (e.kind == ExprKind::conditional) return either(both(kid(0), kid(1)), both(negated(kid(0)), kid(2)));
  if (e.kind == ExprKind::name && e.text == "true") return Passes::yes;
  if (e.kind == ExprKind::name && e.text == "false") return Passes::no;
  if (e.kind == ExprKind::integer) return e.value != 0 ? Passes::yes : Passes::no;
  return Passes::maybe;
}

// Where the guard looks at shared memory first: spans of the look, as positions of the program carry them.
void find_look(const Expr& e, std::vector<dsl::Span>& spans) {
  const bool loads = e.kind == ExprKind::call && [&] {
    const dsl::Word* word = dsl::find_word(e.text);
    return word != nullptr && word->builtin == dsl::Builtin::load;
  }();
  if (!spans.empty()) return;
  if (e.kind == ExprKind::star || loads) spans.push_back(e.span);
  if (loads && dsl::plain(*e.kids[0]).kind == ExprKind::star) spans.push_back(dsl::plain(*e.kids[0]).span);
  for (const dsl::ExprPtr& kid : e.kids) find_look(*kid, spans);
}

// The last look that gave the local its value, before `place` in the source of the function. Patched lines have places
// of their own, so the order is that of the tree.
class CopyLook {
 public:
  CopyLook(const std::string& local, const dsl::Span& call) : local_(local), call_(call) {}
  std::vector<dsl::Span> find(const dsl::Stmt& body) {
    visit(body);
    return spans_;
  }

 private:
  void look(const Expr& e) {
    std::vector<dsl::Span> now;
    find_look(e, now);
    if (!now.empty()) spans_ = now;
  }
  bool contains_call(const Expr& e) const {
    if (e.span == call_) return true;
    return std::any_of(e.kids.begin(), e.kids.end(), [&](const dsl::ExprPtr& kid) { return contains_call(*kid); });
  }
  void visit(const dsl::Stmt& s) {
    if (done_) return;
    for (const dsl::Declarator& d : s.declarators) {
      if (d.init && d.name.text == local_) look(*d.init);
    }
    if (s.kind == dsl::StmtKind::assign && s.expr && s.lhs && s.lhs->kind == ExprKind::name && s.lhs->text == local_)
      look(*s.expr);
    if (s.expr && contains_call(*s.expr)) done_ = true;
    for (const dsl::StmtPtr& part : s.body) visit(*part);
  }

  const std::string& local_;
  const dsl::Span& call_;
  std::vector<dsl::Span> spans_;
  bool done_ = false;
};

std::string copied_local(const dsl::Model& model, const Expr& e, const Asked& about) {
  if (predicate(model, e, about) != nullptr && dsl::plain(*e.kids[0]).kind == ExprKind::name)
    return dsl::plain(*e.kids[0]).text;
  for (const dsl::ExprPtr& kid : e.kids) {
    if (std::string name = copied_local(model, *kid, about); !name.empty()) return name;
  }
  return "";
}

std::vector<dsl::Span> first_look(const dsl::Model& model, const CallSite& site,
                                  const std::vector<const Condition*>& guard, const Asked& about) {
  for (const Condition* condition : guard) {
    Asked asks;
    find_entry(model, *condition->expr, asks);
    if (asks.entry == nullptr) continue;
    std::vector<dsl::Span> spans;
    find_look(*condition->expr, spans);
    if (!spans.empty()) return spans;
    const std::string local = copied_local(model, *condition->expr, about);
    const dsl::Index function = model.find_function(site.function);
    if (!local.empty() && function != dsl::nothing)
      return CopyLook(local, site.span).find(*model.functions[function].item->body);
  }
  return {};
}

// Counts, by state of the entry, the reachable states in which some CPU is at one of the positions.
bool count_seen(const step::Program& program, const std::vector<dsl::Span>& looks, step::Id entry_global,
                const GuardOptions& options, std::vector<GuardCell>& cells) {
  std::vector<bool> there(program.locations.size(), false);
  for (std::size_t pc = 0; pc < there.size(); ++pc)
    there[pc] = std::find(looks.begin(), looks.end(), program.locations[pc].span) != looks.end();
  search::Closed closed(program, step::cpus_per_line(program, options.cpus), search::Merge::cpus);
  search::StateSet states(closed.words());
  std::vector<std::uint64_t> key(closed.words());
  std::vector<search::Byte> state(closed.layout().size());
  closed.encode(closed.initial().data(), key.data());
  states.insert(key.data());
  for (search::StateSet::Index i = 0; i < states.size(); ++i) {
    if (states.size() > options.max_states) return false;
    closed.decode(states[i], state.data());
    const search::Byte* s = state.data();
    bool somebody = false;
    for (std::uint32_t cpu = 0; cpu < closed.cpus(); ++cpu) somebody = somebody || there[closed.layout().pc(s, cpu)];
    if (somebody) ++cells[s[search::Layout::global_at + entry_global]].seen;
    for (std::uint32_t me = 0; me < closed.cpus(); ++me) {
      closed.moves(s, me, [&](const search::Move& move, const search::Byte* next) {
        if (move.code != nullptr && move.code->violation) return;
        closed.encode(next, key.data());
        states.insert(key.data());
      });
    }
  }
  return true;
}

using Sites = std::map<std::pair<std::string, std::string>, std::vector<const CallSite*>>;  // (function, call)

Sites grouped(const std::vector<CallSite>& sites) {
  Sites result;
  for (const CallSite& site : sites) result[{site.function, site.call}].push_back(&site);
  return result;
}

struct Compared {
  const step::Variant* variant = nullptr;
  const CallSite* site = nullptr;
  std::vector<const Condition*> guard;  // conditions that not all variants have
};

std::string guard_text(const Compared& compared) {
  std::string text;
  for (const Condition* condition : compared.guard) {
    const Expr& e = *condition->expr;
    const bool loose = condition->holds && compared.guard.size() > 1 &&
                       (e.kind == ExprKind::conditional || (e.kind == ExprKind::binary && e.text != "&&"));
    text += (text.empty() ? "" : " && ") + (loose ? "(" + condition->text + ")" : condition->text);
  }
  return text;
}

void drop_common(std::vector<Compared>& all) {
  std::set<std::string> common;
  for (const Condition& c : all.front().site->conditions) {
    const bool everywhere = std::all_of(all.begin(), all.end(), [&](const Compared& other) {
      const auto& theirs = other.site->conditions;
      return std::any_of(theirs.begin(), theirs.end(), [&](const Condition& d) { return d.text == c.text; });
    });
    if (everywhere) common.insert(c.text);
  }
  for (Compared& compared : all) {
    for (const Condition& c : compared.site->conditions) {
      if (!common.contains(c.text)) compared.guard.push_back(&c);
    }
  }
}

Asked asked_by(const std::vector<Compared>& all) {
  Asked about;
  for (const Compared& compared : all) {
    for (const Condition* condition : compared.guard) find_entry(all.front().variant->model, *condition->expr, about);
  }
  return about;
}

GuardTable head_of(const Compared& first, const Asked& about) {
  GuardTable table;
  table.function = first.site->function;
  table.call = first.site->call;
  table.place = first.site->span;
  table.entry = first.variant->model.shared[about.shared].name.text;
  for (const auto& state : about.entry->states) table.states.push_back(state.name.text);
  return table;
}

GuardRow row_of(const Compared& compared, const std::string& text, const Asked& about, const GuardOptions& options) {
  const dsl::Model& model = compared.variant->model;
  const step::Program& program = compared.variant->program;
  GuardRow row{compared.variant->name, text, compared.site->span, {}, true};
  row.cells.resize(about.entry->states.size());
  for (std::size_t s = 0; s < row.cells.size(); ++s) {
    row.cells[s].passes = Passes::yes;
    for (const Condition* condition : compared.guard) {
      const Passes one = evaluate(model, *condition->expr, about, s);
      row.cells[s].passes = both(row.cells[s].passes, condition->holds ? one : negated(one));
    }
  }
  if (options.cpus == 0 || compared.guard.empty()) return row;
  const std::vector<dsl::Span> looks = first_look(model, *compared.site, compared.guard, about);
  const auto entry = std::find_if(program.entries.begin(), program.entries.end(), [&](const step::EntryInfo& e) {
    return e.name == model.shared[about.shared].name.text;
  });
  if (looks.empty() || entry == program.entries.end()) return row;
  try {
    row.complete = count_seen(program, looks, entry->global, options, row.cells);
  } catch (const std::length_error&) {  // too many CPUs or objects for one state
    row.complete = false;
  }
  return row;
}

}  // namespace

std::vector<GuardTable> guard_tables(const std::vector<const step::Variant*>& variants, const GuardOptions& options) {
  std::vector<const step::Variant*> usable;
  std::vector<std::vector<CallSite>> sites;
  std::vector<Sites> groups;
  for (const step::Variant* variant : variants) {
    if (variant->diagnostics.has_errors()) continue;
    usable.push_back(variant);
    sites.push_back(call_sites(variant->model));
  }
  std::vector<GuardTable> tables;
  if (usable.size() < 2) return tables;
  for (const std::vector<CallSite>& of_variant : sites) groups.push_back(grouped(of_variant));

  std::map<std::pair<std::string, std::string>, std::size_t> number;  // of the site among its like
  std::set<std::pair<std::string, std::vector<std::string>>> shown;   // function, guards of all rows
  for (const CallSite& first : sites.front()) {
    const std::pair like{first.function, first.call};
    const std::size_t nth = number[like]++;
    std::vector<Compared> all;
    for (std::size_t v = 0; v < usable.size(); ++v) {
      const auto found = groups[v].find(like);
      if (found != groups[v].end() && found->second.size() == groups.front()[like].size())
        all.push_back({usable[v], found->second[nth], {}});
    }
    if (all.size() < 2) continue;
    drop_common(all);
    std::vector<std::string> texts;
    for (const Compared& compared : all) texts.push_back(guard_text(compared));
    if (std::all_of(texts.begin(), texts.end(), [&](const std::string& text) { return text == texts.front(); }))
      continue;

    const Asked about = asked_by(all);
    if (about.entry == nullptr || !shown.insert({first.function, texts}).second) continue;
    GuardTable table = head_of(all.front(), about);
    for (std::size_t i = 0; i < all.size(); ++i) table.rows.push_back(row_of(all[i], texts[i], about, options));
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace faultline::check
