// The step IR: one variant of one model as guarded commands. This header is the contract between the lowering (which
// writes it), the reference interpreter (step/interpreter.hpp), the search engines, the certificate checkers and Z3.
//
// A system is a set of CPUs. Each belongs to a Line and runs its handlers for ever. Its own state is: a position
// (Pc), locals (small unsigned integers) and handles (each null or an object). All CPUs share globals (small unsigned
// integers), places (each null or an object) and, for each await kind, a relation "CPU i awaits CPU j". Objects have a
// type and a few bits and no number: two states that differ in names of objects only are the same state, and an object
// that no place and no handle names is gone.
//
// A command is atomic. Its ops run in order on one CPU (the actor); each guard op looks at the state as the ops before
// it left it; the command is enabled iff all guards hold. `from` is where the actor must be, `to` where it is after.
// The lowering has already done all case splits: ownership, arrows, locks held and the clearing of dead locals are
// plain ops here, so an engine needs to know nothing but this page.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dsl/source.hpp"

namespace faultline::step {

using dsl::Span;
using Id = std::uint16_t;
inline constexpr Id no_id = 0xffff;

// Values are 0..max (max <= 255). `names` prints them where they have names (entry states, enum constants, bool).
struct Variable {
  std::string name;
  std::uint8_t max = 1;
  std::uint8_t init = 0;
  std::vector<std::string> names{};
  bool shown = true;  // printed in traces; false for bookkeeping such as ownership bits
};

struct Place {
  std::string name;  // "pmd.pt"
  Id type = 0;
};

// A handle slot of each CPU. Null at the start.
struct Handle {
  std::string name;
  Id type = 0;
};

struct ObjectType {
  std::string name;               // "pgtable_t"
  std::vector<std::string> bits;  // at most max_object_bits; bit 0 is always "freed"
};

// One kind of wait for other CPUs: a TLB flush, an RCU grace period. While "i awaits j", j may acknowledge in a step of
// its own at any position whose Location says so: it clears the handles in `clears_handles`, sets the locals in
// `clears_locals` to 0, and the bit goes away. Acknowledging is one step; it is possible in an idle CPU too.
struct AwaitKind {
  std::string name;  // "flush_tlb(pmd)"
  std::vector<Id> clears_handles;
  std::vector<Id> clears_locals;
  bool grace_period = false;  // else a flush
};

// One `run` line. cpus == 0: any number.
struct Line {
  std::string name;
  std::uint32_t cpus = 0;
  Id idle = 0;  // the position between handlers; every CPU of the line starts here with locals 0 and handles null
  // Each of its handlers starts at most once in all: a global of its own says whether it has. There is no deadlock
  // while one of them may still start.
  bool once = false;
};

enum class LockKind : std::uint8_t { spinlock, mutex, rwsem };
enum class LockMode : std::uint8_t { read = 1, write = 2 };

struct Lock {
  std::string name;
  LockKind kind = LockKind::spinlock;
  Id global = 0;  // global that is 1 while it is held exclusively; readers of a rwsem are seen by position only
  Span span;
};

struct Held {
  Id lock = 0;
  LockMode mode = LockMode::write;
  friend bool operator==(const Held&, const Held&) = default;
};

// A variable of the source that a CPU keeps at a position, and where. Values as in Variable::names.
struct Kept {
  std::string name;
  bool handle = false;  // else a local
  Id slot = 0;
  std::vector<std::string> names{};
};

// A position: what the CPU will do next, and what it holds there.
struct Location {
  Id line = 0;
  Id handler = no_id;  // no_id: idle
  Span span;           // of the step that starts here
  std::vector<Held> held;
  std::vector<Kept> keeps;           // for explanations only
  std::uint8_t acknowledges = 0xff;  // bit k: the CPU may acknowledge await kind k here
  // Why the CPU may have to wait here: a lock, a wait_event, or others to acknowledge.
  enum class Wait : std::uint8_t { none, lock, event, others } wait = Wait::none;
  Id waits_lock = no_id;   // for a lock
  Id waits_await = no_id;  // for others
  LockMode waits_mode = LockMode::write;
  [[nodiscard]] bool can_acknowledge(std::size_t kind) const { return (acknowledges >> kind & 1) != 0; }
};

// Expressions, evaluated for an actor CPU ("me") and, inside None/Some/ForOthers/any_cpu, one other CPU ("other").
// Booleans are 0 and 1. a, b, c are operands: ExprIds for operators, ids of variables for leaves.
enum class ExprOp : std::uint8_t {
  constant,  // value
  global,    // globals[a]
  local,     // my locals[a]
  in,        // expression a has a value in the set `mask` (values 0..63)
  lnot,
  land,
  lor,  // a; a, b; a, b
  eq,
  lt,
  le,  // a, b
  add,
  sub,              // a, b; the lowering guards against leaving the domain, an engine may assume 0..255
  bit_and,          // a, b
  ite,              // a ? b : c
  handle_null,      // my handles[a] is null
  handle_is_place,  // my handles[a] equals places[b], both null included
  handles_equal,    // my handles[a] equals my handles[b], both null included
  place_null,       // places[a] is null
  places_equal,     // places[a] equals places[b], both null included
  object_bit,       // my handles[a] is not null and its object has bit b
  place_bit,        // places[a] is not null and its object has bit b
  pc_in,            // my position is in pc_sets[a]
  other_local,      // other's locals[a]
  other_pc_in,      // other's position is in pc_sets[a]
  other_null,       // other's handles[a] is null
  other_is_mine,    // other's handles[a] is not null and equals my handles[b]
  other_is_place,   // other's handles[a] is not null and equals places[b]
  i_await_other,    // I await other, kind a
  any_cpu,          // only in invariants: some CPU (as "other") satisfies a
};
using ExprId = std::uint32_t;
struct Expr {
  ExprOp op = ExprOp::constant;
  ExprId a = 0;
  ExprId b = 0;
  ExprId c = 0;
  std::uint64_t value = 0;  // constant, or mask of `in`

  [[nodiscard]] ExprId& operand(unsigned i) { return i == 0 ? a : i == 1 ? b : c; }
  [[nodiscard]] ExprId operand(unsigned i) const { return i == 0 ? a : i == 1 ? b : c; }
};
// How many of a, b, c, in this order, are expressions.
[[nodiscard]] unsigned operand_count(ExprOp op);

enum class OpCode : std::uint8_t {
  assume,              // guard: expression e
  none,                // guard: no other CPU satisfies e
  some,                // guard: some other CPU satisfies e
  set_global,          // globals[a] := e
  set_local,           // my locals[a] := e
  clear_handle,        // my handles[a] := null
  handle_from_place,   // my handles[a] := places[b]
  handle_from_handle,  // my handles[a] := my handles[b]
  fresh,        // my handles[a] := a new object of the handle's type with no bits, or any object of that type that
                // is freed and still named by a place or handle (its address is reused; its bits are cleared)
  clear_place,  // places[a] := null
  place_from_handle,    // places[a] := my handles[b]
  set_object_bit,       // bit b of the object of my handles[a] := value; nothing when null
  others_set_local,     // for every other CPU that satisfies e: its locals[a] := value
  others_clear_handle,  // for every other CPU that satisfies e: its handles[a] := null
  await_others,         // for every other CPU that satisfies e: I await it, kind a
};
[[nodiscard]] constexpr bool is_guard(OpCode code) {
  return code == OpCode::assume || code == OpCode::none || code == OpCode::some;
}
struct Op {
  OpCode code = OpCode::assume;
  Id a = 0;
  Id b = 0;
  std::uint8_t value = 0;
  ExprId e = 0;
};

// The closed list of semantics.md.
enum class Kind : std::uint8_t {
  assertion,
  invariant,
  transition,
  lock_missing,
  lock_unbalanced,
  lock_recursion,
  lock_order,
  sleep_atomic,
  leak,
  double_free,
  use_after_free,
  stale_tlb,
  flush_missing,
  mixed_size,
  ensures,
  deadlock,
  progress,
  bound,  // not a violation: a limit of the model was reached; the verdict becomes unknown
};

struct Violation {
  Kind kind = Kind::assertion;
  std::string name;  // for invariant, ensures, progress
  std::string message;
  Span span;
};

// What a step does, in the user's words, one line of a trace: the step itself, then local work joined to it.
struct Note {
  Span span;
  std::string text;    // "pmd_none(*pmd)"
  std::string result;  // "true", or empty
  Id entry = no_id;  // a look at this entry (index into Program::entries) with an empty result: its value is the result
};

// Costs of one step.
struct Cost {
  std::uint8_t locks = 0;
  Id lock = no_id;  // which, when locks > 0
  std::uint8_t allocs = 0;
  std::uint8_t frees = 0;
  std::uint8_t flushes = 0;
  std::uint8_t ipis = 0;
};

struct Command {
  Id from = 0;
  Id to = 0;
  std::vector<Op> ops;
  std::optional<Violation> violation;  // enabled = violated; it has no successor
  Span span;                           // of the step: its line is the step's name
  std::vector<Note> notes;
  Id handler = no_id;
  bool starts = false;     // the actor was idle
  bool ends = false;       // the actor is idle afterwards
  bool may_block = false;  // lock acquisition or wait: strong fairness
  Cost cost;
  std::vector<std::uint32_t> covers;  // indices into Program::coverage that running this command reaches
};

// Must hold in every reachable state; e sees globals, places and any_cpu only.
struct Invariant {
  std::string name;
  ExprId e = 0;
  Span span;
};

// p ~> q for every CPU as "me".
struct Progress {
  std::string name;
  ExprId p = 0;
  ExprId q = 0;
  Span span;
};

// Something that must be reached by somebody (vacuity): a statement, a state of an entry, an arrow.
struct Coverage {
  enum class What : std::uint8_t { statement, state, arrow } what = What::statement;
  Span span;
  std::string text;
  bool unreachable = false;  // marked so by the model
};

// How an entry is kept: for printing and for the start states of `cost`.
struct EntryInfo {
  std::string name;  // "pmd"
  std::string type;  // "pmd_t"
  Id global = 0;     // its state; values are indices into `states`
  struct State {
    std::string name;
    std::vector<Id> places;  // payload places that are not null in this state, in declaration order
  };
  std::vector<State> states;
  std::vector<Id> places;  // all its payload places
};

struct CostRequest {
  std::string handler;
  Id entry = no_id;                  // index into Program::entries
  std::vector<std::uint8_t> states;  // start states
  Span span;
};

struct Program {
  std::string model;
  std::string variant;
  std::vector<std::string>
      properties;  // names for the report: "assert", "invariant(x)", "leak", ... without deadlock and progress
  std::vector<Variable> globals;
  std::vector<Variable> locals;  // of each CPU; init is 0
  std::vector<Place> places;
  std::vector<Handle> handles;
  std::vector<ObjectType> types;
  std::vector<AwaitKind> awaits;
  std::vector<Line> lines;
  std::vector<std::string> handlers;
  std::vector<Location> locations;  // indexed by Pc
  std::vector<Lock> locks;
  std::vector<Expr> exprs;
  std::vector<std::vector<bool>> pc_sets;
  std::vector<Command> commands;     // sorted by `from`, then source order
  std::vector<std::uint32_t> first;  // commands of position p: first[p] .. first[p + 1]
  std::vector<Invariant> invariants;
  std::vector<Progress> progress;
  std::vector<Coverage> coverage;
  std::vector<EntryInfo> entries;
  std::vector<CostRequest> costs;
  bool has_alloc_reuse = true;

  [[nodiscard]] const Expr& expr(ExprId id) const { return exprs[id]; }
};

// Limits of the engines. The lowering refuses a model beyond them with a diagnostic.
inline constexpr std::size_t max_globals = 32;
inline constexpr std::size_t max_locals = 32;
inline constexpr std::size_t max_places = 8;
inline constexpr std::size_t max_handles = 8;
inline constexpr std::size_t max_awaits = 4;
inline constexpr std::size_t max_object_bits = 6;
inline constexpr std::size_t max_types = 16;       // of objects
inline constexpr std::size_t max_types_large = 4;  // where one has more than four bits
inline constexpr std::size_t max_locations = 4096;

[[nodiscard]] const char* to_string(Kind kind);
// Whether a step from this position ends a deadlock: it is inside a handler, or one that runs `once` may still start.
[[nodiscard]] bool ends_deadlock(const Program& program, Id pc);
// The number of CPUs of each line when every `any` line gets n.
[[nodiscard]] std::vector<std::uint32_t> cpus_per_line(const Program& program, std::uint32_t n);

}  // namespace faultline::step
