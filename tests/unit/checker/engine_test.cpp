// The table of engines: every engine on the reference models, and answers held against each other.
#include "checker/engine.hpp"

#include <gtest/gtest.h>

#include "tests/support/programs.hpp"
#include "tests/support/random_program.hpp"
#include "tests/support/sanitized.hpp"

namespace faultline::check {
namespace {

// tests/differential/random goes on from here
const std::uint64_t random_programs = testing::some_of(40);

Finding proved() {
  Finding finding;
  finding.answer = Answer::proved;
  return finding;
}
Finding violated(std::size_t steps, std::uint32_t cpus) {
  Finding finding;
  finding.answer = Answer::violated;
  finding.example.emplace().steps.resize(steps);
  finding.example->scope.cpus = cpus;
  return finding;
}
Finding none_within(std::uint32_t steps) {
  Finding finding;
  finding.safe_steps = steps;
  return finding;
}

TEST(Contradiction, AProofForAnyNumberCoversEach) {
  const Question two{2, {}}, three{3, {}}, any{};
  EXPECT_EQ(contradiction(three, violated(7, 3), three, proved()), "violated in 7 steps against proved");
  EXPECT_EQ(contradiction(two, violated(7, 2), three, proved()), "");
  EXPECT_EQ(contradiction(any, proved(), two, violated(7, 2)), "violated in 7 steps against proved");
  EXPECT_EQ(contradiction(any, violated(7, 3), three, proved()), "violated in 7 steps against proved");
  EXPECT_EQ(contradiction(three, violated(7, 3), two, proved()), "");
  EXPECT_EQ(contradiction(any, violated(7, 4), three, proved()), "");
  EXPECT_EQ(contradiction(two, proved(), any, proved()), "");
  EXPECT_EQ(contradiction(two, Finding(), any, proved()), "");
}

TEST(Contradiction, StepsThatWereCovered) {
  const Question two{2, {}}, three{3, {}};
  EXPECT_EQ(contradiction(two, violated(7, 2), two, none_within(7)), "violated in 7 steps against none within 7");
  EXPECT_EQ(contradiction(two, none_within(9), two, violated(7, 2)), "violated in 7 steps against none within 9");
  EXPECT_EQ(contradiction(two, violated(7, 2), two, none_within(6)), "");
  EXPECT_EQ(contradiction(three, violated(7, 3), two, none_within(20)), "");
}

TEST(Engines, HaveNamesOfTheirOwn) {
  for (const Engine& engine : engines()) {
    EXPECT_EQ(find_engine(engine.name), &engine);
    EXPECT_FALSE(engine.what.empty());
  }
  EXPECT_EQ(find_engine("spin"), nullptr);
}

// Every two findings about one program, each engine asked what it takes: 2 CPUs, and any number.
void expect_agreement(const step::Program& program, double seconds, const std::string& what) {
  struct Asked {
    const Engine* engine;
    Question question;
    Finding finding;
  };
  std::vector<Asked> all;
  for (const Engine& engine : engines()) {
    for (const std::optional<std::uint32_t> cpus : {std::optional<std::uint32_t>(2), std::optional<std::uint32_t>()}) {
      Question question{cpus, {}};
      question.limits.seconds = seconds;
      if (!takes(engine, question) || !engine.refuses(program, question).empty()) continue;
      all.push_back({&engine, question, ask(engine, program, question)});
      if (all.back().finding.answer == Answer::unknown) {
        EXPECT_FALSE(all.back().finding.reason.empty()) << engine.name;
      }
    }
  }
  for (const Asked& a : all) {
    for (const Asked& b : all) {
      EXPECT_EQ(contradiction(a.question, a.finding, b.question, b.finding), "")
          << what << ": " << a.engine->name << " and " << b.engine->name;
    }
  }
}

TEST(Engines, AgreeOnTheReferenceModels) {
  for (const int version : testing::sanitized ? std::vector{2} : std::vector{0, 2}) {
    for (const bool fix : {false, true}) {
      for (const int bad : {0, 1}) {
        testing::PmdRace which;
        which.version = version;
        which.fix = fix;
        which.bad = bad;
        expect_agreement(testing::pmd_race(which), 1, "version " + std::to_string(version));
      }
    }
  }
}

TEST(Engines, AgreeOnRandomPrograms) {
  for (std::uint64_t seed = 1; seed <= random_programs; ++seed) {
    testing::RandomShape shape;
    shape.objects = seed % 3 != 0;
    shape.awaits = seed % 2 == 0;
    shape.several_lines = seed % 5 == 0;
    expect_agreement(testing::random_program(seed, shape), 0.5, "seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace faultline::check
