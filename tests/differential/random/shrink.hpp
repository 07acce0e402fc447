// Makes a model small while something stays true of it.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "dsl/ast.hpp"

namespace faultline::differential {

// Tries to drop or simplify everything, one thing at a time, until nothing more can go. `holds` is true of the text
// (which must parse) and of the result, which is laid out as the printer of the language does it.
[[nodiscard]] std::string shrink(const std::string& text, const std::function<bool(const std::string&)>& holds);

// The file with its n-th possible simplification made: patches applied for good, items, names, CPUs, statements,
// conditions, in this order. Nothing: there are fewer.
[[nodiscard]] std::optional<dsl::File> simplified(const dsl::File& file, std::size_t n);

}  // namespace faultline::differential
