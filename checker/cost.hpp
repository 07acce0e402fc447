// Uncontended cost: what one run of a handler takes when no other CPU is there, for the `cost h from s` lines of a
// model.
//
// Rule: the run starts with the entry in state s, its payloads fresh objects that the entry owns, everything else as at
// the start of the model, and goes every way that it can go alone: each outcome of allocation, `maybe` and opaque
// conditions. least..most is over the runs that end, and over those that come to wait for ever, as far as they got. A
// run that goes round for ever and takes something each time makes `most` unbounded.
//
// The search for these runs uses the reference interpreter: one CPU has few states.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "step/program.hpp"

namespace faultline::check {

struct CostRange {
  static constexpr std::uint32_t unbounded = 0xffffffff;
  std::uint32_t least = 0;
  std::uint32_t most = 0;
  friend bool operator==(const CostRange&, const CostRange&) = default;
};

// One measure: "allocs", "locks" (acquisitions of all locks), "frees", "flushes", "ipis" (broadcasts), or the name of a
// lock.
struct MeasuredCost {
  std::string name;
  CostRange range;
};

// A handler started in one state of an entry.
struct HandlerCost {
  std::string handler;                       // "page_fault"
  std::string entry;                         // "pmd"
  std::string state;                         // "table"
  std::vector<MeasuredCost> measures;        // the five above, then each lock of the model in its order
  bool ends = false;                         // some run ends
  std::vector<step::Span> waits;             // steps at which some run waits for ever
  std::optional<step::Violation> violation;  // that some run meets even alone
  [[nodiscard]] const CostRange* find(const std::string& measure) const;
};

// One for each state of each cost line, in order. Throws std::length_error when a run has more than a million states.
[[nodiscard]] std::vector<HandlerCost> handler_costs(const step::Program& program);

// How the costs of a variant relate to those of another, over the rows that both have (same handler, entry and state).
// fewer: `most` is smaller in some row and larger in none; more: the other way round; same: equal in all;
// mixed: smaller in one and larger in another; nothing: no row to compare.
enum class CostRelation : std::uint8_t { nothing, fewer, same, more, mixed };
[[nodiscard]] CostRelation compare_costs(const std::vector<HandlerCost>& ours, const std::vector<HandlerCost>& theirs,
                                         const std::string& measure);
[[nodiscard]] const char* to_string(CostRelation relation);

}  // namespace faultline::check
