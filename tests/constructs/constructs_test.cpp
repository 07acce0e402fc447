// Each model here is one construct of the language: every engine, and Spin and Rumur on the exported text, give the
// answers of the explicit search. That these are the expected ones is what `faultline test` says of the same files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "step/load.hpp"
#include "tests/differential/random/judge.hpp"
#include "tests/support/comparison.hpp"
#include "tests/support/sanitized.hpp"

namespace faultline::differential {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> constructs() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(FAULTLINE_SOURCE_DIR "/tests/constructs"))
    if (file.path().extension() == ".fl") names.push_back(file.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class Constructs : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    loaded_ = step::load(FAULTLINE_SOURCE_DIR "/tests/constructs/" + GetParam() + ".fl");
    ASSERT_FALSE(loaded_.diagnostics.has_errors());
    ASSERT_GE(loaded_.variants.size(), 2U) << "one that holds and one that does not";
  }

  // Those that the front end takes; what it proves wrong has no steps.
  template <class Look>
  void each_program(const Look& look) {
    for (const step::Variant& variant : loaded_.variants) {
      SCOPED_TRACE(variant.name);
      if (!variant.diagnostics.has_errors()) look(variant.program);
    }
  }

  step::Loaded loaded_;
};

TEST_P(Constructs, EveryEngine) {
  Judges judges;
  judges.engines = testing::sanitized ? quick_engines() : engines();
  judges.max_cpus = testing::sanitized ? 2 : 3;
  judges.question.z3 = true;
  each_program([&](const step::Program& program) {
    const Judged judged = judge(program, judges);
    for (const Disagreement& d : judged.disagreements) ADD_FAILURE() << d.what << ": " << d.detail;
    EXPECT_TRUE(judged.reference.exhaustive(2));
  });
}

// The C compiler takes most of the time: one CPU alone, and more than two variants, only where there is time (./test
// --full).
template <class Ask>
class Compare {
 public:
  explicit Compare(Ask ask) : ask_(ask) {}

  void operator()(const step::Program& program) const {
    if (!full_ && ++asked_ > 2) return;
    for (std::uint32_t cpus = full_ ? 1 : 2; cpus <= 2; ++cpus) {
      const testing::PeerComparison answer = ask_(program, cpus);
      EXPECT_TRUE(answer.compared) << cpus;
      EXPECT_EQ(answer.disagreement, "") << cpus;
    }
  }

 private:
  Ask ask_;
  bool full_ = std::getenv("FAULTLINE_FULL") != nullptr;
  mutable std::size_t asked_ = 0;
};

TEST_P(Constructs, Spin) {
  if (testing::sanitized) GTEST_SKIP() << "the release run does this";
  if (!testing::spin_installed()) GTEST_SKIP() << "spin is not installed";
  each_program(Compare(testing::compare_with_spin));
}

TEST_P(Constructs, Rumur) {
  if (testing::sanitized) GTEST_SKIP() << "the release run does this";
  if (!testing::rumur_installed()) GTEST_SKIP() << "rumur is not installed";
  each_program(Compare(testing::compare_with_rumur));
}

INSTANTIATE_TEST_SUITE_P(All, Constructs, ::testing::ValuesIn(constructs()), [](const auto& of) { return of.param; });

}  // namespace
}  // namespace faultline::differential
