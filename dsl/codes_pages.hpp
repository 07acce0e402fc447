// The pages behind `faultline explain`, one table for each group of codes; dsl/codes.cpp joins them.
#pragma once
#include <vector>

#include "dsl/codes.hpp"

namespace faultline::dsl {

[[nodiscard]] const std::vector<CodeInfo>& syntax_pages();    // FL01xx
[[nodiscard]] const std::vector<CodeInfo>& meaning_pages();   // FL02xx, FL03xx
[[nodiscard]] const std::vector<CodeInfo>& protocol_pages();  // FL04xx, FL05xx
[[nodiscard]] const std::vector<CodeInfo>& patch_pages();     // FL06xx

}  // namespace faultline::dsl
