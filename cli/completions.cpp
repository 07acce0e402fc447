#include "cli/completions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/options.hpp"
#include "dsl/codes.hpp"

namespace faultline::cli {
namespace {

std::vector<const CommandRow*> shown() {
  std::vector<const CommandRow*> result;
  for (const CommandRow& command : commands()) {
    if (!command.hidden) result.push_back(&command);
  }
  return result;
}

// The words an argument can be: "auto|explicit|views" has three, "DIR" none.
std::string words_of(std::string_view argument) {
  if (argument.find('|') == std::string_view::npos) return {};
  std::string words;
  for (std::size_t begin = 0; begin <= argument.size();) {
    const std::size_t end = std::min(argument.find('|', begin), argument.size());
    const std::string_view word = argument.substr(begin, end - begin);
    const bool literal = std::none_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (literal) words += fmt::format("{}{}", words.empty() ? "" : " ", word);
    begin = end + 1;
  }
  return words;
}

std::string code_words() {
  std::string words;
  for (const dsl::CodeInfo& info : dsl::codes()) words += fmt::format("{}{}", words.empty() ? "" : " ", info.code);
  return words;
}

std::string bash() {
  std::string names;
  std::string by_command;
  std::string by_argument;
  for (const CommandRow* command : shown()) {
    names += fmt::format("{}{}", names.empty() ? "" : " ", command->name);
    std::string flags = "--help";
    for (const OptionRow* option : options_of(command->id)) flags += fmt::format(" {}", option->name);
    std::string operands;
    if (command->operand_files == "fl") {
      operands = "$(compgen -d -- \"$cur\") $(compgen -f -X '!*.fl' -- \"$cur\")";
    } else if (command->operand_files == "dir") {
      operands = "$(compgen -d -- \"$cur\")";
    } else if (command->operand_files == "code") {
      operands = fmt::format("$(compgen -W '{}' -- \"$cur\")", code_words());
    }
    by_command +=
        fmt::format("    {}) flags='{}'; operands=\"{}\" ;;\n", command->name, flags, operands.empty() ? "" : "yes");
    by_argument += operands.empty() ? "" : fmt::format("      {}) COMPREPLY=({}) ;;\n", command->name, operands);
  }
  std::string arguments;
  for (const OptionRow& option : options()) {
    if (option.argument.empty()) continue;
    const std::string words = words_of(option.argument);
    const std::string reply = option.argument == "DIR" ? "$(compgen -d -- \"$cur\")"
                              : words.empty()          ? ""
                                                       : fmt::format("$(compgen -W '{}' -- \"$cur\")", words);
    arguments += fmt::format("    {}) COMPREPLY=({}); return ;;\n", option.name, reply);
  }
  return fmt::format(R"(# bash completion for faultline; written by `faultline completions bash`
_faultline() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} flags='' operands=''
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W '{} --help' -- "$cur"))
    return
  fi
  case $prev in
{}  esac
  case ${{COMP_WORDS[1]}} in
{}  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [[ -n $operands ]]; then
    compopt -o filenames 2>/dev/null
    case ${{COMP_WORDS[1]}} in
{}    esac
  fi
}}
complete -F _faultline faultline
)",
                     names, arguments, by_command, by_argument);
}

// A text inside single quotes of zsh's _arguments: brackets, colons and quotes have a meaning there.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':') result += '\\';
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result;
}

std::string zsh() {
  std::string names;
  std::string by_command;
  for (const CommandRow* command : shown()) {
    names += fmt::format("    '{}:{}'\n", command->name, zsh_text(command->summary));
    std::string specs;
    for (const OptionRow* option : options_of(command->id)) {
      const std::string words = words_of(option->argument);
      const std::string action = option->argument == "DIR" ? "_files -/"
                                 : words.empty()           ? " "
                                                           : fmt::format("({})", words);
      specs +=
          fmt::format("        '{}{}[{}]{}' \\\n", option->repeats ? "*" : "", option->name, zsh_text(option->help),
                      option->argument.empty() ? "" : fmt::format(":{}:{}", zsh_text(option->argument), action));
    }
    const std::string operands = command->operand_files == "fl"     ? "'*:model:_files -g \"*.fl\"'"
                                 : command->operand_files == "dir"  ? "'*:certificate:_files -/'"
                                 : command->operand_files == "code" ? fmt::format("'1:code:({})'", code_words())
                                                                    : std::string("'--help[help]'");
    by_command += fmt::format("      {})\n        _arguments \\\n{}        {} ;;\n", command->name, specs, operands);
  }
  return fmt::format(R"(#compdef faultline
# zsh completion for faultline; written by `faultline completions zsh`
_faultline() {{
  local -a names
  names=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command names
    return
  fi
  local name=$words[2]
  shift words
  (( CURRENT-- ))
  case $name in
{}  esac
}}
_faultline "$@"
)",
                     names, by_command);
}

std::string fish() {
  std::string text =
      "# fish completion for faultline; written by `faultline completions fish`\n"
      "complete -c faultline -f\n";
  const auto quoted = [](std::string_view words) {
    std::string result = "'";
    for (const char c : words) result += c == '\'' ? std::string("\\'") : std::string(1, c);
    return result + "'";
  };
  for (const CommandRow* command : shown()) {
    text += fmt::format("complete -c faultline -n __fish_use_subcommand -a {} -d {}\n", command->name,
                        quoted(command->summary));
    const std::string here = fmt::format("complete -c faultline -n '__fish_seen_subcommand_from {}'", command->name);
    if (command->operand_files == "fl") text += here + " -a '(__fish_complete_suffix .fl)'\n";
    if (command->operand_files == "dir") text += here + " -a '(__fish_complete_directories)'\n";
    if (command->operand_files == "code") text += here + fmt::format(" -a {}\n", quoted(code_words()));
    for (const OptionRow* option : options_of(command->id)) {
      const std::string words = words_of(option->argument);
      const std::string argument = option->argument.empty()    ? ""
                                   : option->argument == "DIR" ? " -r -a '(__fish_complete_directories)'"
                                   : words.empty()             ? " -x"
                                                               : fmt::format(" -x -a {}", quoted(words));
      text += fmt::format("{} -l {}{} -d {}\n", here, option->name.substr(2), argument, quoted(option->help));
    }
  }
  return text;
}

}  // namespace

std::string completions(const std::string& shell) {
  if (shell == "bash") return bash();
  if (shell == "zsh") return zsh();
  if (shell == "fish") return fish();
  return {};
}

}  // namespace faultline::cli
