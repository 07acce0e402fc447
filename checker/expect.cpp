#include "checker/expect.hpp"

#include <algorithm>
#include <set>

#include "fmt/format.h"

namespace faultline::check {

namespace {

std::string name_of(const step::Violation& violation) {
  if (violation.name.empty()) return step::to_string(violation.kind);
  return fmt::format("{}({})", step::to_string(violation.kind), violation.name);
}

// `mapped`, `invariant(mapped)` and, for a kind without a name, `invariant` all mean the violation invariant(mapped).
bool means(const std::string& expected, const step::Violation& violation) {
  return expected == name_of(violation) || expected == step::to_string(violation.kind) ||
         (!violation.name.empty() && expected == violation.name);
}

std::string found_text(const Verdict& verdict) {
  switch (verdict.answer) {
    case Answer::proved:
      return verdict.scope.any ? "it is proved for any number of CPUs"
                               : fmt::format("it is proved for {} CPUs", verdict.scope.cpus);
    case Answer::unknown: return "it is unknown: " + verdict.reason;
    case Answer::violated: break;
  }
  std::set<std::string> kinds;
  for (const Counterexample& example : verdict.violations) kinds.insert(name_of(example.violation));
  return fmt::format("it violates {}", fmt::join(kinds, ", "));
}

}  // namespace

CheckOptions options_for(const dsl::ExpectItem& item, CheckOptions base) {
  for (const dsl::ExpectClause& clause : item.clauses) {
    if (clause.what == dsl::ExpectClause::What::violates) base.all_kinds = true;
    if (clause.what == dsl::ExpectClause::What::safe && clause.cpus && !base.cpus)
      base.cpus = static_cast<std::uint32_t>(*clause.cpus);
  }
  return base;
}

std::vector<Expectation> judge(const dsl::ExpectItem& item, const Verdict& verdict, const CompareCosts& compare) {
  std::vector<Expectation> all;
  for (const dsl::ExpectClause& clause : item.clauses) {
    Expectation e;
    e.variant = item.variant.text;
    e.span = clause.span;
    switch (clause.what) {
      case dsl::ExpectClause::What::safe: {
        e.text = clause.cpus ? fmt::format("safe on {} cpus", *clause.cpus) : "safe";
        const bool any = verdict.scope.any || verdict.engine == "explicit";
        if (verdict.answer == Answer::proved)
          e.held = clause.cpus ? verdict.scope.any || verdict.scope.cpus >= *clause.cpus : any;
        break;
      }
      case dsl::ExpectClause::What::violates: {
        std::vector<std::string> names;
        for (const dsl::Ident& kind : clause.kinds) names.push_back(kind.text);
        e.text = fmt::format("violates {}", fmt::join(names, ", "));
        const auto expected = [&](const step::Violation& v) {
          return std::any_of(names.begin(), names.end(), [&](const auto& n) { return means(n, v); });
        };
        const auto reached = [&](const std::string& n) {
          return std::any_of(verdict.violations.begin(), verdict.violations.end(),
                             [&](const Counterexample& c) { return means(n, c.violation); });
        };
        e.held = !verdict.violations.empty() && std::all_of(names.begin(), names.end(), reached) &&
                 std::all_of(verdict.violations.begin(), verdict.violations.end(),
                             [&](const Counterexample& c) { return expected(c.violation); });
        break;
      }
      case dsl::ExpectClause::What::compare: {
        e.text = fmt::format("{} {} than {}", clause.relation.text, clause.measure.text, clause.than.text);
        const auto relation =
            compare ? compare(clause.measure.text, item.variant.text, clause.than.text) : std::nullopt;
        if (!relation) {
          e.why = "the costs cannot be compared: is there a `cost` line?";
        } else {
          e.held = (clause.relation.text == "fewer" && *relation < 0) ||
                   (clause.relation.text == "more" && *relation > 0) ||
                   (clause.relation.text == "same" && *relation == 0);
          if (!e.held)
            e.why = fmt::format("it has {} {}",
                                *relation < 0   ? "fewer"
                                : *relation > 0 ? "more"
                                                : "the same",
                                clause.measure.text);
        }
        break;
      }
    }
    if (!e.held && e.why.empty()) e.why = found_text(verdict);
    all.push_back(std::move(e));
  }
  return all;
}

}  // namespace faultline::check
