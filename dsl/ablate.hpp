// Ablation: the pieces of synchronisation in one variant, and the variant without one of them.
//
// What counts as a piece, each to be taken out on its own:
//   lock pair    an acquire and the releases that paths lead to from it, calls followed. Acquires that share a release
//                go together; so do all callers of a function that takes or gives a lock. A trylock becomes `true`, an
//                irq form takes its part of the interrupts along.
//   irq section, rcu section   the same of local_irq_save() and rcu_read_lock().
//   check        the condition of an `if` or a loop, or an operand of && and || in one, that looks at shared memory: it
//                holds a star, a READ_ONCE() of a place, a copy of an entry, a local that such a look gave its value,
//                or a call of a function that does nothing but look. Conditions in assert() and wait_event() are none.
//   re-check     the same, when another look at the same place can come before it in the handler, calls followed.
//   wait         wait_event()
//   flush        flush_tlb()
//   grace period synchronize_rcu()
//   barrier      smp_mb() and its kin; cpu_relax() is none
//   after flush  the words on an arrow: a rule and no code
//
// A check is taken out by a constant in its place, the one with which control goes on as if nobody had asked:
//   an operand                       true under &&, false under ||: the other operand alone decides
//   if (c) return, goto, break, …    false; and true where it is the `else` that leaves
//   if (c) …                         true: what it guards is done unasked
//   if (c) … else …                  neither is the way on, so each constant is a removal of its own
//   while, do, for                   false: the loop is not entered, or not again
// Conditions that ask something else as well (an allocation, an unknown) go operand by operand only.
//
// Removed statements leave an empty one, so that labels and bodies stay; spans stay those of the source.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/flow.hpp"
#include "dsl/model.hpp"

namespace faultline::dsl {

enum class AblationKind : std::uint8_t {
  lock_pair,
  irq_section,
  rcu_section,
  check,
  recheck,
  wait,
  flush,
  grace_period,
  barrier,
  after_flush,
};
[[nodiscard]] std::string_view to_string(AblationKind kind);  // "lock pair"

struct Ablation {
  AblationKind kind = AblationKind::check;
  std::string text;              // as print() writes it; of a lock pair the first acquire, of after flush the arrow
  std::string function;          // where it stands; of a lock pair the first acquire; of after flush the entry
  std::vector<Span> parts;       // all that goes, in source order; never empty
  std::string lock;              // of a lock pair
  std::optional<bool> taken_as;  // of check and re-check: the constant in its place
  std::optional<Span> branch;    // of a check that leaves, or of a loop: the branch that is meant to go with it
};

// The pieces of a variant in the handlers of its `run` lines and what they call, in source order. `model` and `flows`
// must be without errors (step::build_variant has both).
[[nodiscard]] std::vector<Ablation> ablations(const Model& model, const Flows& flows);

// The patched file without the piece.
[[nodiscard]] File without(const File& file, const Ablation& ablation);

// The file with rules struck: `under lock` of all arrows, `after flush` of all arrows or of those whose words stand at
// `only`. With the rule gone, what is left of a violation is a race and no breach of a declaration.
[[nodiscard]] File without_lock_rule(const File& file, const std::string& lock);
[[nodiscard]] File without_flush_rule(const File& file, const std::optional<Span>& only = std::nullopt);

// Statements that show whether a variant still does its work: assertions, and stores to shared memory. One that no
// longer reaches them proves less.
struct Landmark {
  Span statement;
  std::string text;
};
[[nodiscard]] std::vector<Landmark> landmarks(const File& file);

}  // namespace faultline::dsl
