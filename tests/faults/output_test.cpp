// Same input, same output, byte for byte; and output that cannot be written is no success.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tests/faults/process.hpp"

namespace faultline::faults {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> models() {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(FAULTLINE_SOURCE_DIR "/models"))
    if (entry.path().extension() == ".fl") found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

// Addresses differ in each run anyway; here the time zone, the language and what fresh memory holds do too.
How elsewhere() {
  How how;
  how.environment = {{"TZ", "Asia/Kathmandu"},   {"LANG", "de_DE.UTF-8"}, {"LC_ALL", "tr_TR.UTF-8"},
                     {"MALLOC_PERTURB_", "165"}, {"COLUMNS", "40"},       {"TMPDIR", "/"}};
  return how;
}

void expect_same(const std::vector<std::string>& arguments) {
  const Outcome one = run(arguments), other = run(arguments, elsewhere());
  EXPECT_TRUE(one.code == 0 || one.code == 1) << arguments[1] << one.err;
  EXPECT_EQ(one.code, other.code);
  EXPECT_FALSE(one.out.empty());
  EXPECT_TRUE(one.out == other.out) << arguments[0] << " " << arguments[1];
  EXPECT_EQ(one.err, other.err);
}

TEST(SameBytes, Reports) {
  for (const std::string& path : models())
    for (const char* format : {"text", "json"}) expect_same({"check", path, "--format", format, "--no-timing"});
}

TEST(SameBytes, Costs) {
  for (const std::string& path : models()) {
    expect_same({"cost", path});
    expect_same({"cost", path, "--format", "json"});
  }
}

TEST(SameBytes, Exports) {
  for (const std::string& path : models())
    for (const char* language : {"promela", "murphi", "smt2"})
      expect_same({"export", path, "--variant", "base", "--to", language});
}

TEST(Output, ThatCannotBeWrittenIsAFailure) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  for (const std::string& command :
       {std::string("version"), std::string("check --help"), "export " + model("thp/thp_fault.fl") + " --to dot"}) {
    const int status = std::system((FAULTLINE_PROGRAM " " + command + " >/dev/full 2>/dev/null").c_str());
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 70) << command;
  }
}

}  // namespace
}  // namespace faultline::faults
