#include "cli/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace faultline::cli {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }  // a later byte of a code point

// Bytes of the first `width` code points.
std::size_t bytes_of(std::string_view text, std::size_t width) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    if (!continues(text[bytes]) && width-- == 0) break;
    ++bytes;
  }
  return bytes;
}

}  // namespace

std::string thousands(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", thousands(count), noun, count == 1 ? "" : "s");
}

std::string seconds_text(double seconds) {
  return seconds < 10 ? fmt::format("{:.2f} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string_view answer_word(check::Answer answer) {
  switch (answer) {
    case check::Answer::proved: return "proved";
    case check::Answer::violated: return "violated";
    case check::Answer::unknown: return "unknown";
  }
  return "unknown";
}

std::string cpus_text(const check::Scope& scope) {
  if (scope.any) return "any CPUs";
  std::string sum;
  std::uint32_t total = 0;
  for (const std::uint32_t cpus : scope.per_line) {
    sum += fmt::format("{}{}", sum.empty() ? "" : "+", cpus);
    total += cpus;
  }
  if (sum.empty()) {
    sum = std::to_string(scope.cpus);
    total = scope.cpus;
  }
  return fmt::format("{} CPU{}", sum, total == 1 ? "" : "s");
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string padded(std::string_view text, std::size_t width) {
  const std::size_t have = columns(text);
  return std::string(text) + std::string(have < width ? width - have : 0, ' ');
}

std::string cut(std::string_view text, std::size_t width) {
  if (columns(text) <= width) return std::string(text);
  if (width == 0) return {};
  return std::string(text.substr(0, bytes_of(text, width - 1))) + "…";
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  width = std::max<std::size_t>(width, 1);
  while (columns(text) > width) {
    const std::size_t room = bytes_of(text, width);
    std::size_t end = room;  // in the middle of a word, if there is nothing better
    std::size_t next = room;
    // A blank just behind the room is a place to break as well.
    if (const std::size_t blank = text.rfind(' ', room); blank != std::string_view::npos && blank > 0) {
      end = blank;
      next = blank + 1;
    } else if (const std::size_t mark = text.find_last_of("(,", room - 1); mark != std::string_view::npos && mark > 0) {
      end = next = mark + 1;
    }
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(next);
  }
  lines.emplace_back(text);
  return lines;
}

}  // namespace faultline::cli
