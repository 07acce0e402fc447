// Verdicts and diagnostics as JSON, one object a line. Field names and their order are stable (schema "faultline/1").
#pragma once
#include <string>
#include <vector>

#include "cli/report_text.hpp"

namespace faultline::cli {

// One line without its newline. timing == false leaves seconds out, and equal runs then give equal bytes.
[[nodiscard]] std::string report_json(const check::Verdict& verdict, const ReportContext& context, bool timing);

// What cannot be understood: {"schema": …, "verdict": "invalid", "diagnostics": […]}.
// `variant` is empty where the whole file is meant.
[[nodiscard]] std::string invalid_json(const std::string& file, const std::string& variant,
                                       const std::vector<dsl::Diagnostic>& diagnostics, const dsl::Sources& sources);

}  // namespace faultline::cli
