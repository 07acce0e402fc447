// A handler as a graph, all calls inlined: the form on which locks and ownership are checked (dsl/protocol.hpp) and
// from which guarded commands are made (step/lower.hpp). Building it also checks names, types, calls and the one-star
// rule of every body (FL02xx, FL03xx).
//
// Nodes are either local (no other CPU can tell when they happen) or steps. What stands between an atomic_begin and its
// atomic_end is one step.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "dsl/model.hpp"

namespace faultline::dsl {

// Shared memory that a step is about: a shared place, or a field of the object that a reference names.
struct FlowPlace {
  Index shared = nothing;
  Index object = nothing, field = nothing;
  [[nodiscard]] bool known() const { return shared != nothing || field != nothing; }
  friend bool operator==(const FlowPlace&, const FlowPlace&) = default;
};

// A scalar of a handler: a local, a temporary, or the state of a copied entry (then `entry` is its type).
struct FlowVar {
  std::string name;
  Type type;  // scalar, or entry for the state of a copy
  Span span;  // declared here
  bool temporary = false;
  FlowPlace sequence;  // of what read_seqcount_begin() gave: the seqcount. The value is 1 once that has changed, else 0
};
// A reference to an object: a local, or a payload of a copied entry.
struct FlowRef {
  std::string name;
  Index resource = nothing;
  Span span;
  bool temporary = false;
  Index copy_state = nothing;  // of a payload: the variable that holds the state of the same copy
  Index slot = nothing;        // and which payload it is
};

enum class FlowExprKind : std::uint8_t {
  constant,
  var,
  in,
  lnot,
  land,
  lor,
  eq,
  lt,
  le,
  add,
  sub,
  bit_and,
  ref_null,
  refs_equal,
};
struct FlowExpr;
using FlowExprPtr = std::shared_ptr<const FlowExpr>;
struct FlowExpr {
  FlowExprKind kind = FlowExprKind::constant;
  std::uint64_t value = 0;  // constant, or set of `in`
  Index a = 0, b = 0;       // var; refs
  FlowExprPtr left, right;
};

enum class NodeKind : std::uint8_t {
  // local
  pass,          // nothing; joins paths, carries coverage
  set_var,       // var := expr
  set_ref,       // ref := other ref, or null (`other` == nothing)
  branch,        // next[0] if expr, else next[1]
  choose,        // either
  uses_payload,  // the payload `ref` of the copy whose state is `var` is used here: must be one that the state has
  // steps
  load,   // shared → var (scalar, or state of an entry copy) and refs (payload slots in order; or the one ref of a
          // resource); or a field of an object → var
  store,  // shared ← expr (value, or state) and refs (as in load; nothing: null)
  lock,
  unlock,     // lock, mode
  trylock,    // next[0] taken, next[1] not
  downgrade,  // lock: write → read
  irq_off,
  irq_on,
  rcu_lock,
  rcu_unlock,
  alloc,  // ref, resource; next[0] got it, next[1] did not (absent with nofail)
  free,   // ref
  touch,  // shared
  flush_send,
  flush_wait,   // shared
  grace_begin,  // synchronize_rcu()
  grace_end,
  seq_write,       // seqcount (shared, or field of object): expr 1: a write begins; 0: it ends
  seq_begin,       // waits until nobody writes; var := 0, and from now on others set it to 1 when they write
  seq_retry,       // var := expr, which is the variable of seq_begin
  refs_start,      // reference count (field of object): 1, the reference that the object is born with
  refs_get,        // one more for this CPU
  refs_try_get,    // next[0] got it, next[1] the count is 0
  refs_put,        // one less: of this CPU's, else the one that the object was born with
  refs_put_test,   // next[0] that was the last, next[1] it was not
  step,            // nothing, but a step
  sleep,           // a step that may sleep: cond_resched()
  look_locked,     // next[0] if lock is held in `mode` (any, or write) by anybody
  look_tlb_ref,    // next[0] if some CPU's TLB maps the object of ref
  look_tlb_place,  // next[0] if some CPU's TLB has an entry of shared
  atomic_begin,
  atomic_end,  // `waits`: a wait_event
  // ends of a path
  block,        // inside a wait_event: not enabled
  fail,         // a violated assertion: message
  overflow,     // a value left its range: verdict `bound`
  unreachable,  // marked unreachable by the model: reaching it is a violation
  finish,       // the handler is over
};

struct FlowNode {
  NodeKind kind = NodeKind::pass;
  Span span;
  std::string text;     // for traces: "pmd_none(*pmd)"; empty: not shown
  std::string message;  // of fail
  FlowExprPtr expr;
  Index var = nothing;
  Index ref = nothing, other = nothing;
  Index shared = nothing;
  Index object = nothing, field = nothing;  // instead of `shared`: a field of what a ref names
  Index lock = nothing;
  LockMode mode = LockMode::write;
  Index resource = nothing;
  std::vector<Index> refs;
  bool waits = false;
  bool irqs = false;      // of lock words: also turns interrupts off or on
  bool returns = false;   // of pass: a `return` starts here
  Index cover = nothing;  // into Flows::covers
  std::array<Index, 2> next{nothing, nothing};

  [[nodiscard]] FlowPlace place() const { return {shared, object, field}; }
  void at(const FlowPlace& p) {
    shared = p.shared;
    object = p.object;
    field = p.field;
  }
  [[nodiscard]] bool writes_var() const {
    return var != nothing && (kind == NodeKind::set_var || kind == NodeKind::load || kind == NodeKind::seq_begin ||
                              kind == NodeKind::seq_retry);
  }
  [[nodiscard]] bool is_step() const { return kind >= NodeKind::load && kind <= NodeKind::atomic_begin; }
  [[nodiscard]] bool is_end() const { return kind >= NodeKind::block; }
  [[nodiscard]] bool two_ways() const {
    return kind == NodeKind::branch || kind == NodeKind::choose || kind == NodeKind::trylock ||
           kind == NodeKind::alloc || kind == NodeKind::look_locked || kind == NodeKind::look_tlb_ref ||
           kind == NodeKind::look_tlb_place || kind == NodeKind::refs_try_get || kind == NodeKind::refs_put_test;
  }
};

struct Flow {
  Index function = nothing;  // the handler
  std::vector<FlowVar> vars;
  std::vector<FlowRef> refs;
  std::vector<FlowNode> nodes;
  Index entry = nothing;
};

struct FlowCover {
  Span span;
  bool unreachable = false;
};

struct Flows {
  std::vector<Flow> handlers;     // in the order of Model::functions, handlers only
  std::vector<FlowCover> covers;  // statements, by span
  [[nodiscard]] const Flow* of(Index function) const;
};

[[nodiscard]] Flows build_flows(const Model& model, Diagnostics& diagnostics);

}  // namespace faultline::dsl
