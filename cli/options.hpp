// The one table of subcommands and the one table of options. Parsing, help, completions and the man page read them, so
// that they cannot disagree.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/settings.hpp"

namespace faultline::cli {

enum class Command : std::uint8_t { check, cost, ablate, test, certify, export_model, explain, version, completions };

struct CommandRow {
  Command id;
  std::string_view name;
  std::string_view operands;  // "MODEL…", as the synopsis shows it; empty: none
  std::size_t least;          // how many operands it needs
  std::size_t most;
  std::string_view summary;   // one line, for `faultline --help`
  std::string_view detail;    // a paragraph, for `faultline NAME --help`
  std::string_view examples;  // lines "command line  # what for"
  bool hidden;
  std::string_view
      operand_files;  // completion: "fl" for models, "dir" for folders, "code" for FLnnnn, or words "bash zsh fish"
};

struct OptionRow {
  std::string_view name;
  std::string_view argument;  // "N|any"; empty: a flag
  std::string_view initial;   // the default as help shows it; empty: none to tell
  std::string_view help;
  bool repeats;
  std::vector<Command> commands;
  // Stores the argument. Returns what is wrong with it, or an empty string.
  std::string (*apply)(Settings&, const std::string&);
};

[[nodiscard]] const std::vector<CommandRow>& commands();
[[nodiscard]] const std::vector<OptionRow>& options();
[[nodiscard]] const CommandRow& row(Command command);
[[nodiscard]] const CommandRow* find_command(std::string_view name);  // null if there is none
[[nodiscard]] std::vector<const OptionRow*> options_of(Command command);

}  // namespace faultline::cli
