// The program: a command line in, reports out, an exit code back.
#pragma once
#include <string>
#include <vector>

#include "cli/terminal.hpp"

namespace faultline::cli {

// Exit codes. Over several variants the first of internal, invalid, violated, unknown, fine that occurred.
inline constexpr int exit_fine = 0;
inline constexpr int exit_violated = 1;
inline constexpr int exit_invalid = 2;  // input, or a wrong command line
inline constexpr int exit_unknown = 3;
inline constexpr int exit_internal = 70;

// `words` are the arguments behind the program's name. Throws nothing.
[[nodiscard]] int run(const std::vector<std::string>& words, Streams& streams);

// The more telling of two exit codes.
[[nodiscard]] int worse(int a, int b);

}  // namespace faultline::cli
