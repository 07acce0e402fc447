// Completion scripts, made from the tables of cli/options.cpp.
#pragma once
#include <string>

namespace faultline::cli {

// shell: bash, zsh or fish; anything else gives an empty string.
[[nodiscard]] std::string completions(const std::string& shell);

}  // namespace faultline::cli
