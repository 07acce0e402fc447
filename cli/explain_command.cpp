#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/commands.hpp"
#include "cli/run.hpp"
#include "dsl/codes.hpp"
#include "dsl/diagnostic.hpp"

namespace faultline::cli {

int explain_command(const Settings& settings, Streams& streams) {
  const std::string& code = settings.operands.front();
  if (const dsl::CodeInfo* info = dsl::find_code(code)) {
    streams.out << painted(info->code, Ink::bold, streams.out_colour) << ": " << info->title << "\n\n" << info->page;
    if (!info->page.ends_with('\n')) streams.out << "\n";
    return exit_fine;
  }
  std::vector<std::string> known;
  for (const dsl::CodeInfo& info : dsl::codes()) known.emplace_back(info.code);
  const std::string close = dsl::did_you_mean(code, known);
  streams.err << painted("faultline: ", Ink::red, streams.err_colour)
              << fmt::format("there is no diagnostic `{}`", code);
  streams.err << (close.empty() ? "\n" : fmt::format("\ndid you mean `{}`?\n", close));
  for (const dsl::CodeInfo& info : dsl::codes()) streams.err << fmt::format("  {}  {}\n", info.code, info.title);
  return exit_invalid;
}

}  // namespace faultline::cli
