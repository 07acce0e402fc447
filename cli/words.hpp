// Small pieces of wording that several reports share.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checker/verdict.hpp"

namespace faultline::cli {

[[nodiscard]] std::string thousands(std::uint64_t value);                      // 1,234,567
[[nodiscard]] std::string plural(std::uint64_t count, std::string_view noun);  // "1 step", "22 steps"
[[nodiscard]] std::string seconds_text(double seconds);                        // "0.07 s", "12 s"
[[nodiscard]] std::string_view answer_word(check::Answer answer);              // "proved"
[[nodiscard]] std::string cpus_text(const check::Scope& scope);                // "any CPUs", "2+1 CPUs", "1 CPU"

// Columns that a UTF-8 text takes, one for each code point.
[[nodiscard]] std::size_t columns(std::string_view text);
[[nodiscard]] std::string padded(std::string_view text, std::size_t width);
// At most `width` columns; the last one is … where something was cut.
[[nodiscard]] std::string cut(std::string_view text, std::size_t width);
// Lines of at most `width` columns, broken at blanks; inside a long word behind `(` or `,`, or anywhere.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace faultline::cli
