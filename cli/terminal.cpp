#include "cli/terminal.hpp"

#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace faultline::cli {
namespace {

std::string_view escape(Ink ink) {
  switch (ink) {
    case Ink::plain: return "";
    case Ink::bold: return "\x1b[1m";
    case Ink::dim: return "\x1b[2m";
    case Ink::red: return "\x1b[1;31m";
    case Ink::green: return "\x1b[1;32m";
    case Ink::yellow: return "\x1b[1;33m";
    case Ink::cyan: return "\x1b[36m";
  }
  return "";
}

bool colour_wanted() {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  return term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

std::string painted(std::string_view text, Ink ink, bool colour) {
  if (!colour || ink == Ink::plain) return std::string(text);
  return std::string(escape(ink)) + std::string(text) + "\x1b[0m";
}

Streams standard_streams() {
  const bool out_terminal = isatty(STDOUT_FILENO) != 0;
  const bool err_terminal = isatty(STDERR_FILENO) != 0;
  const bool colour = colour_wanted();
  return {std::cout, std::cerr, out_terminal && colour, err_terminal && colour, err_terminal};
}

}  // namespace faultline::cli
