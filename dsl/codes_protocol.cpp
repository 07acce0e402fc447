// FL04xx protocol, FL05xx memory order.
#include "dsl/codes_pages.hpp"

namespace faultline::dsl {

// clang-format off
const std::vector<CodeInfo>& protocol_pages() {
  static const std::vector<CodeInfo> table = {
{"FL0410", "a write without its lock",
R"page(The arrow from the old to the new state asks for a lock that is not held at this write, on any
path and for any state that the place can be in. (Where only some paths show it, the checker
finds the path and reports the kind `lock_missing`.)

Wrong:
    none -> huge under page_table_lock;
    ...
    if (pmd_none(*pmd)) *pmd = huge(deposit);

Right:
    spin_lock(page_table_lock);
    if (pmd_none(*pmd)) { *pmd = huge(deposit); deposit = NULL; }
    spin_unlock(page_table_lock);
)page"},

{"FL0411", "a transition that is not declared",
R"page(The entry has no arrow to this state from any state that it can be in. Either the code skips a
state that the protocol needs, or the arrow is missing from the table.

Wrong:
    if (pmd_trans_huge(old)) *pmd = table(old.pt);         // past splitting and frozen

Right:
    *pmd = splitting(old.pt);
    ...
    *pmd = frozen(old.pt); flush_tlb(pmd); *pmd = table(old.pt);
)page"},

{"FL0412", "a flush that seems to be missing (warning)",
R"page(The arrow is marked `after flush`: at this write no TLB may hold the old translation. No flush
stands between the last write and this one. Whether a TLB really can hold it is decided by the
checker; the violation would be `flush_missing`.

Wrong:
    *pmd = frozen(old.pt); *pmd = table(old.pt);

Right:
    *pmd = frozen(old.pt); flush_tlb(pmd); *pmd = table(old.pt);
)page"},

{"FL0420", "a lock that is still held at the return",
R"page(A handler ends with a lock held, on every path that comes here.

Wrong:
    spin_lock(ptl);
    if (pmd_none(*pmd)) return;
    spin_unlock(ptl);

Right:
    spin_lock(ptl);
    if (pmd_none(*pmd)) { spin_unlock(ptl); return; }
    spin_unlock(ptl);
)page"},

{"FL0421", "sleeping under a spinlock",
R"page(mutex_lock, down_read, down_write, wait_event, synchronize_rcu and cond_resched can sleep; a CPU
that holds a spinlock, or is in an RCU read section, may not.

Wrong:
    spin_lock(ptl);
    wait_event(!pmd_trans_splitting(*pmd));
    spin_unlock(ptl);

Right:
    spin_lock(ptl);
    spin_unlock(ptl);
    wait_event(!pmd_trans_splitting(*pmd));
)page"},

{"FL0422", "an unlock of a lock that is not held",
R"page(On every path that comes here the lock is not held, or not in this mode (`up_write` after
`down_read`).

Wrong:
    down_read(mmap_sem);
    up_write(mmap_sem);

Right:
    down_read(mmap_sem);
    up_read(mmap_sem);
)page"},

{"FL0423", "a lock that is taken twice",
R"page(The CPU holds the lock already and would wait for itself. That goes for `down_read` too: a
writer that queues between the two readers stops the second, and waits for the first.

Wrong:
    spin_lock(ptl);
    spin_lock(ptl);

Right:
    spin_lock(ptl);
    spin_unlock(ptl);
    spin_lock(ptl);
)page"},

{"FL0430", "an object with two owners",
R"page(An object has one owner. Storing it into a place gives it away; the local that still names it
would free what the place points to. Set the local to NULL behind the store. (Reference-counted
resources and `ref` names are exempt.)

Wrong:
    if (pmd_none(now)) *pmd = table(new);
    ...
    if (new) pte_free(new);

Right:
    if (pmd_none(now)) { *pmd = table(new); new = NULL; }
    ...
    if (new) pte_free(new);
)page"},

{"FL0431", "an object that is lost",
R"page(The last name of an allocated object goes away, on every path, without its being freed or
stored: a leak.

Wrong:
    pte_alloc_one();
    pgtable_t new = pte_alloc_one();
    return;

Right:
    pgtable_t new = pte_alloc_one();
    if (new) pte_free(new);
    return;
)page"},

{"FL0501", "a plain access under a weak memory model (reserved)",
R"page(Kept for the stage with weaker memory models: a plain read that races with a plain write may be
torn, repeated or moved. Under `memory sc` and `memory tso` each star is single and untorn.
)page"},
  };
  return table;
}
// clang-format on

}  // namespace faultline::dsl
