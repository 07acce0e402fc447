// Synchronisation taken out of the repaired THP fault path, one piece at a time: what is needed must be missed, what is
// not needed must still be proved.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "checker/check.hpp"
#include "step/load.hpp"

namespace faultline::check {
namespace {

std::string model_text() {
  std::ifstream in(FAULTLINE_SOURCE_DIR "/models/thp/thp_fault.fl");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string outcome(const std::string& patch) {
  const auto loaded =
      step::load_text("mutant.fl", model_text() + "\npatch mutant after unstable " + patch + "\n", {"mutant"});
  if (loaded.diagnostics.has_errors() || loaded.variants.size() != 1) return "does not load";
  const step::Variant& variant = loaded.variants.front();
  for (const auto& d : variant.diagnostics.sorted())
    if (d.severity == dsl::Severity::error) return (dsl::is_protocol(d) ? "static " : "invalid ") + d.code;
  CheckOptions options;
  options.z3 = false;
  options.progress = false;
  const Verdict verdict = check(variant.program, options);
  if (verdict.answer == Answer::proved) return "proved";
  if (verdict.answer == Answer::unknown) return "unknown: " + verdict.reason;
  return step::to_string(verdict.violations.front().violation.kind);
}

const std::string lock_pair = "- spin_lock(&mm->page_table_lock); - spin_unlock(&mm->page_table_lock);";

TEST(ThpMutants, TheUnchangedModelIsProved) {
  EXPECT_EQ(outcome("in user_access { - touch(pmd); + touch(pmd); }"), "proved");
}

TEST(ThpMutants, RecheckOfNoneUnderTheLock) {
  EXPECT_EQ(
      outcome("in __pte_alloc { - if (likely(pmd_none(now))) { *pmd = table(new); new = NULL; }"
              " else if (unlikely(pmd_trans_splitting(now))) wait_split = true; + *pmd = table(new); + new = NULL; }"),
      "transition");
}

TEST(ThpMutants, RecheckAfterTheAllocation) {
  const std::string recheck = " { - if (unlikely(pmd_none(now) || pmd_trans_huge(now))) return 0; }";
  EXPECT_EQ(outcome("in handle_mm_fault" + recheck), "assert");
  EXPECT_EQ(outcome("in do_huge_pmd_anonymous_page" + recheck), "assert");
}

TEST(ThpMutants, EveryPageTableLockPair) {
  EXPECT_EQ(outcome("in do_huge_pmd_anonymous_page { " + lock_pair + " }"), "static FL0410");
  EXPECT_EQ(outcome("in madvise_dontneed { " + lock_pair + " }"), "static FL0410");
  // a table stored over the same table would need no lock, so this one shows at run time only
  EXPECT_EQ(outcome("in __pte_alloc { " + lock_pair + " }"), "lock_missing");
  EXPECT_EQ(outcome("in split_huge_page { spin_lock(anon_vma_lock); - spin_lock(&mm->page_table_lock);"
                    " if (pmd_trans_huge(old)) *pmd = splitting(old.page, old.pt);"
                    " - spin_unlock(&mm->page_table_lock); }"),
            "static FL0410");
}

TEST(ThpMutants, TheFlushes) {
  EXPECT_EQ(outcome("in madvise_dontneed { - flush_tlb(pmd); }"), "stale_tlb");
  EXPECT_EQ(outcome("in split_huge_page { - flush_tlb(pmd); }"), "flush_missing");
}

TEST(ThpMutants, TheFreeOfAnUnusedTable) {
  EXPECT_EQ(outcome("in __pte_alloc { - if (new) pte_free(mm, new); }"), "leak");
  EXPECT_EQ(outcome("in do_huge_pmd_anonymous_page { - if (pgtable) pte_free(mm, pgtable); }"), "leak");
}

TEST(ThpMutants, TheAnonVmaLock) {
  EXPECT_EQ(outcome("in split_huge_page { - spin_lock(anon_vma_lock); - spin_unlock(anon_vma_lock); }"), "transition");
}

// mmap_sem is held for reading by everybody here, so it excludes nobody: its pairs are harmless survivors.
TEST(ThpMutants, MmapSemIsNotNeededWithoutAWriter) {
  const std::string pair = "{ - down_read(&mm->mmap_sem); - up_read(&mm->mmap_sem); }";
  EXPECT_EQ(outcome("in page_fault " + pair), "proved");
  EXPECT_EQ(outcome("in madvise_dontneed " + pair), "proved");
}

TEST(ThpMutants, HalfAPairIsFoundAtOnce) {
  EXPECT_EQ(outcome("in page_fault { - up_read(&mm->mmap_sem); }"), "static FL0420");
}

}  // namespace
}  // namespace faultline::check
