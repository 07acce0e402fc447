// The verdicts that the text and the JSON report are both tested with.
#pragma once
#include "tests/unit/cli/hand_made.hpp"

namespace faultline::testing {

inline const std::vector<std::string> sample_locks = {"mmap_sem", "page_table_lock"};

// The race of language.md: a huge pmd comes in from another CPU and is zapped between two looks.
inline check::Verdict old_race() {
  TraceMaker t{{"pmd", "none"}, {"page_table_lock", "free"}};
  t.start(0, "page_fault").step(0, 54, "down_read(mmap_sem)");
  t.step(0, 45, "pmd_none(*pmd)", "true").note(36, "maybe", "true");
  t.start(1, "page_fault").step(1, 54, "down_read(mmap_sem)");
  t.step(1, 45, "pmd_none(*pmd)", "true").note(36, "maybe", "false");
  t.step(1, 37, "pgtable_t deposit = pte_alloc_one()", "t1");
  t.step(1, 38, "spin_lock(page_table_lock)").change("page_table_lock", "held");
  t.step(1, 39, "pmd_none(*pmd)", "true");
  t.step(1, 39, "*pmd = huge(deposit)").change("pmd", "huge(t1)");
  t.step(1, 40, "spin_unlock(page_table_lock)").change("page_table_lock", "free");
  t.step(1, 54, "up_read(mmap_sem)");
  t.step(0, 48, "pmd_none(*pmd)", "false");
  t.start(1, "madvise_dontneed").step(1, 56, "down_read(mmap_sem)");
  t.step(1, 56, "spin_lock(page_table_lock)").change("page_table_lock", "held");
  t.step(1, 57, "pmd_t old = *pmd");
  t.step(1, 58, "*pmd = none").change("pmd", "none");
  t.step(1, 58, "flush_tlb(pmd)");
  t.acknowledge(0);
  t.step(0, 49, "pmd_trans_huge(*pmd)", "false");
  t.step(0, 50, "assert(pmd_table(*pmd))", "false");
  return violated(step::Kind::assertion, "pte_offset_map() on a pmd that is not a page table", 50, fixed({2, 1}),
                  t.steps);
}

// Three CPUs, two shared objects, texts too long for a third of the page.
inline check::Verdict three_cpus() {
  TraceMaker t{{"pte", "none"}, {"flush_pending", "0"}, {"ptl", "free"}};
  t.start(0, "change_prot_numa").step(0, 40, "*flush_pending = 1").change("flush_pending", "1");
  t.step(0, 43, "if (pte_present(old)) *pte = protnone(old.page)").change("pte", "protnone(p1)");
  t.start(1, "change_prot_numa").step(1, 40, "*flush_pending = 1").change("flush_pending", "1");
  t.step(1, 46, "*flush_pending = 0").change("flush_pending", "0");
  t.start(2, "migrate_misplaced_page").step(2, 70, "*pte = migrating(old.page)").change("pte", "migrating(p1)");
  t.step(2, 71, "*flush_pending != 0", "false");
  t.step(2, 73, "assert(!tlb_cached(old.page), \"a CPU can still write the old page while it is copied\")", "false");
  return violated(step::Kind::assertion, "a CPU can still write the old page while it is copied", 73, fixed({3}),
                  t.steps);
}

// Four CPUs whose columns do not fit side by side.
inline check::Verdict four_cpus() {
  TraceMaker t{{"pmd", "none"}, {"readers", "0"}, {"mmap_sem", "free"}};
  t.start(0, "handle_speculative_page_fault").step(0, 20, "vma_t vma = smp_load_acquire(mm->mm_rb_slot)", "v1");
  t.start(1, "handle_mm_fault").step(1, 31, "if (pmd_none(READ_ONCE(*pmd)) && !userfaultfd_armed(vma))", "true");
  t.step(1, 32, "WRITE_ONCE(*pmd, table(preallocated_page_table))").change("pmd", "table(t1)");
  t.start(2, "madvise_dontneed").step(2, 50, "pmd_t pmdval = pmdp_huge_get_and_clear(pmd)").change("pmd", "none");
  t.start(3, "collapse_huge_page")
      .step(3, 60, "atomic_inc_not_zero(readers_of_this_mm)", "true")
      .change("readers", "1");
  t.step(0, 22, "BUG_ON(!pmd_table(READ_ONCE(*pmd)) && !pmd_none(READ_ONCE(*pmd)))", "true");
  return violated(step::Kind::assertion, "BUG_ON", 22, fixed({3, 1}), t.steps);
}

// A fault that retries for ever beside a split that does not end.
inline check::Verdict lasso() {
  TraceMaker t{{"pmd", "huge(t1)"}};
  t.start(1, "split_huge_page").step(1, 63, "*pmd = splitting(old.pt)").change("pmd", "splitting(t1)");
  t.start(0, "page_fault").step(0, 54, "down_read(mmap_sem)");
  t.step(0, 45, "pmd_trans_splitting(*pmd)", "true");
  t.step(0, 46, "goto retry");
  check::Verdict verdict = violated(step::Kind::progress, "a fault never returns", 72, fixed({2, 1}), t.steps);
  verdict.violations.front().violation.name = "fault_returns";
  verdict.violations.front().loop = 2;
  return verdict;
}

inline check::Verdict deadlock() {
  TraceMaker t{{"a", "free"}, {"b", "free"}, {"pmd", "none"}};
  t.start(0, "one").step(0, 10, "spin_lock(a)").change("a", "held");
  t.start(1, "two").step(1, 20, "spin_lock(b)").change("b", "held");
  return violated(step::Kind::deadlock, "cpu 0 waits for b, cpu 1 waits for a", 11, fixed({2}), t.steps);
}

inline check::Verdict static_violation() {
  check::Verdict verdict =
      violated(step::Kind::lock_unbalanced, "page_table_lock is still held when madvise_dontneed returns", 58, {}, {});
  verdict.violations.front().is_static = true;
  verdict.engine = "front end";
  verdict.states = 0;
  verdict.scope = any_cpus();
  verdict.variant = "base";
  return verdict;
}

inline check::Verdict timed_out() {
  check::Verdict verdict;
  verdict.model = "thp_fault";
  verdict.variant = "unstable";
  verdict.answer = check::Answer::unknown;
  verdict.scope = fixed({4, 1});
  verdict.engine = "explicit";
  verdict.reason = "time limit of 10 s reached; no violation up to N = 4";
  verdict.seconds = 10.004;
  verdict.states = 12345678;
  verdict.scope.bounds = {"3 objects of type pgtable_t"};
  return verdict;
}

inline check::Verdict proof() {
  check::Verdict verdict;
  verdict.model = "thp_fault";
  verdict.variant = "unstable";
  verdict.answer = check::Answer::proved;
  verdict.scope = any_cpus();
  verdict.engine = "views";
  verdict.seconds = 0.0712;
  verdict.states = 24089;
  verdict.certificate = check::CertificateInfo{"views", 2, 2822, {"own", "z3"}, ""};
  for (const char* name : {"assert", "transition", "lock_missing", "lock_unbalanced", "lock_recursion", "sleep_atomic",
                           "leak", "double_free", "use_after_free", "stale_tlb", "flush_missing"}) {
    verdict.properties.push_back({name, check::Answer::proved, any_cpus(), "views", ""});
  }
  verdict.properties.push_back(
      {"deadlock", check::Answer::proved, any_cpus(), "lock order", "what waits for what is acyclic"});
  verdict.properties.push_back({"progress(fault_returns)", check::Answer::proved, fixed({3, 1}), "explicit", ""});
  verdict.unreached = {{step::Coverage::What::statement, at(39, 27), "*pmd = huge(deposit)", false},
                       {step::Coverage::What::arrow, at(18), "frozen -> table", false}};
  verdict.unreached_cpus = 3;
  return verdict;
}

}  // namespace faultline::testing
