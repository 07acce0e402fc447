// One walk over each body with the conditions known so far.
#include "checker/guards_sites.hpp"

#include <algorithm>

#include "dsl/patch.hpp"
#include "dsl/tree.hpp"
#include "dsl/vocabulary.hpp"

namespace faultline::check {
namespace {

using dsl::Expr;
using dsl::ExprKind;
using dsl::ExprPtr;
using dsl::Stmt;
using dsl::StmtKind;
using Conditions = std::vector<Condition>;

bool wanted(const dsl::Model& model, const std::string& name) {
  if (model.find_function(name) != dsl::nothing || model.find_alloc(name) != dsl::nothing ||
      model.find_free(name) != dsl::nothing)
    return true;
  const dsl::Word* word = dsl::find_word(name);
  return word != nullptr && word->builtin == dsl::Builtin::flush_tlb;
}

bool calls(const dsl::Model& model, const Expr& e) {
  if (e.kind == ExprKind::call && wanted(model, e.text)) return true;
  return std::any_of(e.kids.begin(), e.kids.end(), [&](const ExprPtr& kid) { return calls(model, *kid); });
}

// `e` holds (or not), taken apart into as many conditions as that gives. One that makes calls of its own says nothing
// about the state behind them.
void add(const dsl::Model& model, Conditions& conditions, const ExprPtr& expr, bool holds) {
  const ExprPtr& e = dsl::plain(expr);
  if (e->kind == ExprKind::lnot) return add(model, conditions, e->kids[0], !holds);
  if (e->kind == ExprKind::binary && e->text == (holds ? "&&" : "||")) {
    add(model, conditions, e->kids[0], holds);
    add(model, conditions, e->kids[1], holds);
    return;
  }
  if (calls(model, *e)) return;
  Condition condition{e, holds, dsl::print(*e)};
  if (!holds) {
    Expr negated;
    negated.kind = ExprKind::lnot;
    negated.kids = {e};
    condition.text = dsl::print(negated);
  }
  conditions.push_back(std::move(condition));
}

class Walk {
 public:
  Walk(const dsl::Model& model, std::vector<CallSite>& sites) : model_(model), sites_(sites) {}

  void function(const dsl::FunctionItem& item) {
    function_ = item.name.text;
    Conditions conditions;
    statement(*item.body, conditions);
  }

 private:
  // Adds to `conditions` what holds behind the statement.
  void statement(const Stmt& s, Conditions& conditions) {
    switch (s.kind) {
      case StmtKind::block:
      case StmtKind::atomic: {
        for (const dsl::StmtPtr& part : s.body) statement(*part, conditions);
        return;
      }
      case StmtKind::label: conditions.clear(); return;  // reached from elsewhere too
      case StmtKind::if_: return branch(s, conditions);
      case StmtKind::while_:
      case StmtKind::for_:
      case StmtKind::do_while:
      case StmtKind::switch_: return loop(s, conditions);
      default: break;
    }
    for (const dsl::Declarator& d : s.declarators) {
      if (d.init) expression(d.init, conditions);
    }
    if (s.lhs) expression(s.lhs, conditions);
    if (s.expr) expression(s.expr, conditions);
  }

  void branch(const Stmt& s, Conditions& conditions) {
    expression(s.expr, conditions);
    Conditions yes = conditions;
    add(model_, yes, s.expr, true);
    statement(*s.body[0], yes);
    Conditions no = conditions;
    add(model_, no, s.expr, false);
    if (s.body.size() == 2) statement(*s.body[1], no);
    if (dsl::leaves(*s.body[0])) add(model_, conditions, s.expr, false);
    if (s.body.size() == 2 && dsl::leaves(*s.body[1])) add(model_, conditions, s.expr, true);
  }

  // What is known inside a loop or a switch is not known behind it.
  void loop(const Stmt& s, const Conditions& conditions) {
    Conditions inside = conditions;
    if (s.init) statement(*s.init, inside);
    if (s.expr) expression(s.expr, inside);
    if (s.expr && (s.kind == StmtKind::while_ || s.kind == StmtKind::for_)) add(model_, inside, s.expr, true);
    for (const dsl::StmtPtr& part : s.body) {
      if (s.kind == StmtKind::switch_) {
        Conditions one = inside;
        statement(*part, one);
      } else {
        statement(*part, inside);
      }
    }
    if (s.step) statement(*s.step, inside);
  }

  void expression(const ExprPtr& e, const Conditions& conditions) {
    const bool both = e->kind == ExprKind::binary && e->text == "&&";
    const bool either = e->kind == ExprKind::binary && e->text == "||";
    if (both || either || e->kind == ExprKind::conditional || (e->kind == ExprKind::binary && e->text == "implies")) {
      expression(e->kids[0], conditions);
      Conditions second = conditions;
      add(model_, second, e->kids[0], !either);
      expression(e->kids[1], second);
      if (e->kind == ExprKind::conditional) {
        Conditions third = conditions;
        add(model_, third, e->kids[0], false);
        expression(e->kids[2], third);
      }
      return;
    }
    for (const ExprPtr& kid : e->kids) expression(kid, conditions);
    if (e->kind == ExprKind::call && wanted(model_, e->text))
      sites_.push_back({function_, e->text, e->span, conditions});
  }

  const dsl::Model& model_;
  std::vector<CallSite>& sites_;
  std::string function_;
};

}  // namespace

std::vector<CallSite> call_sites(const dsl::Model& model) {
  std::vector<CallSite> sites;
  Walk walk(model, sites);
  for (const dsl::FunctionDecl& function : model.functions) walk.function(*function.item);
  return sites;
}

}  // namespace faultline::check
