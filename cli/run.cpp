#include "cli/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <ostream>

#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/completions.hpp"
#include "cli/help.hpp"

namespace faultline::cli {
namespace {

int refuse(const std::string& message, Streams& streams) {
  streams.err << painted("faultline: ", Ink::red, streams.err_colour) << message << "\n";
  return exit_invalid;
}

int run_command(const Invocation& invocation, Streams& streams) {
  const Settings& settings = invocation.settings;
  switch (invocation.command) {
    case Command::check: return check_command(settings, streams);
    case Command::cost: return cost_command(settings, streams);
    case Command::ablate: return ablate_command(settings, streams);
    case Command::test: return test_command(settings, streams);
    case Command::certify: return certify_command(settings, streams);
    case Command::export_model: return export_command(settings, streams);
    case Command::explain: return explain_command(settings, streams);
    case Command::version: return version_command(streams);
    case Command::completions: {
      const std::string script = completions(settings.operands.front());
      if (script.empty())
        return refuse(fmt::format("no completions for `{}`; bash, zsh and fish have some", settings.operands.front()),
                      streams);
      streams.out << script;
      return exit_fine;
    }
  }
  return exit_internal;
}

// A report that nobody could get is none: the disk is full, for example.
int delivered(int code, Streams& streams) {
  streams.out.flush();
  if (streams.out) return code;
  streams.err << "faultline: the output could not be written\n";
  return exit_internal;
}

}  // namespace

int worse(int a, int b) {
  constexpr std::array order = {exit_internal, exit_invalid, exit_violated, exit_unknown, exit_fine};
  return std::find(order.begin(), order.end(), a) < std::find(order.begin(), order.end(), b) ? a : b;
}

int run(const std::vector<std::string>& words, Streams& streams) {
  try {
    const auto read = read_command_line(words);
    if (const auto* error = std::get_if<UsageError>(&read)) return refuse(error->message, streams);
    if (const auto* help = std::get_if<HelpWanted>(&read)) {
      streams.out << (help->command == nullptr ? program_help() : command_help(*help->command));
      return delivered(exit_fine, streams);
    }
    return delivered(run_command(std::get<Invocation>(read), streams), streams);
  } catch (const std::bad_alloc&) {
    streams.err << "faultline: out of memory; --memory-limit makes a search stop in time\n";
  } catch (const std::exception& error) {
    streams.err << "faultline: internal error: " << error.what() << "\n";
  }
  return exit_internal;
}

}  // namespace faultline::cli
