// What the protocol analysis leaves to the run: programs in which only some paths are wrong have no static error, and
// the search finds the violation of the same kind.
#include <gtest/gtest.h>

#include <algorithm>

#include "checker/explicit.hpp"
#include "step/load.hpp"

namespace faultline::check {
namespace {

const std::string declarations = R"(model m;
rwsem    mmap_sem;
spinlock ptl;
resource page_t { alloc alloc_page; free put_page; }
entry pte_t {
    state none                  { pte_none }
    state present(page_t page)  { pte_present }
    state protnone(page_t page) { pte_protnone }
    state swapped               { pte_swapped }
    none     -> present  under ptl;
    present  -> protnone under ptl;
    protnone -> swapped  under ptl after flush;
    present  -> none     under ptl;
    swapped  -> none     under ptl;
}
shared pte_t *pte = none;
tlb pte in present;
handler user_access() { touch(pte); }
handler fault() {
    page_t page = alloc_page();
    if (!page) return;
    spin_lock(ptl);
    if (pte_none(*pte)) { *pte = present(page); page = NULL; }
    spin_unlock(ptl);
    if (page) put_page(page);
}
)";

// The kinds that two CPUs reach, "static CODE" when the front end has an error, with its warnings in front.
std::string kinds(const std::string& body) {
  const auto loaded = step::load_text(
      "near.fl", declarations + "handler h() {\n" + body + "\n}\nrun user_access, fault, h on any cpus;\n");
  std::string text;
  for (const dsl::Diagnostic& d : loaded.diagnostics.sorted()) text += render(d, loaded.sources, false);
  if (loaded.variants.size() != 1) return text;
  const step::Variant& variant = loaded.variants.front();
  for (const dsl::Diagnostic& d : variant.diagnostics.sorted()) {
    if (d.severity == dsl::Severity::error) return (dsl::is_protocol(d) ? "static " : "invalid ") + d.code;
    text += d.code + "? ";
  }
  ExplicitOptions options;
  options.all_kinds = true;
  options.deadlock = false;
  const ExplicitResult result = explore(variant.program, options);
  EXPECT_TRUE(result.complete) << result.reason;
  std::vector<std::string> found;
  for (const Counterexample& c : result.violations) found.emplace_back(step::to_string(c.violation.kind));
  std::sort(found.begin(), found.end());
  for (std::size_t i = 0; i < found.size(); ++i) text += (i == 0 ? "" : " ") + found[i];
  return text;
}

TEST(ProtocolAtRunTime, ARightProgramHasNothing) {
  EXPECT_EQ(kinds("spin_lock(ptl); pte_t old = *pte; if (pte_present(old)) { *pte = protnone(old.page); "
                  "flush_tlb(pte); *pte = swapped; put_page(old.page); } spin_unlock(ptl);"),
            "");
}

TEST(ProtocolAtRunTime, LockMissing) {
  EXPECT_EQ(kinds("if (pte_present(*pte)) *pte = none;"), "static FL0410");
  EXPECT_EQ(kinds("bool l = maybe; if (l) spin_lock(ptl); pte_t old = *pte; if (pte_present(old)) { *pte = none; if "
                  "(l) spin_unlock(ptl); flush_tlb(pte); put_page(old.page); } else if (l) spin_unlock(ptl);"),
            "lock_missing");
  EXPECT_EQ(kinds("pte_t old = *pte; if (pte_present(old) && spin_trylock(ptl)) { spin_unlock(ptl); *pte = none; }"),
            "static FL0410");
}

TEST(ProtocolAtRunTime, Transition) {
  EXPECT_EQ(kinds("spin_lock(ptl); pte_t old = *pte; if (pte_present(old)) { flush_tlb(pte); *pte = swapped; "
                  "put_page(old.page); } spin_unlock(ptl);"),
            "static FL0411");
  // looked at without the lock: another CPU may have brought it on the way
  EXPECT_EQ(kinds("pte_t old = *pte; spin_lock(ptl); if (!pte_none(old)) *pte = none; spin_unlock(ptl);"), "leak")
      << "the page of a present entry is lost";
  EXPECT_EQ(kinds("pte_t old = *pte; spin_lock(ptl); if (pte_none(old) || maybe) *pte = swapped; spin_unlock(ptl);"),
            "transition");
}

TEST(ProtocolAtRunTime, FlushMissing) {
  const std::string begin = "spin_lock(ptl); pte_t old = *pte; if (pte_present(old)) { *pte = protnone(old.page); ";
  const std::string end = "*pte = swapped; put_page(old.page); } spin_unlock(ptl);";
  EXPECT_EQ(kinds(begin + end), "FL0412? flush_missing");
  EXPECT_EQ(kinds(begin + "if (maybe) flush_tlb(pte); " + end), "flush_missing");
}

TEST(ProtocolAtRunTime, LockUnbalancedAtTheEnd) {
  EXPECT_EQ(kinds("spin_lock(ptl); if (pte_none(*pte)) return; spin_unlock(ptl);"), "static FL0420");
  EXPECT_EQ(kinds("spin_lock(ptl); bool l = pte_none(*pte); if (l) spin_unlock(ptl);"), "lock_unbalanced");
}

TEST(ProtocolAtRunTime, LockUnbalancedAtAnUnlock) {
  EXPECT_EQ(kinds("if (pte_none(*pte)) step; spin_unlock(ptl);"), "static FL0422");
  EXPECT_EQ(kinds("if (pte_none(*pte)) spin_lock(ptl); spin_unlock(ptl);"), "lock_unbalanced");
  EXPECT_EQ(kinds("if (pte_none(*pte)) down_read(mmap_sem); else down_write(mmap_sem); up_read(mmap_sem);"),
            "lock_unbalanced");
}

TEST(ProtocolAtRunTime, LockRecursion) {
  EXPECT_EQ(kinds("spin_lock(ptl); spin_lock(ptl); spin_unlock(ptl);"), "static FL0423");
  EXPECT_EQ(kinds("if (pte_none(*pte)) spin_lock(ptl); spin_lock(ptl); spin_unlock(ptl);"), "lock_recursion");
  EXPECT_EQ(kinds("if (pte_none(*pte)) down_read(mmap_sem); down_read(mmap_sem); up_read(mmap_sem);"),
            "lock_recursion");
}

TEST(ProtocolAtRunTime, SleepAtomic) {
  EXPECT_EQ(kinds("spin_lock(ptl); cond_resched(); spin_unlock(ptl);"), "static FL0421");
  EXPECT_EQ(kinds("bool l = pte_none(*pte); if (l) spin_lock(ptl); cond_resched(); if (l) spin_unlock(ptl);"),
            "sleep_atomic");
  EXPECT_EQ(kinds("bool l = pte_none(*pte); if (l) spin_lock(ptl); down_read(mmap_sem); up_read(mmap_sem); if (l) "
                  "spin_unlock(ptl);"),
            "sleep_atomic");
  EXPECT_EQ(
      kinds(
          "bool l = pte_none(*pte); if (l) rcu_read_lock(); wait_event(!pte_present(*pte)); if (l) rcu_read_unlock();"),
      "sleep_atomic");
}

TEST(ProtocolAtRunTime, OwnedTwice) {
  const std::string begin =
      "page_t page = alloc_page(); if (!page) return; spin_lock(ptl); bool given = pte_none(*pte); if (given) *pte = "
      "present(page); ";
  EXPECT_EQ(kinds(begin + "spin_unlock(ptl); put_page(page);"), "static FL0430");
  EXPECT_EQ(kinds(begin + "spin_unlock(ptl); if (!given) put_page(page);"), "");
  EXPECT_EQ(kinds(begin + "spin_unlock(ptl); if (!given || maybe) put_page(page);"), "stale_tlb")
      << "freed while the hardware can walk to it";
}

TEST(ProtocolAtRunTime, Leak) {
  EXPECT_EQ(kinds("page_t page = alloc_page(); step;"), "static FL0431");
  EXPECT_EQ(kinds("page_t page = alloc_page(); if (page && pte_none(*pte)) put_page(page);"), "leak");
  EXPECT_EQ(kinds("page_t page = alloc_page(); if (!page) return; spin_lock(ptl); if (pte_none(*pte)) *pte = "
                  "present(page); spin_unlock(ptl);"),
            "leak");
}

}  // namespace
}  // namespace faultline::check
