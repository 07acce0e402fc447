#include "checker/limits.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

// jemalloc's, where the program is linked with it.
extern "C" int mallctl(const char*, void*, std::size_t*, void*, std::size_t) __attribute__((weak));

namespace faultline::check {

std::uint64_t resident_bytes() {
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 128> text{};
  const ::ssize_t size = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  const char* second = size > 0 ? std::strchr(text.data(), ' ') : nullptr;
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return second == nullptr ? 0 : std::strtoull(second, nullptr, 10) * page;
}

void give_back() {
  if (mallctl != nullptr)
    mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);  // 4096: all arenas
  else
    ::malloc_trim(0);
}

const char* Watch::over(std::uint64_t soon, std::uint64_t own) const {
  if (limits_.seconds > 0 && std::chrono::duration<double>(Clock::now() - start_).count() > limits_.seconds)
    return "time limit";
  if (limits_.memory_bytes > 0 && own > limits_.memory_bytes) return "memory limit";
  if (limits_.process_bytes > 0 && resident_bytes() + soon > limits_.process_bytes) {
    give_back();
    if (resident_bytes() + soon > limits_.process_bytes) return "memory limit";
  }
  return nullptr;
}

double Watch::left() const {
  if (limits_.seconds <= 0) return 0;
  return std::max(0.001, limits_.seconds - std::chrono::duration<double>(Clock::now() - start_).count());
}

}  // namespace faultline::check
