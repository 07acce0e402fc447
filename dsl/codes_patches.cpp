// FL06xx patches and expectations.
#include "dsl/codes_pages.hpp"

namespace faultline::dsl {

// clang-format off
const std::vector<CodeInfo>& patch_pages() {
  static const std::vector<CodeInfo> table = {
{"FL0601", "a patched statement that is not there",
R"page(A `-` line, and a line without a sign, is looked up in the function token by token and must be
there exactly once. Comments, white space, likely() and unlikely(), redundant parentheses and
opaque arguments do not count; everything else does, the body of an `if` included. A patch that
comes `after` another sees what that one left.

Wrong (the function says `if (__pte_alloc()) return true;`):
    patch fix in handle_mm_fault { - if (__pte_alloc(pmd)) return true; }

Right:
    patch fix in handle_mm_fault { - if (__pte_alloc()) return true; }
)page"},

{"FL0602", "a patched statement that is there several times",
R"page(The statement is in the function more than once. Put the statement before it, or the one behind
it, into the hunk without a sign: of several places the one right next to it is taken.

Wrong:
    patch fix in split { - spin_unlock(ptl); }

Right:
    patch fix in split {
        *pmd = splitting(old.pt);
      - spin_unlock(ptl);
    }
)page"},

{"FL0603", "a sign in the middle of a statement",
R"page(A patch replaces whole statements. The sign of a statement may be repeated on each of its lines,
but it cannot change inside: write the old statement in full, then the new one.

Wrong:
    - if (__pte_alloc())
    + if (pmd_none(*pmd) && __pte_alloc())
          return true;

Right:
    - if (__pte_alloc())
    -     return true;
    + if (pmd_none(*pmd) && __pte_alloc())
    +     return true;
)page"},

{"FL0604", "an added statement without a place",
R"page(`+` statements take the place of the `-` statement before them, or go behind the statement
without a sign before them. At the start of a hunk there is none; and behind the only statement
of an `if` it would not be clear whether they belong to it.

Wrong:
    patch fix in f { + flush_tlb(pmd); }

Right:
    patch fix in f {
        *pmd = none;
      + flush_tlb(pmd);
    }
)page"},

{"FL0605", "a patch of an unknown function",
R"page(The model has no function or handler of this name.

Wrong:
    patch fix in handle_mm_falt { - step; }

Right:
    patch fix in handle_mm_fault { - step; }
)page"},

{"FL0606", "a statement that is changed twice",
R"page(Two lines of one hunk change the same statement, or one changes a statement inside of another
that is replaced as a whole. Make it one change, or a second patch `after` the first.
)page"},

{"FL0607", "a patch after an unknown one",
R"page(`after` names another patch of the file, or base.

Wrong:
    patch b after aa in f { - step; }

Right:
    patch a in f { - step; + step; }
    patch b after a in f { - step; }
)page"},

{"FL0608", "patches that come after each other",
R"page(Following `after` from patch to patch must end at one that has none (it changes the base). Here
it leads back to a patch already passed.
)page"},

{"FL0609", "a patch that changes nothing",
R"page(None of its lines has a sign. Lines without one only say where `+` lines go.

Wrong:
    patch fix in f { flush_tlb(pmd); }

Right:
    patch fix in f { *pmd = none; + flush_tlb(pmd); }
)page"},

{"FL0610", "an unknown variant",
R"page(A variant is `base`, the file as it stands, or the name of one of its patches.

Wrong:
    patch guard_none in f { - step; }
    expect guard_non : safe;

Right:
    patch guard_none in f { - step; }
    expect guard_none : safe;
)page"},

{"FL0611", "an unknown kind of violation",
R"page(Behind `violates` stand names of this list, or of an invariant or progress property of the file:

    assert  transition  lock_missing  lock_unbalanced  lock_recursion  lock_order  sleep_atomic
    leak  double_free  use_after_free  stale_tlb  flush_missing  mixed_size  deadlock
    invariant(NAME)  progress(NAME)  ensures(NAME)
)page"},

{"FL0612", "an unknown measure",
R"page(Variants are compared by what one undisturbed run of a handler costs; a `cost` line says from
which states.

    cost page_fault from table;
    expect guard_none : fewer allocs than base, fewer locks than base, same ipis than base;
)page"},
  };
  return table;
}
// clang-format on

}  // namespace faultline::dsl
