// When Faultline finds itself wrong, everything that shows it goes into one folder.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "checker/verdict.hpp"
#include "cli/terminal.hpp"
#include "step/load.hpp"

namespace faultline::cli {

struct BugReport {
  std::string what;               // what went wrong, one line each
  const step::Loaded& loaded;     // the model as it was read
  const step::Variant& variant;   // the one that was being checked
  const check::Verdict* verdict;  // null if there is none yet
  std::string command;            // the command line, as far as it is known
};

// Writes a folder `faultline-bug-MODEL-VARIANT` (with a number behind it if there is one already) into `parent`, as a
// whole or not at all: README, model.fl, patched.fl, command, engines and verdict. Returns its path. Throws
// std::runtime_error with a message.
[[nodiscard]] std::filesystem::path write_bug_report(const BugReport& report, const std::filesystem::path& parent);

// Writes it into the working folder, says so, and returns exit_internal.
[[nodiscard]] int report_fault(const BugReport& report, Streams& streams);

}  // namespace faultline::cli
