#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/words.hpp"

namespace faultline::cli {
namespace {

std::string indented(std::string_view text) {
  std::string result = "  ";
  for (const char c : text) {
    result += c;
    if (c == '\n') result += "  ";
  }
  return result + "\n";
}

std::string paragraph(std::string_view text) {
  std::string result;
  for (const std::string& line : wrapped(text, 88)) result += "  " + line + "\n";
  return result;
}

std::string left_side(const OptionRow& option) {
  return option.argument.empty() ? std::string(option.name) : fmt::format("{} {}", option.name, option.argument);
}

}  // namespace

std::string program_help() {
  std::string text =
      "faultline: is a page-fault path race-safe? A proof for any number of CPUs, or\n"
      "the shortest interleaving that breaks it.\n\n"
      "usage: faultline COMMAND [OPTIONS] …\n\n";
  for (const CommandRow& command : commands()) {
    if (!command.hidden) text += fmt::format("  {:<8}  {}\n", command.name, command.summary);
  }
  text +=
      "\n"
      "first steps:\n"
      "  faultline check models/thp/thp_fault.fl      # every variant of one model\n"
      "  faultline check --help                       # options and examples\n\n"
      "exit codes: 0 proved or as asked, 1 violated, 2 input or usage, 3 unknown,\n"
      "70 a fault of Faultline itself\n";
  return text;
}

std::string command_help(const CommandRow& command) {
  std::vector<const OptionRow*> rows = options_of(command.id);
  std::string text = fmt::format("faultline {}: {}\n\nusage: faultline {}{}{}{}\n\n{}", command.name, command.summary,
                                 command.name, command.operands.empty() ? "" : " ", command.operands,
                                 rows.empty() ? "" : " [OPTIONS]", paragraph(command.detail));
  if (!rows.empty()) {
    text += "\noptions:\n";
    std::size_t width = 0;
    for (const OptionRow* option : rows) width = std::max(width, left_side(*option).size());
    for (const OptionRow* option : rows) {
      const std::string initial = option->initial.empty() ? std::string() : fmt::format(" [{}]", option->initial);
      text += fmt::format("  {:<{}}  {}{}\n", left_side(*option), width, option->help, initial);
    }
  }
  text += fmt::format("\nexamples:\n{}", indented(command.examples));
  return text;
}

}  // namespace faultline::cli
