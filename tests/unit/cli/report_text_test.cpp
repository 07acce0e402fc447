#include "cli/report_text.hpp"

#include <algorithm>

#include "cli/significance.hpp"
#include "cli/words.hpp"
#include "tests/unit/cli/sample_verdicts.hpp"

namespace faultline::testing {
namespace {

std::string text_of(const check::Verdict& verdict, cli::TextOptions options = {},
                    std::vector<std::string> locks = sample_locks) {
  const dsl::Sources all = sources();
  return cli::report_text(verdict, {all, std::move(locks)}, options);
}

cli::TextOptions full() {
  cli::TextOptions options;
  options.full = true;
  return options;
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t width = 0;
  for (std::string line; std::getline(lines, line);) width = std::max(width, cli::columns(line));
  return width;
}

TEST(ReportText, OldRace) { expect_golden("old_race.txt", text_of(old_race())); }
TEST(ReportText, OldRaceFull) { expect_golden("old_race_full.txt", text_of(old_race(), full())); }
TEST(ReportText, ThreeCpus) { expect_golden("three_cpus.txt", text_of(three_cpus(), {}, {"ptl"})); }
TEST(ReportText, FourCpus) { expect_golden("four_cpus.txt", text_of(four_cpus())); }
TEST(ReportText, Lasso) { expect_golden("lasso.txt", text_of(lasso())); }
TEST(ReportText, LassoWithoutSteps) {
  check::Verdict verdict = lasso();
  verdict.violations.front().loop = verdict.violations.front().steps.size();
  const std::string text = text_of(verdict);
  EXPECT_NE(text.find("--- nothing need happen from here on ---"), std::string::npos) << text;
  EXPECT_EQ(text.find("repeats for ever"), std::string::npos) << text;
}
TEST(ReportText, ProgressThatFailsBesideAProofIsSaidAtOnce) {
  check::Verdict verdict = proof();
  verdict.violations.push_back(lasso().violations.front());
  const std::string text = text_of(verdict);
  EXPECT_TRUE(text.starts_with(
      "proved: thp_fault [unstable], for any number of CPUs; but progress(fault_returns) is violated\n"))
      << text;
  EXPECT_NE(text.find("violated: a fault never returns"), std::string::npos) << text;
}
TEST(ReportText, FirstRowShowsALockThatIsTakenThere) {
  check::Verdict verdict = deadlock();
  for (check::TraceStep& step : verdict.violations.front().steps) step.state.clear();  // as the search leaves out locks
  EXPECT_NE(text_of(verdict, {}, {"a", "b"}).find("a = held"), std::string::npos) << text_of(verdict, {}, {"a", "b"});
}
TEST(ReportText, Deadlock) { expect_golden("deadlock.txt", text_of(deadlock(), {}, {"a", "b"})); }
TEST(ReportText, Static) { expect_golden("static.txt", text_of(static_violation())); }
TEST(ReportText, Unknown) { expect_golden("unknown.txt", text_of(timed_out())); }
TEST(ReportText, UnknownBeforeTheStart) {
  check::Verdict verdict;
  verdict.model = "m";
  verdict.variant = "base";
  verdict.answer = check::Answer::unknown;
  verdict.reason = "memory tso is not implemented; sc is";
  EXPECT_EQ(text_of(verdict), "unknown: m [base]: memory tso is not implemented; sc is\n");
}
TEST(ReportText, Proof) { expect_golden("proof.txt", text_of(proof())); }

TEST(ReportText, FitsTheWidth) {
  for (const check::Verdict& verdict :
       {old_race(), three_cpus(), four_cpus(), lasso(), deadlock(), static_violation(), timed_out(), proof()}) {
    EXPECT_LE(widest_line(text_of(verdict, full())), 100U) << text_of(verdict, full());
    EXPECT_LE(widest_line(text_of(verdict)), 100U) << text_of(verdict);
  }
}

TEST(ReportText, FullHidesNothing) {
  cli::TextOptions wide = full();
  wide.width = 200;  // nothing is wrapped
  const check::Verdict verdict = old_race();
  const std::string text = text_of(verdict, wide);
  for (const check::TraceStep& step : verdict.violations.front().steps) {
    for (const step::Note& note : step.notes) EXPECT_NE(text.find(note.text), std::string::npos) << note.text;
  }
  EXPECT_EQ(text.find("not shown"), std::string::npos);
}

TEST(ReportText, NoColourMeansNoEscape) {
  EXPECT_EQ(text_of(old_race()).find('\x1b'), std::string::npos);
  cli::TextOptions coloured;
  coloured.colour = true;
  EXPECT_NE(text_of(old_race(), coloured).find('\x1b'), std::string::npos);
}

// Colour adds escapes and changes nothing else.
TEST(ReportText, ColourKeepsTheText) {
  cli::TextOptions coloured;
  coloured.colour = true;
  for (const check::Verdict& verdict : {old_race(), four_cpus(), lasso(), proof()}) {
    std::string stripped = text_of(verdict, coloured);
    for (std::size_t begin = stripped.find('\x1b'); begin != std::string::npos; begin = stripped.find('\x1b')) {
      stripped.erase(begin, stripped.find('m', begin) - begin + 1);
    }
    EXPECT_EQ(stripped, text_of(verdict));
  }
}

TEST(ReportText, TimingCanBeLeftOut) {
  cli::TextOptions untimed;
  untimed.timing = false;
  EXPECT_EQ(text_of(proof(), untimed).find(" s\n"), std::string::npos);
  EXPECT_NE(text_of(proof()).find("0.07 s\n"), std::string::npos);
}

TEST(ReportText, SummaryNamesEachVariant) {
  EXPECT_EQ(cli::summary_line({old_race(), proof(), timed_out()}, false),
            "guard_none violated (assert), unstable proved, unstable unknown\n");
}

TEST(Significance, FirstAndLastAreAlwaysShown) {
  TraceMaker t{{"pmd", "none"}};
  t.start(0, "f")
      .step(0, 1, "spin_lock(page_table_lock)")
      .step(0, 2, "step")
      .step(0, 3, "spin_unlock(page_table_lock)");
  const check::Verdict verdict = violated(step::Kind::leak, "lost", 3, fixed({1}), t.steps);
  EXPECT_EQ(cli::significant_steps(verdict.violations.front(), sample_locks), (std::vector<bool>{true, false, true}));
}

TEST(Significance, LocksAreShownWhereTheyMatter) {
  TraceMaker t{{"page_table_lock", "free"}};
  t.start(0, "f").step(0, 1, "step").step(0, 2, "spin_lock(page_table_lock)").change("page_table_lock", "held");
  t.step(0, 3, "step").step(0, 4, "spin_lock(page_table_lock)");
  const auto shown = [&](step::Kind kind) {
    return cli::significant_steps(violated(kind, "", 4, fixed({1}), t.steps).violations.front(), sample_locks);
  };
  EXPECT_EQ(shown(step::Kind::lock_recursion), (std::vector<bool>{true, true, false, true}));
  EXPECT_EQ(shown(step::Kind::assertion), (std::vector<bool>{true, false, false, true}));
}

TEST(Words, WrapBreaksAtBlanksAndInsideLongWords) {
  EXPECT_EQ(cli::wrapped("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(cli::wrapped("abcdefgh", 3), (std::vector<std::string>{"abc", "def", "gh"}));
  EXPECT_EQ(cli::wrapped("ä…ö ü", 3), (std::vector<std::string>{"ä…ö", "ü"}));
  EXPECT_EQ(cli::wrapped("alloc_page(vma,address)", 13), (std::vector<std::string>{"alloc_page(", "vma,address)"}));
  EXPECT_EQ(cli::wrapped("", 5), (std::vector<std::string>{""}));
}

TEST(Words, Numbers) {
  EXPECT_EQ(cli::thousands(0), "0");
  EXPECT_EQ(cli::thousands(999), "999");
  EXPECT_EQ(cli::thousands(1000), "1,000");
  EXPECT_EQ(cli::thousands(1234567), "1,234,567");
  EXPECT_EQ(cli::cpus_text(fixed({2, 1})), "2+1 CPUs");
  EXPECT_EQ(cli::cpus_text(fixed({1})), "1 CPU");
  EXPECT_EQ(cli::cut("page_table", 5), "page…");
}

}  // namespace
}  // namespace faultline::testing
