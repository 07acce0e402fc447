// The program end to end: files in, text or JSON and an exit code out.
#include "cli/run.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace faultline::testing {
namespace {

// base: two CPUs see the flag of each other; locked: they do not; unbalanced: shown wrong without a search; odd: no
// model.
constexpr const char* tiny =
    "model tiny;\n"
    "spinlock l;\n"
    "shared bool *flag = false;\n"
    "handler enter() {\n"
    "    assert(!*flag, \"somebody is inside\");\n"
    "    *flag = true;\n"
    "    *flag = false;\n"
    "}\n"
    "run enter on any cpus;\n"
    "patch locked in enter {\n"
    "  - assert(!*flag, \"somebody is inside\");\n"
    "  + spin_lock(l);\n"
    "  + assert(!*flag, \"somebody is inside\");\n"
    "    *flag = false;\n"
    "  + spin_unlock(l);\n"
    "}\n"
    "patch unbalanced after locked in enter {\n"
    "  - spin_unlock(l);\n"
    "}\n"
    "patch odd in enter {\n"
    "    *flag = false;\n"
    "  + *falg = true;\n"
    "}\n";

class RunModels : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    dir_ = std::filesystem::temp_directory_path() /
           ("faultline-" + std::string(info->name()) + "-" + std::to_string(::getpid()));
    std::filesystem::create_directories(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  std::string file(const std::string& name, const std::string& text) {
    const std::filesystem::path path = dir_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  int run(const std::vector<std::string>& words) {
    std::ostringstream out;
    std::ostringstream err;
    cli::Streams streams{out, err};
    const int code = cli::run(words, streams);
    out_ = out.str();
    err_ = err.str();
    return code;
  }

  std::filesystem::path dir_;
  std::string out_;
  std::string err_;
};

std::vector<nlohmann::json> lines_of(const std::string& text) {
  std::vector<nlohmann::json> result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) result.push_back(nlohmann::json::parse(line));
  return result;
}

TEST_F(RunModels, ExitCodesFollowTheVerdict) {
  const std::string model = file("tiny.fl", tiny);
  EXPECT_EQ(run({"check", model, "--variant", "base"}), 1) << out_ << err_;
  EXPECT_EQ(run({"check", model, "--variant", "locked"}), 0) << out_ << err_;
  EXPECT_EQ(run({"check", model, "--variant", "unbalanced"}), 1) << out_ << err_;
  EXPECT_EQ(run({"check", model, "--variant", "odd"}), 2) << out_ << err_;
  EXPECT_EQ(run({"check", model, "--variant", "locked", "--variant", "base"}), 1) << out_ << err_;
  EXPECT_EQ(run({"check", model}), 2) << out_ << err_;
  EXPECT_EQ(run({"check", model, "--variant", "locked", "--engine", "explicit"}), 3) << out_ << err_;
  EXPECT_EQ(run({"check", model, "--variant", "locked", "--cpus", "2"}), 0) << out_ << err_;
  EXPECT_EQ(run({"check", (dir_ / "absent.fl").string()}), 2) << out_ << err_;
}

TEST_F(RunModels, TextSaysTheVerdictFirst) {
  const std::string model = file("tiny.fl", tiny);
  (void)run({"check", model, "--variant", "locked"});
  EXPECT_TRUE(out_.starts_with("proved: tiny [locked], for any number of CPUs\n")) << out_;
  (void)run({"check", model, "--variant", "base"});
  EXPECT_NE(out_.find(":5:5: violated: somebody is inside"), std::string::npos) << out_;
  (void)run({"check", model, "--variant", "locked", "--cpus", "2"});
  EXPECT_TRUE(out_.starts_with("proved: tiny [locked], for 2 CPUs only\n")) << out_;
}

TEST_F(RunModels, OneJsonObjectForEachVariant) {
  const std::string model = file("tiny.fl", tiny);
  EXPECT_EQ(run({"check", model, "--format", "json", "--no-timing"}), 2);
  const auto objects = lines_of(out_);
  ASSERT_EQ(objects.size(), 4U) << out_;
  EXPECT_EQ(objects[0]["verdict"], "violated");
  EXPECT_EQ(objects[0]["violation"]["kind"], "assert");
  EXPECT_EQ(objects[1]["verdict"], "proved");
  EXPECT_EQ(objects[1]["scope"]["cpus"], "any");
  EXPECT_EQ(objects[1]["certificate"]["checked_by"], (std::vector<std::string>{"own", "z3"}));
  EXPECT_EQ(objects[2]["verdict"], "violated");
  EXPECT_EQ(objects[2]["static"], true);
  EXPECT_EQ(objects[2]["violation"]["kind"], "lock_unbalanced");
  EXPECT_EQ(objects[3]["verdict"], "invalid");
  EXPECT_EQ(objects[3]["variant"], "odd");
  EXPECT_FALSE(objects[3]["diagnostics"].empty());
}

TEST_F(RunModels, EqualRunsPrintEqualBytes) {
  const std::string model = file("tiny.fl", tiny);
  (void)run({"check", model, "--no-timing"});
  const std::string text = out_;
  (void)run({"check", model, "--no-timing"});
  EXPECT_EQ(out_, text);
}

TEST_F(RunModels, OptionsThatExcludeEachOtherAreRefused) {
  const std::string model = file("tiny.fl", tiny);
  EXPECT_EQ(run({"check", model, "--cpus", "2", "--engine", "views"}), 2);
  EXPECT_EQ(run({"check", model, "--cpus", "2", "--certificate", (dir_ / "proof").string()}), 2);
}

TEST_F(RunModels, CertificatesAreWrittenAndJudged) {
  const std::string model = file("tiny.fl", tiny);
  const std::string proof = (dir_ / "proof").string();
  EXPECT_EQ(run({"check", model, "--variant", "locked", "--certificate", proof}), 0) << err_;
  EXPECT_EQ(run({"certify", proof}), 0) << out_ << err_;
  EXPECT_TRUE(out_.starts_with("accepted: ")) << out_;

  // One view taken out: some obligation fails, and is named.
  std::ifstream in(proof + "/views.txt");
  std::vector<std::string> views;
  for (std::string line; std::getline(in, line);) views.push_back(line);
  in.close();
  ASSERT_GT(views.size(), 2U);
  views.pop_back();
  {
    std::ofstream changed(proof + "/views.txt");
    for (const std::string& line : views) changed << line << "\n";
  }
  EXPECT_EQ(run({"certify", proof}), 1) << out_ << err_;
  EXPECT_TRUE(out_.starts_with("rejected: ")) << out_;

  EXPECT_EQ(run({"certify", dir_.string()}), 2);
  EXPECT_EQ(run({"check", model, "--variant", "base", "--certificate", (dir_ / "none").string()}), 1);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "none"));
}

TEST_F(RunModels, TestComparesWithExpectLines) {
  const std::string good =
      std::string(tiny) +
      "expect base : violates assert;\nexpect locked : safe;\nexpect unbalanced : violates lock_unbalanced;\n";
  file("models/good.fl", good);
  EXPECT_EQ(run({"test", (dir_ / "models").string()}), 0) << out_ << err_;
  EXPECT_TRUE(out_.ends_with("\n3 passed, 0 failed\n")) << out_;
  file("models/deeper/bad.fl", std::string(tiny) + "expect base : safe;\n");
  EXPECT_EQ(run({"test", (dir_ / "models").string()}), 1) << out_ << err_;
  EXPECT_TRUE(out_.ends_with("\n3 passed, 1 failed\n")) << out_;
  EXPECT_NE(out_.find("FAIL  base: safe: it violates assert"), std::string::npos) << out_;
}

TEST_F(RunModels, TestFailsOnWhatNothingReaches) {
  file("dead.fl",
       "model dead;\nshared bool *flag = false;\nhandler h() { if (*flag) { *flag = false; } }\nrun h on any "
       "cpus;\nexpect base : safe;\n");
  EXPECT_EQ(run({"test", (dir_ / "dead.fl").string()}), 1) << out_;
  EXPECT_NE(out_.find("nothing reaches"), std::string::npos) << out_;
}

TEST_F(RunModels, NothingToTestIsAnError) {
  const std::string model = file("tiny.fl", tiny);
  EXPECT_EQ(run({"test", model}), 2);
  EXPECT_NE(err_.find("nothing was tested"), std::string::npos);
}

TEST_F(RunModels, CostNeedsACostLine) {
  const std::string model = file("tiny.fl", tiny);
  EXPECT_EQ(run({"cost", model, "--variant", "base"}), 2);
  EXPECT_NE(err_.find("has no `cost` line"), std::string::npos) << err_;
}

}  // namespace
}  // namespace faultline::testing
