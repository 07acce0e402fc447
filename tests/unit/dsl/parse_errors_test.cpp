// The golden cases of tests/golden/syntax: NAME.fl has the mistakes, NAME.err what a user reads. FAULTLINE_REGENERATE=1
// writes the latter anew; read the difference before committing it.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "dsl/codes.hpp"
#include "parse_support.hpp"

namespace faultline::dsl {
namespace {

std::vector<std::string> golden_cases() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(FAULTLINE_SOURCE_DIR "/tests/golden/syntax")) {
    if (entry.path().extension() == ".fl") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Golden : public testing::TestWithParam<std::string> {};

// All that the text front end says about a file: its errors, and those of its patches when it has none.
TEST_P(Golden, SaysWhatItSaid) {
  std::filesystem::current_path(FAULTLINE_SOURCE_DIR
                                "/tests/golden/syntax");  // so that the names in the messages are short
  const std::string stem = GetParam();
  Parsed parsed;
  if (read_source(stem + ".fl", parsed.sources, parsed.diagnostics)) {
    parsed.file = parse(parsed.sources, 0, parsed.diagnostics);
    if (!parsed.diagnostics.has_errors()) {
      for (const std::string& variant : variants(parsed.file))
        static_cast<void>(apply_variant(parsed.file, variant, parsed.diagnostics));
    }
  }
  const std::string now = parsed.errors();
  EXPECT_TRUE(parsed.diagnostics.has_invalid());
  for (const Diagnostic& diagnostic : parsed.diagnostics.sorted())
    EXPECT_NE(find_code(diagnostic.code), nullptr) << diagnostic.code;
  for (const std::string_view jargon :
       {"extraneous input", "no viable", "mismatched input", "token recognition", "expecting {", "<EOF>"}) {
    EXPECT_EQ(now.find(jargon), std::string::npos) << now;
  }
  if (std::getenv("FAULTLINE_REGENERATE") != nullptr) std::ofstream(stem + ".err", std::ios::binary) << now;
  EXPECT_EQ(now, read_file(stem + ".err"));
}

INSTANTIATE_TEST_SUITE_P(Syntax, Golden, testing::ValuesIn(golden_cases()), [](const auto& one) {
  std::string name = one.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Errors, IndependentMistakesAreAllReportedAndTheRestIsStillRead) {
  const Parsed p = parse_text(
      "model m;\nspinlok a;\nhandler f() {\n    step\n    if maybe return;\n    step;\n}\nrun f;\nhandler g() { step; "
      "}\nexpect base safe;\n");
  EXPECT_EQ(p.codes(), "FL0114 FL0115 FL0128 FL0121 FL0130") << p.errors();
  ASSERT_EQ(p.file.items.size(), 2u);
  EXPECT_EQ(p.file.items[0].function->body->body.size(), 2u);
  EXPECT_EQ(p.file.items[1].function->name.text, "g");
}

TEST(Errors, AtMostFiftyThenTheRestIsCounted) {
  std::string text = "model m;\n";
  for (int i = 0; i < 1000; ++i) text += "blah;\n";
  const std::vector<Diagnostic> all = parse_text(text).diagnostics.sorted();
  ASSERT_EQ(all.size(), 51u);
  EXPECT_EQ(all.back().code, "FL0199");
}

// Every prefix of a model gives errors of ours or none, and never a crash: whatever a user has typed so far.
TEST(Errors, EveryPrefixOfAModel) {
  const std::string model = read_file(FAULTLINE_SOURCE_DIR "/tests/fuzz/seeds/every_construct.fl");
  ASSERT_GT(model.size(), 1000u);
  for (std::size_t length = 0; length < model.size(); length += 3) {
    const Parsed parsed = parse_text(model.substr(0, length));
    for (const Diagnostic& d : parsed.diagnostics.sorted()) EXPECT_TRUE(d.code.starts_with("FL0")) << d.message;
  }
}

// Each token left out in turn: at most four messages, the first not far from the hole.
TEST(Errors, EveryTokenLeftOut) {
  const std::string model = read_file(FAULTLINE_SOURCE_DIR "/tests/fuzz/seeds/every_construct.fl");
  std::size_t most = 0;
  for (std::size_t at = 0; at < model.size(); ++at) {
    if (std::string_view(" \n").find(model[at]) != std::string_view::npos ||
        std::isalnum(static_cast<unsigned char>(model[at])) != 0)
      continue;
    const Parsed parsed = parse_text(model.substr(0, at) + " " + model.substr(at + 1));
    const std::vector<Diagnostic> all = parsed.diagnostics.sorted();
    most = std::max(most, all.size());
    EXPECT_LE(all.size(), 4u) << "without byte " << at << ": " << parsed.errors();
  }
  EXPECT_GT(most, 0u);
}

}  // namespace
}  // namespace faultline::dsl
