// The subcommands. Each prints its report and returns an exit code of cli/run.hpp.
#pragma once
#include "cli/settings.hpp"
#include "cli/terminal.hpp"

namespace faultline::cli {

[[nodiscard]] int explain_command(const Settings& settings, Streams& streams);
[[nodiscard]] int version_command(Streams& streams);

}  // namespace faultline::cli
