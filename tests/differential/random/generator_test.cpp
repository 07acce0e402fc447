#include "tests/differential/random/generator.hpp"

#include <gtest/gtest.h>

#include <set>

#include "step/load.hpp"
#include "tests/differential/random/body.hpp"
#include "tests/support/sanitized.hpp"

namespace faultline::differential {
namespace {

const std::uint64_t seeds = testing::sanitized ? 60 : 600;

// GCC and clang run this, with and without sanitizers: seeds in reports must mean the same model everywhere.
TEST(Generator, ASeedIsAModelWithEveryCompiler) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    for (const char c : random_model(seed).text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  EXPECT_EQ(hash, 2900140486360685296U)
      << "the generator was changed: seeds in SUMMARY.md and findings/ mean other models now";
}

TEST(Generator, SeedsDiffer) {
  std::set<std::string> texts;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) texts.insert(random_model(seed).text);
  EXPECT_GT(texts.size(), seeds * 95 / 100);
}

TEST(Generator, TheFrontEndUnderstandsEveryModel) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const RandomModel model = random_model(seed, seed % 4 == 0 ? Family::vmas : Family::entries);
    std::vector<std::string> texts = model.without;
    texts.push_back(model.text);
    for (const std::string& text : texts) {
      const step::Loaded loaded = step::load_text("random.fl", text);
      EXPECT_FALSE(loaded.diagnostics.has_errors()) << "seed " << seed << "\n" << text;
      for (const step::Variant& variant : loaded.variants)
        EXPECT_FALSE(variant.diagnostics.has_invalid()) << "seed " << seed << " " << variant.name << "\n" << text;
    }
  }
}

TEST(Generator, AnotherChoiceIsAnotherText) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const RandomModel model = random_model(seed);
    const std::string base = model.text.substr(0, model.text.find("patch patch1"));
    for (const std::string& text : model.without) EXPECT_NE(text, base) << "seed " << seed;
  }
}

}  // namespace
}  // namespace faultline::differential
