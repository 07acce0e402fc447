// FL02xx names, FL03xx types and expressions.
#include "dsl/codes_pages.hpp"

namespace faultline::dsl {

// clang-format off
const std::vector<CodeInfo>& meaning_pages() {
  static const std::vector<CodeInfo> table = {
{"FL0201", "an unknown name",
R"page(Nothing of this name is declared where the message looks for it (a predicate, a lock, a shared
place, a handler ...). The note lists what there is.

Wrong:
    state none { pmd_none }
    ...
    if (pmd_non(*pmd)) return;

Right:
    if (pmd_none(*pmd)) return;

A name that the model does not track, such as `vma`, is declared with `opaque vma;`.
)page"},

{"FL0202", "a name that is defined twice",
R"page(All declarations of a file share one space of names, and names that are built in (spin_lock,
assert, maybe ...) are taken. Locals are one space for each function; two arrows may not connect
the same states; and an `alloc` or `free` line is given once.

Wrong:
    spinlock ptl;
    shared int(0..1) *ptl = 0;

Right:
    spinlock ptl;
    shared int(0..1) *pending = 0;
)page"},

{"FL0203", "an unknown type",
R"page(Types are bool, int, int(0..n), and the enums, entries and resources that the file declares.
Other kernel types may stand in front of names that are opaque.

Wrong:
    page_t page = alloc_page();

Right:
    resource page_t { alloc alloc_page; free put_page; }
    ...
    page_t page = alloc_page();
)page"},

{"FL0204", "an unknown state",
R"page(The entry has no state of this name.

Wrong:
    entry pmd_t { state none { pmd_none }  state table { pmd_table }  none -> tabel under ptl; }

Right:
    entry pmd_t { state none { pmd_none }  state table { pmd_table }  none -> table under ptl; }
)page"},

{"FL0205", "the wrong kind of name",
R"page(The name is declared, but as something else than what this place wants: a handler is not a
function that can be called, `read(l)` and `write(l)` are for a rwsem, a handler has only opaque
parameters.

Wrong:
    handler page_fault() { step; }
    handler user_access() { page_fault(); }

Right:
    void fault() { step; }
    handler page_fault() { fault(); }
    handler user_access() { fault(); }
)page"},

{"FL0206", "an unknown function",
R"page(No function, allocator, predicate or built-in has this name. What the model does not describe
can be left out, or stand for both of its results with `maybe`.

Wrong:
    if (vma_is_anonymous(vma)) return;

Right:
    if (maybe) return;           // anonymous or not: both are explored
)page"},

{"FL0207", "the wrong number of arguments",
R"page(Opaque arguments do not count: `__pte_alloc(mm, vma, pmd, address)` has none that the model
tracks beyond the place. What is left must fit the declaration.

Wrong:
    state table(pgtable_t pt) { pmd_table }
    ...
    *pmd = table();

Right:
    *pmd = table(new);
)page"},

{"FL0208", "a model that runs nothing",
R"page(Without a `run` line no handler ever starts, so nothing could be checked.

    run page_fault, user_access on any cpus;
)page"},

{"FL0301", "two shared accesses in one expression",
R"page(A star is a step: each `*x` and each `v->f` is one atomic access to shared memory. An expression
holds at most one, because C does not say in which order two are done, and another CPU can come
between them. Each operand of && and || and ?: may have its own; they are evaluated in order.

Wrong:
    if (pmd_none(*pmd) == pmd_present(*pmd)) return;

Right:
    pmd_t now = *pmd;
    if (pmd_none(now) == pmd_present(now)) return;
)page"},

{"FL0302", "the wrong type",
R"page(Types are never converted, with one exception: an object in a condition means "not NULL". An
entry is no condition; ask it with a predicate. A function without a result has no value.

Wrong:
    if (*pmd) return;

Right:
    if (pmd_present(*pmd)) return;
)page"},

{"FL0303", "not a place",
R"page(On the left of `=`, behind `*`, and as the argument of an atomic stands a place: the name of
something shared. In an expression its value needs the star.

Wrong:
    pmd = none;
    if (pmd_none(pmd)) return;

Right:
    *pmd = none;
    if (pmd_none(*pmd)) return;
)page"},

{"FL0304", "recursion",
R"page(Calls are inlined, so that every step has its place in a handler. A function that calls itself,
also by way of another, has no end.

Wrong:
    bool walk() { return walk(); }

Right:
    bool walk() { while (maybe) step; return true; }
)page"},

{"FL0305", "something that waits, inside of atomic",
R"page(An `atomic { }` block is one step, so nothing in it may wait, allocate, or take several steps of
its own (a TLB flush), and nothing may jump out of it.

Wrong:
    atomic { spin_lock(ptl); *pmd = none; }

Right:
    spin_lock(ptl);
    atomic { *pmd = none; *pending = 1; }
    spin_unlock(ptl);
)page"},

{"FL0306", "a value out of range",
R"page(An int has the range of its declaration, `int(0..3)`; a plain `int` is 0..255. Widen the range
if the value is meant. (A value that leaves its range only at run time makes a verdict
`unknown`.)

Wrong:
    shared int(0..3) *n = 4;

Right:
    shared int(0..7) *n = 4;
)page"},

{"FL0307", "a statement used as a value",
R"page(Built-ins with an effect stand as a whole statement, as a whole right-hand side, or as an
operand of && || !. Those without a result have no value at all.

Wrong:
    if (spin_lock(ptl) == 1) return;

Right:
    spin_lock(ptl);
    if (!spin_trylock(other)) return;
)page"},

{"FL0308", "the value of an opaque name",
R"page(`opaque vma;` says that the model does not track `vma`, but here its value would decide
something that it does track. A condition on opaque names alone is allowed: it is an unknown
truth value, drawn once per run of the handler.

Wrong:
    opaque address;
    *n = address;

Right:
    *n = maybe ? 0 : 1;
)page"},

{"FL0309", "a loop without a step",
R"page(While a handler turns in a loop that touches nothing shared, no step ends and no other CPU can
move: the loop would never end. Read shared memory in it, or put `step;` into its body.

Wrong:
    while (wait) { }

Right:
    while (pmd_trans_splitting(*pmd)) { }
    while (maybe) { step; }
)page"},

{"FL0310", "a payload that the state does not have",
R"page(`old.pt` is there only in states that are declared with a payload `pt`. Test the entry first, or
take the payload from a state that has it.

Wrong:
    pmd_t old = *pmd;
    pte_free(old.pt);                     // may be none

Right:
    pmd_t old = *pmd;
    if (pmd_trans_huge(old)) pte_free(old.pt);
)page"},

{"FL0311", "a missing return value",
R"page(A function with a result returns one on each path; `return;` alone is for void functions and
handlers.

Wrong:
    bool f() { if (maybe) return true; }

Right:
    bool f() { if (maybe) return true; return false; }
)page"},

{"FL0312", "a jump to nowhere",
R"page(`goto` names a label of the same function; `break` leaves a loop or a switch, `continue` starts
the next round of a loop.

Wrong:
    if (maybe) goto out;
    return;

Right:
    if (maybe) goto out;
    step;
    out:
    return;
)page"},

{"FL0313", "not supported yet",
R"page(The construct is planned (or known from the kernel) but not built. The note names the stage that
brings it. Until then, leave it out and say so in the head of the model.
)page"},

{"FL0314", "a model too large for the engines",
R"page(States are packed into fixed words, so there are limits: 64 states of an entry, and the numbers
of places, locals and positions that the message gives. A model of one race needs a fraction of
them: describe one entry and the handlers that matter.
)page"},

{"FL0315", "a TLB that could cache one of several payloads",
R"page(A TLB entry stands for one object. Where the cacheable states have several payloads, say which one
the hardware maps: freeing that one while a TLB has it is the violation `stale_tlb`.

Wrong:
    state huge(page_t page, pgtable_t pt) { pmd_trans_huge }
    ...
    tlb pmd in huge;

Right:
    tlb pmd caches page in huge;
)page"},

{"FL0316", "a statement without effect",
R"page(The statement computes something and drops it. Assign it, test it, or remove it.

Wrong:
    pmd_none(*pmd);

Right:
    assert(pmd_none(*pmd));
)page"},
  };
  return table;
}
// clang-format on

}  // namespace faultline::dsl
