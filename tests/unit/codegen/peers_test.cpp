// What is exported means the same: Spin and Rumur find the number of plain states that the explicit search finds, and
// errors where it finds violations. A sample, skipped where the two are not installed; tests/peers has the whole
// corpus.
#include "tests/support/peers.hpp"

#include <gtest/gtest.h>

#include "checker/explicit.hpp"
#include "codegen/export.hpp"
#include "fmt/format.h"
#include "step/load.hpp"
#include "tests/support/sanitized.hpp"

namespace faultline::codegen {
namespace {

using testing::PeerAnswer;

using testing::sanitized;

template <class Ask>
void compare(const Ask& ask) {
  int compared = 0, unsafe = 0;
  for (const auto& [model, name] : {std::pair{"thp/thp_fault", "base"}, std::pair{"thp/thp_fault", "unstable"},
                                    std::pair{"reference/pmd_race", "B_v2f"}}) {
    const std::string path = fmt::format("{}/models/{}.fl", FAULTLINE_SOURCE_DIR, model);
    const step::Loaded loaded = step::load(path, {name});
    ASSERT_EQ(loaded.variants.size(), 1U);
    const step::Program& program = loaded.variants.front().program;
    for (std::uint32_t n = 1; n <= 2; ++n) {
      check::ExplicitOptions options;
      options.cpus = n;
      options.reduction = false;
      options.all_kinds = true;
      options.deadlock = false;
      const check::ExplicitResult ours = check::explore(program, options);
      ASSERT_TRUE(ours.complete) << ours.reason;
      if (ours.states > 60'000) continue;  // the C compiler takes long enough
      const PeerAnswer theirs = ask(program, ExportOptions{n, path});
      const std::string what = fmt::format("{} [{}] N = {}\n{}", model, name, n, theirs.output);
      EXPECT_TRUE(theirs.finished) << what;
      EXPECT_EQ(theirs.states, ours.states) << what;
      EXPECT_EQ(theirs.errors, !ours.violations.empty()) << what;
      ++compared;
      if (theirs.errors) ++unsafe;
    }
  }
  EXPECT_GE(compared, 5);
  EXPECT_GE(unsafe, 1);
}

TEST(Peers, Spin) {
  if (sanitized) GTEST_SKIP() << "the release run does this";
  if (!testing::installed("spin") || !testing::installed("cc")) GTEST_SKIP() << "spin is not installed";
  compare([](const step::Program& program, const ExportOptions& how) {
    return testing::ask_spin(to_promela(program, how), testing::replaced(run_promela, "-O2", "-O0"));
  });
}

TEST(Peers, Rumur) {
  if (sanitized) GTEST_SKIP() << "the release run does this";
  if (!testing::installed("rumur") || !testing::installed("cc")) GTEST_SKIP() << "rumur is not installed";
  compare([](const step::Program& program, const ExportOptions& how) {
    return testing::ask_rumur(to_murphi(program, how), testing::replaced(run_murphi, "-O2", "-O0"));
  });
}

}  // namespace
}  // namespace faultline::codegen
