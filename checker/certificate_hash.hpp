// SHA-256 (FIPS 180-4), so that a certificate can say which text it is about.
#pragma once
#include <string>
#include <string_view>

namespace faultline::check {

// 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view data);

}  // namespace faultline::check
