// What is known at one node of a handler on one kind of path: locks, values of locals, what places hold. Inside of the
// protocol analysis (dsl/protocol_graph.hpp).
//
// Variables and references hold symbols: two that hold the same symbol are equal, and what is learnt about one is
// learnt about the other. All facts are true on every run that the path stands for; what is not known is left open.
#pragma once
#include <cstdint>
#include <vector>

#include "dsl/flow.hpp"

namespace faultline::dsl::protocol {

using Symbol = Index;
inline constexpr Symbol null_object = 0;  // the symbol of NULL; `nothing` stands for a dead variable or reference

// Possible values of a scalar: bit v of `mask` for v < 64; `more`: something above may be too.
struct Values {
  std::uint64_t mask = ~std::uint64_t{0};
  bool more = true;
  [[nodiscard]] bool none() const { return mask == 0 && !more; }
  [[nodiscard]] bool one() const { return !more && mask != 0 && (mask & (mask - 1)) == 0; }
  [[nodiscard]] Index value() const;  // of one()
  friend bool operator==(const Values&, const Values&) = default;
};

enum class Null : std::uint8_t { maybe, yes, no };

struct HeldLock {
  Index lock = nothing;
  LockMode mode = LockMode::write;
  Index taken = nothing;  // node; of one of the paths
};

struct Locks {
  std::vector<HeldLock> held;  // sorted by lock
  std::uint8_t irqs_off = 0;
  std::uint8_t rcu = 0;
  bool atomic = false;
  Index irqs_taken = nothing, rcu_taken = nothing;
  // Locks that were misused on this path: nothing more is said about them. The last two bits: interrupts, RCU.
  std::uint64_t misused = 0;
  [[nodiscard]] const HeldLock* find(Index lock) const;
  [[nodiscard]] bool is_misused(Index lock) const { return ((misused >> lock) & 1U) != 0; }
};
inline constexpr Index irqs_bit = 62, rcu_bit = 63;
inline constexpr std::size_t most_locks = 60, most_places = 64;  // the lowering takes fewer

// The place had this value, and these locks were held ever since.
struct Knowledge {
  Index shared = nothing;
  Symbol value = 0;
  std::uint64_t locks = 0;      // in some mode
  std::uint64_t exclusive = 0;  // so that no other CPU holds it
  bool atomic = false;          // in the same atomic step
  bool stored = false;          // this handler stored it; else it was read
};

// The handler stored this object into a place (its payload `slot`, 0 for a pointer) and has not stored there since.
struct Stored {
  Index shared = nothing, slot = 0;
  Symbol object = 0;
  Index node = nothing;  // of the store
};

// The handler allocated this object and has neither stored nor freed it.
struct Owned {
  Symbol object = 0;
  Index node = nothing;  // of the allocation
};

struct Facts {
  Locks locks;
  std::vector<Symbol> var;     // by variable
  std::vector<Symbol> ref;     // by reference
  std::vector<Values> values;  // by symbol of a scalar
  std::vector<Null> nulls;     // by symbol of an object
  std::vector<Knowledge> known;
  std::vector<Stored> stored;
  std::vector<Owned> owned;
  std::uint64_t flushed = 0;  // by place: a flush came after the last store of this handler

  Symbol new_value(Values v);
  Symbol new_object(Null n);
};

// What is true of every value of the type.
[[nodiscard]] Values all_values(const Model& model, const Type& type);
[[nodiscard]] Values one_value(std::uint64_t value);

class Reader {
 public:
  Reader(const Model& model, const Flow& flow) : model_(model), flow_(flow) {}

  [[nodiscard]] Values evaluate(const Facts& facts, const FlowExpr& e) const;
  [[nodiscard]] Null null_of(const Facts& facts, Index ref) const;
  // Adds that `e` is true (false). Returns whether that can be.
  [[nodiscard]] bool assume(Facts& facts, const FlowExpr& e, bool truth) const;
  // States that the place may be in. `to`: as far as a store of that state is concerned (an arrow of ours asks for the
  // lock that the knowledge rests on); nothing: as far as anything is concerned.
  [[nodiscard]] std::uint64_t states(const Facts& facts, Index shared, Index to) const;
  // States that arrows lead to from the first one; a place is never in another one.
  [[nodiscard]] std::uint64_t reachable(Index shared) const;

 private:
  [[nodiscard]] std::uint64_t slot_states(Index ref) const;
  [[nodiscard]] bool assume_equal(Facts& facts, const FlowExpr& a, const FlowExpr& b) const;
  [[nodiscard]] bool assume_order(Facts& facts, const FlowExpr& e, bool truth) const;
  [[nodiscard]] bool assume_null(Facts& facts, Index ref, bool truth) const;
  [[nodiscard]] bool assume_same(Facts& facts, Index a, Index b, bool truth) const;

  const Model& model_;
  const Flow& flow_;
};

void same_value(Facts& facts, Symbol keep, Symbol other);
void same_object(Facts& facts, Symbol keep, Symbol other);

// Facts about what is not needed any more go, symbols get their numbers by first use: equal knowledge is equal memory.
// Returns the allocations (nodes) whose object has no name left.
std::vector<Index> tidy(Facts& facts, const std::vector<bool>& live_vars, const std::vector<bool>& live_refs);

// What two facts agree on, for the coarse analysis: one fact for each node and set of locks.
void forget_relations(Facts& facts);
[[nodiscard]] bool join(Facts& into, const Facts& other);  // whether `into` changed

[[nodiscard]] std::vector<std::uint32_t> lock_key(const Facts& facts);
[[nodiscard]] std::vector<std::uint32_t> key(const Facts& facts);

}  // namespace faultline::dsl::protocol
