// What the protocol analysis says about handlers written over two entries: the pte of a small page, the pmd of a huge
// one.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "dsl/protocol.hpp"
#include "parse_support.hpp"

namespace faultline::dsl {

inline const std::string two_entries = R"(model m;
opaque mm, vma, address, flags;
rwsem    mmap_sem;
spinlock ptl;
spinlock lru_lock;
mutex    page_mutex;
resource page_t    { alloc alloc_page; free put_page; }
resource pgtable_t { alloc pte_alloc_one; free pte_free; }
entry pte_t {
    state none                 { pte_none }
    state present(page_t page) { pte_present }
    state swapped              { pte_swapped }
    none    -> present          under ptl;
    present -> none, swapped    under ptl;
    swapped -> present          under ptl;
}
entry pmd_t {
    state none                                 { pmd_none }
    state table(pgtable_t pt)                  { pmd_present, pmd_table }
    state huge(page_t page, pgtable_t pt)      { pmd_present, pmd_trans_huge }
    state splitting(page_t page, pgtable_t pt) { pmd_present, pmd_trans_huge, pmd_trans_splitting }
    state frozen(page_t page, pgtable_t pt)    { pmd_trans_huge, pmd_trans_splitting }
    none      -> table, huge     under ptl;
    huge      -> none, splitting under ptl;
    splitting -> frozen          under ptl;
    frozen    -> table           under ptl after flush;
}
entry vma_t {
    state absent   { vma_absent }
    state mapped   { vma_mapped }
    state stack    { vma_stack }
    absent -> mapped, stack under write(mmap_sem);
    mapped -> absent        under write(mmap_sem);
    stack  -> absent        under write(mmap_sem);
    mapped -> stack         under mmap_sem, lru_lock;
}
entry job_t {
    state idle { job_idle }
    state busy { job_busy }
    state over { job_over }
    idle -> busy under mmap_sem;
    busy -> over under mmap_sem;
    over -> idle under mmap_sem;
}
shared pte_t *pte = none;
shared pmd_t *pmd = none;
shared vma_t *area = absent;
shared job_t *job = idle;
shared page_t *cache;
shared bool *busy;
tlb pmd caches page in huge, splitting;
tlb pte in present;
)";

// The codes of what is said, in file order; the run line is added. Warnings are marked with a `?`.
inline std::string says(const std::string& bodies) {
  Parsed p = parse_text(two_entries + bodies + "\nrun h on any cpus;\n");
  Model model = resolve(p.file, "base", p.diagnostics);
  const Flows flows = build_flows(model, p.diagnostics);
  EXPECT_EQ(p.errors(), "");
  check_protocol(model, flows, p.diagnostics);
  std::string text;
  for (const Diagnostic& d : p.diagnostics.sorted())
    text += (text.empty() ? "" : " ") + d.code + (d.severity == Severity::warning ? "?" : "");
  return text;
}

inline std::string handler(const std::string& body) { return says("handler h() { " + body + " }"); }

}  // namespace faultline::dsl
