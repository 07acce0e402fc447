// libFuzzer target of the text front end: any bytes must give a tree or diagnostics of ours, soon and without a crash.
// A file without errors must survive printing: print(parse(print(parse(x)))) is print(parse(x)), for the base and each
// variant.
//
//   fuzz_parse -dict=tests/fuzz/faultline.dict CORPUS tests/fuzz/seeds models tests/golden/syntax
#include "dsl/parse.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "dsl/codes.hpp"
#include "dsl/patch.hpp"

namespace {

using namespace faultline::dsl;

[[noreturn]] void fail(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s\n%s\n", what, text.c_str());
  std::abort();
}

void check_diagnostics(const Diagnostics& diagnostics, const Sources& sources) {
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    const std::string text = render(diagnostic, sources, false);
    if (find_code(diagnostic.code) == nullptr) fail("a code without a page", text);
    if (text.empty() || text.back() != '\n') fail("a message without an end", text);
    for (const char* jargon :
         {"no viable alternative", "mismatched input", "extraneous input", "token recognition error"}) {
      if (text.find(jargon) != std::string::npos && sources[0].text().find(jargon) == std::string_view::npos)
        fail("ANTLR speaks", text);
    }
  }
}

bool nested_too_deeply(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    if (diagnostic.code == "FL0109") return true;
  }
  return false;
}

void check_round_trip(const File& file) {
  const std::string once = print(file);
  Sources sources;
  sources.emplace_back(0, "printed.fl", once);
  Diagnostics diagnostics;
  const File again = parse(sources, 0, diagnostics);
  if (nested_too_deeply(diagnostics)) return;  // braces that printing added
  if (diagnostics.has_errors())
    fail("printed text does not parse", once + render(diagnostics.sorted().front(), sources, false));
  const std::string twice = print(again);
  if (twice != once) fail("printing is not stable", once + "--------\n" + twice);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Sources sources;
  sources.emplace_back(0, "fuzz.fl", std::string(reinterpret_cast<const char*>(data), size));
  Diagnostics diagnostics;
  const File file = parse(sources, 0, diagnostics);
  check_diagnostics(diagnostics, sources);
  if (diagnostics.has_errors()) {
    static_cast<void>(print(file));
    return 0;
  }
  const std::vector<std::string> names = variants(file);
  for (std::size_t i = 0; i < names.size() && i < 8; ++i) {
    Diagnostics found;
    const File variant = apply_variant(file, names[i], found);
    check_diagnostics(found, sources);
    check_round_trip(variant);
  }
  return 0;
}
