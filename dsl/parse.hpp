// text → tree. The implementation (parse.cpp) is the only file that sees ANTLR.
#pragma once
#include <memory>
#include <optional>

#include "dsl/ast.hpp"
#include "dsl/diagnostic.hpp"

namespace faultline::dsl {

// Reads a file from disk. On failure (missing, a directory, unreadable, over 4 MiB, empty, not UTF-8, a NUL byte) adds
// a diagnostic FL010x and returns nothing. A UTF-8 byte order mark and CRLF line ends are accepted. The file is
// appended to `sources` whenever it could be read at all, so that the diagnostic can show it.
[[nodiscard]] bool read_source(const std::string& path, Sources& sources, Diagnostics& diagnostics);

// Parses sources[file]. Always returns what could be understood; errors are in `diagnostics` (FL01xx).
[[nodiscard]] File parse(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics);

}  // namespace faultline::dsl
