// The two judges share no step function: one runs the reference interpreter, the other solves formulas. On random
// programs, which use every op, and on view sets good and bad, they must say the same.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "tests/support/random_program.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/unit/checker/certificate_sets.hpp"

namespace faultline::check {
namespace {

using namespace faultline::testing;

struct Count {
  std::size_t accepted = 0;
  std::size_t rejected = 0;
};

void compare(const step::Program& program, const ViewSet& set, const std::string& what, Count& count) {
  const Judgement own = own_check(program, set);
  const Judgement z3 = z3_check(program, set);
  ASSERT_FALSE(z3.undecided) << what << z3.detail;
  ASSERT_EQ(own.accepted, z3.accepted) << what << ": own " << own.obligation << " (" << own.detail << "), Z3 "
                                       << z3.obligation;
  ++(own.accepted ? count.accepted : count.rejected);
}

TEST(JudgesAgree, OnRandomPrograms) {
  Count count;
  std::mt19937 random(1);
  const std::uint64_t last = std::getenv("FAULTLINE_FULL") != nullptr ? 4000 : testing::some_of(70);
  for (std::uint64_t seed = 0; seed < last; ++seed) {
    const step::Program program = random_program(seed, {seed % 4 != 3, seed % 3 != 2, seed % 5 == 4});
    ViewsOptions options;
    options.k = seed % 8 == 7 ? 3 : 2;
    options.max_views = 400;
    const ViewsResult found = views(program, options);
    const std::string name = "seed " + std::to_string(seed);
    if (found.proved) {
      const std::size_t accepted = count.accepted;
      compare(program, found.set, name, count);
      if (HasFatalFailure()) return;
      ASSERT_EQ(count.accepted, accepted + 1) << name << ": what the search proves is accepted";
      for (int n = 0; n < 2; ++n) {
        const std::size_t rejected = count.rejected;
        compare(program, without(found.set, random() % found.set.views.size()), name + " without one", count);
        if (HasFatalFailure()) return;
        ASSERT_EQ(count.rejected, rejected + 1) << name << ": it is the least set";
      }
    } else if (!found.set.views.empty()) {
      compare(program, found.set, name + " not proved", count);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(count.accepted, testing::some_of(20));
  EXPECT_GT(count.rejected, testing::some_of(40));
}

// More than the least set, and less: unions of the views of two variants of a program.
TEST(JudgesAgree, OnUnrelatedSets) {
  Count count;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const step::Program program = random_program(seed);
    step::Program other = program;
    std::mt19937_64 random(seed);
    for (step::Command& command : other.commands) {
      if (!command.ops.empty() && random() % 3 == 0) command.ops.erase(command.ops.begin());
    }
    ViewsOptions options;
    options.max_views = 300;
    compare(program, views(other, options).set, "seed " + std::to_string(seed), count);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(count.accepted, 2U);
  EXPECT_GT(count.rejected, 10U);
}

}  // namespace
}  // namespace faultline::check
