// FL0430 and FL0431: who owns an object, on all paths and on some.
#include "protocol_support.hpp"

namespace faultline::dsl {
namespace {

const std::string alloc = "page_t page = alloc_page(); if (!page) return; spin_lock(ptl); ";

TEST(ProtocolOwners, GivenAwayAndFreed) {
  EXPECT_EQ(handler(alloc + "if (pte_none(*pte)) *pte = present(page); spin_unlock(ptl); if (page) put_page(page);"),
            "FL0430");
  EXPECT_EQ(
      handler(alloc +
              "if (pte_none(*pte)) { *pte = present(page); page = NULL; } spin_unlock(ptl); if (page) put_page(page);"),
      "");
  EXPECT_EQ(
      handler(
          alloc +
          "if (pte_none(*pte)) { *pte = present(page); spin_unlock(ptl); return; } spin_unlock(ptl); put_page(page);"),
      "");
  EXPECT_EQ(handler(alloc + "page_t other = page; if (pte_none(*pte)) { *pte = present(page); page = NULL; } "
                            "spin_unlock(ptl); put_page(other);"),
            "FL0430")
      << "under another name";
}

TEST(ProtocolOwners, FreedOnSomePathsOnly) {
  EXPECT_EQ(handler(alloc + "bool given = pte_none(*pte); if (given) *pte = present(page); spin_unlock(ptl); if "
                            "(!given) put_page(page);"),
            "");
  EXPECT_EQ(handler(alloc + "if (pte_none(*pte)) *pte = present(page); spin_unlock(ptl); if (maybe) put_page(page);"),
            "");
}

TEST(ProtocolOwners, TakenBackBeforeItIsFreed) {
  EXPECT_EQ(
      handler(alloc + "if (pte_none(*pte)) { *pte = present(page); *pte = none; } spin_unlock(ptl); put_page(page);"),
      "");
  EXPECT_EQ(handler("spin_lock(ptl); pmd_t old = *pmd; if (pmd_trans_huge(old)) { *pmd = frozen(old.page, old.pt); "
                    "flush_tlb(pmd); *pmd = table(old.pt); put_page(old.page); } spin_unlock(ptl);"),
            "")
      << "the page is not in the table";
  EXPECT_EQ(handler("spin_lock(ptl); pmd_t old = *pmd; if (pmd_trans_huge(old)) { *pmd = frozen(old.page, old.pt); "
                    "flush_tlb(pmd); *pmd = table(old.pt); pte_free(old.pt); put_page(old.page); } spin_unlock(ptl);"),
            "FL0430");
}

TEST(ProtocolOwners, Pointers) {
  EXPECT_EQ(handler("page_t page = alloc_page(); if (!page) return; *cache = page; put_page(page);"), "FL0430");
  EXPECT_EQ(handler("page_t page = alloc_page(); if (!page) return; *cache = page; page = NULL;"), "");
  EXPECT_EQ(handler("page_t page = alloc_page(); if (!page) return; *cache = page; *cache = NULL; put_page(page);"),
            "");
  EXPECT_EQ(handler("page_t page = alloc_page(); *cache = page; if (page) put_page(page);"), "FL0430")
      << "a NULL changes nothing";
  EXPECT_EQ(handler("page_t page = alloc_page(); *cache = page; if (!page) step;"), "");
}

TEST(ProtocolOwners, Reassigned) {
  EXPECT_EQ(handler(alloc + "if (pte_none(*pte)) { *pte = present(page); page = alloc_page(); } spin_unlock(ptl); if "
                            "(page) put_page(page);"),
            "");
  EXPECT_EQ(handler("while (maybe) { "
                    "page_t page = alloc_page(); if (page) { spin_lock(ptl); if (pte_none(*pte)) { *pte = "
                    "present(page); page = NULL; } spin_unlock(ptl); if (page) put_page(page); } }"),
            "");
  EXPECT_EQ(handler("while (maybe) { "
                    "page_t page = alloc_page(); if (page) { spin_lock(ptl); if (pte_none(*pte)) *pte = present(page); "
                    "spin_unlock(ptl); put_page(page); } }"),
            "FL0430");
}

TEST(ProtocolOwners, ALoopBetweenMayNeverEnd) {
  EXPECT_EQ(handler(alloc +
                    "if (pte_none(*pte)) *pte = present(page); spin_unlock(ptl); while (maybe) step; put_page(page);"),
            "");
}

TEST(ProtocolOwners, Lost) {
  EXPECT_EQ(handler("page_t page = alloc_page(); if (!page) return; step;"), "FL0431");
  EXPECT_EQ(handler("page_t page = alloc_page(); if (page) put_page(page);"), "");
  EXPECT_EQ(handler("page_t page = alloc_page(); if (page && maybe) put_page(page);"), "") << "some paths only";
  EXPECT_EQ(handler("page_t page = alloc_page(); page = NULL; step;"), "FL0431");
  EXPECT_EQ(handler(alloc + "if (pte_none(*pte)) *pte = present(page); spin_unlock(ptl);"), "") << "some paths only";
  EXPECT_EQ(handler("if (alloc_page()) step;"), "FL0431");
  EXPECT_EQ(handler("page_t page = alloc_page(); if (!page) return; page_t kept = page; page = NULL; put_page(kept);"),
            "");
}

TEST(ProtocolOwners, ThroughFunctions) {
  EXPECT_EQ(says("page_t get() { page_t p = alloc_page(); return p; }\nhandler h() { page_t page = get(); if "
                 "(page) put_page(page); }"),
            "");
  EXPECT_EQ(says("page_t get() { page_t p = alloc_page(); return p; }\nhandler h() { get(); step; }"), "FL0431");
  EXPECT_EQ(
      says("void drop(page_t p) { if (p) put_page(p); }\nhandler h() { page_t page = alloc_page(); drop(page); }"), "");
  EXPECT_EQ(says("void look(page_t p) { if (p) step; }\nhandler h() { page_t page = alloc_page(); look(page); }"),
            "FL0431")
      << "a parameter borrows";
}

TEST(ProtocolOwners, AssertionsDoNotCount) {
  EXPECT_EQ(handler("page_t page = alloc_page(); if (!page) return; assert(false); put_page(page);"), "");
  EXPECT_EQ(handler("page_t page = alloc_page(); if (!page) return; assert(pte_none(*pte)); step;"), "FL0431");
}

}  // namespace
}  // namespace faultline::dsl
