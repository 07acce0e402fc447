// Between the lexer and the parser: the token list is repaired and made easy to parse, so that the grammar needs little
// look-ahead and one mistake gives one message. In this order:
//  1. tokens that no model can have (unknown characters, open strings) are reported and dropped or replaced;
//  2. brackets are balanced: a missing one is reported and put in where it belongs, a stray one is reported and
//  dropped;
//  3. the signs of a patch line that only continue a statement are dropped;
//  4. a soft keyword that is the result type of a function becomes a plain name.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dsl/diagnostic.hpp"

namespace faultline::dsl {

enum class LexemeKind : std::uint8_t {
  literal,  // a keyword or a sign, told by its text
  identifier,
  integer,
  string,
  open_string,
  bad_number,
  c_operator,
  unknown,
};

struct Lexeme {
  LexemeKind kind = LexemeKind::literal;
  std::string_view text;
  std::uint32_t begin = 0, end = 0;  // bytes
  std::uint32_t line = 0;
  std::uint32_t indent = 0;  // of its line, in columns with tabs expanded
  bool leads = false;        // first on its line
  bool synthetic = false;    // put in by us
  bool damaged = false;      // something was reported here: the parser keeps quiet about this statement
};

inline constexpr std::size_t deepest_nesting = 200;  // brackets
inline constexpr std::size_t most_tokens = 400'000;

// The first byte that is not part of well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above
// 10FFFF).
[[nodiscard]] std::size_t first_bad_byte(std::string_view text);

// Where an unclosed /* begins; lexing must stop there.
[[nodiscard]] std::optional<std::size_t> unclosed_comment(std::string_view text);

// The list to parse, or nothing when brackets nest too deeply.
[[nodiscard]] std::optional<std::vector<Lexeme>> prepare(std::vector<Lexeme> lexemes, const SourceFile& source,
                                                         Diagnostics& diagnostics);

[[nodiscard]] bool is_item_keyword(std::string_view word);       // model, spinlock, entry, handler, …
[[nodiscard]] bool is_statement_keyword(std::string_view word);  // if, while, return, …
[[nodiscard]] bool is_c_keyword(std::string_view word);          // may not be a name
[[nodiscard]] bool is_word(const Lexeme& lexeme);                // a name or a keyword, ours or C's
[[nodiscard]] const std::vector<std::string>& item_keywords();
[[nodiscard]] const std::vector<std::string>& statement_keywords();

}  // namespace faultline::dsl
