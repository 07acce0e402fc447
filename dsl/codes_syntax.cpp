// FL01xx: reading and syntax.
#include "dsl/codes_pages.hpp"

namespace faultline::dsl {

// clang-format off
const std::vector<CodeInfo>& syntax_pages() {
  static const std::vector<CodeInfo> table = {
{"FL0101", "the file cannot be read",
R"page(The file does not exist, or its permissions or the disk do not let it be read.

Check the path (a relative one starts at the current directory) and `ls -l`.
)page"},

{"FL0102", "a directory instead of a file",
R"page(`check` and its relatives read one model each. To run all models below a directory:

    faultline test models/
)page"},

{"FL0103", "the file is too large",
R"page(A model is a page or two of text. Files over 4 MiB, or with more than 400,000 words and signs,
are refused before anything is built from them: most likely it is some other file, or generated
text that no engine could search anyway.
)page"},

{"FL0104", "nothing in the file",
R"page(The file is empty, or holds only blanks and comments. The shortest model that runs:

    model hello;
    handler tick() { step; }
    run tick on any cpus;
)page"},

{"FL0105", "the text is not UTF-8",
R"page(Models are UTF-8 text (plain ASCII is UTF-8 too; a byte order mark and CRLF line ends are
accepted). The byte shown belongs to another encoding, often Latin-1 in a name or comment.

    iconv -f latin1 -t utf-8 old.fl > new.fl
)page"},

{"FL0106", "a binary file",
R"page(The file holds a zero byte, so it is no text. UTF-16 text looks like this as well: save it as
UTF-8.
)page"},

{"FL0107", "a comment that does not end",
R"page(`/*` opens a comment, and the file ends before `*/`. Comments do not nest.

Wrong:
    /* the fault path
    handler page_fault() { step; }

Right:
    /* the fault path */
    handler page_fault() { step; }
)page"},

{"FL0108", "a string that does not end",
R"page(A text in quotes ends on the line where it begins. A quote inside it is written \".

Wrong:
    assert(pmd_table(*pmd), "not a page table);

Right:
    assert(pmd_table(*pmd), "not a page table");
)page"},

{"FL0109", "nested too deeply",
R"page(Brackets may nest 200 deep, and statements, operators and `else if` chains about 250. Nothing
that a person writes comes near; the limit keeps a damaged or generated file from exhausting the
stack.

A long chain of `else if` on states reads better as a switch:

    switch (*pmd) {
    case none: ...; break;
    case huge: ...; break;
    }
)page"},

{"FL0110", "a character that is not part of the language",
R"page(Outside of comments and strings a model uses letters, digits, `_`, and the signs of C.
Typographic quotes, dashes, arrows and no-break spaces come in by copying from a web page or a
mail.

Wrong:
    none → table under ptl;

Right:
    none -> table under ptl;
)page"},

{"FL0111", "a bracket that is not closed",
R"page(`{`, `(` or `[` has no partner. The message stands where the partner is missing, as far as the
layout shows: before a line that begins an item in column 1, before a `}` that is further left
than the line of its `{`, or before a word that cannot stand in parentheses. The second mark
shows the opening one.

Wrong:
    if (pmd_none(*pmd) return;

Right:
    if (pmd_none(*pmd)) return;
)page"},

{"FL0112", "a bracket that closes nothing",
R"page(`}`, `)` or `]` has no partner. When statements follow the `}` that ends a function, that one is
reported: it is one too many, or an opening brace before it is missing.

Wrong:
    if (maybe)) return;

Right:
    if (maybe) return;
)page"},

{"FL0113", "the first line is missing",
R"page(A file begins with the name of its model:

    model thp_fault;

Only comments may stand before it.
)page"},

{"FL0114", "no item begins with this word",
R"page(Between the items of a file stands something that is none. Items begin with one of

    memory spinlock mutex rwsem seqcount rcu opaque resource enum entry shared tlb
    handler run invariant progress cost patch expect

or with the result type of a function. Kernel declarations translate like this:

    spinlock_t ptl;                ->  spinlock ptl;
    struct rw_semaphore mmap_sem;  ->  rwsem mmap_sem;
    int counter;                   ->  shared int(0..3) *counter = 0;
)page"},

{"FL0115", "a missing semicolon",
R"page(Statements, arrows and most items end with `;`. The rest of the file was read as if it were
there.

Wrong:
    spin_lock(ptl)
    *pmd = none;

Right:
    spin_lock(ptl);
    *pmd = none;
)page"},

{"FL0116", "something else was expected",
R"page(At this place the language wants something else; the message says what. When it says "an
expression", an operand is missing before or after an operator or a comma.

Wrong:
    if (pmd_none(*pmd) && ) return;

Right:
    if (pmd_none(*pmd)) return;
)page"},

{"FL0117", "the file ends too early",
R"page(The file ends inside an item or a statement.

Wrong:
    run page_fault on

Right:
    run page_fault on any cpus;
)page"},

{"FL0118", "an assignment used as a value",
R"page(`=`, `+=`, `-=`, `++` and `--` are statements. They have no value, so that no expression hides a
write to shared memory, and `if (x = y)` cannot be mistaken for `if (x == y)`.

Wrong:
    if (new = pte_alloc_one()) return;

Right:
    pgtable_t new = pte_alloc_one();
    if (new) return;
)page"},

{"FL0119", "a patch line in the wrong place",
R"page(Lines that begin with `-` or `+` stand in a patch, at its top level: a hunk is a list of whole
statements of a function, wherever they stand in it.

Wrong:
    patch fix in f {
        if (maybe) {
          - spin_lock(ptl);
        }
    }

Right:
    patch fix in f {
      - spin_lock(ptl);
    }
)page"},

{"FL0120", "a state without braces",
R"page(Behind the name of a state, and its payload if it has one, stand the predicates that are true in
it.

Wrong:
    state none;

Right:
    state none { pmd_none }
    state frozen(pgtable_t pt) { }      // no predicate is true
)page"},

{"FL0121", "a run line without CPUs",
R"page(`run` says which handlers start again and again on a CPU, and on how many CPUs.

    run page_fault, user_access on any cpus;    // any number: 1, 2, 3, ...
    run split_huge_page on 1 cpu;               // one CPU of its own
    run khugepaged on 2 cpus once;              // each handler at most once
)page"},

{"FL0122", "a keyword of C",
R"page(Keywords of C cannot be names. (The keywords of this language can: `entry`, `state`, `in`,
`free` and the others are ordinary names wherever a name is expected.) Some keywords of C have
no use here: float, double, sizeof, typedef, union, auto, restrict.

Wrong:
    bool default = false;

Right:
    bool is_default = false;
)page"},

{"FL0123", "an operator or sign that the language does not have",
R"page(Operators are ! * & - (before an operand), + - < <= > >= == != & | && || ?: and implies. There
are no shifts, no multiplication and no bit masks: an entry is a table of states, and what a bit
would say is a predicate. There is no preprocessor; constants come from `enum`.

Wrong:
    if (val & (1 << 7)) return;

Right:
    if (pmd_trans_huge(*pmd)) return;
)page"},

{"FL0124", "not a number",
R"page(Numbers are decimal (12) or hexadecimal (0x1f) and fit into 64 bits; there is no octal, so 010
is ten. A name does not begin with a digit.
)page"},

{"FL0125", "a statement without effect",
R"page(Only calls, assignments and declarations do something. `step;` (a step that changes nothing) and
`unreachable;` stand alone as well.

Wrong:
    *pmd == none;
    local_irq_save;

Right:
    *pmd = none;
    local_irq_save();
)page"},

{"FL0126", "case, break or continue in the wrong place",
R"page(`case` and `default` stand directly in the block of a switch; `break` in a loop or a switch;
`continue` in a loop.

Wrong:
    switch (*pmd) { case none: { case table: step; } }

Right:
    switch (*pmd) { case none: case table: step; }
)page"},

{"FL0127", "a payload without a type",
R"page(The payload of a state is declared like a parameter: type, then name.

Wrong:
    state huge(pt) { pmd_present }

Right:
    state huge(pgtable_t pt) { pmd_present }
)page"},

{"FL0128", "the head of a statement is not in parentheses",
R"page(The conditions of `if`, `while` and `switch`, and the three parts of `for`, stand in
parentheses; a `do` ends with `while (...);`.

Wrong:
    if pmd_none(*pmd) return;

Right:
    if (pmd_none(*pmd)) return;
)page"},

{"FL0130", "a missing colon",
R"page(A colon stands between the name of an invariant, a progress property or a variant and what is
said of it.

Wrong:
    expect base safe;

Right:
    expect base : safe;
)page"},

{"FL0131", "a misspelt statement",
R"page(The word is none of the language, but almost a keyword. (`fi (x) ...` reads like a call, `esle
step;` like a declaration.)

Wrong:
    fi (pmd_none(*pmd)) return;

Right:
    if (pmd_none(*pmd)) return;
)page"},

{"FL0132", "a statement outside of a function",
R"page(Statements stand in functions and handlers. Often a `}` above is one too many, and the function
ended earlier than it seems.

Wrong:
    spin_lock(ptl);
    handler page_fault() { step; }

Right:
    handler page_fault() { spin_lock(ptl); spin_unlock(ptl); }
)page"},

{"FL0133", "a function without a body",
R"page(Functions are not declared ahead: they may stand in any order. A body stands in braces, also
when it is a single statement.

Wrong:
    bool __pte_alloc();

Right:
    bool __pte_alloc() { return false; }
)page"},

{"FL0135", "not a verdict",
R"page(Behind the colon of `expect` stand verdicts, separated by commas:

    expect base  : violates assert, leak;              // exactly these kinds can be reached
    expect fixed : safe, fewer allocs than base;       // proved for any number of CPUs
    expect slow  : safe on 3 cpus;                     // only looked at with 3
)page"},

{"FL0136", "a shared place without its star",
R"page(A shared place is declared as it is used: `*pmd` is one access to it, `pmd` its name.

Wrong:
    shared pmd_t pmd = none;

Right:
    shared pmd_t *pmd = none;
)page"},

{"FL0137", "else without if",
R"page(`else` follows the one statement behind `if (...)`. Several statements need braces, and a `;`
behind the closing brace is a statement of its own.

Wrong:
    if (maybe) { step; }; else return;

Right:
    if (maybe) { step; } else return;
)page"},

{"FL0138", "an item inside of a function",
R"page(Locks, entries, shared places, enums and handlers are declared between functions, not in them.
If the function was meant to end before, a `}` is missing.

Wrong:
    handler f() { spinlock ptl; spin_lock(ptl); }

Right:
    spinlock ptl;
    handler f() { spin_lock(ptl); spin_unlock(ptl); }
)page"},

{"FL0139", "a cast",
R"page(There are no casts: types are never converted. Leave it out.

Wrong:
    x = (unsigned long) y;

Right:
    x = y;
)page"},

{"FL0140", "a missing opening brace",
R"page(An entry, a resource, a function, a state, a switch or a hunk of a patch has its content in
braces, and the closing one is there.

Wrong:
    handler page_fault()
        step;
    }

Right:
    handler page_fault() {
        step;
    }
)page"},

{"FL0199", "too many errors",
R"page(The first 50 errors of a file are shown. Mend those and look again: later ones often follow from
them.
)page"},
  };
  return table;
}
// clang-format on

}  // namespace faultline::dsl
