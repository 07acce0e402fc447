// The run itself: every engine on many random models. FAULTLINE_FULL=1 takes ten thousand.
#include "tests/differential/random/run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "tests/support/comparison.hpp"
#include "tests/support/peers.hpp"
#include "tests/support/sanitized.hpp"

namespace faultline::differential {
namespace {

using testing::sanitized;

bool full() { return std::getenv("FAULTLINE_FULL") != nullptr; }

// RCU, reference counts, sequence counts, fields, interrupts off, `once`.
TEST(RandomModels, NothingDisagreesAboutVmas) {
  Settings settings;
  settings.family = Family::vmas;
  settings.models = sanitized ? 4 : full() ? 2'000 : 60;
  settings.spin_every = sanitized || !testing::spin_installed() ? 0 : full() ? 20 : 30;
  const Tally tally = run(settings);
  std::cout << tally.markdown();
  EXPECT_EQ(tally.disagreements(), 0U) << "build/random_models --vmas --seed SEED --models 1 shrinks it into findings/";
  if (settings.models < 60) return;  // too few for shares
  EXPECT_GE(tally.unsafe(), 20);
  EXPECT_LE(tally.unsafe(), 70);
  for (const char* feature : {"reference count", "RCU section", "grace period"}) EXPECT_GE(tally.with(feature), 40);
  for (const char* feature : {"seqcount", "irq section", "once"}) EXPECT_GE(tally.with(feature), 3);
  EXPECT_LE(tally.undecided(), 1);
}

TEST(RandomModels, NothingDisagrees) {
  Settings settings;
  settings.models = sanitized ? 25 : full() ? 10'000 : 500;
  settings.spin_every = sanitized ? 0 : full() ? 100 : 250;
  if (settings.spin_every != 0 && !testing::spin_installed()) {
    std::cout << "Spin is not installed: nothing is compared with it\n";
    settings.spin_every = 0;
  }
  const Tally tally = run(settings);
  std::cout << tally.markdown();
  EXPECT_EQ(tally.models(), settings.models);
  EXPECT_EQ(tally.disagreements(), 0U) << "build/random_models --seed SEED --models 1 shrinks it into findings/";
  if (settings.spin_every != 0) {
    EXPECT_GT(tally.spin_compared(), 0U);
  }
  if (settings.models < 500) return;  // too few for shares
  EXPECT_GE(tally.unsafe(), 30);
  EXPECT_GE(tally.safe_for_a_reason(), 30);
  EXPECT_GE(tally.with("tlb"), 20);
  EXPECT_GE(tally.with("rwsem, write"), 20);
  EXPECT_GE(tally.with("objects"), 20);
  EXPECT_LE(tally.rejected(), 10);
  EXPECT_LE(tally.undecided(), 1);
}

TEST(RandomModels, TheCountsDoNotDependOnTheJobs) {
  Settings settings;
  settings.models = sanitized ? 6 : 30;
  settings.seed = 7;
  settings.engines = quick_engines();
  const std::string one = run(settings).markdown();
  settings.jobs = 3;
  EXPECT_EQ(run(settings).markdown(), one);
}

Finding proof() {
  Finding finding;
  finding.answer = check::Answer::proved;
  finding.deadlock = true;
  return finding;
}

std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Findings, AWrongEngineLeavesAShrunkModelWithTheReason) {
  const testing::Folder folder;
  Settings settings;
  settings.models = sanitized ? 6 : 20;
  settings.removals_every = 0;
  settings.max_cpus = 2;
  settings.findings = folder.path();
  settings.engines = {{"liar", 1, [](const step::Program&, const Question&) { return std::string(); },
                       [](const step::Program&, const Question&) { return proof(); }}};
  const Tally tally = run(settings);
  EXPECT_GT(tally.disagreements(), 0U);
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    ++files;
    const std::string text = contents(file.path());
    EXPECT_NE(text.find("liar proves what is violated"), std::string::npos) << text;
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 25) << text;
    bool again = false;
    for (const Judged& judged : judge(text, {settings.engines, 2, settings.max_states, {}, 0}))
      again = again || !judged.disagreements.empty();
    EXPECT_TRUE(again) << text;
  }
  EXPECT_GT(files, 0U);
}

// What once disagreed does so no more.
TEST(KeptFindings, AreMended) {
  const std::filesystem::path folder = FAULTLINE_SOURCE_DIR "/tests/differential/random/findings";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".fl") continue;
    for (const Judged& judged : judge(contents(file.path()), Judges{engines(), 4, 200'000, {}, 0}))
      for (const Disagreement& d : judged.disagreements)
        ADD_FAILURE() << file.path() << " [" << d.variant << "]: " << d.what << ": " << d.detail;
  }
}

}  // namespace
}  // namespace faultline::differential
