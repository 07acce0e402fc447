#include "dsl/codes.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "dsl/codes_pages.hpp"

namespace faultline::dsl {

const std::vector<CodeInfo>& codes() {
  static const std::vector<CodeInfo> table = [] {
    std::vector<CodeInfo> all;
    for (const auto* part : {&syntax_pages(), &meaning_pages(), &protocol_pages(), &patch_pages()}) {
      all.insert(all.end(), part->begin(), part->end());
    }
    std::sort(all.begin(), all.end(), [](const CodeInfo& a, const CodeInfo& b) { return a.code < b.code; });
    return all;
  }();
  return table;
}

const CodeInfo* find_code(std::string_view code) {
  std::string upper(code);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto found =
      std::lower_bound(codes().begin(), codes().end(), upper,
                       [](const CodeInfo& info, const std::string& wanted) { return info.code < wanted; });
  return found != codes().end() && found->code == upper ? &*found : nullptr;
}

}  // namespace faultline::dsl
