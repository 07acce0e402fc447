// `faultline cost` from the command line to its two reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run.hpp"

namespace faultline::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string thp = FAULTLINE_SOURCE_DIR "/models/thp/thp_fault.fl";

struct Answer {
  int code = 0;
  std::string out, err;
};

Answer run(const std::vector<std::string>& words) {
  std::ostringstream out, err;
  cli::Streams streams{out, err};
  Answer answer;
  answer.code = cli::run(words, streams);
  answer.out = out.str();
  answer.err = err.str();
  return answer;
}

TEST(CostCommand, TheTablesOfAPatch) {
  const Answer answer =
      run({"cost", thp, "--variant", "base", "--variant", "guard_present", "--variant", "guard_none"});
  EXPECT_EQ(answer.code, cli::exit_fine) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("from pmd = table  allocs  frees  ipis  mmap_sem  page_table_lock\n"
                                    "    base                 1   0..1     0         1             0..1\n"
                                    "    guard_present        0      0     0         1                0\n"
                                    "    guard_none           0      0     0         1                0\n"));
  EXPECT_THAT(answer.out,
              HasSubstr("none  table  huge  splitting  frozen\n"
                        "  base           (always)                              x      x     x          x       x\n"
                        "  guard_present  !pmd_present(*pmd)                    x                               x\n"
                        "  guard_none     pmd_none(*pmd)                        x\n"
                        "  frozen: reachable there, seen in "));
}

TEST(CostCommand, OneVariantHasNoGuardTable) {
  const Answer answer = run({"cost", thp, "--variant", "base"});
  EXPECT_EQ(answer.code, cli::exit_fine);
  EXPECT_THAT(answer.out, Not(HasSubstr("guard at")));
}

TEST(CostCommand, Json) {
  const Answer answer = run({"cost", thp, "--variant", "base", "--variant", "guard_present", "--format", "json"});
  EXPECT_EQ(answer.code, cli::exit_fine);
  const auto json = nlohmann::json::parse(answer.out);
  EXPECT_EQ(json["schema"], "faultline/1");
  EXPECT_EQ(json["model"], "thp_fault");
  ASSERT_EQ(json["costs"].size(), 2U);
  EXPECT_EQ(json["costs"][0]["measures"]["allocs"]["most"], 1);
  EXPECT_EQ(json["costs"][1]["measures"]["allocs"]["most"], 0);
  EXPECT_EQ(json["costs"][1]["measures"]["mmap_sem"]["least"], 1);
  ASSERT_EQ(json["guards"].size(), 1U);
  const auto& row = json["guards"][0]["rows"][1];
  EXPECT_EQ(row["guard"], "!pmd_present(*pmd)");
  EXPECT_EQ(row["passes"]["frozen"], true);
  EXPECT_EQ(row["passes"]["huge"], false);
  EXPECT_GT(row["seen"]["frozen"], 0);
  EXPECT_EQ(row["complete"], true);
}

TEST(CostCommand, AModelWithoutCostLines) {
  const Answer answer = run({"cost", FAULTLINE_SOURCE_DIR "/models/reference/pmd_race.fl", "--variant", "B_v2f"});
  EXPECT_EQ(answer.code, cli::exit_invalid);
  EXPECT_THAT(answer.err, HasSubstr("no `cost` line"));
}

}  // namespace
}  // namespace faultline::testing
