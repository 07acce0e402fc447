// Parts that the JSON reports share.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "checker/verdict.hpp"
#include "dsl/diagnostic.hpp"

namespace faultline::cli {

using Json = nlohmann::ordered_json;

[[nodiscard]] Json cpus_json(const check::Scope& scope);  // "any", or the number

// Adds "file", "line" and "column".
void add_place(Json& json, const dsl::Span& span, const dsl::Sources& sources);

// {"kind", "name"?, "message", "file", "line", "column", "cpus", "steps", "trace", "loop"?}; a static one ends behind
// "column". Without `trace` the last two are left out.
[[nodiscard]] Json violation_json(const check::Counterexample& example, const dsl::Sources& sources, bool trace);

// One line; bytes that are no UTF-8 are replaced.
[[nodiscard]] std::string one_line(const Json& json);

}  // namespace faultline::cli
