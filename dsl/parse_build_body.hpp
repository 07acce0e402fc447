// Part of parse.cpp: ANTLR's tree of statements and expressions turned into dsl/ast.hpp. Statements with an error are
// left out.
#pragma once
#include <antlr4-runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "FaultlineParser.h"
#include "dsl/ast.hpp"
#include "dsl/parse_errors.hpp"
#include "dsl/parse_tokens.hpp"

namespace faultline::dsl {

using Parser = gen::FaultlineParser;

class BodyBuilder {
 public:
  BodyBuilder(const std::vector<Lexeme>& lexemes, const SourceFile& source, Diagnostics& diagnostics)
      : lexemes_(lexemes), source_(source), diagnostics_(diagnostics) {}

 protected:
  static bool sound(const antlr4::ParserRuleContext* context) { return context->exception == nullptr; }

  [[nodiscard]] Span span(const antlr4::ParserRuleContext* context) const {
    return span(context->start, context->stop);
  }
  [[nodiscard]] Span span(const antlr4::Token* first, const antlr4::Token* last) const {
    const std::size_t from = std::min(first->getTokenIndex(), lexemes_.size() - 1);
    const std::size_t to = std::clamp(last != nullptr ? last->getTokenIndex() : from, from, lexemes_.size() - 1);
    return source_.span(lexemes_[from].begin, lexemes_[to].end);
  }
  [[nodiscard]] Ident ident(antlr4::ParserRuleContext* context) const { return {context->getText(), span(context)}; }
  [[nodiscard]] Ident ident(const antlr4::Token* token) const { return {token->getText(), span(token, token)}; }
  template <typename Names>
  [[nodiscard]] std::vector<Ident> idents(const std::vector<Names*>& names) const {
    std::vector<Ident> out;
    for (Names* name : names) out.push_back(ident(name));
    return out;
  }
  std::vector<Ident> idents(Parser::NamesContext* names) {
    return names != nullptr ? idents(names->name()) : std::vector<Ident>{};
  }

  std::int64_t number(antlr4::tree::TerminalNode* node, bool negative = false) {
    std::string text = node->getText();
    while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos) text.pop_back();
    const bool hex = text.size() > 2 && (text[1] == 'x' || text[1] == 'X');
    std::int64_t value = 0;
    const char* first = text.data() + (hex ? 2 : 0);
    const auto result = std::from_chars(first, text.data() + text.size(), value, hex ? 16 : 10);
    if (result.ec != std::errc{}) {
      const Span place = span(node->getSymbol(), node->getSymbol());
      diagnostics_.add({Severity::error,
                        "FL0124",
                        place,
                        fmt::format("`{}` is too large a number", node->getText()),
                        {},
                        {"the largest is 9223372036854775807"}});
    }
    return negative ? -value : value;
  }

  // Whether the rule itself took this word, as a keyword.
  static bool has(const antlr4::ParserRuleContext* context, std::string_view word) {
    for (antlr4::tree::ParseTree* child : context->children) {
      auto* leaf = dynamic_cast<antlr4::tree::TerminalNode*>(child);
      if (leaf != nullptr && leaf->getText() == word) return true;
    }
    return false;
  }

  void error(std::string code, const Span& place, std::string message, std::vector<Related> related = {},
             std::vector<std::string> notes = {}, std::vector<std::string> helps = {}) {
    diagnostics_.add({Severity::error, std::move(code), place, std::move(message), std::move(related), std::move(notes),
                      std::move(helps)});
  }

  void unsupported(const Span& place, std::string_view what) {
    error("FL0313", place, fmt::format("{} not supported yet", what));
  }

  TypeName type(antlr4::ParserRuleContext* context) {
    TypeName out;
    out.span = span(context);
    const auto add = [&out](const std::string& word) { out.text += (out.text.empty() ? "" : " ") + word; };
    for (antlr4::tree::ParseTree* child : context->children) {
      if (dynamic_cast<Parser::QualifierContext*>(child) != nullptr) continue;
      if (auto* range = dynamic_cast<Parser::RangeContext*>(child)) {
        out.low = number(range->bound(0)->INT(), has(range->bound(0), "-"));
        out.high = number(range->bound(1)->INT(), has(range->bound(1), "-"));
      } else if (child->getText() != "const") {
        add(child->getText());
      }
    }
    return out;
  }

  std::vector<Param> params(Parser::ParamsContext* context) {
    std::vector<Param> out;
    if (context == nullptr) return out;
    for (Parser::ParamContext* param : context->param()) {
      Param p;
      if (param->typeName() != nullptr) p.type = type(param->typeName());
      p.stars = stars(param);
      p.name = ident(param->name());
      p.span = span(param);
      out.push_back(std::move(p));
    }
    return out;
  }

  static int stars(const antlr4::ParserRuleContext* context) {
    int count = 0;
    for (antlr4::tree::ParseTree* child : context->children) {
      auto* leaf = dynamic_cast<antlr4::tree::TerminalNode*>(child);
      if (leaf != nullptr && leaf->getText() == "*") ++count;
    }
    return count;
  }

  // -------------------------------------------------------------- statements

  std::shared_ptr<Stmt> make(StmtKind kind, const antlr4::ParserRuleContext* context) const {
    auto stmt = std::make_shared<Stmt>();
    stmt->kind = kind;
    stmt->span = span(context);
    return stmt;
  }

  StmtPtr block(Parser::BlockContext* context) {
    auto out = make(StmtKind::block, context);
    if (context->getStop() != nullptr) out->close = span(context->getStop(), context->getStop());
    statements(context, *out);
    return out;
  }

  void statements(Parser::BlockContext* context, Stmt& into) {
    const bool outer = std::exchange(in_switch_block_, into.kind == StmtKind::switch_);
    for (Parser::StatementContext* child : context->statement()) {
      if (sound(child)) into.body.push_back(statement(child));
    }
    in_switch_block_ = outer;
  }

  StmtPtr loop_body(Parser::StatementContext* context) {
    ++loops_;
    StmtPtr out = sole(context);
    --loops_;
    return out;
  }

  // A statement that stands alone, such as the body of an `if`: an empty one when it had an error.
  StmtPtr sole(Parser::StatementContext* context) {
    return sound(context) ? statement(context) : make(StmtKind::empty, context);
  }

  StmtPtr statement(Parser::StatementContext* context) {
    if (auto* c = context->ifStatement()) {
      auto out = make(StmtKind::if_, c);
      out->expr = expr(c->expr());
      for (Parser::StatementContext* branch : c->statement()) out->body.push_back(sole(branch));
      return out;
    }
    if (auto* c = context->whileStatement()) {
      auto out = make(StmtKind::while_, c);
      out->expr = expr(c->expr());
      out->body.push_back(loop_body(c->statement()));
      return out;
    }
    if (auto* c = context->doStatement()) {
      auto out = make(StmtKind::do_while, c);
      out->expr = expr(c->expr());
      out->body.push_back(loop_body(c->statement()));
      return out;
    }
    if (auto* c = context->forStatement()) {
      auto out = make(StmtKind::for_, c);
      if (c->initial != nullptr) out->init = simple(c->initial);
      if (c->expr() != nullptr) out->expr = expr(c->expr());
      if (c->advance != nullptr) out->step = simple(c->advance);
      out->body.push_back(loop_body(c->statement()));
      return out;
    }
    if (auto* c = context->switchStatement()) {
      auto out = make(StmtKind::switch_, c);
      out->expr = expr(c->expr());
      ++switches_;
      statements(c->block(), *out);
      --switches_;
      return out;
    }
    if (auto* c = context->caseLabel()) {
      if (!in_switch_block_ && !in_hunk_) {
        error("FL0126", span(c), fmt::format("`{}` outside of a switch", c->start->getText()), {},
              {"cases stand directly in the block of a `switch`, not in a block of their own inside it"});
      }
      auto out = make(StmtKind::case_, c);
      out->cases = idents(c->caseName());
      return out;
    }
    if (auto* c = context->returnStatement()) {
      auto out = make(StmtKind::return_, c);
      if (c->expr() != nullptr) out->expr = expr(c->expr());
      return out;
    }
    if (auto* c = context->gotoStatement()) {
      auto out = make(StmtKind::goto_, c);
      out->text = c->name()->getText();
      return out;
    }
    if (auto* c = context->labelStatement()) {
      auto out = make(StmtKind::label, c);
      out->text = c->name()->getText();
      return out;
    }
    if (auto* c = context->jumpStatement()) {
      const bool is_break = c->start->getText() == "break";
      if (loops_ == 0 && (!is_break || switches_ == 0) && !in_hunk_) {
        error("FL0126", span(c),
              fmt::format("`{}` outside of a {}", c->start->getText(), is_break ? "loop or switch" : "loop"));
      }
      return make(is_break ? StmtKind::break_ : StmtKind::continue_, c);
    }
    if (auto* c = context->simpleStatement()) return simple(c->simple());
    if (auto* c = context->block()) {
      auto out = make(context->start->getText() == "atomic" ? StmtKind::atomic : StmtKind::block, context);
      statements(c, *out);
      return out;
    }
    return make(StmtKind::empty, context);
  }

  StmtPtr simple(Parser::SimpleContext* context) {
    if (auto* c = dynamic_cast<Parser::DeclarationContext*>(context)) {
      auto out = make(StmtKind::declare, c);
      out->type = type(c->typeName());
      declared_.push_back(out->type);
      for (Parser::DeclaratorContext* d : c->declarator()) {
        out->declarators.push_back({ident(d->name()), stars(d), d->expr() != nullptr ? expr(d->expr()) : nullptr});
      }
      return out;
    }
    auto out = make(StmtKind::assign, context);
    if (context->start->getText() == "-") {  // `- spin_lock(l);` reads like an expression
      Diagnostic d = signed_line('-', in_hunk_);
      d.span = span(context->start, context->start);
      diagnostics_.add(std::move(d));
      return make(StmtKind::empty, context);
    }
    if (auto* c = dynamic_cast<Parser::PrefixStepContext*>(context)) {
      out->text = c->op->getText();
      out->lhs = expr(c->expr());
    }
    if (auto* c = dynamic_cast<Parser::EffectContext*>(context)) {
      if (c->op == nullptr) {
        out->kind = StmtKind::expression;
        out->expr = expr(c->expr(0));
        check_effect(*out->expr);
        return out;
      }
      out->text = c->op->getText();
      out->lhs = expr(c->expr(0));
      if (c->expr().size() > 1) out->expr = expr(c->expr(1));
    }
    return out;
  }

  // Only calls do something; `step` and `unreachable` are statements of their own.
  void check_effect(const Expr& e) {
    if (e.kind == ExprKind::call) return;
    if (e.kind == ExprKind::name && (e.text == "step" || e.text == "unreachable")) return;
    std::vector<std::string> notes;
    std::vector<std::string> helps;
    if (e.kind == ExprKind::name) {
      const std::string near = did_you_mean(e.text, {"step", "unreachable", "return", "break", "continue"});
      if (!near.empty()) notes.push_back(fmt::format("did you mean `{};`?", near));
      if (near.empty()) helps.push_back(fmt::format("a call has parentheses: `{}();`", e.text));
    } else if (e.kind == ExprKind::binary && e.text == "==") {
      helps.push_back("an assignment has one `=`");
    } else if (e.kind == ExprKind::binary && (e.text == "&&" || e.text == "||")) {
      helps.push_back("make it an `if`");
    } else if (e.kind == ExprKind::paren && e.kids[0]->kind == ExprKind::call) {
      helps.push_back("leave out the parentheses");
    }
    error("FL0125", e.span, "this statement has no effect", {}, std::move(notes), std::move(helps));
  }

  // -------------------------------------------------------------- expressions

  ExprPtr expr(Parser::ExprContext* context) {
    auto out = std::make_shared<Expr>();
    out->span = span(context);
    const auto kids = [&out, this](const std::vector<Parser::ExprContext*>& list) {
      for (Parser::ExprContext* kid : list) out->kids.push_back(expr(kid));
    };
    const auto text = [&out](const Ident& name) {
      out->text = name.text;
      out->text_span = name.span;
    };
    if (auto* c = dynamic_cast<Parser::CallContext*>(context)) {
      out->kind = ExprKind::call;
      text(ident(c->name()));
      kids(c->expr());
    }
    if (auto* c = dynamic_cast<Parser::FieldContext*>(context)) {
      out->kind = c->op->getText() == "." ? ExprKind::dot : ExprKind::arrow;
      text(ident(c->name()));
      out->kids.push_back(expr(c->expr()));
    }
    if (auto* c = dynamic_cast<Parser::IndexContext*>(context)) {
      out->kind = ExprKind::index;
      kids(c->expr());
    }
    if (auto* c = dynamic_cast<Parser::PrefixContext*>(context)) {
      const std::string op = c->op->getText();
      out->kind = op == "!"   ? ExprKind::lnot
                  : op == "*" ? ExprKind::star
                  : op == "&" ? ExprKind::address
                              : ExprKind::negate;
      out->kids.push_back(expr(c->expr()));
    }
    if (auto* c = dynamic_cast<Parser::BinaryContext*>(context)) {
      out->kind = ExprKind::binary;
      text(ident(c->op));
      kids(c->expr());
    }
    if (auto* c = dynamic_cast<Parser::ConditionalContext*>(context)) {
      out->kind = ExprKind::conditional;
      kids(c->expr());
    }
    if (auto* c = dynamic_cast<Parser::ParenContext*>(context)) {
      out->kind = ExprKind::paren;
      out->kids.push_back(expr(c->expr()));
    }
    if (auto* c = dynamic_cast<Parser::IntegerContext*>(context)) {
      out->kind = ExprKind::integer;
      out->value = number(c->INT());
    }
    if (auto* c = dynamic_cast<Parser::StringContext*>(context)) {
      out->kind = ExprKind::string;
      const std::string quoted = c->STRING()->getText();
      out->text = quoted.substr(1, quoted.size() >= 2 && quoted.back() == '"' ? quoted.size() - 2 : std::string::npos);
    }
    if (dynamic_cast<Parser::PlainContext*>(context) != nullptr) text(ident(context));
    return out;
  }

  const std::vector<Lexeme>& lexemes_;
  const SourceFile& source_;
  Diagnostics& diagnostics_;
  std::vector<TypeName> declared_;  // types of local declarations, as written
  int loops_ = 0;                   // around the statement at hand
  int switches_ = 0;
  bool in_switch_block_ = false;
  bool in_hunk_ = false;  // where the context of a statement is not known
};

}  // namespace faultline::dsl
