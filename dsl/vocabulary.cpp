#include "dsl/vocabulary.hpp"

#include <algorithm>

namespace faultline::dsl {

const std::vector<Word>& vocabulary() {
  using enum Builtin;
  using W = LockWay;
  static const std::vector<Word> table = {
      // questions and values
      {"likely", transparent, 1, 1, W::none, false, true},
      {"unlikely", transparent, 1, 1, W::none, false, true},
      {"READ_ONCE", load, 1, 1, W::none, false, true},
      {"ACCESS_ONCE", load, 1, 1, W::none, false, true},
      {"smp_load_acquire", load, 1, 1, W::none, false, true},
      {"ptep_get", load, 1, 1, W::none, false, true},
      {"pmdp_get", load, 1, 1, W::none, false, true},
      {"pmdp_get_lockless", load, 1, 1, W::none, false, true},
      {"pmd_read_atomic", load, 1, 1, W::none, false, true},
      {"locked", is_locked, 1, 1, W::none, false, true},
      {"spin_is_locked", is_locked, 1, 1, W::none, false, true},
      {"rwsem_is_locked", is_locked, 1, 1, W::none, false, true},
      {"write_locked", is_write_locked, 1, 1, W::none, false, true},
      {"tlb_cached", tlb_cached, 1, 1, W::none, false, true},
      {"running", running, 1, 1, W::none, false, true},
      // stores
      {"WRITE_ONCE", store, 2, 2},
      {"smp_store_release", store, 2, 2},
      {"set_pmd_at", store, 2, 2},
      {"set_pte_at", store, 2, 2},
      {"xchg", exchange, 2, 2, W::none, false, true},
      {"cmpxchg", compare_exchange, 3, 3, W::none, false, true},
      {"atomic_inc", atomic_inc, 1, 1},
      {"atomic_dec", atomic_dec, 1, 1},
      {"atomic_set", atomic_set, 2, 2},
      {"atomic_read", atomic_read, 1, 1, W::none, false, true},
      {"atomic_dec_and_test", atomic_dec_and_test, 1, 1, W::none, false, true},
      {"atomic_inc_not_zero", atomic_inc_not_zero, 1, 1, W::none, false, true},
      {"refcount_inc", atomic_inc, 1, 1},
      {"refcount_dec", atomic_dec, 1, 1},
      {"refcount_set", atomic_set, 2, 2},
      {"refcount_read", atomic_read, 1, 1, W::none, false, true},
      {"refcount_dec_and_test", atomic_dec_and_test, 1, 1, W::none, false, true},
      {"refcount_inc_not_zero", atomic_inc_not_zero, 1, 1, W::none, false, true},
      // locks
      {"spin_lock", lock, 1, 1, W::spin},
      {"spin_unlock", unlock, 1, 1, W::spin},
      {"spin_trylock", trylock, 1, 1, W::spin, false, true},
      {"spin_lock_irq", lock, 1, 1, W::spin, true},
      {"spin_unlock_irq", unlock, 1, 1, W::spin, true},
      {"spin_lock_irqsave", lock, 1, 1, W::spin, true},
      {"spin_unlock_irqrestore", unlock, 1, 1, W::spin, true},
      {"mutex_lock", lock, 1, 1, W::mutex},
      {"mutex_unlock", unlock, 1, 1, W::mutex},
      {"mutex_trylock", trylock, 1, 1, W::mutex, false, true},
      {"down_read", lock, 1, 1, W::read},
      {"up_read", unlock, 1, 1, W::read},
      {"down_read_trylock", trylock, 1, 1, W::read, false, true},
      {"down_write", lock, 1, 1, W::write},
      {"up_write", unlock, 1, 1, W::write},
      {"down_write_trylock", trylock, 1, 1, W::write, false, true},
      {"downgrade_write", downgrade, 1, 1, W::write},
      {"local_irq_save", irq_off, 0, 0},
      {"local_irq_disable", irq_off, 0, 0},
      {"local_irq_restore", irq_on, 0, 0},
      {"local_irq_enable", irq_on, 0, 0},
      {"rcu_read_lock", rcu_lock, 0, 1},
      {"rcu_read_unlock", rcu_unlock, 0, 1},
      // sequence counts
      {"write_seqcount_begin", seq_write_begin, 1, 1},
      {"write_seqcount_end", seq_write_end, 1, 1},
      {"read_seqcount_begin", seq_read_begin, 1, 1, W::none, false, true},
      {"read_seqcount_retry", seq_read_retry, 2, 2, W::none, false, true},
      // order, scheduling
      {"barrier", barrier, 0, 0},
      {"smp_mb", barrier, 0, 0},
      {"smp_rmb", barrier, 0, 0},
      {"smp_wmb", barrier, 0, 0},
      {"cpu_relax", barrier, 0, 0},
      {"cond_resched", may_sleep, 0, 0},
      {"might_sleep", may_sleep, 0, 0},
      // checks
      {"assert", assertion, 1, 2},
      {"BUG_ON", assertion_not, 1, 1},
      {"VM_BUG_ON", assertion_not, 1, 1},
      {"WARN_ON", assertion_not, 1, 1},
      {"WARN_ON_ONCE", assertion_not, 1, 1},
      {"VM_WARN_ON", assertion_not, 1, 1},
      // waiting and hardware
      {"wait_event", wait_event, 1, 1},
      {"synchronize_rcu", synchronize_rcu, 0, 1},
      {"touch", touch, 1, 2},
      {"flush_tlb", flush_tlb, 1, 1},
      // later stages
      {"call_rcu", unsupported, 1, 2},
      {"flush_tlb_local", unsupported, 1, 1},
      {"tlb_gather", unsupported, 0, 9},
      {"atomic_add_unless", unsupported, 3, 3},
  };
  return table;
}

const Word* find_word(std::string_view name) {
  const auto& table = vocabulary();
  const auto it = std::find_if(table.begin(), table.end(), [&](const Word& word) { return word.name == name; });
  return it == table.end() ? nullptr : &*it;
}

}  // namespace faultline::dsl
