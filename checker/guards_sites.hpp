// Calls in a function and what must hold for each to be made, read off the tree.
#pragma once
#include <string>
#include <vector>

#include "dsl/model.hpp"

namespace faultline::check {

// An expression that is true (or false) when the call is made.
struct Condition {
  dsl::ExprPtr expr;
  bool holds = true;
  std::string text;  // "!pmd_present(*pmd)"
};

struct CallSite {
  std::string function;
  std::string call;
  dsl::Span span;
  std::vector<Condition> conditions;  // outermost first
};

// Calls of the model's functions, allocators, freers and flush_tlb, in source order within each function.
[[nodiscard]] std::vector<CallSite> call_sites(const dsl::Model& model);

}  // namespace faultline::check
