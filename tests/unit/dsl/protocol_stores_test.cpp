// FL0410, FL0411, FL0412: stores that are wrong whatever the other CPUs do, and their neighbours that may be right.
#include "protocol_support.hpp"

namespace faultline::dsl {
namespace {

const std::string free_old = " put_page(old.page); pte_free(old.pt); ";

// ---------------------------------------------------------------- FL0410

TEST(ProtocolStores, WithoutTheLock) {
  EXPECT_EQ(handler("*pte = swapped;"), "FL0410");
  EXPECT_EQ(handler("spin_lock(ptl); *pte = swapped; spin_unlock(ptl);"), "") << "may be present";
  EXPECT_EQ(handler("spin_lock(lru_lock); *pte = swapped; spin_unlock(lru_lock);"), "FL0410");
  EXPECT_EQ(handler("spin_lock(ptl); spin_unlock(ptl); *pte = swapped;"), "FL0410");
}

TEST(ProtocolStores, OnlySomePathsHoldIt) {
  EXPECT_EQ(handler("bool l = maybe; if (l) spin_lock(ptl); *pte = swapped; if (l) spin_unlock(ptl);"), "");
  EXPECT_EQ(handler("if (spin_trylock(ptl)) { *pte = swapped; spin_unlock(ptl); }"), "");
  EXPECT_EQ(handler("if (!spin_trylock(ptl)) *pte = swapped; else spin_unlock(ptl);"), "FL0410");
}

TEST(ProtocolStores, ACopyReadWithoutTheLockSaysNothing) {
  EXPECT_EQ(handler("pte_t old = *pte; spin_lock(ptl); if (pte_none(old)) *pte = swapped; spin_unlock(ptl);"), "");
  EXPECT_EQ(handler("spin_lock(ptl); pte_t old = *pte; spin_unlock(ptl); spin_lock(ptl); if (pte_none(old)) *pte = "
                    "swapped; spin_unlock(ptl);"),
            "");
  EXPECT_EQ(handler("spin_lock(ptl); pte_t old = *pte; if (pte_none(old)) *pte = swapped; spin_unlock(ptl);"),
            "FL0411");
}

TEST(ProtocolStores, ModesOfARwsem) {
  EXPECT_EQ(handler("down_write(mmap_sem); if (vma_absent(*area)) *area = mapped; up_write(mmap_sem);"), "");
  EXPECT_EQ(handler("down_read(mmap_sem); if (vma_absent(*area)) *area = mapped; up_read(mmap_sem);"), "FL0410");
  EXPECT_EQ(
      handler(
          "down_write(mmap_sem); downgrade_write(mmap_sem); if (vma_absent(*area)) *area = mapped; up_read(mmap_sem);"),
      "FL0410");
}

TEST(ProtocolStores, TwoLocks) {
  EXPECT_EQ(
      handler("down_read(mmap_sem); spin_lock(lru_lock); *area = stack; spin_unlock(lru_lock); up_read(mmap_sem);"), "")
      << "either mode";
  EXPECT_EQ(handler("down_read(mmap_sem); *area = stack; up_read(mmap_sem);"), "FL0410");
  EXPECT_EQ(handler("spin_lock(lru_lock); *area = stack; spin_unlock(lru_lock);"), "FL0410");
  EXPECT_EQ(handler("bool l = maybe; if (l) down_read(mmap_sem); else spin_lock(lru_lock); *area = stack; if (l) "
                    "up_read(mmap_sem); else spin_unlock(lru_lock);"),
            "FL0410")
      << "each path lacks one of the two";
}

TEST(ProtocolStores, AnEqualValueNeedsTheLockOfSomeArrow) {
  EXPECT_EQ(handler("spin_lock(ptl); if (pte_none(*pte)) *pte = none; spin_unlock(ptl);"), "");
  EXPECT_EQ(
      handler("spin_lock(ptl); pte_t old = *pte; if (pte_present(old)) *pte = present(old.page); spin_unlock(ptl);"),
      "");
  EXPECT_EQ(handler("*pte = none;"), "FL0410");
}

TEST(ProtocolStores, ASharedFunctionIsWrongAtOneCallOnly) {
  const std::string function = "void swap_out() { *pte = swapped; }\n";
  EXPECT_EQ(says(function + "handler h() { spin_lock(ptl); swap_out(); spin_unlock(ptl); }"), "");
  EXPECT_EQ(says(function + "handler h() { spin_lock(ptl); swap_out(); spin_unlock(ptl); swap_out(); }"), "FL0410");
  EXPECT_EQ(says(function + "handler h() { swap_out(); swap_out(); }"), "FL0410") << "one place, said once";
}

TEST(ProtocolStores, DeadCodeIsNotBlamed) {
  EXPECT_EQ(handler("bool b = false; if (b) *pte = swapped; else step;"), "");
  EXPECT_EQ(
      handler(
          "spin_lock(ptl); pte_t old = *pte; spin_unlock(ptl); if (pte_none(old) && pte_present(old)) *pte = swapped;"),
      "");
}

// ---------------------------------------------------------------- FL0411

TEST(ProtocolStores, NoArrowFromWhereItIs) {
  EXPECT_EQ(handler("spin_lock(ptl); pmd_t old = *pmd; if (pmd_trans_huge(old) && !pmd_trans_splitting(old)) *pmd = "
                    "table(old.pt); spin_unlock(ptl);"),
            "FL0411");
  EXPECT_EQ(
      handler("spin_lock(ptl); pmd_t old = *pmd; if (pmd_trans_huge(old)) *pmd = table(old.pt); spin_unlock(ptl);"),
      "FL0412?")
      << "may be frozen";
  EXPECT_EQ(handler("spin_lock(ptl); if (pte_none(*pte)) *pte = swapped; spin_unlock(ptl);"), "FL0411");
  EXPECT_EQ(handler("spin_lock(ptl); if (!pte_present(*pte)) *pte = swapped; spin_unlock(ptl);"), "")
      << "swapped already: nothing changes";
}

TEST(ProtocolStores, AfterAnOwnStore) {
  EXPECT_EQ(handler("spin_lock(ptl); pte_t old = *pte; if (pte_present(old)) { *pte = none; *pte = swapped; "
                    "put_page(old.page); } spin_unlock(ptl);"),
            "FL0411");
  EXPECT_EQ(handler("spin_lock(ptl); pte_t old = *pte; if (pte_present(old)) { *pte = none; spin_unlock(ptl); "
                    "put_page(old.page); spin_lock(ptl); *pte = swapped; } spin_unlock(ptl);"),
            "");
}

TEST(ProtocolStores, AReaderKeepsNobodyOut) {
  // another CPU can hold mmap_sem for reading too, and that is all that idle -> busy asks for
  EXPECT_EQ(handler("down_read(mmap_sem); if (job_idle(*job)) *job = over; up_read(mmap_sem);"), "");
  EXPECT_EQ(handler("down_write(mmap_sem); if (job_idle(*job)) *job = over; up_write(mmap_sem);"), "FL0411");
  EXPECT_EQ(handler("down_write(mmap_sem); job_t j = *job; downgrade_write(mmap_sem); if (job_idle(j)) *job = over; "
                    "up_read(mmap_sem);"),
            "")
      << "not known any more once others may read";
  EXPECT_EQ(handler("down_read(mmap_sem); if (vma_absent(*area)) *area = absent; up_read(mmap_sem);"), "FL0410")
      << "out of it only under write";
}

TEST(ProtocolStores, InOneAtomicStep) {
  EXPECT_EQ(handler("spin_lock(ptl); pmd_t old = *pmd; if (pmd_none(old)) cmpxchg(pmd, old, none); spin_unlock(ptl);"),
            "");
  EXPECT_EQ(
      handler("pte_t old = *pte; if (pte_none(old)) { spin_lock(ptl); cmpxchg(pte, old, swapped); spin_unlock(ptl); }"),
      "FL0411");
  EXPECT_EQ(handler("spin_lock(ptl); xchg(pte, swapped); spin_unlock(ptl);"), "");
}

TEST(ProtocolStores, SeveralStatesStoredAtOnce) {
  EXPECT_EQ(handler("spin_lock(ptl); pte_t old = *pte; pte_t next = maybe ? none : swapped; if (pte_none(old)) *pte = "
                    "next; spin_unlock(ptl);"),
            "");
  EXPECT_EQ(handler("pte_t seen = *pte; if (pte_present(seen)) return; spin_lock(ptl); *pte = seen; spin_unlock(ptl);"),
            "");
  EXPECT_EQ(handler("pte_t seen = *pte; if (pte_present(seen)) return; *pte = seen;"), "FL0410");
}

TEST(ProtocolStores, ALoopThatLooksAgain) {
  EXPECT_EQ(handler("spin_lock(ptl); while (!pte_none(*pte)) { spin_unlock(ptl); step; spin_lock(ptl); } pte_t now = "
                    "*pte; *pte = now; spin_unlock(ptl);"),
            "");
  EXPECT_EQ(handler("spin_lock(ptl); while (!pte_none(*pte)) { spin_unlock(ptl); step; spin_lock(ptl); } *pte = "
                    "swapped; spin_unlock(ptl);"),
            "FL0411");
  EXPECT_EQ(handler("spin_lock(ptl); while (pte_none(*pte)) { spin_unlock(ptl); step; spin_lock(ptl); } *pte = "
                    "swapped; spin_unlock(ptl);"),
            "");
}

// ---------------------------------------------------------------- FL0412

const std::string freeze =
    "spin_lock(ptl); pmd_t old = *pmd; if (pmd_trans_huge(old)) { *pmd = frozen(old.page, old.pt); ";

TEST(ProtocolStores, AFlushBetween) {
  EXPECT_EQ(handler(freeze + "flush_tlb(pmd); *pmd = table(old.pt); put_page(old.page); } spin_unlock(ptl);"), "");
  EXPECT_EQ(handler(freeze + "*pmd = table(old.pt); put_page(old.page); } spin_unlock(ptl);"), "FL0412?");
  EXPECT_EQ(
      handler(freeze + "if (maybe) flush_tlb(pmd); *pmd = table(old.pt); put_page(old.page); } spin_unlock(ptl);"), "");
  EXPECT_EQ(handler(freeze + "flush_tlb(pte); *pmd = table(old.pt); put_page(old.page); } spin_unlock(ptl);"),
            "FL0412?")
      << "another place";
  EXPECT_EQ(handler("flush_tlb(pmd); " + freeze + "*pmd = table(old.pt); put_page(old.page); } spin_unlock(ptl);"),
            "FL0412?")
      << "before the store";
}

TEST(ProtocolStores, OnlyIfEveryArrowAsksForIt) {
  EXPECT_EQ(handler("pgtable_t new = pte_alloc_one(); if (!new) return; spin_lock(ptl); if (!pmd_present(*pmd)) { *pmd "
                    "= table(new); new = NULL; }"
                    " spin_unlock(ptl); if (new) pte_free(new);"),
            "")
      << "none -> table does not";
}

}  // namespace
}  // namespace faultline::dsl
