// What of a statement counts when a patch looks for it. The tree is first brought to a normal form (no likely(), no
// parentheses, no opaque arguments, `&mm->pmd` is `pmd`), then written as tokens with the parentheses that its shape
// needs.
#include <algorithm>
#include <cctype>

#include "dsl/patch.hpp"

namespace faultline::dsl {
namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The name at the bottom of a path: mm in `mm->a.b`.
const Expr& root(const Expr& e) {
  const bool path =
      e.kind == ExprKind::arrow || e.kind == ExprKind::dot || e.kind == ExprKind::paren || e.kind == ExprKind::address;
  return path ? root(*e.kids[0]) : e;
}

ExprPtr normal(const ExprPtr& e, const Names& opaque) {
  if (e->kind == ExprKind::paren || e->kind == ExprKind::address) return normal(e->kids[0], opaque);
  if (e->kind == ExprKind::call && e->kids.size() == 1 && (e->text == "likely" || e->text == "unlikely"))
    return normal(e->kids[0], opaque);
  auto out = std::make_shared<Expr>(*e);
  if (e->kind == ExprKind::arrow || e->kind == ExprKind::dot) {
    const Expr& base = root(*e);
    if (base.kind == ExprKind::name &&
        contains(opaque, base.text)) {  // a path through what is not tracked: its last name counts
      out->kind = ExprKind::name;
      out->kids.clear();
      return out;
    }
  }
  out->kids.clear();
  for (const ExprPtr& kid : e->kids) {
    ExprPtr part = normal(kid, opaque);
    if (e->kind == ExprKind::call && part->kind == ExprKind::name && contains(opaque, part->text)) continue;
    out->kids.push_back(std::move(part));
  }
  return out;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Cuts canonical text, as print() writes it, into tokens.
std::vector<std::string> cut(const std::string& text) {
  static constexpr std::string_view pairs[] = {"->", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "++", "--", ".."};
  std::vector<std::string> out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = 1;
    if (text[i] == ' ' || text[i] == '\n') {
      ++i;
      continue;
    }
    if (is_word(text[i])) {
      while (i + length < text.size() && is_word(text[i + length])) ++length;
    } else if (text[i] == '"') {
      while (i + length < text.size() && text[i + length] != '"') length += text[i + length] == '\\' ? 2 : 1;
      ++length;
    } else if (std::find(std::begin(pairs), std::end(pairs), std::string_view(text).substr(i, 2)) != std::end(pairs)) {
      length = 2;
    }
    out.push_back(text.substr(i, length));
    i += length;
  }
  return out;
}

StmtPtr normal(const StmtPtr& s, const Names& opaque) {
  if (!s) return s;
  auto out = std::make_shared<Stmt>(*s);
  if (s->expr) out->expr = normal(s->expr, opaque);
  if (s->lhs) out->lhs = normal(s->lhs, opaque);
  out->init = normal(s->init, opaque);
  out->step = normal(s->step, opaque);
  for (StmtPtr& part : out->body) part = normal(part, opaque);
  for (Declarator& d : out->declarators) {
    if (d.init) d.init = normal(d.init, opaque);
  }
  return out;
}

}  // namespace

std::vector<std::string> normal_tokens(const Stmt& stmt, const std::vector<std::string>& opaque) {
  return cut(print(*normal(std::make_shared<Stmt>(stmt), opaque)));
}

std::vector<std::string> normal_tokens(const Expr& expr, const std::vector<std::string>& opaque) {
  return cut(print(*normal(std::make_shared<Expr>(expr), opaque)));
}

}  // namespace faultline::dsl
