// Balanced brackets, or a message for each place where they are not.
#pragma once
#include <optional>
#include <vector>

#include "dsl/parse_tokens.hpp"

namespace faultline::dsl {

// A list in which every bracket has its partner. A file that is in order comes back as it was, whatever its layout. In
// one that is not, layout is taken as a hint of what the author meant: a `}` further left than the line of its `{`
// closes an outer block, and a line that begins an item in column 1 closes everything. Nothing, and FL0109, when
// brackets nest too deeply.
[[nodiscard]] std::optional<std::vector<Lexeme>> balance(std::vector<Lexeme> lexemes, const SourceFile& source,
                                                         Diagnostics& diagnostics);

}  // namespace faultline::dsl
