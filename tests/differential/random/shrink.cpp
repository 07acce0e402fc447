#include "tests/differential/random/shrink.hpp"

#include "dsl/parse.hpp"
#include "dsl/patch.hpp"

namespace faultline::differential {

namespace {

std::optional<dsl::File> parsed(const std::string& text) {
  dsl::Sources sources;
  sources.emplace_back(0U, "random.fl", text);
  dsl::Diagnostics diagnostics;
  dsl::File file = dsl::parse(sources, 0, diagnostics);
  if (diagnostics.has_errors()) return {};
  return file;
}

}  // namespace

std::string shrink(const std::string& text, const std::function<bool(const std::string&)>& holds) {
  std::optional<dsl::File> file = parsed(text);
  std::string best = text;
  for (bool smaller = file.has_value(); smaller;) {
    smaller = false;
    for (std::size_t n = 0;;) {
      const std::optional<dsl::File> candidate = simplified(*file, n);
      if (!candidate) break;
      const std::string printed = dsl::print(*candidate);
      std::optional<dsl::File> again = parsed(printed);
      if (again && holds(printed)) {
        best = printed;
        file = std::move(again);
        smaller = true;  // what comes n-th now is another one
      } else {
        ++n;
      }
    }
  }
  return best;
}

}  // namespace faultline::differential
