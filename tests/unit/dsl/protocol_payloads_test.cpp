// FL0310: what tests on the way say about a copy, and what they do not.
#include "protocol_support.hpp"

namespace faultline::dsl {
namespace {

const std::string get = "spin_lock(ptl); pmd_t old = *pmd; ";
const std::string done = " spin_unlock(ptl);";
const std::string zap = "{ *pmd = none; flush_tlb(pmd); put_page(old.page); pte_free(old.pt); }";

TEST(ProtocolPayloads, ATestOnTheBranchIsEnough) {
  EXPECT_EQ(handler(get + "if (pmd_trans_huge(old) && !pmd_trans_splitting(old)) " + zap + done), "");
  EXPECT_EQ(handler(get + "if (!pmd_trans_huge(old) || pmd_trans_splitting(old)) { spin_unlock(ptl); return; } " + zap +
                    done),
            "");
  EXPECT_EQ(handler(get + "if (pmd_trans_splitting(old)) ; else if (pmd_trans_huge(old)) " + zap + done), "");
  EXPECT_EQ(handler(get + "if (old == none) ; else if (pmd_trans_huge(old)) { assert(tlb_cached(old.page)); }" + done),
            "");
}

TEST(ProtocolPayloads, ATestOfTooFewStatesIsNot) {
  EXPECT_EQ(handler(get + "if (pmd_present(old)) " + zap + done), "FL0310") << "table has no page";
  EXPECT_EQ(handler(get + "if (!pmd_none(old)) " + zap + done), "FL0310");
  EXPECT_EQ(handler(get + "if (maybe && pmd_trans_huge(old)) ; else pte_free(old.pt);" + done), "FL0310");
}

TEST(ProtocolPayloads, AnAssertionIsATest) {
  EXPECT_EQ(
      handler(get + "BUG_ON(!pmd_table(old)); assert(!tlb_cached(pmd)); bool same = old.pt == old.pt; if (same) step;" +
              done),
      "");
  EXPECT_EQ(handler(get + "assert(pmd_trans_huge(old)); if (!tlb_cached(old.page)) step;" + done), "");
}

TEST(ProtocolPayloads, WhatIsKnownGoesAlongWithAnAssignment) {
  EXPECT_EQ(handler(get + "pmd_t copy = old; if (pmd_trans_huge(old)) assert(tlb_cached(copy.page));" + done), "");
  EXPECT_EQ(
      handler(
          get +
          "if (!pmd_trans_huge(old)) { spin_unlock(ptl); return; } pmd_t copy = old; assert(tlb_cached(copy.page));" +
          done),
      "");
  EXPECT_EQ(
      handler(get + "pmd_t copy = old; if (pmd_trans_huge(old)) old = *pmd; assert(tlb_cached(copy.page));" + done),
      "FL0310");
}

TEST(ProtocolPayloads, ABoolRemembersATest) {
  EXPECT_EQ(
      handler(
          get +
          "bool is_huge = pmd_trans_huge(old); spin_unlock(ptl); step; if (is_huge) assert(!tlb_cached(old.page));"),
      "");
  EXPECT_EQ(handler(get + "bool is_huge = pmd_trans_huge(old); spin_unlock(ptl); old = *pmd; if (is_huge) "
                          "assert(!tlb_cached(old.page));"),
            "FL0310");
  EXPECT_EQ(says("bool is_huge(pmd_t x) { return pmd_trans_huge(x); }\nhandler h() { " + get +
                 "if (is_huge(old)) assert(tlb_cached(old.page));" + done + "}"),
            "");
}

TEST(ProtocolPayloads, EqualCopiesAreOne) {
  EXPECT_EQ(handler("pmd_t seen = *pmd; " + get +
                    "if (pmd_trans_huge(seen) && seen == old) assert(tlb_cached(old.page));" + done),
            "");
  EXPECT_EQ(handler("pmd_t seen = *pmd; " + get +
                    "if (pmd_trans_huge(seen) && seen != old) assert(tlb_cached(old.page));" + done),
            "FL0310");
}

TEST(ProtocolPayloads, LoopsGotoAndSwitch) {
  EXPECT_EQ(handler("pmd_t old = *pmd; while (!pmd_trans_huge(old)) old = *pmd; assert(tlb_cached(old.page));"), "");
  EXPECT_EQ(handler("pmd_t old = *pmd; while (maybe) old = *pmd; assert(tlb_cached(old.page));"), "FL0310");
  EXPECT_EQ(handler("pmd_t old; do { old = *pmd; } while (pmd_none(old)); if (old.pt == old.pt) step;"), "");
  EXPECT_EQ(handler("pmd_t old = *pmd; if (!pmd_trans_huge(old)) goto out; assert(tlb_cached(old.page)); out: step;"),
            "");
  EXPECT_EQ(handler("pmd_t old = *pmd; if (maybe) goto out; if (!pmd_trans_huge(old)) return; out: "
                    "assert(tlb_cached(old.page));"),
            "FL0310");
  EXPECT_EQ(handler("pmd_t old = *pmd; again: if (!pmd_trans_huge(old)) { old = *pmd; goto again; } "
                    "assert(tlb_cached(old.page));"),
            "");
  EXPECT_EQ(handler("pmd_t old = *pmd; switch (old) { case huge: case splitting: assert(tlb_cached(old.page)); break; "
                    "case none: step; }"),
            "");
  EXPECT_EQ(handler("pmd_t old = *pmd; switch (old) { case none: return; default: if (old.pt == old.pt) step; }"), "");
  EXPECT_EQ(handler("pmd_t old = *pmd; switch (old) { case table: step; case huge: assert(tlb_cached(old.page)); }"),
            "FL0310")
      << "falls through";
}

TEST(ProtocolPayloads, AnOwnStoreUnderTheLockIsKnown) {
  EXPECT_EQ(handler("spin_lock(ptl); pmd_t old = *pmd; if (pmd_trans_huge(old) && !pmd_trans_splitting(old)) {"
                    " *pmd = splitting(old.page, old.pt); pmd_t now = *pmd; assert(tlb_cached(now.page)); }" +
                    done),
            "");
}

TEST(ProtocolPayloads, AnotherReadUnderTheLockIsTheSame) {
  EXPECT_EQ(handler(get + "if (pmd_trans_huge(old)) { pmd_t now = *pmd; assert(tlb_cached(now.page)); }" + done), "");
  EXPECT_EQ(handler("pmd_t old = *pmd; if (pmd_trans_huge(old)) { pmd_t now = *pmd; assert(tlb_cached(now.page)); }"),
            "FL0310");
}

TEST(ProtocolPayloads, CountersAndManyFlags) {
  EXPECT_EQ(handler("pmd_t old; for (int i = 0; i < 2; i++) { old = *pmd; if (!pmd_trans_huge(old)) return; } "
                    "assert(tlb_cached(old.page));"),
            "")
      << "the loop runs at least once";
  std::string flags, uses;
  for (int i = 0; i < 18; ++i) {
    flags += "bool b" + std::to_string(i) + " = *busy; ";
    uses += "if (b" + std::to_string(i) + ") step; ";
  }
  EXPECT_EQ(
      handler("pmd_t old = *pmd; if (!pmd_trans_huge(old)) return; " + flags + uses + "assert(tlb_cached(old.page));"),
      "")
      << "too many paths: the coarse way";
  EXPECT_EQ(handler("pmd_t old = *pmd; if (pmd_none(old)) return; " + flags + uses + "assert(tlb_cached(old.page));"),
            "FL0310");
}

}  // namespace
}  // namespace faultline::dsl
