#include "dsl/tree.hpp"

#include "dsl/vocabulary.hpp"

namespace faultline::dsl {
namespace {

bool is_transparent(const Expr& e) {
  if (e.kind == ExprKind::paren) return true;
  if (e.kind != ExprKind::call || e.kids.size() != 1) return false;
  const Word* word = find_word(e.text);
  return word != nullptr && word->builtin == Builtin::transparent;
}

}  // namespace

const ExprPtr& plain(const ExprPtr& expr) { return is_transparent(*expr) ? plain(expr->kids[0]) : expr; }

const Expr& plain(const Expr& expr) { return is_transparent(expr) ? plain(*expr.kids[0]) : expr; }

bool leaves(const Stmt& s) {
  switch (s.kind) {
    case StmtKind::return_:
    case StmtKind::goto_:
    case StmtKind::break_:
    case StmtKind::continue_: return true;
    case StmtKind::block: return !s.body.empty() && leaves(*s.body.back());
    case StmtKind::if_: return s.body.size() == 2 && leaves(*s.body[0]) && leaves(*s.body[1]);
    default: return false;
  }
}

}  // namespace faultline::dsl
