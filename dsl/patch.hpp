// In-file patches: a variant is the base with its chain of patches applied, statement by statement.
//
// A `-` statement is looked up in the function among all its statements, at any depth, token by token (white space,
// comments, likely(), unlikely(), redundant parentheses and opaque arguments do not count) and must be there exactly
// once (FL0601: none, with the closest statement; FL0602: several, with the places). The `+` statements behind it take
// its place. A statement without sign is an anchor: `+` statements behind it are put after it. `+` statements keep the
// span they have in the patch.
#pragma once
#include <string>
#include <vector>

#include "dsl/ast.hpp"
#include "dsl/diagnostic.hpp"

namespace faultline::dsl {

// Names of the variants of a file: "base", then its patches in file order.
[[nodiscard]] std::vector<std::string> variants(const File& file);

// The file with the functions of `variant` patched and its patch items kept. Reports FL06xx: unknown `after`, a cycle,
// an unknown function, a statement that does not match. `variant` must be one of variants(file).
[[nodiscard]] File apply_variant(const File& file, const std::string& variant, Diagnostics& diagnostics);

// Normalised tokens of a statement or expression, for matching. `opaque` are the names of opaque items.
[[nodiscard]] std::vector<std::string> normal_tokens(const Stmt& stmt, const std::vector<std::string>& opaque);
[[nodiscard]] std::vector<std::string> normal_tokens(const Expr& expr, const std::vector<std::string>& opaque);

// Prints a tree in one canonical layout: used for the patched source in certificates and for tests of the parser.
[[nodiscard]] std::string print(const File& file);
[[nodiscard]] std::string print(const Stmt& stmt, int indent = 0);
[[nodiscard]] std::string print(const Expr& expr);       // minimal parentheses
[[nodiscard]] std::string print_tree(const Expr& expr);  // fully parenthesised: golden parse trees

}  // namespace faultline::dsl
