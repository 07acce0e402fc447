#include "dsl/codes.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace faultline::dsl {

const std::vector<CodeInfo>& codes() {
  static const std::vector<CodeInfo> table = {};
  return table;
}

const CodeInfo* find_code(std::string_view code) {
  std::string upper(code);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto found = std::find_if(codes().begin(), codes().end(), [&upper](const CodeInfo& info) { return info.code == upper; });
  return found == codes().end() ? nullptr : &*found;
}

}  // namespace faultline::dsl
