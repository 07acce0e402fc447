// Where output goes and whether it may be coloured.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace faultline::cli {

enum class Ink : std::uint8_t { plain, bold, dim, red, green, yellow, cyan };

// Wraps `text` in the escape sequence of an ink, or leaves it alone.
[[nodiscard]] std::string painted(std::string_view text, Ink ink, bool colour);

struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool out_colour = false;
  bool err_colour = false;
  bool progress = false;  // err is a terminal: long work may show how far it is
};

// The process's own streams. Colour only on a terminal, and not with NO_COLOR set to anything or TERM=dumb.
[[nodiscard]] Streams standard_streams();

}  // namespace faultline::cli
