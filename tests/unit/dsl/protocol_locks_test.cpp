// FL0420 to FL0423: locks on all paths, and on some.
#include "protocol_support.hpp"

namespace faultline::dsl {
namespace {

TEST(ProtocolLocks, HeldAtAReturn) {
  EXPECT_EQ(handler("spin_lock(ptl); if (pte_none(*pte)) { spin_unlock(ptl); return; } spin_unlock(ptl);"), "");
  EXPECT_EQ(handler("spin_lock(ptl); if (pte_none(*pte)) return; spin_unlock(ptl);"), "FL0420");
  EXPECT_EQ(handler("spin_lock(ptl); if (pte_none(*pte)) goto out; spin_unlock(ptl); out: step;"), "")
      << "some paths only";
  EXPECT_EQ(handler("bool l = spin_trylock(ptl); if (l) spin_unlock(ptl);"), "");
  EXPECT_EQ(handler("if (spin_trylock(ptl)) step;"), "") << "some paths only";
  EXPECT_EQ(handler("if (!spin_trylock(ptl)) return; step;"), "FL0420");
  EXPECT_EQ(handler("down_write(mmap_sem); downgrade_write(mmap_sem);"), "FL0420");
  EXPECT_EQ(handler("down_write(mmap_sem); downgrade_write(mmap_sem); up_read(mmap_sem);"), "");
}

TEST(ProtocolLocks, AFunctionMayReturnWithALockForItsCaller) {
  const std::string take =
      "bool take() { spin_lock(ptl); if (pte_none(*pte)) { spin_unlock(ptl); return false; } return true; }\n";
  EXPECT_EQ(says(take + "handler h() { if (take()) spin_unlock(ptl); }"), "");
  EXPECT_EQ(says(take + "handler h() { take(); step; }"), "FL0420") << "the return that keeps it";
  EXPECT_EQ(says(take + "handler h() { if (take()) spin_unlock(ptl); }\nhandler g() { take(); step; }"), "FL0420");
  EXPECT_EQ(says(take + "handler h() { bool t = take(); if (maybe && t) spin_unlock(ptl); }"), "");
}

TEST(ProtocolLocks, OneMistakeIsSaidOnce) {
  const std::string deep =
      "int inner() { spin_lock(ptl); if (pte_none(*pte)) return 1; spin_unlock(ptl); return 0; }\n"
      "int outer() { if (inner()) return 2; return 0; }\n";
  EXPECT_EQ(says(deep + "handler h() { if (outer()) return; step; }"), "FL0420");
  EXPECT_EQ(handler("spin_lock(ptl); spin_lock(ptl); spin_unlock(ptl);"), "FL0423");
  EXPECT_EQ(handler("spin_lock(ptl); spin_lock(ptl); spin_unlock(ptl); spin_unlock(ptl);"), "FL0423");
  EXPECT_EQ(handler("spin_unlock(ptl); spin_lock(ptl);"), "FL0422");
}

TEST(ProtocolLocks, AnAssertionThatAlwaysFailsIsNoReturn) {
  EXPECT_EQ(handler("spin_lock(ptl); assert(false); spin_unlock(ptl);"), "");
  EXPECT_EQ(handler("spin_lock(ptl); if (pte_none(*pte)) { unreachable; } spin_unlock(ptl);"), "");
}

TEST(ProtocolLocks, Interrupts) {
  EXPECT_EQ(handler("spin_lock_irqsave(&ptl, flags); spin_unlock_irqrestore(&ptl, flags);"), "");
  EXPECT_EQ(handler("spin_lock_irqsave(&ptl, flags); spin_unlock(&ptl);"), "FL0420");
  EXPECT_EQ(handler("local_irq_disable(); spin_lock(ptl); spin_unlock(ptl); local_irq_enable();"), "");
  EXPECT_EQ(handler("local_irq_disable(); if (pte_none(*pte)) return; local_irq_enable();"), "FL0420");
  EXPECT_EQ(handler("local_irq_enable();"), "FL0422");
}

TEST(ProtocolLocks, Rcu) {
  EXPECT_EQ(handler("rcu_read_lock(); rcu_read_lock(); rcu_read_unlock(); rcu_read_unlock();"), "") << "nests";
  EXPECT_EQ(handler("rcu_read_lock(); rcu_read_lock(); rcu_read_unlock();"), "FL0420");
  EXPECT_EQ(handler("rcu_read_lock(); rcu_read_unlock(); rcu_read_unlock();"), "FL0422");
}

TEST(ProtocolLocks, Sleeping) {
  EXPECT_EQ(handler("spin_lock(ptl); cond_resched(); spin_unlock(ptl);"), "FL0421");
  EXPECT_EQ(handler("spin_lock(ptl); wait_event(pte_none(*pte)); spin_unlock(ptl);"), "FL0421");
  EXPECT_EQ(handler("spin_lock(ptl); mutex_lock(page_mutex); mutex_unlock(page_mutex); spin_unlock(ptl);"), "FL0421");
  EXPECT_EQ(handler("spin_lock(ptl); down_write(mmap_sem); up_write(mmap_sem); spin_unlock(ptl);"), "FL0421");
  EXPECT_EQ(handler("rcu_read_lock(); down_read(mmap_sem); up_read(mmap_sem); rcu_read_unlock();"), "FL0421");
  EXPECT_EQ(
      handler(
          "mutex_lock(page_mutex); cond_resched(); down_read(mmap_sem); up_read(mmap_sem); mutex_unlock(page_mutex);"),
      "");
  EXPECT_EQ(handler("spin_lock(ptl); if (down_read_trylock(mmap_sem)) up_read(mmap_sem); spin_unlock(ptl);"), "")
      << "a trylock does not sleep";
  EXPECT_EQ(handler("spin_lock(ptl); spin_lock(lru_lock); spin_unlock(lru_lock); spin_unlock(ptl); cond_resched();"),
            "");
}

TEST(ProtocolLocks, SleepingOnSomePaths) {
  EXPECT_EQ(handler("bool l = maybe; if (l) spin_lock(ptl); cond_resched(); if (l) spin_unlock(ptl);"), "");
  EXPECT_EQ(handler("bool l = maybe; if (l) spin_lock(ptl); else rcu_read_lock(); cond_resched(); if (l) "
                    "spin_unlock(ptl); else rcu_read_unlock();"),
            "FL0421")
      << "each path has its reason";
}

TEST(ProtocolLocks, Unlocking) {
  EXPECT_EQ(handler("if (maybe) spin_lock(ptl); spin_unlock(ptl);"), "") << "some paths only";
  EXPECT_EQ(handler("spin_unlock(ptl);"), "FL0422");
  EXPECT_EQ(handler("down_read(mmap_sem); up_write(mmap_sem);"), "FL0422");
  EXPECT_EQ(handler("down_write(mmap_sem); up_read(mmap_sem);"), "FL0422");
  EXPECT_EQ(handler("bool w = maybe; if (w) down_write(mmap_sem); else down_read(mmap_sem); up_write(mmap_sem);"), "")
      << "some paths only";
  EXPECT_EQ(handler("bool w = maybe; if (w) down_write(mmap_sem); else down_read(mmap_sem); if (w) up_write(mmap_sem); "
                    "else up_read(mmap_sem);"),
            "");
  EXPECT_EQ(handler("downgrade_write(mmap_sem);"), "FL0422");
}

TEST(ProtocolLocks, Twice) {
  EXPECT_EQ(handler("down_read(mmap_sem); down_read(mmap_sem); up_read(mmap_sem);"), "FL0423");
  EXPECT_EQ(handler("spin_lock(ptl); bool again = spin_trylock(ptl); if (again) spin_unlock(ptl); spin_unlock(ptl);"),
            "")
      << "the trylock fails";
  EXPECT_EQ(handler("bool l = maybe; if (l) spin_lock(ptl); if (!l) spin_lock(ptl); spin_unlock(ptl);"), "");
  EXPECT_EQ(handler("if (maybe) spin_lock(ptl); spin_lock(ptl); spin_unlock(ptl);"), "") << "some paths only";
  EXPECT_EQ(handler("for (int i = 0; i < 3; i++) { spin_lock(ptl); step; spin_unlock(ptl); }"), "");
  EXPECT_EQ(handler("while (pte_none(*pte)) spin_lock(ptl); spin_unlock(ptl);"), "") << "the first round is right";
}

}  // namespace
}  // namespace faultline::dsl
