// What `check --engine all` and `--explain-proof` add to a text report.
#pragma once
#include <string>

#include "checker/verdict.hpp"
#include "cli/report_text.hpp"

namespace faultline::cli {

// A row for each engine and number of CPUs: its answer, how much it looked at, on what the answer rests.
[[nodiscard]] std::string engine_table(const check::Verdict& verdict, const TextOptions& options);

// The lines of the source that have steps, each with what the proof knows there, by handler.
[[nodiscard]] std::string explanation(const check::Verdict& verdict, const ReportContext& context,
                                      const TextOptions& options);

}  // namespace faultline::cli
