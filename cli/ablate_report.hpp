// What `faultline ablate` found out about one variant, as a table, as traces and as JSON.
#pragma once
#include <string>
#include <vector>

#include "checker/ablation.hpp"
#include "cli/report_text.hpp"

namespace faultline::cli {

//   ablation of thp_fault [unstable], proved for any number of CPUs: each piece taken out on its own
//
//     page_fault
//       118, 120  lock pair  down_read(&mm->mmap_sem)         not needed  proved, any CPUs
//     madvise_dontneed
//       136       flush      flush_tlb(pmd)                   needed      stale_tlb, 1 CPU, 14 steps
//
//     2 removals: 1 breaks the proof, 1 keeps it, 0 unknown
//       needed:      flush 136
//       not needed:  lock pair 118
// Rows in source order, under the function that they stand in; long answers go on in the next line. `proved` is the
// verdict of the variant itself.
[[nodiscard]] std::string ablation_table(const check::Verdict& proved,
                                         const std::vector<check::AblationResult>& results, const TextOptions& options);

// The shortest trace of each removal that breaks the proof, drawn as `check` draws it; with a rule struck where that is
// what shows the race. What the front end proves wrong is shown at its place.
[[nodiscard]] std::string ablation_traces(const std::vector<check::AblationResult>& results,
                                          const ReportContext& context, const TextOptions& options);

// One JSON object, one line, without line end:
//   {"schema", "model", "variant", "file", "cpus",
//    "ablations": [{"kind", "text", "function", "line", "lines": […], "taken_as"?: bool, "answer", "verdict",
//                   "violation"?: as in a verdict, "rule_only": bool, "race"?: {"verdict", "violation"?}, "reason"?,
//                   "idle"?: […], "flushes"?: [{"line", "verdict", "violation"?: kind}], "seconds"?}]}
// `verdict` is proved, violated, unknown, not judged or not applicable; traces are left out unless `traces`.
[[nodiscard]] std::string ablation_json(const check::Verdict& proved, const std::vector<check::AblationResult>& results,
                                        const ReportContext& context, bool traces, bool timing);

}  // namespace faultline::cli
