// What is exported means the same: Spin and Rumur find the number of plain states that the explicit search finds, and
// errors where it finds violations. A sample, skipped where the two are not installed; tests/peers has the whole
// corpus.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "step/load.hpp"
#include "tests/support/comparison.hpp"
#include "tests/support/sanitized.hpp"

namespace faultline::codegen {
namespace {

template <class Compare>
void compare(const Compare& with) {
  int compared = 0, unsafe = 0;
  for (const auto& [model, name] : {std::pair{"thp/thp_fault", "base"}, std::pair{"thp/thp_fault", "unstable"},
                                    std::pair{"reference/pmd_race", "B_v2f"}}) {
    const step::Loaded loaded = step::load(fmt::format("{}/models/{}.fl", FAULTLINE_SOURCE_DIR, model), {name});
    ASSERT_EQ(loaded.variants.size(), 1U);
    for (std::uint32_t n = 1; n <= 2; ++n) {
      const testing::PeerComparison answer = with(loaded.variants.front().program, n);
      EXPECT_EQ(answer.disagreement, "") << model << " [" << name << "]";
      if (answer.compared) ++compared;
      if (answer.errors) ++unsafe;
    }
  }
  EXPECT_GE(compared, 5);
  EXPECT_GE(unsafe, 1);
}

TEST(Peers, Spin) {
  if (testing::sanitized) GTEST_SKIP() << "the release run does this";
  if (!testing::spin_installed()) GTEST_SKIP() << "spin is not installed";
  compare(testing::compare_with_spin);
}

TEST(Peers, Rumur) {
  if (testing::sanitized) GTEST_SKIP() << "the release run does this";
  if (!testing::rumur_installed()) GTEST_SKIP() << "rumur is not installed";
  compare(testing::compare_with_rumur);
}

}  // namespace
}  // namespace faultline::codegen
