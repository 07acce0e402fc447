// Sanitizers make everything five to twenty times slower. Tests that do the same with many inputs take fewer there; the
// release build takes them all.
#pragma once
#include <cstddef>

namespace faultline::testing {

#ifdef FAULTLINE_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// How many of `all`.
[[nodiscard]] constexpr std::size_t some_of(std::size_t all) { return sanitized ? (all + 4) / 5 : all; }

}  // namespace faultline::testing
