// The words of syntax errors: from where the parser stood and what it could have taken, to a message in our own
// language.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "dsl/parse_tokens.hpp"

namespace faultline::dsl {

struct SyntaxError {
  const std::vector<Lexeme>& lexemes;
  const SourceFile& source;
  std::size_t at = 0;                   // the token that does not fit; lexemes.size() at the end of the file
  std::size_t unit = 0;                 // first token of the statement, line or item it stands in
  std::vector<std::string_view> rules;  // of the grammar, innermost first
  std::vector<std::string> expected;  // texts of the tokens that would fit; `name`, `number`, `string` for the classes
};

[[nodiscard]] Diagnostic explain(const SyntaxError& error);

// A line with the sign of a patch where none may stand; the place is left open.
[[nodiscard]] Diagnostic signed_line(char sign, bool in_hunk);

// Whether a missing `;` may be assumed before token `at`, so that parsing goes on behind it.
[[nodiscard]] bool semicolon_is_missing(const SyntaxError& error);

}  // namespace faultline::dsl
