// Right programs that come close to a mistake of tests/golden/semantic: nothing may be said about them.
#include <gtest/gtest.h>

#include "step/load.hpp"

namespace faultline::step {
namespace {

const std::string declarations = R"(model m;
opaque mm, vma, address, flags;
spinlock ptl;
rwsem mmap_sem;
mutex page_mutex;
resource page_t { alloc alloc_page; free put_page; }
enum { VM_FAULT_NONE, VM_FAULT_OOM };
enum fault_t { FAULT_NONE, FAULT_OOM = 3 };
entry pte_t {
    state none                 { pte_none }
    state present(page_t page) { pte_present }
    none    -> present under ptl;
    present -> none    under ptl;
}
shared pte_t *pte = none;
shared pte_t *other = none;
shared int(0..3) *n = 3;
shared bool *busy;
shared fault_t *result = FAULT_NONE;
shared page_t *slot = NULL;
tlb pte in present;
)";

std::string said(const std::string& items) {
  const Loaded loaded = load_text("near.fl", declarations + items + "\nrun h on any cpus;\n");
  std::string text;
  for (const dsl::Diagnostic& d : loaded.diagnostics.sorted()) text += render(d, loaded.sources, false);
  for (const Variant& variant : loaded.variants)
    for (const dsl::Diagnostic& d : variant.diagnostics.sorted()) text += render(d, loaded.sources, false);
  return text;
}
std::string body(const std::string& statements) { return said("handler h() { " + statements + " }"); }

TEST(NearMisses, OneStarForEachOperand) {
  EXPECT_EQ(body("if (pte_none(*pte) && pte_none(*other)) step;"), "");
  EXPECT_EQ(body("if (pte_none(*pte) || pte_present(*pte)) step;"), "");
  EXPECT_EQ(body("assert(pte_none(*pte) || pte_none(*other) || *busy);"), "");
  EXPECT_EQ(body("BUG_ON(pte_present(*pte) && *busy);"), "");
  EXPECT_EQ(body("bool b = *busy ? pte_none(*pte) : pte_none(*other); if (b) step;"), "");
  EXPECT_EQ(body("bool b = *busy && pte_none(*pte); if (b) step;"), "");
  EXPECT_EQ(said("void set(bool b) { if (b) step; }\nhandler h() { set(*busy && pte_none(*pte)); }"), "")
      << "one argument, in order";
  EXPECT_EQ(
      said("bool both(bool a, bool b) { return a && b; }\nhandler h() { bool b = *busy; if (both(*busy, b)) step; }"),
      "");
  EXPECT_EQ(body("*n += 1; (*n)++; *n -= 1;"), "") << "two steps each";
  EXPECT_EQ(body("wait_event(*busy || maybe);"), "");
}

TEST(NearMisses, NamesOfKernelAndLanguage) {
  EXPECT_EQ(body("bool state = maybe; bool entry = !state; bool flush = entry; if (flush) step;"), "")
      << "soft keywords";
  EXPECT_EQ(body("bool none = maybe; if (none) step;"), "") << "a local may be named like a state";
  EXPECT_EQ(body("bool wait = maybe; { bool wait = false; if (wait) step; } if (wait) step;"), "") << "an inner scope";
  EXPECT_EQ(said("int fault() { goto out; out: return 0; }\nhandler h() { fault(); goto out; out: step; }"), "")
      << "labels are the function's";
  EXPECT_EQ(said("void same(pte_t *pte) { if (pte_none(*pte)) step; }\nhandler h() { same(pte); same(other); }"), "");
  EXPECT_EQ(body("pte_t *p = pte; if (pte_none(*p)) step;"), "");
  EXPECT_EQ(body("spin_lock(&mm->ptl); if (pte_none(*mm->pte)) step; spin_unlock(&mm->ptl);"), "");
}

TEST(NearMisses, Types) {
  EXPECT_EQ(said("bool b() { return 0; }\nbool c() { return 1; }\nint i() { return VM_FAULT_OOM; }\nhandler h() { if "
                 "(b() || c() || i()) step; }"),
            "");
  EXPECT_EQ(body("int i = *busy; if (i == true) step;"), "");
  EXPECT_EQ(body("*n = 3; *result = FAULT_OOM; *busy = 1;"), "");
  EXPECT_EQ(body("if (*slot) step; if (*slot == NULL) step; if (!*slot) step;"), "");
  EXPECT_EQ(body("if (*pte == none) step; if (none == *pte) step;"), "");
  EXPECT_EQ(body("pte_t now = *pte; if (now != *other) step;"), "");
  EXPECT_EQ(body("switch (*pte) { case none: step; break; case present: break; }"), "");
  EXPECT_EQ(body("switch (*result) { case FAULT_NONE: case FAULT_OOM: step; break; default: break; }"), "");
  EXPECT_EQ(body("switch (*n) { case 0: step; break; case 3: step; }"), "");
}

TEST(NearMisses, OpaqueNames) {
  EXPECT_EQ(body("if (vma->vm_flags & address) step;"), "") << "an oracle";
  EXPECT_EQ(body("spin_lock_irqsave(&ptl, flags); spin_unlock_irqrestore(&ptl, flags);"), "");
  EXPECT_EQ(said("int fault(mm, vma, pte_t *p, address) { if (pte_none(*p)) return VM_FAULT_OOM; return 0; }\nhandler "
                 "h() { fault(mm, vma, pte, address); }"),
            "");
  EXPECT_EQ(body("page_t page = alloc_page(vma, address); if (page) put_page(mm, page);"), "");
}

TEST(NearMisses, ReturnsAndJumps) {
  EXPECT_EQ(said("int f() { if (maybe) return 1; else return 0; }\nhandler h() { f(); step; }"), "");
  EXPECT_EQ(said("int f() { while (true) { if (*busy) return 1; } }\nhandler h() { f(); }"), "")
      << "its end is not reached";
  EXPECT_EQ(said("int f() { for (;;) if (*busy) return 1; }\nint g() { do { if (*busy) return 1; } while (1); "
                 "}\nhandler h() { f(); g(); }"),
            "");
  EXPECT_EQ(said("void f() { if (maybe) return; step; }\nhandler h() { f(); return; }"), "");
  EXPECT_EQ(body("for (int i = 0; i < 3; i++) { if (*busy) continue; if (maybe) break; }"), "");
  EXPECT_EQ(body("again: if (*busy) goto again; if (maybe) goto out; step; out: step;"), "");
  EXPECT_EQ(body("while (*busy) { step; } do { step; } while (maybe);"), "");
}

TEST(NearMisses, Atomic) {
  EXPECT_EQ(body("atomic { bool b = *busy; if (!b) *busy = true; }"), "");
  EXPECT_EQ(body("atomic { if (*busy) return; *busy = true; }"), "");
  EXPECT_EQ(body("while (maybe) { atomic { if (*busy) break; *busy = true; } }"), "");
  EXPECT_EQ(body("if (cmpxchg(n, 0, 1) == 0) step; xchg(busy, true);"), "");
}

TEST(NearMisses, Locks) {
  EXPECT_EQ(body("mutex_lock(&page_mutex); down_write(&mm->mmap_sem); downgrade_write(&mm->mmap_sem); "
                 "up_read(&mm->mmap_sem); mutex_unlock(&page_mutex);"),
            "");
  EXPECT_EQ(body("if (!down_read_trylock(&mmap_sem)) return; up_read(&mmap_sem);"), "");
  EXPECT_EQ(body("if (locked(ptl) || write_locked(mmap_sem) || spin_is_locked(&ptl)) step;"), "");
}

TEST(NearMisses, PropertiesPatchesExpectations) {
  EXPECT_EQ(said("handler h() { touch(pte); flush_tlb(pte); }\n"
                 "invariant one : !locked(ptl) && pte_present(*pte) implies *slot == NULL || *n <= 3;\n"
                 "invariant two : *pte != none || !tlb_cached(pte) || write_locked(mmap_sem);\n"
                 "progress ends : running(h) ~> !running(h);\ncost h from none, present;\n"
                 "expect base : violates one, invariant(two), fewer locks than base;"),
            "");
  EXPECT_EQ(said("handler h() { touch(pte); if (pte_none(*pte)) step; }\n"
                 "patch first in h { touch(pte); + step; }\npatch second after first in h { - if (pte_none(*pte)) "
                 "step; + if (pte_present(*pte)) step; }\n"
                 "expect second : safe, more locks than first;"),
            "");
}

TEST(NearMisses, AFunctionThatNobodyCallsIsCheckedForNamesOnly) {
  EXPECT_EQ(said("void unused() { spin_unlock(ptl); }\nhandler h() { step; }"), "") << "its locks depend on the caller";
  EXPECT_NE(said("void unused() { spin_unlock(plt); }\nhandler h() { step; }"), "");
}

}  // namespace
}  // namespace faultline::step
