#include "dsl/parse_errors.hpp"

#include <fmt/format.h>

namespace faultline::dsl {

bool semicolon_is_missing(const SyntaxError& error) {
  if (error.at == 0) return false;
  return error.at == error.lexemes.size() || error.lexemes[error.at].leads || error.lexemes[error.at].text == "}";
}

Diagnostic explain(const SyntaxError& error) {
  const bool at_end = error.at >= error.lexemes.size();
  const Span span = at_end ? error.source.span(error.source.text().size(), error.source.text().size())
                           : error.source.span(error.lexemes[error.at].begin, error.lexemes[error.at].end);
  return {Severity::error, "FL0116", span,
          at_end ? "unexpected end of the file" : fmt::format("unexpected `{}`", error.lexemes[error.at].text)};
}

}  // namespace faultline::dsl
