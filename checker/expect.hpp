// `expect` lines against what was found.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checker/check.hpp"
#include "dsl/ast.hpp"

namespace faultline::check {

// One clause of one expect line.
struct Expectation {
  std::string variant;
  std::string text;  // "violates assert", "safe", "fewer allocs than base"
  bool held = false;
  std::string why;  // not held: what was found instead
  dsl::Span span;
};

// How the costs of `variant` compare with those of `than`: -1 fewer, 0 the same, 1 more; nothing when they cannot be
// compared.
using CompareCosts =
    std::function<std::optional<int>(const std::string& measure, const std::string& variant, const std::string& than)>;

// `verdict` must come from options_for(item). Rules:
//   safe               proved for any number of CPUs (or for the number that the model itself fixes)
//   safe on N cpus     proved for any, or by exhaustive search with N
//   violates a, b      exactly these kinds were reached (progress lines count as progress(name))
[[nodiscard]] std::vector<Expectation> judge(const dsl::ExpectItem& item, const Verdict& verdict,
                                             const CompareCosts& compare);

// What to ask for so that the clauses of `item` can be judged: all kinds for `violates`, a number for `safe on N cpus`.
[[nodiscard]] CheckOptions options_for(const dsl::ExpectItem& item, CheckOptions base);

}  // namespace faultline::check
