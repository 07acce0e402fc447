#include "checker/static_verdict.hpp"

#include <algorithm>
#include <array>

#include "checker/check.hpp"

namespace faultline::check {
namespace {

// Which kind of violation a protocol error shows.
step::Kind kind_of(const std::string& code) {
  constexpr std::array<std::pair<std::string_view, step::Kind>, 9> kinds = {{
      {"FL0410", step::Kind::lock_missing},
      {"FL0411", step::Kind::transition},
      {"FL0412", step::Kind::flush_missing},
      {"FL0420", step::Kind::lock_unbalanced},
      {"FL0421", step::Kind::sleep_atomic},
      {"FL0422", step::Kind::lock_unbalanced},
      {"FL0423", step::Kind::lock_recursion},
      {"FL0430", step::Kind::double_free},
      {"FL0431", step::Kind::leak},
  }};
  const auto* found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& row) { return row.first == code; });
  return found == kinds.end() ? step::Kind::assertion : found->second;
}

}  // namespace

Verdict static_verdict(const step::Variant& variant) {
  Verdict verdict;
  for (const dsl::Diagnostic& diagnostic : variant.diagnostics.sorted()) {
    if (diagnostic.severity != dsl::Severity::error) continue;
    const step::Violation violation{kind_of(diagnostic.code), "", diagnostic.message, diagnostic.span};
    Verdict one = static_violation(variant.model.name, variant.name, violation);
    if (verdict.violations.empty()) {
      verdict = std::move(one);
    } else {
      verdict.violations.push_back(std::move(one.violations.front()));
    }
  }
  return verdict;
}

}  // namespace faultline::check
