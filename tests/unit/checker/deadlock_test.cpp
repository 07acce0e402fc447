// What the waits-for graph excludes for any number of CPUs, a search with few must not find.
#include "checker/deadlock.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>

#include "checker/explicit.hpp"
#include "step/load.hpp"
#include "tests/support/sanitized.hpp"

namespace faultline::check {
namespace {

constexpr const char* head = R"(model m;
mutex a;
mutex b;
rwsem sem;
spinlock l;
entry flag_t {
    state off { is_off }
    state on  { is_on }
    off -> on;
    on -> off;
}
shared flag_t *f = off;
shared flag_t *g = off;
tlb f in on;
)";

step::Program program(const std::string& text) {
  step::Loaded loaded = step::load_text("m.fl", text);
  EXPECT_FALSE(loaded.variants.empty()) << text;
  EXPECT_FALSE(loaded.variants.front().diagnostics.has_errors()) << text;
  return loaded.variants.front().program;
}

DeadlockProof proof(const step::Program& p) {
  ViewsOptions options;
  const ViewsResult result = views(p, options);
  EXPECT_TRUE(result.proved) << result.reason;
  return deadlock_free(p, result.set);
}

bool deadlocks(const step::Program& p, std::uint32_t cpus) {
  ExplicitOptions options;
  options.cpus = cpus;
  options.all_kinds = true;
  const ExplicitResult result = explore(p, options);
  EXPECT_TRUE(result.complete) << result.reason;
  for (const Counterexample& c : result.violations)
    if (c.violation.kind == step::Kind::deadlock) return true;
  return false;
}

const std::string waiter = "handler w() { step; wait_event(is_off(*f)); }\n";

TEST(Deadlock, TheOnlyCpuOfALineEndsTheWait) {
  const step::Program p = program(head + waiter +
                                  "handler s() { *f = on; mutex_lock(&a); step; mutex_unlock(&a); *f = off; }\n"
                                  "run w on any cpus; run s on 1 cpu;\n");
  const DeadlockProof found = proof(p);
  EXPECT_TRUE(found.proved) << found.reason;
  EXPECT_FALSE(deadlocks(p, 3));
}

TEST(Deadlock, TheOnlyCpuOfALineMayBeIdle) {
  const step::Program p = program(head + waiter + "handler s() { *f = on; }\nrun w on any cpus; run s on 1 cpu;\n");
  EXPECT_FALSE(proof(p).proved);
  EXPECT_TRUE(deadlocks(p, 1));
}

TEST(Deadlock, TheOnlyCpuOfALineWaitsForTheWaiter) {
  const step::Program p =
      program(head + std::string("handler w() { mutex_lock(&a); wait_event(is_off(*f)); "
                                 "mutex_unlock(&a); }\n"
                                 "handler s() { *f = on; mutex_lock(&a); mutex_unlock(&a); *f = off; }\n"
                                 "run w on any cpus; run s on 1 cpu;\n"));
  const DeadlockProof found = proof(p);
  EXPECT_FALSE(found.proved);
  EXPECT_EQ(found.reason.find("waits in a circle"), 0U) << found.reason;
  EXPECT_TRUE(deadlocks(p, 1));
}

TEST(Deadlock, LocksInBothOrders) {
  const step::Program p =
      program(head + std::string("handler w() { mutex_lock(&a); mutex_lock(&b); mutex_unlock(&b); mutex_unlock(&a); }\n"
                                 "handler s() { mutex_lock(&b); mutex_lock(&a); mutex_unlock(&a); mutex_unlock(&b); }\n"
                                 "run w, s on any cpus;\n"));
  EXPECT_FALSE(proof(p).proved);
  EXPECT_TRUE(deadlocks(p, 2));
}

TEST(Deadlock, ReadersWaitForReadersOnlyBehindWriters) {
  const std::string nested =
      "handler h() { down_read(&sem); mutex_lock(&a); mutex_unlock(&a); up_read(&sem); }\n"
      "handler i() { mutex_lock(&a); down_read(&sem); up_read(&sem); mutex_unlock(&a); }\n";
  const step::Program readers = program(head + nested + "run h, i on any cpus;\n");
  const DeadlockProof found = proof(readers);
  EXPECT_TRUE(found.proved) << found.reason;
  EXPECT_FALSE(deadlocks(readers, 3));
  // A writer that is queued keeps new readers out: not by the rules of a model, but in the kernel.
  const step::Program queued =
      program(head + nested + "handler j() { down_write(&sem); up_write(&sem); }\nrun h, i, j on any cpus;\n");
  EXPECT_FALSE(proof(queued).proved);
  EXPECT_FALSE(deadlocks(queued, 3));
  const step::Program writer =
      program(head + nested +
              "handler j() { down_write(&sem); mutex_lock(&a); mutex_unlock(&a); up_write(&sem); }\n"
              "run h, i, j on any cpus;\n");
  EXPECT_FALSE(proof(writer).proved);
  EXPECT_TRUE(deadlocks(writer, 2));
  const step::Program read_then_write =
      program(head + std::string("handler h() { down_read(&sem); mutex_lock(&a); mutex_unlock(&a); up_read(&sem); }\n"
                                 "handler i() { mutex_lock(&a); down_write(&sem); up_write(&sem); mutex_unlock(&a); }\n"
                                 "run h, i on any cpus;\n"));
  EXPECT_FALSE(proof(read_then_write).proved);
  EXPECT_TRUE(deadlocks(read_then_write, 2));
}

TEST(Deadlock, FlushesWithInterruptsOff) {
  const step::Program one_at_a_time = program(
      head +
      std::string("handler h() { spin_lock_irq(&l); flush_tlb(f); spin_unlock_irq(&l); }\nrun h on any cpus;\n"));
  const DeadlockProof found = proof(one_at_a_time);
  EXPECT_TRUE(found.proved) << found.reason;
  EXPECT_FALSE(deadlocks(one_at_a_time, 3));
  const step::Program together = program(
      head +
      std::string("handler h() { local_irq_disable(); flush_tlb(f); local_irq_enable(); }\nrun h on any cpus;\n"));
  EXPECT_FALSE(proof(together).proved);
  EXPECT_TRUE(deadlocks(together, 2));
}

// ---------------------------------------------------------------- random handlers

class Writer {
 public:
  explicit Writer(std::uint32_t seed) : random_(seed) {}

  std::string model() {
    std::string text = head;
    const char* names[] = {"h", "i", "j"};
    for (const char* name : names) {
      const std::string body = statements(3, 3);
      text += std::string("handler ") + name + "() { " + body + "}\n";
    }
    text += "run h on any cpus;\n";
    text += below(2) == 0 ? "run i, j on 1 cpu;\n" : "run i on 1 cpu;\nrun j on 1 cpu;\n";
    return text;
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  std::string statements(unsigned most, unsigned depth) {
    std::string text;
    for (unsigned n = 1 + below(most); n > 0; --n) text += statement(depth);
    return text;
  }

  std::string statement(unsigned depth) {
    const std::string place = below(2) == 0 ? "*f" : "*g";
    switch (below(depth == 0 ? 3 : 6)) {
      case 0: return "wait_event(is_off(" + place + ")); ";
      case 1: return place + " = off; ";
      case 2: return "step; ";
      case 3: {
        const std::string inner = statements(2, depth - 1);
        return place + " = on; " + inner + place + " = off; ";
      }
      case 4: {
        const std::string inner = statements(2, depth - 1);
        return "if (maybe) { " + inner + "} ";
      }
      default: {
        static const std::string names[] = {"a", "b", "sem"};
        std::size_t lock = 3;
        for (std::size_t i = 0; i < 3; ++i)
          if (!held_[i] && (lock == 3 || below(2) == 0)) lock = i;
        if (lock == 3) return "step; ";
        const std::string mode = below(3) == 0 ? "write" : "read";
        held_[lock] = true;
        const std::string inner = statements(2, depth - 1);
        held_[lock] = false;
        if (names[lock] == "sem") return "down_" + mode + "(&sem); " + inner + "up_" + mode + "(&sem); ";
        return "mutex_lock(&" + names[lock] + "); " + inner + "mutex_unlock(&" + names[lock] + "); ";
      }
    }
  }

  std::mt19937 random_;
  bool held_[3] = {false, false, false};
};

TEST(Deadlock, RandomWaits) {
  const std::uint32_t cases =
      std::getenv("FAULTLINE_FULL") == nullptr ? static_cast<std::uint32_t>(testing::some_of(300)) : 10000U;
  int proved = 0, found = 0, neither = 0, by_line = 0;
  for (std::uint32_t seed = 1; seed <= cases; ++seed) {
    const std::string text = Writer(seed).model();
    step::Loaded loaded = step::load_text("m.fl", text);
    ASSERT_FALSE(loaded.variants.empty()) << text;
    if (loaded.variants.front().diagnostics.has_errors()) continue;  // an arrow to where it is, by all paths
    const step::Program& p = loaded.variants.front().program;
    ViewsOptions options;
    options.max_views = 20000;
    const ViewsResult result = views(p, options);
    if (!result.proved) continue;
    const DeadlockProof answer = deadlock_free(p, result.set);
    bool any = false;
    for (std::uint32_t cpus = 1; cpus <= 3 && !any; ++cpus) any = deadlocks(p, cpus);
    ASSERT_FALSE(answer.proved && any) << "seed " << seed << "\n" << text;
    ++(answer.proved ? proved : any ? found : neither);
    for (const std::string& edge : answer.edges)
      if (edge.find("the CPU of") == 0) {
        ++by_line;
        break;
      }
  }
  std::cout << proved << " proved (" << by_line << " along a 1-CPU line that waits), " << found << " deadlock, "
            << neither << " neither\n";
  EXPECT_GT(proved, testing::sanitized ? 4 : 20);
  EXPECT_GT(found, testing::sanitized ? 4 : 20);
  EXPECT_GT(by_line, 0);
}

}  // namespace
}  // namespace faultline::check
