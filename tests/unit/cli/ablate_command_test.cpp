// `faultline ablate` end to end, and the tables of docs/ablation.md held to what it prints.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "cli/run.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/unit/cli/hand_made.hpp"

namespace faultline::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string models = FAULTLINE_SOURCE_DIR "/models/";

struct Answer {
  int code = 0;
  std::string out, err;
};

Answer run(std::vector<std::string> words) {
  std::ostringstream out, err;
  cli::Streams streams{out, err};
  words.insert(words.begin(), "ablate");
  Answer answer;
  answer.code = cli::run(words, streams);
  answer.out = out.str();
  answer.err = err.str();
  return answer;
}

std::string page() {
  std::ifstream file(FAULTLINE_SOURCE_DIR "/docs/ablation.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The first line of each row that did not break the proof.
std::set<std::string> survivors(const std::string& table) {
  const std::regex row("\n    (\\d+).*  (not needed|rule only|idle|rule|not judged|no model)  ");
  std::set<std::string> lines;
  for (std::sregex_iterator at(table.begin(), table.end(), row); at != std::sregex_iterator(); ++at)
    lines.insert((*at)[1]);
  return lines;
}

// The numbers in bold between the end of a table and the next section: what the page explains.
std::set<std::string> explained(const std::string& text, const std::string& table) {
  const std::size_t from = text.find(table) + table.size();
  const std::string section = text.substr(from, text.find("\n## ", from) - from);
  const std::regex bold("\\*\\*([0-9, ]+)\\*\\*");
  const std::regex number("\\d+");
  std::set<std::string> lines;
  for (std::sregex_iterator at(section.begin(), section.end(), bold); at != std::sregex_iterator(); ++at) {
    const std::string list = (*at)[1];
    for (std::sregex_iterator one(list.begin(), list.end(), number); one != std::sregex_iterator(); ++one)
      lines.insert(one->str());
  }
  return lines;
}

// Every survivor of the corpus stands in these files, and is explained in the page that quotes them.
void expect_table(const std::string& model, const std::string& variant, const std::string& golden) {
  if (testing::sanitized) GTEST_SKIP() << "minutes beside sanitizers; the release build compares the tables";
  const Answer answer = run({models + model, "--variant", variant, "--no-timing"});
  EXPECT_EQ(answer.code, cli::exit_fine) << answer.err;
  expect_golden(golden, answer.out);
  const std::string text = page();
  ASSERT_THAT(text, HasSubstr("```\n" + answer.out + "```\n"));
  EXPECT_EQ(survivors(answer.out), explained(text, answer.out));
}

TEST(AblateCommand, TheFaultPath) { expect_table("thp/thp_fault.fl", "unstable", "ablate_thp_fault.txt"); }
TEST(AblateCommand, Khugepaged) { expect_table("thp/khugepaged_collapse.fl", "base", "ablate_khugepaged.txt"); }

TEST(AblateCommand, JsonOfTheReferenceModel) {
  const Answer answer =
      run({models + "reference/pmd_race.fl", "--variant", "B_v2f", "--cpus", "1", "--format", "json", "--no-timing"});
  EXPECT_EQ(answer.code, cli::exit_fine) << answer.err;
  const auto json = nlohmann::json::parse(answer.out);
  EXPECT_EQ(json["model"], "pmd_race");
  EXPECT_EQ(json["cpus"], 1);
  const auto& pair = json["ablations"][0];
  EXPECT_EQ(pair["kind"], "lock pair");
  EXPECT_EQ(pair["lines"].size(), 2U);
  EXPECT_EQ(pair["rule_only"], true);  // its look and its store are one atomic step there
  EXPECT_EQ(pair["violation"]["kind"], "lock_missing");
  EXPECT_FALSE(pair["violation"].contains("trace"));
  EXPECT_EQ(pair["race"]["verdict"], "proved");
  EXPECT_FALSE(pair.contains("seconds"));
}

TEST(AblateCommand, TracesFollowTheTable) {
  const Answer answer =
      run({models + "reference/pmd_race.fl", "--variant", "B_v2f", "--cpus", "1", "--trace", "--no-timing"});
  EXPECT_EQ(answer.code, cli::exit_fine) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("\nwithout pmd_none(now) || pmd_trans_huge(now) as false, page_fault:170\n"));
  EXPECT_THAT(answer.out, HasSubstr("violated: pte_offset_map() on a pmd"));
  EXPECT_THAT(answer.out, HasSubstr("cpu 0: huge_fault"));
}

TEST(AblateCommand, OneVariantAtATime) {
  const Answer answer = run({models + "thp/thp_fault.fl"});
  EXPECT_EQ(answer.code, cli::exit_invalid);
  EXPECT_THAT(answer.err, HasSubstr("one variant at a time; --variant is one of base, guard_present,"));
  EXPECT_EQ(run({models + "thp/thp_fault.fl", "--variant", "bas"}).code, cli::exit_invalid);
}

TEST(AblateCommand, WhatIsNotProvedHasNothingToTakeOut) {
  const Answer violated = run({models + "reference/pmd_race.fl", "--variant", "B_v2"});
  EXPECT_EQ(violated.code, cli::exit_violated);
  EXPECT_THAT(violated.out, HasSubstr("violated: pte_offset_map()"));
  EXPECT_THAT(violated.err, HasSubstr("pmd_race [B_v2] is not proved as it stands"));
  const Answer unknown =
      run({models + "thp/thp_fault.fl", "--variant", "unstable", "--timeout", "0.0001", "--format", "json"});
  EXPECT_EQ(unknown.code, cli::exit_unknown);
  EXPECT_EQ(nlohmann::json::parse(unknown.out)["verdict"], "unknown");
}

// Without its check the counter leaves its range: a bound of the model, so nothing is said.
TEST(AblateCommand, AnUnknownRemovalExitsThree) {
  const std::string path = ::testing::TempDir() + "ablate_unknown.fl";
  std::ofstream(path) << "model m;\nspinlock l;\nshared int(0..1) *n = 0;\n"
                         "handler h() {\n    spin_lock(l);\n    if (*n < 1) *n = *n + 1; else *n = 0;\n"
                         "    spin_unlock(l);\n}\nrun h on any cpus;\n";
  const Answer answer = run({path, "--no-timing"});
  EXPECT_EQ(answer.code, cli::exit_unknown) << answer.out << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("check      *n < 1 as true   unknown     line 6: a value left its declared range"));
  std::remove(path.c_str());
}

// A model that the front end refuses, and one that it proves wrong.
TEST(AblateCommand, FrontEndErrors) {
  const std::string path = ::testing::TempDir() + "ablate_front_end.fl";
  std::ofstream(path) << "model m;\nspinlock l;\nhandler h() { spin_lock(l); }\nrun h on any cpus;\n"
                         "patch odd in h {\n  - spin_lock(l);\n  + spin_lock(k);\n}\n";
  const Answer wrong = run({path, "--variant", "base"});
  EXPECT_EQ(wrong.code, cli::exit_violated);
  EXPECT_THAT(wrong.out, HasSubstr("[FL0420]"));
  const Answer invalid = run({path, "--variant", "odd"});
  EXPECT_EQ(invalid.code, cli::exit_invalid);
  EXPECT_THAT(invalid.err, StartsWith(path + ":7:15: error: "));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace faultline::testing
