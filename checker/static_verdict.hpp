// What the front end proved wrong about a variant (FL04xx), as a verdict.
#pragma once
#include "checker/verdict.hpp"
#include "step/load.hpp"

namespace faultline::check {

// `variant` has FL04xx errors and no others. Violated, with one static violation for each error, in source order.
[[nodiscard]] Verdict static_verdict(const step::Variant& variant);

}  // namespace faultline::check
