// Limits of time and memory, and the watch that every long loop looks at.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>

namespace faultline::check {

struct Limits {
  double seconds = 0;               // 0: none
  std::uint64_t memory_bytes = 0;   // of an engine's own data; 0: none
  std::uint64_t process_bytes = 0;  // of the whole process; 0: none
  unsigned threads = 0;  // of the explicit search; 0: as many as the machine has. Its result does not depend on it
  std::function<void(std::uint64_t states, std::uint32_t depth)> progress{};  // called about twice a second
};

// Thrown out of a long computation that has no answer of its own for a limit. what(): "time limit", "memory limit".
struct OverLimit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Memory of this process that is in use, in bytes, as the system counts it.
[[nodiscard]] std::uint64_t resident_bytes();

// Memory that was freed may be kept for what comes next, and is in use all the same: this gives it to the system.
void give_back();

// Its clock starts when it is made. Several threads may look. Looking costs some microseconds when the memory of the
// process is limited.
class Watch {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Watch(const Limits& limits) : limits_(limits) {}

  // "time limit", "memory limit" or null. `own`: bytes of the engine's data, where it counts them; `soon`: bytes that
  // it is about to take beyond what it has.
  [[nodiscard]] const char* over(std::uint64_t soon = 0, std::uint64_t own = 0) const;
  void check(std::uint64_t soon = 0) const {
    if (const char* reason = over(soon)) throw OverLimit(reason);
  }
  // True at each 64th call: time to look, in loops whose turns are short.
  [[nodiscard]] bool due() const { return (ticks_.fetch_add(1, std::memory_order_relaxed) & 63) == 63; }
  void tick() const {
    if (due()) check();
  }
  // Seconds left, at least 0.001; 0 if there is no limit.
  [[nodiscard]] double left() const;

 private:
  Limits limits_;
  Clock::time_point start_ = Clock::now();
  mutable std::atomic<std::uint32_t> ticks_ = 0;
};

// What the next `more` elements may take at once: a vector that is full moves to one of twice the size.
template <class Vector>
[[nodiscard]] std::uint64_t growth(const Vector& v, std::size_t more) {
  return v.size() + more > v.capacity() ? (2 * v.capacity() + more) * sizeof(typename Vector::value_type) : 0;
}

}  // namespace faultline::check
