// The export to SMT-LIB as a bounded search: Z3 says sat from exactly the depth on at which the explicit search finds
// its shortest trace. Skipped where no z3 program is installed.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include "checker/explicit.hpp"
#include "codegen/export.hpp"
#include "fmt/format.h"
#include "step/load.hpp"
#include "tests/support/peers.hpp"
#include "tests/support/random_program.hpp"
#include "tests/support/sanitized.hpp"

namespace faultline::codegen {
namespace {

using testing::sanitized;

class Smt2 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (sanitized) GTEST_SKIP() << "the release run does this";
    if (!testing::installed("z3")) GTEST_SKIP() << "z3 is not installed";
  }

  // What the plain solver prints; "too slow\n" after `seconds`.
  std::string ask(const step::Program& program, std::uint32_t cpus, std::uint32_t depth, int seconds = 300) {
    ExportOptions how;
    how.cpus = cpus;
    how.depth = depth;
    const auto in = folder_.path() / "FILE", out = folder_.path() / "out";
    std::ofstream(in) << to_smt2(program, how);
    const std::string command =
        fmt::format("cd '{}' && timeout {} {} >out 2>&1", folder_.path().string(), seconds, run_smt2);
    const int status = std::system(command.c_str());
    if (WIFEXITED(status) && WEXITSTATUS(status) == 124) return "too slow\n";
    EXPECT_EQ(status, 0);
    std::ostringstream text;
    text << std::ifstream(out).rdbuf();
    return text.str();
  }

  // Steps of the shortest trace, or 0 if nothing is violated; nothing if there are too many states, or no steps.
  static std::optional<std::uint32_t> shortest(const step::Program& program, std::uint32_t cpus) {
    check::ExplicitOptions options;
    options.cpus = cpus;
    options.deadlock = false;
    options.limits.memory_bytes = 4'000'000;
    const check::ExplicitResult result = check::explore(program, options);
    if (!result.complete) return std::nullopt;
    if (result.violations.empty()) return 0;
    const auto steps = static_cast<std::uint32_t>(result.violations.front().steps.size());
    return steps == 0 ? std::nullopt : std::optional(steps);
  }

  testing::Folder folder_;
};

step::Program model(const std::string& path, const std::string& variant) {
  const step::Loaded loaded = step::load(FAULTLINE_SOURCE_DIR "/models/" + path, {variant});
  return loaded.variants.at(0).program;
}

TEST_F(Smt2, ViolationsAreAsFarAwayAsTheSearchSays) {
  for (const char* variant : {"base", "B_bad1", "B_bad2", "B_bad3"}) {
    const step::Program program = model("reference/pmd_race.fl", variant);
    const auto steps = shortest(program, 1);
    ASSERT_TRUE(steps && *steps > 1) << variant;
    EXPECT_EQ(ask(program, 1, *steps), "sat\n") << variant;
    EXPECT_EQ(ask(program, 1, *steps - 1), "unsat\n") << variant;
  }
}

TEST_F(Smt2, SafeVariantsHaveNone) {
  EXPECT_EQ(ask(model("reference/pmd_race.fl", "B_v0f"), 1, 8), "unsat\n");
  EXPECT_EQ(ask(model("thp/thp_fault.fl", "unstable"), 1, 8), "unsat\n");
  EXPECT_EQ(ask(model("thp/thp_fault_munmap.fl", "base"), 2, 5), "unsat\n");
  EXPECT_EQ(ask(model("thp/khugepaged_collapse.fl", "base"), 2, 4), "unsat\n");
}

// Objects, waits, several lines, guards on others, invariants.
TEST_F(Smt2, RandomProgramsAgree) {
  if (std::getenv("FAULTLINE_FULL") == nullptr) GTEST_SKIP() << "takes minutes";
  int safe = 0, violated = 0, invariants = 0, slow = 0;
  // Each answer is as expected, unless there is none in time: the terms of some programs are too much for the solver.
  const auto expect = [&](const step::Program& program, std::uint32_t cpus, std::uint32_t depth, const char* answer,
                          const std::string& what) {
    const std::string told = ask(program, cpus, depth, 10);
    if (told == "too slow\n") {
      ++slow;
      return false;
    }
    EXPECT_EQ(told, answer) << what << ", depth " << depth;
    return true;
  };
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const step::Program program = testing::random_program(seed, {true, true, seed % 3 == 0});
    const std::uint32_t cpus = 1 + static_cast<std::uint32_t>(seed % 3);
    const auto steps = shortest(program, cpus);
    if (!steps || *steps > 6) continue;
    const std::string what = fmt::format("seed {}, {} CPUs", seed, cpus);
    try {
      (void)to_smt2(program, ExportOptions());
    } catch (const std::domain_error&) {  // guards_first refuses it: no language takes it
      continue;
    }
    if (*steps == 0) {
      if (expect(program, cpus, 3, "unsat\n", what)) ++safe;
      continue;
    }
    bool all = expect(program, cpus, *steps, "sat\n", what);
    if (*steps > 1) all = expect(program, cpus, *steps - 1, "unsat\n", what) && all;
    // within so many steps, not after so many
    all = expect(program, cpus, *steps + 2, "sat\n", what) && all;
    if (!all) continue;
    ++violated;
    if (!program.invariants.empty()) ++invariants;
  }
  std::cout << safe << " safe, " << violated << " violated, " << invariants << " of these with an invariant; " << slow
            << " answers took too long\n";
  EXPECT_GE(safe, 3);
  EXPECT_GE(violated, 10);
  EXPECT_GE(invariants, 3);
}

TEST(Smt2Text, HasSourceLinesAndNames) {
  ExportOptions options;
  options.source = "thp_fault.fl";
  options.depth = 3;
  const step::Program program = model("thp/thp_fault.fl", "base");
  const std::string text = to_smt2(program, options);
  for (const char* part : {"by `faultline export` from thp_fault.fl.", "; 118: down_read(&mm->mmap_sem)\n",
                           "assert: pte_offset_map() on a pmd that is not a page table\n", "(define-fun pmd_none () ",
                           "(define-fun Init ((s State)) Bool", "at most 3 steps away", "(Violates s2)"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_EQ(text.find("r4"), std::string::npos);
  EXPECT_EQ(text, to_smt2(program, options));
}

}  // namespace
}  // namespace faultline::codegen
