// The built-in vocabulary: kernel names that mean something to Faultline. One table that every stage reads.
// (Predicates, allocators and the functions of a model are declared in the model.)
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace faultline::dsl {

enum class Builtin : std::uint8_t {
  transparent,       // likely(e): is e
  load,              // READ_ONCE(*p), pmdp_get(p): is *p
  store,             // WRITE_ONCE(*p, v)
  exchange,          // xchg(p, v): load and store in one step
  compare_exchange,  // cmpxchg(p, old, new)
  clear,             // pmdp_clear(p)-like: not built yet
  lock,
  unlock,
  trylock,
  downgrade,
  irq_off,
  irq_on,
  rcu_lock,
  rcu_unlock,
  synchronize_rcu,
  seq_write_begin,
  seq_write_end,
  seq_read_begin,
  seq_read_retry,
  barrier,        // orders memory; nothing under sequential consistency
  may_sleep,      // cond_resched(), might_sleep()
  assertion,      // assert(e [, "message"])
  assertion_not,  // BUG_ON(e): is assert(!e)
  wait_event,
  touch,
  flush_tlb,
  is_locked,
  is_write_locked,
  tlb_cached,
  running,  // questions about ghost state
  atomic_inc,
  atomic_dec,
  atomic_dec_and_test,
  atomic_inc_not_zero,
  atomic_read,
  atomic_set,
  unsupported,  // known, but a later stage of Faultline
};

enum class LockWay : std::uint8_t { none, spin, mutex, read, write };

struct Word {
  std::string_view name;
  Builtin builtin;
  int low = 0, high = 0;        // number of arguments, opaque ones not counted
  LockWay way = LockWay::none;  // lock words
  bool irqs = false;            // spin_lock_irq and friends
  bool value = false;           // may stand where a value is wanted
};

[[nodiscard]] const Word* find_word(std::string_view name);
[[nodiscard]] const std::vector<Word>& vocabulary();

}  // namespace faultline::dsl
