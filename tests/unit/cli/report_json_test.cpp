#include "cli/report_json.hpp"

#include <nlohmann/json.hpp>

#include "tests/unit/cli/sample_verdicts.hpp"

namespace faultline::testing {
namespace {

std::string json_of(const check::Verdict& verdict, bool timing = true) {
  const dsl::Sources all = sources();
  return cli::report_json(verdict, {all, sample_locks}, timing);
}

// Golden files hold the object on indented lines: field order and values, readable in a diff.
std::string laid_out(const std::string& line) { return nlohmann::ordered_json::parse(line).dump(2) + "\n"; }

TEST(ReportJson, OldRace) { expect_golden("old_race.json", laid_out(json_of(old_race()))); }
TEST(ReportJson, FourCpus) { expect_golden("four_cpus.json", laid_out(json_of(four_cpus()))); }
TEST(ReportJson, Lasso) { expect_golden("lasso.json", laid_out(json_of(lasso()))); }
TEST(ReportJson, Static) { expect_golden("static.json", laid_out(json_of(static_violation()))); }
TEST(ReportJson, Unknown) { expect_golden("unknown.json", laid_out(json_of(timed_out()))); }
TEST(ReportJson, Proof) { expect_golden("proof.json", laid_out(json_of(proof()))); }

TEST(ReportJson, OneLine) {
  for (const check::Verdict& verdict : {old_race(), proof(), timed_out()})
    EXPECT_EQ(json_of(verdict).find('\n'), std::string::npos);
}

TEST(ReportJson, NoTimingLeavesSecondsOut) {
  check::Verdict slower = proof();
  slower.seconds += 1;
  EXPECT_EQ(json_of(proof(), false), json_of(slower, false));
  EXPECT_NE(json_of(proof()), json_of(slower));
}

TEST(ReportJson, FurtherViolationsAreKept) {
  check::Verdict both = old_race();
  both.violations.push_back(deadlock().violations.front());
  const auto json = nlohmann::json::parse(json_of(both));
  EXPECT_EQ(json["violation"]["kind"], "assert");
  ASSERT_EQ(json["further_violations"].size(), 1U);
  EXPECT_EQ(json["further_violations"][0]["kind"], "deadlock");
}

TEST(ReportJson, ProgressBesideAProofIsNoViolation) {
  check::Verdict verdict = proof();
  verdict.violations.push_back(lasso().violations.front());
  const auto json = nlohmann::json::parse(json_of(verdict));
  EXPECT_EQ(json["verdict"], "proved");
  EXPECT_FALSE(json.contains("violation"));
  ASSERT_EQ(json["progress_violations"].size(), 1U);
  EXPECT_EQ(json["progress_violations"][0]["loop"], 2);
}

TEST(ReportJson, BytesThatAreNotUtf8StillGiveJson) {
  check::Verdict odd = old_race();
  odd.violations.front().violation.message = "\xff\xfe";
  EXPECT_TRUE(nlohmann::json::accept(json_of(odd)));
}

TEST(ReportJson, Invalid) {
  dsl::Diagnostic diagnostic;
  diagnostic.code = "FL0201";
  diagnostic.span = at(45, 9);
  diagnostic.message = "no predicate `pmd_non` for pmd_t";
  diagnostic.related = {{at(9), "predicates are declared here"}};
  diagnostic.notes = {"predicates of pmd_t: pmd_none, pmd_present"};
  diagnostic.helps = {"did you mean `pmd_none`?"};
  expect_golden("invalid.json", laid_out(cli::invalid_json("thp.fl", "", {diagnostic}, sources())));
}

}  // namespace
}  // namespace faultline::testing
