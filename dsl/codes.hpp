// The table of diagnostic codes: FL01xx reading and syntax, FL02xx names, FL03xx types and expressions, FL04xx
// protocol, FL05xx memory order, FL06xx patches and expectations. `faultline explain CODE` prints one page.
#pragma once
#include <string_view>
#include <vector>

namespace faultline::dsl {

struct CodeInfo {
  std::string_view code;   // "FL0301"
  std::string_view title;  // "two shared accesses in one expression"
  std::string_view page;   // a few paragraphs: what it means, an example that has it, the same example repaired
};

[[nodiscard]] const std::vector<CodeInfo>& codes();              // sorted by code
[[nodiscard]] const CodeInfo* find_code(std::string_view code);  // case does not matter; null if there is none

}  // namespace faultline::dsl
