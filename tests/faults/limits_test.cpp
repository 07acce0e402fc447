// --memory-limit and --timeout are promises: `unknown` and exit code 3, with at most a tenth more.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/faults/process.hpp"
#include "tests/support/peers.hpp"

namespace faultline::faults {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20U;

void expect_memory(std::vector<std::string> arguments, std::uint64_t limit, int code = 3) {
  arguments.insert(arguments.end(), {"--memory-limit", std::to_string(limit)});
  const Outcome done = run(arguments);
  EXPECT_EQ(done.code, code) << done.out << done.err;
  EXPECT_LE(done.peak_bytes, limit * mib * 11 / 10) << done.out;
  if (code == 3) {
    EXPECT_NE(done.out.find("memory limit"), std::string::npos) << done.out;
    EXPECT_GE(done.peak_bytes, limit * mib / 4) << "it gave up long before";
  }
}

// The time of the wall depends on what else the machine does: what is held to the limit strictly is the processor's.
void expect_time(const std::vector<std::string>& arguments, const std::string& limit, int code = 3) {
  for (const int threads : {1, 2}) {
    std::vector<std::string> check = arguments;
    check.insert(check.end(), {"--timeout", limit, "--threads", std::to_string(threads)});
    const Outcome done = run(check);
    EXPECT_EQ(done.code, code) << done.out << done.err;
    const double seconds = std::stod(limit);
    EXPECT_LE(done.cpu_seconds, threads * (1.1 * seconds + 0.1)) << done.out;
    EXPECT_LE(done.seconds, 1.1 * seconds + 5) << done.out;
  }
}

const std::vector<std::string> race = {"check", model("reference/pmd_race.fl"), "--variant", "B_v2f"};
const std::vector<std::string> thp = {"check", model("thp/thp_fault.fl"), "--variant", "unstable"};
const std::vector<std::string> wrong = {"check", model("thp/thp_fault.fl"), "--variant", "base"};

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

const std::vector<std::string> search = {"--engine", "explicit"};

TEST(MemoryLimit, ExplicitSearch) { expect_memory(with(with(race, search), {"--cpus", "11"}), 100); }
TEST(MemoryLimit, ExplicitSearchWithObjects) { expect_memory(with(with(thp, search), {"--cpus", "6"}), 100); }
TEST(MemoryLimit, PlainSearch) { expect_memory(with(with(thp, search), {"--cpus", "6", "--no-reduction"}), 100); }
// Unrolling has what is left when the search has given up.
TEST(MemoryLimit, SearchThenUnrolling) { expect_memory(with(thp, {"--cpus", "6"}), 100); }
TEST(MemoryLimit, SmallerThanTheProgram) {
  const Outcome done = run(with(thp, {"--memory-limit", "1"}));
  EXPECT_EQ(done.code, 3) << done.err;
  EXPECT_NE(done.out.find("memory limit"), std::string::npos) << done.out;
}
// Z3 does without an answer when there is no room for it: a proof that the own checker accepts remains.
TEST(MemoryLimit, Z3) {
  for (const std::uint64_t limit : {48U, 56U}) expect_memory(thp, limit, 0);
}

TEST(TimeLimit, ExplicitSearch) { expect_time(with(race, {"--cpus", "11"}), "0.5"); }
TEST(TimeLimit, PlainSearch) { expect_time(with(thp, {"--cpus", "6", "--no-reduction"}), "0.5"); }
TEST(TimeLimit, ShortestTrace) { expect_time(with(wrong, {"--cpus", "8"}), "0.5"); }

// All that a whole check goes through, cut off anywhere: search, views, own check, Z3, deadlock, progress.
TEST(TimeLimit, AnyPhase) {
  for (const char* path : {"thp/thp_fault.fl", "thp/thp_fault_munmap.fl", "thp/khugepaged_collapse.fl"}) {
    const char* variant = std::string(path) == "thp/thp_fault.fl" ? "unstable" : "base";
    const std::vector<std::string> check = {"check", model(path), "--variant", variant};
    const Outcome whole = run(check);
    ASSERT_EQ(whole.code, 0) << whole.err;
    int proved = 0, unknown = 0;
    for (int part = 1; part <= 12; ++part) {
      const double limit = whole.seconds * part / 10;
      const Outcome done = run(with(check, {"--timeout", std::to_string(limit)}));
      EXPECT_TRUE(done.code == 0 || done.code == 3) << done.code << done.err;
      EXPECT_LE(done.cpu_seconds, 2 * (1.1 * limit + 0.1)) << done.out;  // two threads
      EXPECT_LE(done.seconds, 1.1 * limit + 5) << done.out;
      ++(done.code == 0 ? proved : unknown);
    }
    EXPECT_GT(unknown, 0) << path;
  }
}

TEST(TimeLimit, Certificate) {
  const testing::Folder folder;
  const Outcome whole = run(with(thp, {"--no-z3", "--certificate", (folder.path() / "whole").string()}));
  ASSERT_EQ(whole.code, 0) << whole.err;
  int written = 0;
  for (int part = 1; part <= 10; ++part) {
    const auto dir = folder.path() / std::to_string(part);
    const double limit = whole.seconds * part / 10;
    const Outcome done = run(with(thp, {"--no-z3", "--certificate", dir.string(), "--timeout", std::to_string(limit)}));
    EXPECT_TRUE(done.code == 0 || done.code == 3) << done.code << done.err;
    EXPECT_LE(done.cpu_seconds, 1.1 * limit + 0.5) << done.err;
    EXPECT_EQ(std::filesystem::exists(dir), done.code == 0) << done.err;
    if (done.code == 0) ++written;
  }
  EXPECT_LT(written, 10);
}

}  // namespace
}  // namespace faultline::faults
