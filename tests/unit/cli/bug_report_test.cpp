// The folder for a fault of Faultline itself.
#include "cli/bug_report.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "cli/run.hpp"

namespace faultline::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const char* const text =
    "model m;\nshared bool *flag = false;\nhandler h()\n{\n    *flag = true;\n}\nrun h on any cpus;\n"
    "patch twice in h {\n  - *flag = true;\n  + *flag = true;\n  + *flag = false;\n}\n";

class BugReportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::path(::testing::TempDir()) / ("bug_report_" + name);
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  static std::string read(const fs::path& path) {
    std::ifstream in(path);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }
  fs::path folder_;
  step::Loaded loaded_ = step::load_text("m.fl", text, {"twice"});
};

TEST_F(BugReportTest, HasTheModelAndWhatEverybodySaid) {
  ASSERT_EQ(loaded_.variants.size(), 1u);
  check::Verdict verdict;
  verdict.engines.push_back({"views", {}, true, check::Answer::proved, "", 3, "views", 0, 0});
  const fs::path path = write_bug_report(
      {"views and explicit disagree", loaded_, loaded_.variants.front(), &verdict, "faultline check m.fl"}, folder_);
  EXPECT_EQ(path.filename(), "faultline-bug-m-twice");
  EXPECT_EQ(read(path / "model.fl"), text);
  EXPECT_THAT(read(path / "patched.fl"), HasSubstr("*flag = false"));
  EXPECT_EQ(read(path / "command"), "faultline check m.fl\n");
  EXPECT_THAT(read(path / "README"), HasSubstr("views and explicit disagree"));
  EXPECT_THAT(read(path / "engines"), HasSubstr("views"));
  EXPECT_THAT(read(path / "verdict.json"), HasSubstr("\"engines\""));
}

TEST_F(BugReportTest, NeverOverwritesAndLeavesNothingHalfWritten) {
  const BugReport report{"a fault", loaded_, loaded_.variants.front(), nullptr, ""};
  EXPECT_EQ(write_bug_report(report, folder_).filename(), "faultline-bug-m-twice");
  EXPECT_EQ(write_bug_report(report, folder_).filename(), "faultline-bug-m-twice-2");
  std::size_t entries = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    ++entries;
    EXPECT_TRUE(entry.path().filename().string().starts_with("faultline-bug-")) << entry.path();
  }
  EXPECT_EQ(entries, 2u);
  std::ofstream(folder_ / "file") << "no folder";
  EXPECT_THROW((void)write_bug_report(report, folder_ / "file"), std::runtime_error);
}

TEST_F(BugReportTest, SaysWhereItIsAndExits70) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  std::ostringstream out, err;
  Streams streams{out, err};
  EXPECT_EQ(report_fault({"a fault", loaded_, loaded_.variants.front(), nullptr, ""}, streams), exit_internal);
  fs::current_path(before);
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(err.str(),
            "faultline: internal error in m.fl [twice]: a fault\n"
            "faultline: no verdict is given; faultline-bug-m-twice has what it takes to see it again\n");
  EXPECT_TRUE(fs::exists(folder_ / "faultline-bug-m-twice" / "README"));
}

}  // namespace
}  // namespace faultline::cli
