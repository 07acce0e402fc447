#include "dsl/ablate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "dsl/ablate_parts.hpp"
#include "dsl/patch.hpp"
#include "dsl/tree.hpp"
#include "dsl/vocabulary.hpp"

namespace faultline::dsl {
namespace ablation {

void each_expression(const Expr& expr, const std::function<void(const Expr&)>& visit) {
  visit(expr);
  for (const ExprPtr& kid : expr.kids) each_expression(*kid, visit);
}

void each_expression(const Stmt& stmt, const std::function<void(const Expr&)>& visit) {
  if (stmt.expr) each_expression(*stmt.expr, visit);
  if (stmt.lhs) each_expression(*stmt.lhs, visit);
  for (const Declarator& d : stmt.declarators) {
    if (d.init) each_expression(*d.init, visit);
  }
}

void each_statement(const Stmt& stmt, const std::function<void(const Stmt&)>& visit) {
  visit(stmt);
  if (stmt.init) each_statement(*stmt.init, visit);
  if (stmt.step) each_statement(*stmt.step, visit);
  for (const StmtPtr& part : stmt.body) each_statement(*part, visit);
}

std::vector<const FunctionItem*> functions_run(const Model& model) {
  std::set<Index> seen;
  std::vector<Index> open;
  for (const RunDecl& run : model.runs) open.insert(open.end(), run.handlers.begin(), run.handlers.end());
  while (!open.empty()) {
    const Index next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    each_statement(*model.functions[next].item->body, [&](const Stmt& s) {
      each_expression(s, [&](const Expr& e) {
        if (e.kind != ExprKind::call) return;
        if (const Index callee = model.find_function(e.text); callee != nothing) open.push_back(callee);
      });
    });
  }
  std::vector<const FunctionItem*> out;
  for (const Index function : seen) out.push_back(model.functions[function].item);
  return out;
}

std::vector<const Flow*> flows_run(const Model& model, const Flows& flows) {
  std::set<Index> handlers;
  for (const RunDecl& run : model.runs) handlers.insert(run.handlers.begin(), run.handlers.end());
  std::vector<const Flow*> out;
  for (const Index handler : handlers) out.push_back(flows.of(handler));
  return out;
}

}  // namespace ablation

namespace {

using ablation::each_statement;

// The word that a statement consists of: flush_tlb(pmd); is one, a call in a condition is not.
const Word* word_of(const Stmt& s) {
  if (s.kind != StmtKind::expression) return nullptr;
  const Expr& e = plain(*s.expr);
  return e.kind == ExprKind::call ? find_word(e.text) : nullptr;
}

std::optional<AblationKind> kind_of(const Word& word) {
  switch (word.builtin) {
    case Builtin::flush_tlb: return AblationKind::flush;
    case Builtin::synchronize_rcu: return AblationKind::grace_period;
    case Builtin::wait_event: return AblationKind::wait;
    case Builtin::barrier: break;
    default: return std::nullopt;
  }
  if (word.name == "cpu_relax") return std::nullopt;  // a hint to the CPU: it orders nothing
  return AblationKind::barrier;
}

void find_statements(const Model& model, std::vector<Ablation>& out) {
  for (const FunctionItem* function : ablation::functions_run(model)) {
    each_statement(*function->body, [&](const Stmt& s) {
      const Word* word = word_of(s);
      const auto kind = word == nullptr ? std::nullopt : kind_of(*word);
      if (kind) out.push_back({*kind, print(plain(*s.expr)), function->name.text, {plain(*s.expr).span}, "", {}, {}});
    });
  }
}

std::string names(const std::vector<Ident>& list) {
  std::string text;
  for (const Ident& name : list) text += (text.empty() ? "" : ", ") + name.text;
  return text;
}

void find_flush_rules(const Model& model, std::vector<Ablation>& out) {
  for (const Item& item : model.file.items) {
    if (!item.entry) continue;
    for (const Arrow& arrow : item.entry->arrows) {
      if (!arrow.after_flush) continue;
      const std::string text = fmt::format("{} -> {} after flush", names(arrow.from), names(arrow.to));
      out.push_back({AblationKind::after_flush, text, item.entry->name.text, {arrow.flush_span}, "", {}, {}});
    }
  }
}

// A call that asserts, or stores.
bool is_landmark(const Expr& e) {
  const Word* word = e.kind == ExprKind::call ? find_word(e.text) : nullptr;
  if (word == nullptr) return false;
  switch (word->builtin) {
    case Builtin::assertion:
    case Builtin::assertion_not:
    case Builtin::store:
    case Builtin::exchange:
    case Builtin::compare_exchange:
    case Builtin::atomic_inc:
    case Builtin::atomic_dec:
    case Builtin::atomic_set:
    case Builtin::atomic_dec_and_test:
    case Builtin::atomic_inc_not_zero: return true;
    default: return false;
  }
}

}  // namespace

std::string_view to_string(AblationKind kind) {
  switch (kind) {
    case AblationKind::lock_pair: return "lock pair";
    case AblationKind::irq_section: return "irq section";
    case AblationKind::rcu_section: return "rcu section";
    case AblationKind::check: return "check";
    case AblationKind::recheck: return "re-check";
    case AblationKind::wait: return "wait";
    case AblationKind::flush: return "flush";
    case AblationKind::grace_period: return "grace period";
    case AblationKind::barrier: return "barrier";
    case AblationKind::after_flush: return "after flush";
  }
  return {};
}

std::vector<Ablation> ablations(const Model& model, const Flows& flows) {
  std::vector<Ablation> out;
  ablation::find_sections(model, flows, out);
  ablation::find_checks(model, flows, out);
  find_statements(model, out);
  find_flush_rules(model, out);
  // A condition stands before its first operand, which begins at the same place.
  std::stable_sort(out.begin(), out.end(), [](const Ablation& a, const Ablation& b) {
    const Span& left = a.parts.front();
    const Span& right = b.parts.front();
    return left.file == right.file && left.begin == right.begin ? left.end > right.end : before(left, right);
  });
  return out;
}

std::vector<Landmark> landmarks(const File& file) {
  std::vector<Landmark> out;
  for (const Item& item : file.items) {
    if (!item.function) continue;
    each_statement(*item.function->body, [&](const Stmt& s) {
      bool found = s.kind == StmtKind::assign && plain(*s.lhs).kind != ExprKind::name;
      ablation::each_expression(s, [&](const Expr& e) { found = found || is_landmark(e); });
      if (!found) return;
      std::string text = s.body.empty() ? print(s) : print(plain(*s.expr));  // of an `if` its condition
      out.push_back({s.span, text.substr(0, text.find(';'))});
    });
  }
  return out;
}

}  // namespace faultline::dsl
