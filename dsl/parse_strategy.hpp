// Part of parse.cpp: what the generated parser does at a token that does not fit.
//
// Rules that are no unit pass the exception on; a unit (a statement, a line of an entry or resource, an item …) reports
// it once, skips to its own end, which balanced brackets make certain, and returns as if nothing had happened. So
// errors are independent of each other, and a unit with an error is left out of the tree. A missing `;` at the end of a
// line is reported and assumed.
#pragma once
#include <antlr4-runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "FaultlineParser.h"
#include "dsl/parse_errors.hpp"
#include "dsl/parse_tokens.hpp"

namespace faultline::dsl {

using Parser = gen::FaultlineParser;

inline constexpr std::size_t deepest_tree = 600;  // nested rules: a nested `if` takes two, an operator one
inline constexpr std::size_t most_errors = 50;
inline constexpr std::size_t most_failures = 1000;

struct TooDeep {
  std::size_t token;
};
struct TooMany {};

// Watches how deep the tree becomes: in open rules while it is read downwards, and in height, because a chain `a + b +
// …` leans to the left and is as high as it is long while only one rule is open.
class DepthGuard : public antlr4::tree::ParseTreeListener {
 public:
  void enterEveryRule(antlr4::ParserRuleContext* context) override {
    if (too_high_) throw TooDeep{*too_high_};
    if (++depth_ > deepest_tree) throw TooDeep{token(context)};
  }
  void exitEveryRule(antlr4::ParserRuleContext* context) override {
    --depth_;
    std::size_t height = 0;
    for (antlr4::tree::ParseTree* child : context->children) {
      const auto found = heights_.find(child);
      if (found == heights_.end()) continue;
      height = std::max(height, found->second);
      heights_.erase(found);
    }
    // Called while a rule is unwound, where nothing may be thrown: the next rule does it.
    if (height >= deepest_tree && !too_high_) too_high_ = token(context);
    heights_.emplace(context, height + 1);
  }
  void visitTerminal(antlr4::tree::TerminalNode*) override {}
  void visitErrorNode(antlr4::tree::ErrorNode*) override {}

  [[nodiscard]] std::optional<std::size_t> too_high() const { return too_high_; }

 private:
  static std::size_t token(const antlr4::ParserRuleContext* context) {
    return context->start != nullptr ? context->start->getTokenIndex() : 0;
  }

  std::size_t depth_ = 0;
  std::optional<std::size_t> too_high_;  // the token where it became so
  std::unordered_map<const antlr4::tree::ParseTree*, std::size_t>
      heights_;  // of finished rules whose parent is not finished
};

// Chooses between the kinds of statements. A statement that begins with a name and then goes wrong is taken as an
// expression, so that the error is found where it is (`step }`: a missing `;`) and not at the choice.
class Chooser : public antlr4::atn::ParserATNSimulator {
 public:
  Chooser(antlr4::Parser* owner, antlr4::atn::ParserATNSimulator& plain, const std::vector<Lexeme>& lexemes)
      : ParserATNSimulator(owner, owner->getATN(), plain.decisionToDFA, plain.getSharedContextCache()),
        lexemes_(lexemes) {
    setPredictionMode(antlr4::atn::PredictionMode::SLL);
  }

  std::size_t adaptivePredict(antlr4::TokenStream* input, std::size_t decision,
                              antlr4::ParserRuleContext* context) override {
    const std::size_t at = input->index();
    try {
      return ParserATNSimulator::adaptivePredict(input, decision, context);
    } catch (const antlr4::NoViableAltException&) {
      if (at >= lexemes_.size() || !is_word(lexemes_[at]) || is_c_keyword(lexemes_[at].text)) throw;
      const std::size_t choice = likely_choice(decision, lexemes_[at].text);
      if (choice == 0) throw;
      return choice;
    }
  }

 private:
  // The alternative of rule `statement` or `simple` that is an expression, that of `resourceLine` by its first word; 0
  // for other decisions.
  [[nodiscard]] std::size_t likely_choice(std::size_t decision, std::string_view word) const {
    const antlr4::atn::DecisionState* state = atn.getDecisionState(decision);
    if (state->ruleIndex == Parser::RuleResourceLine && state->transitions.size() == 3) {
      return word == "alloc" || word == "free" ? 1 : word == "nofail" || word == "type_stable" ? 2 : 3;
    }
    if (state->ruleIndex == Parser::RuleSimple && state->transitions.size() == 3) return 3;
    if (state->ruleIndex != Parser::RuleStatement) return 0;
    for (std::size_t i = 0; i < state->transitions.size(); ++i) {
      const antlr4::atn::Transition* first = state->transitions[i]->target->transitions.front();
      if (first->target->ruleIndex == Parser::RuleSimpleStatement) return i + 1;
    }
    return 0;
  }

  const std::vector<Lexeme>& lexemes_;
};

inline bool is_unit(std::size_t rule) {
  switch (rule) {
    case Parser::RuleHeader:
    case Parser::RuleItem:
    case Parser::RuleResourceLine:
    case Parser::RuleStateLine:
    case Parser::RuleArrowLine:
    case Parser::RulePatchLine:
    case Parser::RuleStatement: return true;
    default: return false;
  }
}

inline bool is_list(std::size_t rule) {
  return rule == Parser::RuleFile || rule == Parser::RuleBlock || rule == Parser::RuleResourceItem ||
         rule == Parser::RuleEntryItem || rule == Parser::RuleHunk;
}

class Strategy : public antlr4::ANTLRErrorStrategy {
 public:
  Strategy(const std::vector<Lexeme>& lexemes, const SourceFile& source, Diagnostics& diagnostics)
      : lexemes_(lexemes), source_(source), diagnostics_(diagnostics) {}

  void reset(antlr4::Parser*) override {}
  bool inErrorRecoveryMode(antlr4::Parser*) override { return false; }
  void reportMatch(antlr4::Parser*) override {}

  // Called where a list may go on or end: what fits neither is reported and skipped here, inside the list.
  void sync(antlr4::Parser* parser) override {
    antlr4::ParserRuleContext* context = parser->getContext();
    if (!is_list(context->getRuleIndex())) return;
    const antlr4::misc::IntervalSet next = parser->getATN().nextTokens(parser->getATN().states[parser->getState()]);
    if (next.contains(antlr4::Token::EPSILON)) return;
    while (!next.contains(parser->getInputStream()->LA(1)) && parser->getInputStream()->LA(1) != antlr4::Token::EOF) {
      const std::size_t at = parser->getInputStream()->index();
      if (at < lexemes_.size() && lexemes_[at].text == "}" && context->getRuleIndex() != Parser::RuleFile) return;
      const std::size_t end = std::max(end_of_unit(at, at, context->getRuleIndex() == Parser::RuleFile), at + 1);
      report(parser, at, at, end, {});
      skip_to(parser, end);
    }
  }

  antlr4::Token* recoverInline(antlr4::Parser* parser) override {
    const std::size_t at = parser->getInputStream()->index();
    const std::vector<std::string> expected = words(parser->getExpectedTokens(), parser);
    if (std::find(expected.begin(), expected.end(), ";") != expected.end()) {
      const SyntaxError error{lexemes_, source_, at, unit_begin(parser), rules(parser), expected};
      if (semicolon_is_missing(error)) {
        report(parser, at, error.unit, at, expected);
        made_up_.push_back(std::make_unique<antlr4::CommonToken>(antlr4::Token::INVALID_TYPE, ";"));
        return made_up_.back().get();
      }
    }
    throw antlr4::InputMismatchException(parser);
  }

  void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& e) override {
    if (pending_) return;  // on its way up to its unit
    pending_ = true;
    const std::size_t at = std::min(e.getOffendingToken()->getTokenIndex(), lexemes_.size());
    std::vector<std::string> expected;
    if (at == parser->getInputStream()->index()) expected = words(parser->getExpectedTokens(), parser);
    const std::size_t unit = unit_begin(parser);
    report(parser, at, unit, end_of_unit(unit, at, at_item_level(parser)), std::move(expected));
  }

  void recover(antlr4::Parser* parser, std::exception_ptr e) override {
    if (!is_unit(parser->getContext()->getRuleIndex())) std::rethrow_exception(e);
    pending_ = false;
    const std::size_t begin = parser->getContext()->start->getTokenIndex();
    const std::size_t at = parser->getInputStream()->index();
    const std::size_t rule = parser->getContext()->getRuleIndex();
    const bool headless = rule == Parser::RuleHeader && begin < lexemes_.size() && lexemes_[begin].text != "model";
    if (headless && did_you_mean(lexemes_[begin].text, {"model"}).empty()) return;  // items follow at once
    const std::size_t end = end_of_unit(begin, at, rule == Parser::RuleItem || rule == Parser::RuleHeader);
    skip_to(parser, std::max(end, rule == Parser::RuleHeader ? at : begin + 1));
  }

 private:
  static void skip_to(antlr4::Parser* parser, std::size_t end) {
    while (parser->getInputStream()->index() < end && parser->getInputStream()->LA(1) != antlr4::Token::EOF) {
      parser->getInputStream()->consume();
    }
  }

  [[nodiscard]] static bool at_item_level(antlr4::Parser* parser) {
    const antlr4::RuleContext* context = parser->getContext();
    while (context != nullptr && !is_unit(context->getRuleIndex()))
      context = dynamic_cast<antlr4::RuleContext*>(context->parent);
    return context == nullptr || context->getRuleIndex() == Parser::RuleItem ||
           context->getRuleIndex() == Parser::RuleHeader;
  }

  [[nodiscard]] std::size_t unit_begin(antlr4::Parser* parser) const {
    const antlr4::ParserRuleContext* context = parser->getContext();
    while (context->parent != nullptr && !is_unit(context->getRuleIndex())) {
      context = dynamic_cast<antlr4::ParserRuleContext*>(context->parent);
    }
    // The end of the file is one past the last lexeme; a token made up has no place.
    return context->start != nullptr ? std::min(context->start->getTokenIndex(), lexemes_.size()) : 0;
  }

  // Whether the first token of a line is likely to begin the next unit.
  [[nodiscard]] bool begins_unit(std::size_t i, bool item) const {
    const std::string_view word = lexemes_[i].text;
    if (item) return is_item_keyword(word);
    if (word == "state" || word == "alloc" || word == "free") return true;
    return is_statement_keyword(word) && word != "else" && word != "while";
  }

  // One past the last token of the unit that starts at `begin` and failed at `at`.
  [[nodiscard]] std::size_t end_of_unit(std::size_t begin, std::size_t at, bool item) const {
    if (begin >= lexemes_.size()) return lexemes_.size();
    const bool bare_for = lexemes_[begin].text == "for" && at == begin + 1;  // `for i = 0; …`: its `;` are no end
    int depth = 0;
    for (std::size_t i = begin; i < lexemes_.size(); ++i) {
      const Lexeme& lexeme = lexemes_[i];
      const bool literal = lexeme.kind == LexemeKind::literal;
      if (i >= at && i > begin && depth == 0 && lexeme.leads && begins_unit(i, item)) return i;
      if (literal && (lexeme.text == "{" || lexeme.text == "(" || lexeme.text == "[")) ++depth;
      if (literal && (lexeme.text == "}" || lexeme.text == ")" || lexeme.text == "]")) {
        if (depth == 0) {
          if (!item && lexeme.text == "}") return i;  // the end of the list around it
          continue;
        }
        --depth;
      }
      const bool ends = literal && depth == 0 && (lexeme.text == ";" || lexeme.text == "}");
      if (bare_for && i + 1 < lexemes_.size() && !lexemes_[i + 1].leads && lexemes_[i + 1].text != "}") continue;
      if (!ends || i < at) continue;
      const std::string_view next = i + 1 < lexemes_.size() ? lexemes_[i + 1].text : std::string_view{};
      if (lexeme.text == "}" &&
          (next == "else" || next == ";" || (item && next == "in" && lexemes_[begin].text == "patch")))
        continue;
      return i + 1;
    }
    return lexemes_.size();
  }

  [[nodiscard]] static std::vector<std::string> words(const antlr4::misc::IntervalSet& set, antlr4::Parser* parser) {
    std::vector<std::string> out;
    for (const ssize_t type : set.toList()) {
      if (type == static_cast<ssize_t>(antlr4::Token::EOF)) {
        out.emplace_back("end");
        continue;
      }
      if (type <= 0) continue;
      const std::string literal = parser->getVocabulary().getLiteralName(static_cast<std::size_t>(type));
      if (literal.size() > 2) {
        out.push_back(literal.substr(1, literal.size() - 2));
      } else if (type == Parser::ID) {
        out.emplace_back("name");
      } else if (type == Parser::INT) {
        out.emplace_back("number");
      } else if (type == Parser::STRING) {
        out.emplace_back("string");
      }
    }
    return out;
  }

  [[nodiscard]] static std::vector<std::string_view> rules(antlr4::Parser* parser) {
    std::vector<std::string_view> out;
    const antlr4::RuleContext* context = parser->getContext();
    for (; context != nullptr; context = dynamic_cast<const antlr4::RuleContext*>(context->parent)) {
      out.push_back(parser->getRuleNames()[context->getRuleIndex()]);
    }
    return out;
  }

  void report(antlr4::Parser* parser, std::size_t at, std::size_t unit, std::size_t end,
              std::vector<std::string> expected) {
    if (++failures_ > most_failures) throw TooMany{};  // quiet ones count: unwinding takes time
    // Something in this unit was reported before the parser saw it: what follows from that is noise.
    for (std::size_t i = unit; i < std::min(std::max(end, at + 1), lexemes_.size()); ++i) {
      if (lexemes_[i].damaged) return;
    }
    const SyntaxError error{lexemes_, source_, at, unit, rules(parser), std::move(expected)};
    diagnostics_.add(explain(error));
    if (++errors_ > most_errors) throw TooMany{};
  }

  const std::vector<Lexeme>& lexemes_;
  const SourceFile& source_;
  Diagnostics& diagnostics_;
  std::vector<std::unique_ptr<antlr4::Token>> made_up_;
  std::size_t errors_ = 0;
  std::size_t failures_ = 0;  // reported or not
  bool pending_ = false;
};

}  // namespace faultline::dsl
