#include "tests/differential/random/shrink.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "checker/explicit.hpp"
#include "dsl/parse.hpp"
#include "dsl/patch.hpp"
#include "step/load.hpp"
#include "tests/differential/random/generator.hpp"
#include "tests/differential/random/judge.hpp"

namespace faultline::differential {
namespace {

long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

// The planted disagreement: the explicit search finds a failing assertion with two CPUs.
bool fails(const std::string& text) {
  const step::Loaded loaded = step::load_text("random.fl", text);
  for (const step::Variant& variant : loaded.variants) {
    if (variant.diagnostics.has_errors()) continue;
    check::ExplicitOptions options;
    options.cpus = 2;
    options.all_kinds = true;
    options.limits.memory_bytes = std::uint64_t{4} << 20U;
    for (const check::Counterexample& c : check::explore(variant.program, options).violations)
      if (c.violation.kind == step::Kind::assertion) return true;
  }
  return false;
}

TEST(Shrink, AFailingAssertionBecomesAFewLines) {
  int shrunk = 0;
  for (std::uint64_t seed = 1; shrunk < 5 && seed < 500; ++seed) {
    const std::string text = random_model(seed).text;
    if (lines(text) < 60 || !fails(text)) continue;
    ++shrunk;
    const std::string small = shrink(text, fails);
    EXPECT_TRUE(fails(small)) << small;
    EXPECT_LE(lines(small), 15) << "seed " << seed << "\n" << small;
  }
  EXPECT_EQ(shrunk, 5);
}

TEST(Shrink, WhatOnlyAPatchDoesIsKept) {
  constexpr const char* text = R"(model m;
spinlock l;
shared bool *busy;
handler h() { spin_lock(l); assert(!*busy); *busy = true; *busy = false; spin_unlock(l); }
run h on any cpus;
patch unlocked in h { - spin_lock(l); - spin_unlock(l); }
)";
  const std::string small = shrink(text, fails);
  EXPECT_TRUE(fails(small)) << small;
  EXPECT_EQ(small.find("patch"), std::string::npos) << small;
  EXPECT_EQ(small.find("spin"), std::string::npos) << small;
}

TEST(Shrink, ADisagreementOfAnEngineStaysOne) {
  const Engine liar = {"liar", 1, [](const step::Program&, const Question&) { return std::string(); },
                       [](const step::Program&, const Question&) {
                         Finding finding;
                         finding.answer = check::Answer::proved;
                         return finding;
                       }};
  const Judges judges{{liar}, 3, 40'000, {}, 0};
  const auto disagrees = [&](const std::string& text) {
    for (const Judged& judged : judge(text, judges))
      for (const Disagreement& d : judged.disagreements)
        if (d.what == "liar proves what is violated") return true;
    return false;
  };
  std::uint64_t seed = 1;
  while (!disagrees(random_model(seed).text)) ++seed;
  const std::string small = shrink(random_model(seed).text, disagrees);
  EXPECT_TRUE(disagrees(small));
  EXPECT_LE(lines(small), 15) << small;
}

TEST(Shrink, NothingCanBeTakenFromTheResult) {
  std::uint64_t seed = 1;
  while (!fails(random_model(seed).text)) ++seed;
  const std::string small = shrink(random_model(seed).text, fails);
  dsl::Sources sources;
  sources.emplace_back(0U, "random.fl", small);
  dsl::Diagnostics diagnostics;
  const dsl::File file = dsl::parse(sources, 0, diagnostics);
  std::size_t n = 0;
  for (; const auto less = simplified(file, n); ++n) EXPECT_FALSE(fails(dsl::print(*less))) << dsl::print(*less);
  EXPECT_GT(n, 5U);
}

TEST(Shrink, WhatDoesNotHoldAtFirstIsLeftAsItIs) {
  const std::string text = random_model(1).text;
  EXPECT_EQ(shrink(text, [](const std::string&) { return false; }), text);
}

}  // namespace
}  // namespace faultline::differential
