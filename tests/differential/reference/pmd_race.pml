/* models/reference/pmd_race.fl once more, in Promela, written from that model's text and sharing nothing with Faultline.
 *
 * Each statement that stands alone is one step there and here; labels as there. Set with -D:
 *   THREADS  page faults
 *   GUARD    before the allocation: 0 no question, 1 !pmd_present, 2 pmd_none
 *   LOOK     after it, what is sent back: 0 no look, 1 huge or splitting, 2 none as well, 3 none or huge but not splitting
 *   RECHECK  1: the pmd is looked at under the lock before it is populated
 *   ZAP      1: there is an madvise(MADV_DONTNEED)
 */
mtype = { none, table, huge, splitting };

mtype pmd = none;
bool page_table_lock = false;
bool mmap_sem_written = false;
byte mmap_sem_readers = 0;

inline down_read()  { d_step { !mmap_sem_written -> mmap_sem_readers++ } }
inline up_read()    { mmap_sem_readers-- }
inline down_write() { d_step { !mmap_sem_written && mmap_sem_readers == 0 -> mmap_sem_written = true } }
inline up_write()   { mmap_sem_written = false }
inline lock()       { d_step { !page_table_lock -> page_table_lock = true } }
inline unlock()     { page_table_lock = false }

inline pte_alloc() {
    fresh = true;                                       /* A0 */
    lock();                                             /* A1 */
    d_step {                                            /* A2 */
#if RECHECK
        if
        :: pmd == none -> pmd = table; fresh = false
        :: else
        fi
#else
        assert(pmd == none); pmd = table; fresh = false
#endif
    };
    unlock();                                           /* A3 */
    fresh = false                                       /* A4 */
}

inline use_table() {
    assert(pmd == table);                               /* M0 */
    assert(pmd == table)                                /* M1 */
}

active [THREADS] proctype page_fault()
{
    bool fresh = false;
    do
    :: down_read();                                     /* F0 */
#if GUARD == 0
       pte_alloc();
#else
       if                                               /* F1 */
#if GUARD == 1
       :: !(pmd == table || pmd == huge) -> pte_alloc()
#else
       :: pmd == none -> pte_alloc()
#endif
       :: else
       fi;
#endif
#if LOOK == 0
       use_table();
#else
       if                                               /* C0 */
#if LOOK == 1
       :: pmd == huge || pmd == splitting
#elif LOOK == 2
       :: pmd == none || pmd == huge || pmd == splitting
#else
       :: pmd == none || pmd == huge
#endif
       :: else -> use_table()
       fi;
#endif
       up_read()                                        /* U0 */
    od
}

active proctype khugepaged()
{
    do
    :: down_write();                                    /* K0 */
       if                                               /* K1 */
       :: pmd == table ->
          lock();                                       /* K2 */
          pmd = none;                                   /* K3 */
          unlock();                                     /* K4 */
          skip;                                         /* K5 */
          lock();                                       /* K6 */
          d_step { assert(pmd == none); pmd = huge };   /* K7 */
          unlock()                                      /* K8 */
       :: else
       fi;
       up_write()                                       /* K9 */
    od
}

active proctype huge_fault()
{
    do
    :: down_read();                                     /* T0 */
       if                                               /* T1 */
       :: pmd == none ->
          skip;                                         /* T2 */
          lock();                                       /* T3 */
          d_step { if :: pmd == none -> pmd = huge :: else fi };  /* T4 */
          unlock()                                      /* T5 */
       :: else
       fi;
       up_read()                                        /* T6 */
    od
}

active proctype split_huge_page()
{
    do
    :: lock();                                          /* S0 */
       if                                               /* S1 */
       :: d_step { pmd == huge -> pmd = splitting };
          skip;                                         /* S2 */
          pmd = table                                   /* S3 */
       :: pmd != huge
       fi;
       unlock()                                         /* S4 */
    od
}

#if ZAP
active proctype madvise_dontneed()
{
    do
    :: down_read();                                     /* Z0 */
       if                                               /* Z1 */
       :: pmd == huge || pmd == splitting ->
          lock();                                       /* Z2 */
          d_step { if :: pmd == huge -> pmd = none :: else fi };  /* Z3 */
          unlock()                                      /* Z4 */
       :: else
       fi;
       up_read()                                        /* Z5 */
    od
}
#endif
