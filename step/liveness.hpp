// What a handler must remember at each position: live variables, references that may own an object, and the slots of
// the CPU they are kept in. Dead locals are cleared by the lowering, which keeps the state space small and its size
// well defined (semantics.md, "Plain state counts").
#pragma once
#include <vector>

#include "dsl/flow.hpp"

namespace faultline::step {

// Whether a reference owns its object at a node.
enum class Own : std::uint8_t {
  null,      // it is NULL
  exact,     // it owns iff it is not NULL
  borrowed,  // it never owns
  maybe,     // a bit of the CPU says so
};

// `if (new)`, `if (!new)`: which reference is tested, and on which way of the branch it is NULL.
struct NullTest {
  dsl::Index ref = dsl::nothing;  // nothing: another kind of test
  std::size_t null_way = 0;
};
[[nodiscard]] NullTest null_test(const dsl::FlowExpr& expr);

// How many references to a counted object a CPU may hold under a name, those apart that objects are born with.
inline constexpr std::uint8_t max_credit = 3;
struct Credit {
  std::uint8_t low = 0, high = 0;
  friend bool operator==(const Credit&, const Credit&) = default;
};

struct Liveness {
  std::vector<std::vector<bool>> vars;       // [node][var]: needed when the node starts
  std::vector<std::vector<bool>> refs;       // [node][ref]: needed, may own, may hold a reference
  std::vector<std::vector<bool>> refs_used;  // [node][ref]: needed
  std::vector<std::vector<Own>> own;         // [node][ref]
  std::vector<std::vector<Credit>> credit;   // [node][ref]
  std::vector<std::uint8_t> bounds;          // [var]: no value above
};

[[nodiscard]] Liveness liveness(const dsl::Model& model, const dsl::Flow& flow);

// Slots of a CPU, shared by all handlers.
struct SlotPool {
  std::vector<std::uint8_t> local_max;   // of each local slot
  std::vector<dsl::Index> handle_types;  // resource of each handle slot
};
struct Slots {
  std::vector<dsl::Index> var;  // [var] → local slot, or nothing if never kept over a position
  std::vector<dsl::Index> ref;  // [ref] → handle slot
  std::vector<dsl::Index> own;  // [ref] → local slot of its ownership bit
};
// Greedy colouring: two that are needed at the same position get different slots.
[[nodiscard]] Slots assign_slots(const dsl::Flow& flow, const Liveness& live, SlotPool& pool);

}  // namespace faultline::step
