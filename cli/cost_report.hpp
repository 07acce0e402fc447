// What `faultline cost` found out about one model, and how it is written down.
#pragma once
#include <string>
#include <vector>

#include "checker/cost.hpp"
#include "checker/guards.hpp"
#include "cli/guard_table.hpp"
#include "step/load.hpp"

namespace faultline::cli {

struct VariantCosts {
  std::string variant;
  std::vector<check::HandlerCost> costs;
};

// The tables as the text report draws them.
[[nodiscard]] std::vector<GuardTable> drawn(const std::vector<check::GuardTable>& tables);

// One JSON object, one line, without line end:
//   {"schema", "model", "file",
//    "costs": [{"variant", "handler", "entry", "state", "measures": {"allocs": {"least", "most"}, …},
//               "ends": whether some run ends, "waits": [{"file", "line", "column"}], "violation"?: {"kind", …}}],
//    "guards": [{"function", "call", "entry", "file", "line", "column", "states": […],
//                "rows": [{"variant", "guard", "line", "passes": {state: true | false | "depends"}, "seen": {state: n},
//                          "complete"}]}]}
// `most` is null where it has no bound.
[[nodiscard]] std::string cost_json(const std::string& path, const step::Loaded& loaded,
                                    const std::vector<VariantCosts>& costs,
                                    const std::vector<check::GuardTable>& guards);

}  // namespace faultline::cli
