// The two reference models, written from their descriptions, command by command.
#include <array>

#include "tests/support/programs.hpp"

namespace faultline::testing {

using step::ExprOp;
using step::Held;
using step::Kind;
using step::LockMode;

namespace {

enum Pmd : int { none, table, huge, splitting, frozen };
constexpr std::uint64_t bit(int value) { return std::uint64_t{1} << value; }

// Positions of one run line, made in one go. Each holds what the caller sets later.
std::vector<Id> positions(ProgramBuilder& b, Id line, Id handler, int count) {
  std::vector<Id> pcs{b.idle(line)};
  for (int i = 1; i < count; ++i) pcs.push_back(b.at(line, handler));
  return pcs;
}

}  // namespace

step::Program pmd_race(const PmdRace& which) {
  ProgramBuilder b("pmd_race", "hand");
  const Id pmd = b.global("pmd", 3, {"none", "table", "huge", "splitting"});
  const Id ptl = b.global("page_table_lock");
  const Id writer = b.global("mmap_sem");
  const Id fresh = b.local("fresh");
  const Id ptl_lock = b.lock("page_table_lock", ptl);
  const Id sem_lock = b.lock("mmap_sem", writer, step::LockKind::rwsem);
  step::EntryInfo entry{"pmd", "pmd_t", pmd, {}, {}};
  for (const char* state : {"none", "table", "huge", "splitting"}) entry.states.push_back({state, {}});
  b.entry(entry);

  auto line_of = [&](const char* name, int cpus, int count) {
    return positions(b, b.line(name, cpus), b.handler(name), count);
  };
  enum { F0, F1, A0, A1, A2, A3, A4, C0, M0, M1, U0, fault_positions };
  const auto f = line_of("fault", 0, fault_positions);
  const auto k = line_of("khugepaged", 1, 10);
  const auto t = line_of("huge_fault", 1, 7);
  const auto s = line_of("splitter", 1, 5);
  const auto z = which.zap ? line_of("zap", 1, 6) : std::vector<Id>{};

  std::vector<Id> readers(f.begin() + 1, f.end());
  readers.insert(readers.end(), t.begin() + 1, t.end());
  if (which.zap) readers.insert(readers.end(), z.begin() + 1, z.end());
  const Id reading = b.pc_set(readers);

  auto hold = [&](const std::vector<Id>& pcs, std::size_t first, std::size_t last, Held held) {
    for (std::size_t i = first; i <= last; ++i) b.location(pcs[i]).held.push_back(held);
  };
  auto is = [&](int value) { return b.global_is(pmd, value); };
  auto in = [&](std::uint64_t mask) { return b.global_in(pmd, mask); };
  auto down_read = [&](const std::vector<Id>& pcs, Id to) {
    b.command(pcs[0], to, "down_read(mmap_sem)").assume(b.global_is(writer, 0)).may_block();
    hold(pcs, 1, pcs.size() - 1, Held{sem_lock, LockMode::read});
  };
  auto lock = [&](const std::vector<Id>& pcs, std::size_t from) {
    b.command(pcs[from], pcs[from + 1], "spin_lock(page_table_lock)")
        .assume(b.global_is(ptl, 0))
        .set_global(ptl, 1)
        .may_block();
    b.location(pcs[from]).wait = step::Location::Wait::lock;
    b.location(pcs[from]).waits_lock = ptl_lock;
  };
  auto unlock = [&](const std::vector<Id>& pcs, std::size_t from, std::size_t to) {
    b.command(pcs[from], pcs[to], "spin_unlock(page_table_lock)").set_global(ptl, 0);
  };
  auto go = [&](const std::vector<Id>& pcs, std::size_t from, std::size_t to, const char* text) {
    return b.command(pcs[from], pcs[to], text);
  };

  // A page fault on a small page.
  constexpr std::uint64_t present = bit(table) | bit(huge);
  down_read(f, which.version == 0 ? f[A0] : f[F1]);
  const std::size_t look = which.bad == 2 ? M0 : C0;
  const std::uint64_t skip = which.version == 1 ? present : present | bit(splitting);
  if (which.version != 0) {
    go(f, F1, look, "no allocation").assume(in(skip));
    go(f, F1, A0, "allocate").assume(in(~skip & 15));
  }
  go(f, A0, A1, "pte_alloc_one()").set_local(fresh, 1);
  lock(f, A1);
  if (which.bad == 1) {
    b.violation(f[A2], Kind::assertion, "P1: populate over a present pmd").assume(b.lnot(is(none)));
    go(f, A2, A3, "pmd_populate").assume(is(none)).set_global(pmd, table).set_local(fresh, 0);
  } else {
    go(f, A2, A3, "pmd_populate").assume(is(none)).set_global(pmd, table).set_local(fresh, 0);
    go(f, A2, A3, "somebody was faster").assume(b.lnot(is(none)));
  }
  hold(f, A2, A3, Held{ptl_lock, LockMode::write});
  unlock(f, A3, A4);
  go(f, A4, look, "pte_free() if unused").set_local(fresh, 0);
  if (which.bad != 2) {
    std::uint64_t give_up = bit(huge) | bit(splitting);
    if (which.fix) give_up |= bit(none);
    if (which.bad == 3) give_up = bit(none) | bit(huge);
    go(f, C0, U0, "give up").assume(in(give_up));
    go(f, C0, M0, "go on").assume(in(~give_up & 15));
  }
  b.violation(f[M0], Kind::assertion, "P2: pte_offset_map without a table").assume(b.lnot(is(table)));
  go(f, M0, M1, "pte_offset_map").assume(is(table));
  b.violation(f[M1], Kind::assertion, "P3: set_pte without a table").assume(b.lnot(is(table)));
  go(f, M1, U0, "set_pte_at").assume(is(table));
  go(f, U0, F0, "up_read(mmap_sem)");

  // khugepaged collapses the table, with mmap_sem for writing.
  b.command(k[0], k[1], "down_write(mmap_sem)")
      .assume(b.global_is(writer, 0))
      .none(b.op(ExprOp::other_pc_in, reading))
      .set_global(writer, 1)
      .may_block();
  hold(k, 1, 9, Held{sem_lock, LockMode::write});
  go(k, 1, 2, "a table").assume(is(table));
  go(k, 1, 9, "no table").assume(b.lnot(is(table)));
  lock(k, 2);
  go(k, 3, 4, "pmdp_clear_flush").set_global(pmd, none);
  unlock(k, 4, 5);
  go(k, 5, 6, "copy");
  lock(k, 6);
  b.violation(k[7], Kind::assertion, "P4: collapse over a present pmd").assume(b.lnot(is(none)));
  go(k, 7, 8, "set_pmd_at(huge)").assume(is(none)).set_global(pmd, huge);
  unlock(k, 8, 9);
  go(k, 9, 0, "up_write(mmap_sem)").set_global(writer, 0);
  hold(k, 3, 4, Held{ptl_lock, LockMode::write});
  hold(k, 7, 8, Held{ptl_lock, LockMode::write});

  // A fault that inserts a huge page.
  down_read(t, t[1]);
  go(t, 1, 2, "none").assume(is(none));
  go(t, 1, 6, "not none").assume(b.lnot(is(none)));
  go(t, 2, 3, "alloc_hugepage");
  lock(t, 3);
  go(t, 4, 5, "set_pmd_at(huge)").assume(is(none)).set_global(pmd, huge);
  go(t, 4, 5, "somebody was faster").assume(b.lnot(is(none)));
  unlock(t, 5, 6);
  go(t, 6, 0, "up_read(mmap_sem)");
  hold(t, 4, 5, Held{ptl_lock, LockMode::write});

  // split_huge_page, without mmap_sem.
  lock(s, 0);
  go(s, 1, 2, "pmdp_splitting_flush").assume(is(huge)).set_global(pmd, splitting);
  go(s, 1, 4, "not huge").assume(b.lnot(is(huge)));
  go(s, 2, 3, "flush");
  go(s, 3, 4, "pmd_populate").set_global(pmd, table);
  unlock(s, 4, 0);
  hold(s, 1, 4, Held{ptl_lock, LockMode::write});

  if (which.zap) {  // MADV_DONTNEED
    down_read(z, z[1]);
    go(z, 1, 2, "huge").assume(in(bit(huge) | bit(splitting)));
    go(z, 1, 5, "not huge").assume(in(bit(none) | bit(table)));
    lock(z, 2);
    go(z, 3, 4, "pmd_clear").assume(is(huge)).set_global(pmd, none);
    go(z, 3, 4, "not huge").assume(b.lnot(is(huge)));
    unlock(z, 4, 5);
    go(z, 5, 0, "up_read(mmap_sem)");
    hold(z, 3, 4, Held{ptl_lock, LockMode::write});
  }
  return b.finish();
}

step::Program thp_tables(ThpTables variant, int mutant) {
  ProgramBuilder b("thp_tables", "hand");
  const Id pmd = b.global("pmd", 4, {"none", "table", "huge", "splitting", "frozen"});
  const Id ptl = b.global("page_table_lock");
  const Id ptl_lock = b.lock("page_table_lock", ptl);
  const Id split = b.global("one_splitter");
  const Id pgtable = b.type("pgtable_t");
  const Id payload = b.place("pmd.pt", pgtable);
  const Id fresh = b.handle("new", pgtable);
  const Id old = b.handle("old", pgtable);
  const Id tlb = b.handle("tlb(pmd)", pgtable);
  const Id owns_fresh = b.local("owns new");
  const Id owns_old = b.local("owns old");
  const Id waits = b.local("wait");
  const Id flush = b.await("flush_tlb(pmd)", {tlb});
  step::EntryInfo entry{"pmd", "pmd_t", pmd, {{"none", {}}}, {payload}};
  for (const char* state : {"table", "huge", "splitting", "frozen"}) entry.states.push_back({state, {payload}});
  b.entry(entry);
  const Id cpus = b.line("cpu", 0);
  const Id idle = b.idle(cpus);

  const std::array<Id, 3> handlers{b.handler("page_fault"), b.handler("madvise_dontneed"),
                                   b.handler("split_huge_page")};
  auto many = [&](std::size_t handler, int count) {
    std::vector<Id> pcs;
    for (int i = 0; i < count; ++i) pcs.push_back(b.at(cpus, handlers[handler]));
    return pcs;
  };
  const auto a = many(0, 22);  // a[1]..a[21]: the fault; numbers as in the description
  const auto z = many(1, 7);
  const auto x = many(2, 10);

  constexpr std::uint64_t no = bit(none), ta = bit(table), hu = bit(huge), sp = bit(splitting), fr = bit(frozen);
  constexpr std::uint64_t any_huge = hu | sp | fr, all = 31;
  auto in = [&](std::uint64_t mask) { return b.global_in(pmd, mask); };
  auto null = [&](Id h) { return b.op(ExprOp::handle_null, h); };
  auto freed = [&](Id h) { return b.op(ExprOp::object_bit, h, 0); };
  auto in_place = [&](Id h) { return b.op(ExprOp::handle_is_place, h, payload); };
  auto others_tlb_is = [&](Id h) { return b.op(ExprOp::other_is_mine, tlb, h); };
  auto lock = [&](Id from, Id to) {
    b.command(from, to, "spin_lock(page_table_lock)").assume(b.global_is(ptl, 0)).set_global(ptl, 1).may_block();
    if (from == idle) return;
    b.location(from).wait = step::Location::Wait::lock;
    b.location(from).waits_lock = ptl_lock;
  };
  auto wait_flush = [&](Id from, Id to) {
    b.command(from, to, "flush done").none(b.op(ExprOp::i_await_other, flush)).may_block();
    b.location(from).wait = step::Location::Wait::others;
    b.location(from).waits_await = flush;
  };
  auto send_flush = [&](Id from, Id to) {
    b.command(from, to, "flush_tlb(pmd)").clear_handle(tlb).await_others(flush, b.always());
  };
  // Frees the object of h, to which local `owns` belongs; `guard` is an extra condition.
  auto free_object = [&](Id from, Id to, Id h, Id owns, ExprId guard) {
    b.violation(from, Kind::double_free, "double free").assume(guard).assume(freed(h));
    b.violation(from, Kind::stale_tlb, "freed while the own TLB maps it")
        .assume(guard)
        .assume(b.land(b.op(ExprOp::handles_equal, h, tlb), b.lnot(null(h))));
    b.violation(from, Kind::stale_tlb, "freed while a TLB maps it").assume(guard).some(others_tlb_is(h));
    return b.command(from, to, "pte_free()")
        .assume(guard)
        .assume(b.land(b.lnot(freed(h)), b.lnot(b.op(ExprOp::handles_equal, h, tlb))))
        .none(others_tlb_is(h))
        .set_bit(h, 0, true)
        .clear_handle(h)
        .set_local(owns, 0);
  };
  auto end = [&](Id from, const char* text, ExprId guard, bool check_leak = true) {
    if (check_leak) {
      b.violation(from, Kind::leak, "leak").assume(guard).assume(b.local_is(owns_fresh, 1));
      b.violation(from, Kind::leak, "leak").assume(guard).assume(b.local_is(owns_old, 1));
    }
    return b.command(from, idle, text)
        .assume(guard)
        .assume(b.land(b.local_is(owns_fresh, 0), b.local_is(owns_old, 0)))
        .clear_handle(fresh)
        .clear_handle(old)
        .set_local(waits, 0);
  };
  auto bad_store = [&](Id from, std::uint64_t allowed) {
    b.violation(from, Kind::transition, "illegal transition").assume(in(all & ~allowed));
  };
  auto overwrites = [&](Id from) {
    b.violation(from, Kind::leak, "leak (overwritten)")
        .assume(b.land(b.lnot(in_place(old)), b.lnot(b.op(ExprOp::place_null, payload))));
    b.violation(from, Kind::use_after_free, "use after free (stored)").assume(freed(old));
  };

  b.command(idle, a[1], "fault: pmd_none").assume(in(no));
  b.command(idle, a[10], "fault: table").assume(in(ta));
  b.command(idle, idle, "touch").assume(in(hu | sp)).handle_from_place(tlb, payload);
  lock(idle, z[1]);
  b.command(idle, x[0], "split").assume(b.global_is(split, 0)).set_global(split, 1);

  // The huge page tail.
  b.command(a[1], a[10], "no huge page");
  b.command(a[1], a[10], "no deposit");
  b.command(a[1], a[2], "pte_alloc_one() for the deposit").fresh(old).set_local(owns_old, 1);
  lock(a[2], mutant == 7 ? a[4] : a[3]);
  b.command(a[3], a[4], "pmd_none: true").assume(in(no));
  b.command(a[3], a[5], "pmd_none: false").assume(in(all & ~no));
  b.command(a[4], a[5], "*pmd = huge")
      .assume(in(no))
      .assume(b.lnot(freed(old)))
      .set_global(pmd, huge)
      .place_from_handle(payload, old)
      .clear_handle(old)
      .set_local(owns_old, 0);
  bad_store(a[4], no);
  b.violation(a[4], Kind::use_after_free, "use after free (stored)").assume(in(no)).assume(freed(old));
  b.command(a[5], a[6], "spin_unlock").assume(b.lnot(null(old))).set_global(ptl, 0);
  end(a[5], "spin_unlock", null(old)).set_global(ptl, 0);
  if (mutant == 8) {
    end(a[6], "deposit kept", b.always());
  } else {
    free_object(a[6], idle, old, owns_old, b.local_is(owns_fresh, 0)).clear_handle(fresh).set_local(waits, 0);
  }

  // The small page tail.
  const std::uint64_t need = variant == ThpTables::base ? all : variant == ThpTables::present ? (no | fr) : no;
  const Id alloc = variant == ThpTables::base ? a[10] : a[11];
  if (variant != ThpTables::base) {
    b.command(a[10], a[11], "needs a table").assume(in(need));
    b.command(a[10], a[20], "no table needed").assume(in(all & ~need));
  }
  end(alloc, "out of memory", b.always());
  b.command(alloc, a[12], "pte_alloc_one()").fresh(fresh).set_local(owns_fresh, 1);
  lock(a[12], mutant == 3 ? a[14] : a[13]);
  b.command(a[13], a[14], "none").assume(in(no));
  b.command(a[13], a[15], "splitting").assume(in(sp | fr)).set_local(waits, 1);
  b.command(a[13], a[15], "other").assume(in(ta | hu));
  b.command(a[14], a[15], "*pmd = table")
      .assume(in(no))
      .assume(b.lnot(freed(fresh)))
      .set_global(pmd, table)
      .place_from_handle(payload, fresh)
      .clear_handle(fresh)
      .set_local(owns_fresh, 0);
  bad_store(a[14], no);
  b.violation(a[14], Kind::use_after_free, "use after free (stored)").assume(in(no)).assume(freed(fresh));
  b.command(a[15], a[16], "spin_unlock").assume(b.lnot(null(fresh))).set_global(ptl, 0);
  for (const int wait : {1, 0}) {
    b.command(a[15], wait ? a[17] : a[20], "spin_unlock")
        .assume(b.land(null(fresh), b.local_is(waits, wait)))
        .set_global(ptl, 0);
  }
  for (const int wait : {1, 0}) {
    const Id to = wait ? a[17] : a[20];
    if (mutant == 4) {
      b.command(a[16], to, "kept").assume(b.local_is(waits, wait)).clear_handle(fresh);
    } else {
      free_object(a[16], to, fresh, owns_fresh, b.local_is(waits, wait));
    }
  }
  b.command(a[17], a[20], "wait_event(!splitting)").assume(in(no | ta | hu)).set_local(waits, 0).may_block();
  b.location(a[17]).wait = step::Location::Wait::event;
  end(a[20], "huge now", in(any_huge));
  if (variant == ThpTables::unstable) {
    end(a[20], "none, retry", in(no), false);
    b.command(a[20], a[21], "pmd_trans_unstable: false").assume(in(ta));
  } else {
    b.command(a[20], a[21], "pmd_trans_huge: false").assume(in(no | ta));
  }
  b.violation(a[21], Kind::assertion, "not a page table").assume(in(all & ~ta));
  end(a[21], "mapped", in(ta));

  // MADV_DONTNEED.
  const std::uint64_t zaps = hu | (mutant == 9 ? sp : 0);
  b.command(z[1], z[2], "huge").assume(in(zaps)).handle_from_place(old, payload);
  b.command(z[1], z[6], "nothing").assume(in(all & ~zaps));
  b.command(z[2], mutant == 2 ? z[5] : z[3], "*pmd = none")
      .assume(in(hu))
      .assume(in_place(old))
      .set_global(pmd, none)
      .clear_place(payload)
      .set_local(owns_old, 1);
  bad_store(z[2], hu);
  b.violation(z[2], Kind::leak, "leak (overwritten)").assume(in(hu)).assume(b.lnot(in_place(old)));
  send_flush(z[3], z[4]);
  wait_flush(z[4], mutant == 2 ? z[6] : z[5]);
  if (mutant == 1) {
    b.command(z[5], z[6], "kept");
  } else {
    free_object(z[5], mutant == 2 ? z[3] : z[6], old, owns_old, b.always());
  }
  end(z[6], "spin_unlock", b.always()).set_global(ptl, 0);

  // split_huge_page.
  lock(x[0], x[1]);
  b.command(x[1], x[2], "huge").assume(in(any_huge)).handle_from_place(old, payload);
  b.command(x[1], x[9], "nothing").assume(in(no | ta));
  b.command(x[2], x[3], "*pmd = splitting")
      .assume(in(hu | sp))
      .assume(b.land(in_place(old), b.lnot(freed(old))))
      .set_global(pmd, splitting);
  bad_store(x[2], hu | sp);
  overwrites(x[2]);
  b.command(x[3], x[4], "spin_unlock").set_global(ptl, 0);
  lock(x[4], x[5]);
  b.command(x[5], mutant == 5 ? x[8] : x[6], "*pmd = frozen")
      .assume(in(sp | fr))
      .assume(in_place(old))
      .set_global(pmd, frozen);
  bad_store(x[5], sp | fr);
  overwrites(x[5]);
  send_flush(x[6], x[7]);
  wait_flush(x[7], x[8]);
  const ExprId other_cached = b.lnot(b.op(ExprOp::other_null, tlb));
  b.command(x[8], x[9], "*pmd = table")
      .assume(in(fr))
      .assume(b.land(in_place(old), null(tlb)))
      .none(other_cached)
      .set_global(pmd, table);
  bad_store(x[8], fr | ta);
  b.violation(x[8], Kind::flush_missing, "transition before flush").assume(b.lnot(null(tlb)));
  b.violation(x[8], Kind::flush_missing, "transition before flush").some(other_cached);
  overwrites(x[8]);
  end(x[9], "spin_unlock", b.always()).set_global(ptl, 0).set_global(split, 0);
  return b.finish();
}

}  // namespace faultline::testing
