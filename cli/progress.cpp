#include "cli/progress.hpp"

#include <fmt/format.h>

#include <ostream>

#include "cli/words.hpp"

namespace faultline::cli {

Progress::Progress(std::ostream& out, bool shown, Clock::time_point now)
    : out_(out), shown_(shown), start_(now), phase_start_(now) {}

void Progress::update(const std::string& phase, std::uint64_t states, std::uint32_t depth, Clock::time_point now) {
  if (!shown_) return;
  if (phase != phase_) {
    phase_ = phase;
    phase_start_ = now;
  }
  const double all = std::chrono::duration<double>(now - start_).count();
  if (all < 1) return;
  std::string text = phase;
  if (states != 0) text += fmt::format(": {} states", thousands(states));
  if (depth != 0) text += fmt::format(", depth {}", depth);
  const double here = std::chrono::duration<double>(now - phase_start_).count();
  if (depth != 0 && here > 0)
    text += fmt::format(", {}/s", thousands(static_cast<std::uint64_t>(static_cast<double>(states) / here)));
  out_ << fmt::format("\r{}, {:.0f} s\x1b[K", text, all) << std::flush;
  drawn_ = true;
}

void Progress::finish() {
  if (drawn_) out_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

}  // namespace faultline::cli
