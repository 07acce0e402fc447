// From the words of a command line to a command and its settings. CLI11 splits the words; what is wrong is said in our
// own.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "cli/options.hpp"

namespace faultline::cli {

struct Invocation {
  Command command = Command::check;
  Settings settings;
};
struct HelpWanted {
  const CommandRow* command = nullptr;  // null: of the whole program
};
struct UsageError {
  std::string message;  // one or two lines for stderr, without "faultline: "
};

// `words` are the arguments behind the program's name.
[[nodiscard]] std::variant<Invocation, HelpWanted, UsageError> read_command_line(const std::vector<std::string>& words);

}  // namespace faultline::cli
