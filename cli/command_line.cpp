#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "dsl/diagnostic.hpp"

namespace faultline::cli {
namespace {

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h"; }

std::string with_suggestion(std::string message, const std::string& word, const std::vector<std::string>& candidates,
                            std::string_view otherwise) {
  const std::string close = dsl::did_you_mean(word, candidates);
  return message + (close.empty() ? fmt::format("\n{}", otherwise) : fmt::format("\ndid you mean `{}`?", close));
}

UsageError unknown_command(const std::string& word) {
  std::vector<std::string> names;
  for (const CommandRow& command : commands()) {
    if (!command.hidden) names.emplace_back(command.name);
  }
  return {with_suggestion(fmt::format("there is no subcommand `{}`", word), word, names,
                          "`faultline --help` lists the subcommands")};
}

UsageError unknown_option(const CommandRow& command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const OptionRow* option : options_of(command.id)) names.emplace_back(option->name);
  const bool elsewhere =
      std::any_of(options().begin(), options().end(), [&](const OptionRow& option) { return option.name == name; });
  const std::string message = elsewhere ? fmt::format("`{}` is not an option of `faultline {}`", name, command.name)
                                        : fmt::format("`faultline {}` has no option `{}`", command.name, name);
  return {with_suggestion(message, name, names, fmt::format("`faultline {} --help` lists the options", command.name))};
}

// What each option of the table was given; a flag gets one empty argument.
using Given = std::map<const OptionRow*, std::vector<std::string>>;

struct Split {
  std::vector<std::string> operands;
  Given given;
  std::vector<std::string> unknown;
  std::string wrong_count;      // the option whose argument is missing
  std::string flag_with_value;  // the flag that was given one
};

Split split(const CommandRow& command, std::vector<std::string> words) {
  Split result;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  app.add_option("operands", result.operands)->expected(0, -1);
  std::map<const OptionRow*, CLI::Option*> made;
  for (const OptionRow* option : options_of(command.id)) {
    const std::string name(option->name);
    if (option->argument.empty()) {
      made[option] = app.add_flag(name);
    } else {
      made[option] = app.add_option(name, result.given[option])->expected(1)->take_all()->allow_extra_args(false);
    }
  }
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    // Only a count can be wrong here (arguments are plain words), and CLI11's message opens with the option's name.
    const std::string text = error.what();
    result.wrong_count = text.substr(0, text.find_first_of(": "));
    return result;
  }
  for (const auto& [option, handle] : made) {
    if (handle->count() == 0) result.given.erase(option);
    if (!option->argument.empty() || handle->count() == 0) continue;
    result.given[option].assign(handle->count(), std::string());
    for (const std::string& value : handle->results()) {
      if (value != "true") result.flag_with_value = option->name;
    }
  }
  result.unknown = app.remaining();
  return result;
}

}  // namespace

std::variant<Invocation, HelpWanted, UsageError> read_command_line(const std::vector<std::string>& words) {
  if (words.empty() || asks_for_help(words.front())) return HelpWanted{};
  std::string first = words.front();
  if (first == "--version" || first == "-V") first = "version";
  if (first == "help") {
    if (words.size() == 1) return HelpWanted{};
    const CommandRow* about = find_command(words[1]);
    if (about == nullptr) return unknown_command(words[1]);
    return HelpWanted{about};
  }
  const CommandRow* command = find_command(first);
  if (command == nullptr) {
    if (first.starts_with("-")) {
      return UsageError{fmt::format("`{}` stands before a subcommand; write `faultline check MODEL {}`", first, first)};
    }
    return unknown_command(first);
  }
  // What stands behind `--` is an operand, whatever it looks like.
  const auto dashes = std::find(words.begin() + 1, words.end(), "--");
  const std::vector<std::string> rest(words.begin() + 1, dashes);
  if (std::any_of(rest.begin(), rest.end(), asks_for_help)) return HelpWanted{command};

  Split parts = split(*command, rest);
  if (dashes != words.end()) parts.operands.insert(parts.operands.end(), dashes + 1, words.end());
  if (!parts.wrong_count.empty()) return UsageError{fmt::format("`{}` needs an argument", parts.wrong_count)};
  if (!parts.flag_with_value.empty()) return UsageError{fmt::format("`{}` takes no argument", parts.flag_with_value)};
  for (const std::string& word : parts.unknown) {
    if (word.starts_with("-")) return unknown_option(*command, word);
  }
  Invocation invocation;
  invocation.command = command->id;
  invocation.settings.command_line = fmt::format("faultline {}", fmt::join(words, " "));
  for (const OptionRow* option : options_of(command->id)) {
    const auto given = parts.given.find(option);
    if (given == parts.given.end()) continue;
    if (!option->repeats && !option->argument.empty() && given->second.size() > 1) {
      return UsageError{fmt::format("`{}` is given {} times", option->name, given->second.size())};
    }
    for (const std::string& argument : given->second) {
      const std::string expected = option->apply(invocation.settings, argument);
      if (!expected.empty()) return UsageError{fmt::format("{} {}: expected {}", option->name, argument, expected)};
    }
  }
  invocation.settings.operands = parts.operands;
  if (parts.operands.size() < command->least) {
    return UsageError{fmt::format("`faultline {}` needs {}\n`faultline {} --help` has examples", command->name,
                                  command->operands, command->name)};
  }
  if (parts.operands.size() > command->most) {
    return UsageError{fmt::format("`faultline {}` takes {}; `{}` is one too many", command->name,
                                  command->most == 0 ? std::string("nothing else") : std::string(command->operands),
                                  parts.operands[command->most])};
  }
  return invocation;
}

}  // namespace faultline::cli
