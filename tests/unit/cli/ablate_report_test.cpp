// The table, the traces and the JSON of `faultline ablate`, from results made by hand.
#include "cli/ablate_report.hpp"

#include <nlohmann/json.hpp>

#include "cli/words.hpp"
#include "tests/unit/cli/sample_verdicts.hpp"

namespace faultline::testing {
namespace {

using check::AblationAnswer;
using check::AblationResult;
using dsl::AblationKind;

AblationResult result(AblationKind kind, const std::string& text, const std::string& function,
                      std::initializer_list<std::uint32_t> lines, AblationAnswer answer) {
  AblationResult made;
  made.removal.kind = kind;
  made.removal.text = text;
  made.removal.function = function;
  for (const std::uint32_t line : lines) made.removal.parts.push_back(at(line));
  made.answer = answer;
  made.as_is.verdict.answer = check::Answer::proved;
  made.as_is.verdict.scope = any_cpus();
  made.seconds = 0.25;
  return made;
}

check::Verdict rule(step::Kind kind) {
  check::Verdict verdict = violated(kind, "the rule", 39, any_cpus(), {});
  verdict.violations.front().is_static = true;
  return verdict;
}

// One row for each answer.
std::vector<AblationResult> one_of_each() {
  using enum AblationKind;
  std::vector<AblationResult> all;
  all.push_back(result(after_flush, "frozen -> table after flush", "pmd_t", {20}, AblationAnswer::rule));
  all.back().flushes = {{at(71), check::Answer::violated, step::Violation{step::Kind::stale_tlb, "", "", at(72)}},
                        {at(80), check::Answer::proved, std::nullopt}};
  all.push_back(result(after_flush, "huge -> none after flush", "pmd_t", {21}, AblationAnswer::rule));
  all.push_back(result(barrier, "smp_wmb()", "__pte_alloc", {36}, AblationAnswer::not_judged));
  all.back().reason = "memory sc orders all without it";
  all.push_back(
      result(lock_pair, "spin_lock(&mm->page_table_lock)", "__pte_alloc", {37, 43, 46}, AblationAnswer::needed));
  all.back().as_is.verdict = rule(step::Kind::lock_missing);
  all.back().race = check::Judged{old_race(), {}};
  all.push_back(result(recheck, "pmd_none(now)", "__pte_alloc", {38}, AblationAnswer::idle));
  all.back().removal.taken_as = false;
  all.back().idle = {"*pmd = table(new)", "arrow none -> table"};
  all.push_back(result(recheck, "pmd_none(*pmd) || pmd_trans_huge(*pmd) || pmd_bad(*pmd)", "handle_mm_fault", {50},
                       AblationAnswer::needed));
  all.back().removal.taken_as = false;
  all.back().as_is.verdict = old_race();
  all.push_back(result(check, "pmd_trans_huge(old)", "handle_mm_fault", {52}, AblationAnswer::not_applicable));
  all.back().removal.taken_as = true;
  all.back().reason = "FL0310: `old` can be in state none or table, which has no payload `page`";
  all.push_back(result(wait, "wait_event(!*flag)", "handle_mm_fault", {53}, AblationAnswer::unknown));
  all.back().reason = "time limit at 2 CPUs (seen: 1119 states to depth 30)";
  all.push_back(result(lock_pair, "down_read(&mm->mmap_sem)", "page_fault", {60, 62}, AblationAnswer::not_needed));
  all.push_back(result(flush, "flush_tlb(pmd)", "split_huge_page", {71}, AblationAnswer::rule_only));
  all.back().as_is.verdict = rule(step::Kind::flush_missing);
  return all;
}

check::Verdict proved() {
  check::Verdict verdict = proof();
  verdict.violations.clear();
  return verdict;
}

std::string table_of(const std::vector<AblationResult>& results, std::size_t width = 120, bool timing = false) {
  cli::TextOptions options;
  options.width = width;
  options.timing = timing;
  return cli::ablation_table(proved(), results, options);
}

std::string json_of(const std::vector<AblationResult>& results, bool traces, bool timing) {
  const dsl::Sources all = sources();
  return cli::ablation_json(proved(), results, {all, sample_locks}, traces, timing);
}

TEST(AblationTable, Golden) { expect_golden("ablate.txt", table_of(one_of_each())); }

TEST(AblationTable, KeepsToItsWidth) {
  std::istringstream lines(table_of(one_of_each()));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(cli::columns(line), 120U) << line;
}

TEST(AblationTable, TimesAreAddedUp) {
  EXPECT_NE(table_of(one_of_each(), 120, true).find("1 no model; 2.50 s\n"), std::string::npos);
  EXPECT_EQ(table_of(one_of_each()).find(" s\n"), std::string::npos);
}

TEST(AblationTable, OneRemoval) {
  const auto all = one_of_each();
  EXPECT_NE(
      table_of({all[8]}).find("1 removal: 0 break the proof, 1 keeps it, 0 unknown\n    not needed:  lock pair 60\n"),
      std::string::npos)
      << table_of({all[8]});
}

TEST(AblationTable, ColourIsAroundTheAnswerOnly) {
  cli::TextOptions options;
  options.colour = true;
  std::string text = cli::ablation_table(proved(), one_of_each(), options);
  EXPECT_NE(text.find("\x1b"), std::string::npos);
  for (std::size_t at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b'))
    text.erase(at, text.find('m', at) - at + 1);
  options.colour = false;
  EXPECT_EQ(text, cli::ablation_table(proved(), one_of_each(), options));
}

TEST(AblationTraces, RaceRatherThanRule) {
  const dsl::Sources all = sources();
  const std::string text = cli::ablation_traces(one_of_each(), {all, sample_locks}, {});
  EXPECT_NE(text.find("\nwithout spin_lock(&mm->page_table_lock), __pte_alloc:37, 43, 46\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find(cli::report_text(old_race(), {all, sample_locks}, {})), std::string::npos) << text;
  EXPECT_EQ(text.find("mmap_sem), page_fault"), std::string::npos) << text;
}

TEST(AblationTraces, StaticViolationsAreShownAtTheirPlace) {
  AblationResult one = one_of_each().back();
  one.as_is.diagnostics.add({dsl::Severity::error, "FL0410", {0, 0, 5, 1, 1}, "needs page_table_lock"});
  const dsl::Sources all = sources();
  const std::string text = cli::ablation_traces({one}, {all, sample_locks}, {});
  EXPECT_EQ(text,
            "\nwithout flush_tlb(pmd), split_huge_page:71\n"
            "thp.fl:1:1: error: needs page_table_lock [FL0410]\n"
            "    1 | model thp_fault;\n"
            "      | ^~~~~\n");
}

TEST(AblationJson, Golden) {
  const std::string line = json_of(one_of_each(), false, false);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  expect_golden("ablate.json", nlohmann::ordered_json::parse(line).dump(2) + "\n");
}

TEST(AblationJson, TracesAndTimesWhenAskedFor) {
  const auto json = nlohmann::json::parse(json_of(one_of_each(), true, true));
  EXPECT_EQ(json["ablations"][3]["race"]["violation"]["trace"].size(), old_race().violations.front().steps.size());
  EXPECT_EQ(json["ablations"][3]["seconds"], 0.25);
}

}  // namespace
}  // namespace faultline::testing
