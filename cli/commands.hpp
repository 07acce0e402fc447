// The subcommands. Each prints its report and returns an exit code of cli/run.hpp.
#pragma once
#include "checker/check.hpp"
#include "cli/progress.hpp"
#include "cli/settings.hpp"
#include "cli/terminal.hpp"

namespace faultline::cli {

[[nodiscard]] int check_command(const Settings& settings, Streams& streams);
[[nodiscard]] int cost_command(const Settings& settings, Streams& streams);
[[nodiscard]] int ablate_command(const Settings& settings, Streams& streams);
[[nodiscard]] int test_command(const Settings& settings, Streams& streams);
[[nodiscard]] int certify_command(const Settings& settings, Streams& streams);
[[nodiscard]] int export_command(const Settings& settings, Streams& streams);
[[nodiscard]] int explain_command(const Settings& settings, Streams& streams);
[[nodiscard]] int version_command(Streams& streams);

// The checker's options that a command line asks for.
[[nodiscard]] check::CheckOptions checker_options(const Settings& settings);

// check::check with a progress line; running out of memory is `unknown`, as any other limit.
[[nodiscard]] check::Verdict run_checker(const step::Program& program, const check::CheckOptions& options,
                                         Streams& streams);
// The same as a part of longer work: `doing` says in the progress line which.
[[nodiscard]] check::Verdict run_checker(const step::Program& program, const check::CheckOptions& options,
                                         Progress& progress, const std::string& doing);

}  // namespace faultline::cli
