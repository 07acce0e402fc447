#include "cli/progress.hpp"

#include <fmt/format.h>

#include <ostream>

#include "cli/words.hpp"

namespace faultline::cli {

Progress::Progress(std::ostream& out, bool shown, std::string what, Clock::time_point now)
    : out_(out), shown_(shown), what_(std::move(what)), start_(now) {}

void Progress::update(std::uint64_t states, std::uint32_t depth, Clock::time_point now) {
  const double seconds = std::chrono::duration<double>(now - start_).count();
  if (!shown_ || seconds < 1) return;
  const auto rate = static_cast<std::uint64_t>(static_cast<double>(states) / seconds);
  out_ << fmt::format("\r{}: {} states, depth {}, {}/s, {:.0f} s\x1b[K", what_, thousands(states), depth,
                      thousands(rate), seconds)
       << std::flush;
  drawn_ = true;
}

void Progress::finish() {
  if (drawn_) out_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

}  // namespace faultline::cli
