// Help texts, made from the tables of cli/options.cpp.
#pragma once
#include <string>

#include "cli/options.hpp"

namespace faultline::cli {

[[nodiscard]] std::string program_help();  // at most 24 lines of 80 columns
[[nodiscard]] std::string command_help(const CommandRow& command);

}  // namespace faultline::cli
