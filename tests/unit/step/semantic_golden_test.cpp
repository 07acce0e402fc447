// The golden cases of tests/golden/semantic: NAME.fl has one mistake (or a few), NAME.err what a user reads.
// FAULTLINE_REGENERATE=1 writes the latter anew; read the difference before committing it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "dsl/codes.hpp"
#include "step/load.hpp"

namespace faultline::step {
namespace {

const std::string folder = FAULTLINE_SOURCE_DIR "/tests/golden/semantic/";

std::vector<std::string> golden_cases() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".fl") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Everything that is said about all variants, each thing once, in file order.
std::vector<dsl::Diagnostic> said(const Loaded& loaded) {
  dsl::Diagnostics all;
  for (const dsl::Diagnostic& d : loaded.diagnostics.sorted()) all.add(d);
  for (const Variant& variant : loaded.variants)
    for (const dsl::Diagnostic& d : variant.diagnostics.sorted()) all.add(d);
  return all.sorted();
}

class SemanticGolden : public testing::TestWithParam<std::string> {};

TEST_P(SemanticGolden, SaysWhatItSaid) {
  const std::string name = GetParam();
  const Loaded loaded = load_text(name + ".fl", read(folder + name + ".fl"));
  std::string now;
  for (const dsl::Diagnostic& d : said(loaded)) {
    EXPECT_NE(dsl::find_code(d.code), nullptr) << d.code;
    EXPECT_TRUE(d.span.known()) << d.message;
    EXPECT_FALSE(d.notes.empty() && d.helps.empty() && d.related.empty()) << "nothing but: " << d.message;
    now += dsl::render(d, loaded.sources, false);
  }
  EXPECT_FALSE(now.empty());
  if (std::getenv("FAULTLINE_REGENERATE") != nullptr) std::ofstream(folder + name + ".err", std::ios::binary) << now;
  EXPECT_EQ(now, read(folder + name + ".err"));
}

INSTANTIATE_TEST_SUITE_P(Semantic, SemanticGolden, testing::ValuesIn(golden_cases()), [](const auto& one) {
  std::string name = one.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(SemanticGolden, EveryCodeOfTheMeaningAndTheProtocolHasACase) {
  std::set<std::string> seen;
  for (const std::string& name : golden_cases())
    for (const dsl::Diagnostic& d : said(load_text(name + ".fl", read(folder + name + ".fl")))) seen.insert(d.code);
  for (const dsl::CodeInfo& info : dsl::codes()) {
    const std::string code(info.code);
    if (code >= "FL0200" && code < "FL0500") {
      EXPECT_TRUE(seen.contains(code)) << code << ": " << info.title;
    }
  }
}

}  // namespace
}  // namespace faultline::step
