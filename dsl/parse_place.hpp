// Part of parse_errors*.cpp: the place of a syntax error and what is asked about it.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "dsl/parse_errors.hpp"

namespace faultline::dsl {

using Strings = std::vector<std::string>;

// The place of an error, with what the functions below ask about it.
class Place {
 public:
  explicit Place(const SyntaxError& error) : e_(error) {}

  [[nodiscard]] bool at_end() const { return e_.at >= e_.lexemes.size(); }
  [[nodiscard]] std::string_view text(std::size_t i) const {
    return i < e_.lexemes.size() ? e_.lexemes[i].text : std::string_view{};
  }
  [[nodiscard]] std::string_view now() const { return text(e_.at); }
  [[nodiscard]] std::string_view last() const { return e_.at > 0 ? text(e_.at - 1) : std::string_view{}; }
  [[nodiscard]] std::string_view first() const { return text(e_.unit); }
  [[nodiscard]] bool is_first() const { return e_.at == e_.unit; }
  [[nodiscard]] bool word(std::size_t i) const { return i < e_.lexemes.size() && is_word(e_.lexemes[i]); }
  [[nodiscard]] std::size_t at() const { return e_.at; }
  [[nodiscard]] std::size_t unit() const { return e_.unit; }
  [[nodiscard]] const SourceFile& source() const { return e_.source; }

  [[nodiscard]] std::string_view rule() const { return e_.rules.empty() ? std::string_view{} : e_.rules.front(); }
  [[nodiscard]] bool inside(std::string_view rule) const {
    return std::find(e_.rules.begin(), e_.rules.end(), rule) != e_.rules.end();
  }
  // The innermost rule that is not part of an expression or a name.
  [[nodiscard]] std::string_view outer() const {
    static constexpr std::string_view parts[] = {"expr", "name", "names", "plainName", "soft", "clauseWord"};
    for (const std::string_view rule : e_.rules) {
      if (std::find(std::begin(parts), std::end(parts), rule) == std::end(parts)) return rule;
    }
    return {};
  }
  [[nodiscard]] const Strings& expected() const { return e_.expected; }
  [[nodiscard]] bool expects(std::string_view text) const {
    return std::find(e_.expected.begin(), e_.expected.end(), text) != e_.expected.end();
  }

  // Whether the innermost open parenthesis before the place is that of a call.
  [[nodiscard]] bool in_call() const {
    int depth = 0;
    for (std::size_t i = e_.at; i-- > e_.unit;) {
      if (text(i) == ")") ++depth;
      if (text(i) == "(" && depth-- == 0) return i > 0 && word(i - 1) && !is_statement_keyword(text(i - 1));
    }
    return false;
  }

  [[nodiscard]] Span here() const {
    if (!at_end()) return span(e_.at);
    return behind();
  }
  [[nodiscard]] Span span(std::size_t i) const { return e_.source.span(e_.lexemes[i].begin, e_.lexemes[i].end); }
  [[nodiscard]] Span behind() const {  // right behind the last token that fits
    const std::size_t end = e_.at > 0 ? e_.lexemes[std::min(e_.at, e_.lexemes.size()) - 1].end : 0;
    return e_.source.span(end, end);
  }
  // Source text of tokens [from, to), when it is on one line and short.
  [[nodiscard]] std::string quote(std::size_t from, std::size_t to) const {
    if (from >= to || to > e_.lexemes.size() || e_.lexemes[from].line != e_.lexemes[to - 1].line) return {};
    const std::size_t begin = e_.lexemes[from].begin;
    const std::size_t end = e_.lexemes[to - 1].end;
    return end - begin > 70 ? std::string{} : std::string(e_.source.text().substr(begin, end - begin));
  }
  // From token `from` on to the end of its line.
  [[nodiscard]] std::size_t line_end(std::size_t from) const {
    std::size_t i = from;
    while (i < e_.lexemes.size() && e_.lexemes[i].line == e_.lexemes[from].line) ++i;
    return i;
  }

 private:
  const SyntaxError& e_;
};

inline Diagnostic make(std::string code, const Span& span, std::string message, Strings notes = {},
                       Strings helps = {}) {
  return {Severity::error, std::move(code), span, std::move(message), {}, std::move(notes), std::move(helps)};
}

using Answer = std::optional<Diagnostic>;

inline std::string meant(std::string_view near) { return fmt::format("did you mean `{}`?", near); }

// Each looks at the place and answers, or leaves it to the next (dsl/parse_errors_items.cpp).
Answer no_header(const Place& place);
Answer outside_of_patch(const Place& place);
Answer no_body(const Place& place);
Answer item_in_body(const Place& place);
Answer unknown_item(const Place& place);
Answer state_line(const Place& place);
Answer run_line(const Place& place);
Answer missing_colon(const Place& place);
Answer verdict(const Place& place);
Answer shared_star(const Place& place);
Answer item_word(const Place& place);

}  // namespace faultline::dsl
