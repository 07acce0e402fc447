// Interrupts a Z3 context at a limit. Z3's own limits are not kept by every version and in every solver.
#pragma once
#include <z3++.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "checker/limits.hpp"

namespace faultline::check::smt {

// Looks while it lives. An interrupt that comes before Z3 has begun is lost, hence again and again until the end.
class Watchdog {
 public:
  Watchdog(z3::context& context, const Watch& watch) : context_(context), watch_(watch), thread_([this] { look(); }) {}
  ~Watchdog() { stop(); }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // Which limit was reached; empty: none.
  std::string stop() {
    if (thread_.joinable()) {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        stopped_ = true;
      }
      wake_.notify_one();
      thread_.join();
    }
    return reached_;
  }

 private:
  void look() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!wake_.wait_for(lock, std::chrono::milliseconds(5), [this] { return stopped_; })) {
      const std::uint64_t used = Z3_get_estimated_alloc_size();
      if (const char* limit = watch_.over(used / 3, used)) reached_ = limit;  // it takes more before it notices
      if (!reached_.empty()) context_.interrupt();
    }
  }

  z3::context& context_;
  const Watch& watch_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopped_ = false;
  std::string reached_;
  std::thread thread_;  // the last one: it reads the others
};

}  // namespace faultline::check::smt
