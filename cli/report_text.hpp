// A Verdict as text for people: the verdict first, then scope and engine, then properties, then the timeline.
#pragma once
#include <string>
#include <vector>

#include "checker/verdict.hpp"
#include "dsl/diagnostic.hpp"

namespace faultline::cli {

// What the reports need to know of the model beside its verdict.
struct ReportContext {
  const dsl::Sources& sources;       // file names for spans
  std::vector<std::string> locks{};  // names of its locks
};

struct TextOptions {
  bool full = false;
  bool colour = false;
  bool timing = true;
  std::size_t width = 100;
};

[[nodiscard]] std::string report_text(const check::Verdict& verdict, const ReportContext& context,
                                      const TextOptions& options);

// "base violated (assert), unstable proved": the last line of a run over several variants.
[[nodiscard]] std::string summary_line(const std::vector<check::Verdict>& verdicts, bool colour);

// "assert", "invariant(mapped)": how a violation is called in `expect` lines and reports.
[[nodiscard]] std::string violation_name(const step::Violation& violation);

// "statement pte_free(new)", "arrow huge -> none".
[[nodiscard]] std::string unreached_text(const step::Coverage& part);

// "file:line:column", or the file alone when the place is not known.
[[nodiscard]] std::string place_text(const dsl::Span& span, const dsl::Sources& sources);

}  // namespace faultline::cli
