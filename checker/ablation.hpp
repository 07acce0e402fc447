// Which synchronisation of a proved variant matters: each piece (dsl/ablate.hpp) is taken out on its own and what is
// left is checked like any variant.
//
// An arrow that says `under L` makes every removal of L violate that declaration, which is true and shallow. So where a
// mutant violates nothing but such a rule (lock_missing, or flush_missing for `after flush`), it is judged again with
// the rule struck from all arrows: `race` then says whether anything breaks that was not written down as a rule.
//
// A proof of a mutant says less when the mutant does less: if nothing reaches a state, an arrow, an assertion or a
// store any more that the variant reaches, the answer is `idle` and not `not_needed`. Other statements do not count,
// nor what stands in the branch of a check that leaves: that a clean-up is dead once its check is gone is the point of
// it.
//
// `after flush` on an arrow is a rule, so striking it cannot break a proof. What can be asked is whether a flush rests
// on it alone: each flush whose removal gives flush_missing is removed with this rule struck.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checker/verdict.hpp"
#include "dsl/ablate.hpp"
#include "step/load.hpp"

namespace faultline::check {

enum class AblationAnswer : std::uint8_t {
  needed,          // violated
  rule_only,       // violated, but the declared rule alone is
  not_needed,      // proved
  idle,            // proved, and it does less than the variant
  rule,            // an `after flush`: see `flushes`
  not_judged,      // nothing in the model could tell: a barrier under sc, a reader without a grace period
  not_applicable,  // what is left is no model (FL01xx to FL03xx): `reason` has the first error
  unknown,         // a limit was reached
};

struct Judged {
  Verdict verdict;
  dsl::Diagnostics diagnostics;  // of what the front end says about it; the errors of a static violation are here
};

// A flush that is missed by `after flush` first, judged with that rule struck.
struct FlushWithoutRule {
  dsl::Span flush;
  Answer answer = Answer::unknown;
  std::optional<step::Violation> violation;
};

struct AblationResult {
  dsl::Ablation removal;
  AblationAnswer answer = AblationAnswer::unknown;
  Judged as_is;                           // as the model stands; empty for not_judged and not_applicable
  std::optional<Judged> race;             // with the rule struck
  std::string reason;                     // of not_judged, not_applicable, unknown
  std::vector<std::string> idle;          // of idle: "arrow none -> table"
  std::vector<FlushWithoutRule> flushes;  // of rule
  double seconds = 0;
};

// Checks a program; `doing` is a few words for a progress line: "3 of 28: smp_wmb()".
using AblationRunner = std::function<Verdict(const step::Program& program, const std::string& doing)>;

// One result for each of dsl::ablations, in their order. `variant` is sound and `proved` its own verdict, with an
// answer of `proved`; `run` checks with the same options.
[[nodiscard]] std::vector<AblationResult> judge_ablations(const step::Variant& variant, const Verdict& proved,
                                                          const AblationRunner& run);

// What breaks the mutant: as the model stands, or with the rule struck where `race` has a violation. Null when nothing
// does. A progress line that fails counts.
[[nodiscard]] const Counterexample* breakage(const AblationResult& result);

}  // namespace faultline::check
