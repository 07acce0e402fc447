// One canonical layout, from which the parser reads the same tree again (comments are gone, parentheses are the needed
// ones).
#include <fmt/format.h>

#include "dsl/patch.hpp"

namespace faultline::dsl {
namespace {

// ---------------------------------------------------------------- expressions

// How tightly a node binds, in the order of dsl/Faultline.g4.
int binding(const Expr& e) {
  switch (e.kind) {
    case ExprKind::conditional: return 2;
    case ExprKind::lnot:
    case ExprKind::star:
    case ExprKind::address:
    case ExprKind::negate: return 10;
    case ExprKind::integer: return e.value < 0 ? 10 : 11;
    case ExprKind::binary: break;
    default: return 11;
  }
  if (e.text == "implies") return 1;
  if (e.text == "||") return 3;
  if (e.text == "&&") return 4;
  if (e.text == "|") return 5;
  if (e.text == "&") return 6;
  if (e.text == "==" || e.text == "!=") return 7;
  if (e.text == "+" || e.text == "-") return 9;
  return 8;
}

std::string_view prefix(ExprKind kind) {
  return kind == ExprKind::lnot ? "!" : kind == ExprKind::star ? "*" : kind == ExprKind::address ? "&" : "-";
}

std::string write(const Expr& e, bool full);

// `e` where at least `least` must bind; `full` puts parentheses around everything that is not an atom.
std::string operand(const Expr& e, int least, bool full) {
  const Expr* inner = &e;
  while (inner->kind == ExprKind::paren) inner = inner->kids[0].get();
  const std::string text = write(*inner, full);
  if (full || binding(*inner) >= least) return text;  // write() has put them there already when `full`
  return "(" + text + ")";
}

std::string write(const Expr& e, bool full) {
  const auto grouped = [full](std::string text) { return full ? "(" + text + ")" : text; };
  switch (e.kind) {
    case ExprKind::name: return e.text;
    case ExprKind::integer: return std::to_string(e.value);
    case ExprKind::string: return "\"" + e.text + "\"";
    case ExprKind::paren: return operand(*e.kids[0], 0, full);
    case ExprKind::arrow: return operand(*e.kids[0], 11, full) + "->" + e.text;
    case ExprKind::dot: return operand(*e.kids[0], 11, full) + "." + e.text;
    case ExprKind::index: return operand(*e.kids[0], 11, full) + "[" + operand(*e.kids[1], 0, full) + "]";
    case ExprKind::call: {
      std::string text = e.text + "(";
      for (std::size_t i = 0; i < e.kids.size(); ++i) text += (i > 0 ? ", " : "") + operand(*e.kids[i], 0, full);
      return text + ")";
    }
    case ExprKind::lnot:
    case ExprKind::star:
    case ExprKind::address:
    case ExprKind::negate: {
      std::string inner = operand(*e.kids[0], 10, full);
      const std::string_view sign = prefix(e.kind);
      // `-` before `-` would read as `--`, `&` before `&` as `&&`.
      if (sign != "!" && sign != "*" && inner.starts_with(sign)) inner = "(" + inner + ")";
      return grouped(std::string(sign) + inner);
    }
    case ExprKind::binary: {
      const int own = binding(e);
      const bool right = e.text == "implies";
      return grouped(operand(*e.kids[0], right ? own + 1 : own, full) + " " + e.text + " " +
                     operand(*e.kids[1], right ? own : own + 1, full));
    }
    case ExprKind::conditional:
      return grouped(operand(*e.kids[0], 3, full) + " ? " + operand(*e.kids[1], 0, full) + " : " +
                     operand(*e.kids[2], 2, full));
  }
  return {};
}

// ---------------------------------------------------------------- statements

std::string indentation(int indent) { return std::string(static_cast<std::size_t>(indent < 0 ? 0 : indent) * 4, ' '); }

std::string type(const TypeName& t) {
  return t.low && t.high ? fmt::format("{}({}..{})", t.text, *t.low, *t.high) : t.text;
}

std::string names(const std::vector<Ident>& list) {
  std::string text;
  for (const Ident& name : list) text += (text.empty() ? "" : ", ") + name.text;
  return text;
}

// A statement without its line: assignment, declaration, call.
std::string simple(const Stmt& s) {
  switch (s.kind) {
    case StmtKind::declare: {
      std::string text = type(s.type) + " ";
      for (std::size_t i = 0; i < s.declarators.size(); ++i) {
        const Declarator& d = s.declarators[i];
        text += (i > 0 ? ", " : "") + std::string(static_cast<std::size_t>(d.stars), '*') + d.name.text;
        if (d.init) text += " = " + print(*d.init);
      }
      return text;
    }
    case StmtKind::assign:
      if (!s.expr) return operand(*s.lhs, 11, false) + s.text;  // x++, (*p)++
      return print(*s.lhs) + " " + s.text + " " + print(*s.expr);
    case StmtKind::expression: return print(*s.expr);
    default: return {};
  }
}

// An `if` without `else` at the end of `s` would take the `else` that follows it.
bool takes_else(const Stmt& s) {
  switch (s.kind) {
    case StmtKind::if_: return s.body.size() < 2 || takes_else(*s.body[1]);
    case StmtKind::while_:
    case StmtKind::for_: return takes_else(*s.body[0]);
    default: return false;
  }
}

bool is_compound(const Stmt& s) {
  switch (s.kind) {
    case StmtKind::if_:
    case StmtKind::while_:
    case StmtKind::do_while:
    case StmtKind::for_:
    case StmtKind::switch_:
    case StmtKind::atomic: return true;
    default: return false;
  }
}

std::string lines(const std::vector<StmtPtr>& body, int indent) {
  std::string text;
  for (const StmtPtr& s : body) text += print(*s, indent);
  return text;
}

// The body of a compound statement, behind its head and without the line end: ` { … }`, ` return;`, or on a line of its
// own.
std::string body_of(const Stmt& s, int indent, bool braces) {
  if (s.kind == StmtKind::block) return " {\n" + lines(s.body, indent + 1) + indentation(indent) + "}";
  if (braces) return " {\n" + print(s, indent + 1) + indentation(indent) + "}";
  std::string text;
  if (is_compound(s)) {
    text = "\n" + print(s, indent + 1);
  } else {
    text = " " + print(s, 0);
  }
  text.pop_back();
  return text;
}

std::string if_statement(const Stmt& s, int indent) {
  const bool has_else = s.body.size() > 1;
  const bool braces = has_else && takes_else(*s.body[0]);
  std::string text = "if (" + print(*s.expr) + ")" + body_of(*s.body[0], indent, braces);
  if (!has_else) return text;
  const bool joined = text.back() == '}' && (braces || s.body[0]->kind == StmtKind::block);
  text += joined ? " else" : "\n" + indentation(indent) + "else";
  if (s.body[1]->kind == StmtKind::if_) return text + " " + if_statement(*s.body[1], indent);
  return text + body_of(*s.body[1], indent, false);
}

}  // namespace

std::string print(const Expr& expr) { return operand(expr, 0, false); }
std::string print_tree(const Expr& expr) { return operand(expr, 0, true); }

std::string print(const Stmt& s, int indent) {
  const std::string margin = indentation(indent);
  switch (s.kind) {
    case StmtKind::block: return margin + "{\n" + lines(s.body, indent + 1) + margin + "}\n";
    case StmtKind::atomic: return margin + "atomic {\n" + lines(s.body, indent + 1) + margin + "}\n";
    case StmtKind::if_: return margin + if_statement(s, indent) + "\n";
    case StmtKind::while_: return margin + "while (" + print(*s.expr) + ")" + body_of(*s.body[0], indent, false) + "\n";
    case StmtKind::do_while:
      return margin + "do" + body_of(*s.body[0], indent, s.body[0]->kind != StmtKind::block) + " while (" +
             print(*s.expr) + ");\n";
    case StmtKind::for_: {
      std::string head = "for (" + (s.init ? simple(*s.init) : "") + ";" + (s.expr ? " " + print(*s.expr) : "") + ";";
      head += s.step ? " " + simple(*s.step) : "";
      return margin + head + ")" + body_of(*s.body[0], indent, false) + "\n";
    }
    case StmtKind::switch_:
      return margin + "switch (" + print(*s.expr) + ") {\n" + lines(s.body, indent + 1) + margin + "}\n";
    case StmtKind::case_:
      return indentation(indent - 1) + (s.cases.empty() ? "default" : "case " + names(s.cases)) + ":\n";
    case StmtKind::return_: return margin + (s.expr ? "return " + print(*s.expr) : "return") + ";\n";
    case StmtKind::goto_: return margin + "goto " + s.text + ";\n";
    case StmtKind::label: return indentation(indent - 1) + s.text + ":\n";
    case StmtKind::break_: return margin + "break;\n";
    case StmtKind::continue_: return margin + "continue;\n";
    case StmtKind::empty: return margin + ";\n";
    default: return margin + simple(s) + ";\n";
  }
}

// ---------------------------------------------------------------- items

namespace {

std::string params(const std::vector<Param>& list) {
  std::string text;
  for (const Param& p : list) {
    text += text.empty() ? "" : ", ";
    if (p.type) text += type(*p.type) + " " + std::string(static_cast<std::size_t>(p.stars), '*');
    text += p.name.text;
  }
  return text;
}

std::string write(const ResourceItem& r) {
  std::string text = "resource " + r.name.text + " {";
  if (r.alloc) text += " alloc " + r.alloc->text + ";";
  if (r.free) text += " free " + r.free->text + ";";
  if (r.nofail) text += " nofail;";
  if (r.type_stable) text += " type_stable;";
  for (const ResourceItem::Field& f : r.fields) text += " " + type(f.type) + " " + f.name.text + ";";
  return text + " }\n";
}

std::string write(const EnumItem& e) {
  std::string text = e.name ? "enum " + e.name->text + " {" : "enum {";
  for (std::size_t i = 0; i < e.constants.size(); ++i) {
    text += (i > 0 ? ", " : " ") + e.constants[i].name.text;
    if (e.constants[i].value) text += fmt::format(" = {}", *e.constants[i].value);
  }
  return text + " };\n";
}

std::string write(const EntryItem& e) {
  std::string text = "entry " + e.name.text + " {\n";
  for (const StateDecl& s : e.states) {
    text += "    state " + s.name.text;
    if (!s.payload.empty()) text += "(" + params(s.payload) + ")";
    text += s.predicates.empty() ? " { }" : " { " + names(s.predicates) + " }";
    text += s.unreachable ? " unreachable;\n" : "\n";
  }
  for (const Arrow& a : e.arrows) {
    text += "    " + names(a.from) + " -> " + names(a.to);
    for (std::size_t i = 0; i < a.locks.size(); ++i) {
      const LockUse& use = a.locks[i];
      text += (i > 0 ? ", " : " under ") + (use.mode ? use.mode->text + "(" + use.lock.text + ")" : use.lock.text);
    }
    text += a.after_flush ? " after flush" : "";
    text += a.unreachable ? " unreachable;\n" : ";\n";
  }
  return text + "}\n";
}

// A statement of a hunk, its sign on each line.
std::string write(const PatchLine& line) {
  const std::string text =
      print(*line.stmt, line.stmt->kind == StmtKind::label || line.stmt->kind == StmtKind::case_ ? 1 : 0);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out += fmt::format("  {} {}\n", line.sign, std::string_view(text).substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string write(const PatchItem& p) {
  std::string text = "patch " + p.name.text + (p.after ? " after " + p.after->text : "");
  for (const PatchHunk& hunk : p.hunks) {
    text += (&hunk == &p.hunks.front() && p.hunks.size() == 1 ? " in " : "\n    in ") + hunk.function.text + " {\n";
    for (const PatchLine& line : hunk.lines) text += write(line);
    text += "}";
  }
  return text + "\n";
}

std::string write(const ExpectItem& e) {
  std::string text = "expect " + e.variant.text + " : ";
  for (std::size_t i = 0; i < e.clauses.size(); ++i) {
    const ExpectClause& c = e.clauses[i];
    if (i > 0) text += ", ";
    switch (c.what) {
      case ExpectClause::What::safe: text += c.cpus ? fmt::format("safe on {} cpus", *c.cpus) : "safe"; break;
      case ExpectClause::What::violates: text += "violates " + names(c.kinds); break;
      case ExpectClause::What::compare: text += c.relation.text + " " + c.measure.text + " than " + c.than.text; break;
    }
  }
  return text + ";\n";
}

std::string write(const RunItem& r) {
  std::string text = "run " + names(r.handlers) + " on ";
  text += r.cpus ? fmt::format("{} {}", *r.cpus, *r.cpus == 1 ? "cpu" : "cpus") : "any cpus";
  return text + (r.once ? " once;\n" : ";\n");
}

std::string write(const Item& i) {
  if (i.memory) return "memory " + i.memory->model.text + ";\n";
  if (i.lock) return i.lock->kind.text + " " + names(i.lock->names) + ";\n";
  if (i.opaque) return (i.opaque->is_volatile ? "volatile opaque " : "opaque ") + names(i.opaque->names) + ";\n";
  if (i.resource) return write(*i.resource);
  if (i.enumeration) return write(*i.enumeration);
  if (i.entry) return write(*i.entry);
  if (i.shared) {
    const std::string init = i.shared->init ? " = " + print(*i.shared->init) : "";
    return "shared " + type(i.shared->type) + " *" + i.shared->name.text + init + ";\n";
  }
  if (i.tlb) {
    const std::string caches = i.tlb->caches ? " caches " + i.tlb->caches->text : "";
    return "tlb " + i.tlb->place.text + caches + " in " + names(i.tlb->states) + ";\n";
  }
  if (i.function) {
    const std::string head = i.function->is_handler ? "handler " : type(i.function->result) + " ";
    return head + i.function->name.text + "(" + params(i.function->params) + ") " + print(*i.function->body);
  }
  if (i.run) return write(*i.run);
  if (i.invariant) return "invariant " + i.invariant->name.text + " : " + print(*i.invariant->expr) + ";\n";
  if (i.progress) {
    return "progress " + i.progress->name.text + " : " + print(*i.progress->from) + " ~> " + print(*i.progress->to) +
           ";\n";
  }
  if (i.cost) return "cost " + i.cost->handler.text + " from " + names(i.cost->states) + ";\n";
  if (i.patch) return write(*i.patch);
  if (i.expect) return write(*i.expect);
  return {};
}

}  // namespace

std::string print(const File& file) {
  std::string text = "model " + file.model.text + ";\n";
  for (const Item& item : file.items) text += write(item);
  return text;
}

}  // namespace faultline::dsl
