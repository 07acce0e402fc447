// Inside of the lowering: follows every path of a handler from one position to the next and writes a command for each.
//
// While a path is followed, locals live in an environment of expressions over the state at the start of the command
// (kept up to date when the path writes); only what the next position needs is written back, the rest is cleared.
#pragma once
#include <functional>
#include <map>

#include "dsl/flow.hpp"
#include "step/exprs.hpp"
#include "step/liveness.hpp"

namespace faultline::step {

struct LockSet {
  std::vector<Held> held;  // sorted by lock
  std::uint8_t irqs_off = 0;
  std::uint8_t rcu = 0;
  [[nodiscard]] const Held* find(Id lock) const;
  void add(Held h);
  void remove(Id lock);
  friend bool operator<(const LockSet& a, const LockSet& b);
};

// A variable of a handler that says whether a seqcount has changed since read_seqcount_begin(), while it is kept from
// one position to another. Who writes sets it in every CPU that is at one of the positions.
struct Watcher {
  dsl::Index function = dsl::nothing, var = dsl::nothing;
  dsl::Index shared = dsl::nothing;                          // the seqcount, or
  dsl::Index resource = dsl::nothing, field = dsl::nothing;  // of the object in
  Id handle = no_id;                                         // this handle
  Id local = 0;
  Id positions = no_id;  // pc set
};

// Where the things of the model live in the program.
struct Layout {
  std::vector<Id> global;               // by shared: its value or state; no_id for a pointer to an object
  std::vector<std::vector<Id>> places;  // by shared: payload slots, or the one pointer
  std::vector<Id> tlb_handle;           // by shared: handle that its TLB entry maps, or no_id
  std::vector<Id> tlb_local;            // by shared: local that is 1 while cached, when there is no payload, or no_id
  std::vector<Id> await;                // by shared: await kind of its flush
  Id grace = no_id;                     // await kind of a grace period
  Id rcu_readers = no_id;               // pc set of RCU read sections, where there is one
  std::vector<Watcher> watchers;
  std::vector<Id> credit;       // by handle of a CPU: local that counts the references held under it, or no_id
  std::vector<Id> lock_global;  // by lock
  std::vector<Id> readers;      // by lock: pc set of its readers; no_id unless rwsem
  std::vector<Id> entry_info;   // by shared: index into Program::entries, or no_id
  std::map<std::pair<Id, std::pair<Id, Id>>, std::uint32_t> arrow_cover;  // (entry type, from, to)
  std::vector<std::vector<Id>> field_bits;                 // by resource, by field: its lowest bit in the object
  std::map<std::pair<Id, Id>, std::uint32_t> state_cover;  // (entry type, state)
};

// Handle and local ids from here on are scratch: alive within one command only.
inline constexpr Id scratch_base = 1000;

struct PathContext {
  const dsl::Model& model;
  dsl::Diagnostics& diagnostics;
  Program& program;
  Exprs& exprs;
  Layout& layout;
};

// What a reference holds at some point of a path.
struct RefValue {
  enum class Kind : std::uint8_t { null, handle, place } kind = Kind::null;
  Id id = 0;
  friend bool operator==(const RefValue&, const RefValue&) = default;
};

struct Path {
  std::vector<Op> ops;
  std::vector<ExprId> var;
  std::vector<RefValue> ref;
  std::vector<ExprId> own;
  std::vector<ExprId> credit;
  LockSet locks;
  std::vector<Note> notes;
  std::vector<std::uint32_t> covers;
  Cost cost;
  std::map<ExprId, std::uint64_t> known;  // of a global or local: values that are possible here
  std::vector<std::pair<ExprId, bool>> facts;
  std::vector<bool> handle_set;  // handle slots that this path wrote
  Id scratch_handles = 0;
  Id scratch_locals = 0;
  Span span;
  bool stepped = false;
  bool in_atomic = false;
  bool may_block = false;
  int budget = 0;    // nodes since the last position
  int branches = 0;  // and branches
};

class PathBuilder {
 public:
  // `position` gives the pc of (node, locks), making it when new. `found` takes each finished command.
  PathBuilder(PathContext& context, const dsl::Flow& flow, const Liveness& live, const Slots& slots, Id handler,
              Id idle, std::function<Id(dsl::Index, const LockSet&)> position, std::function<void(Command)> found);

  // `started`: the global that says whether a handler that runs once has been started, or no_id.
  void from_idle(Id started = no_id);
  void from(dsl::Index node, const LockSet& locks, Id pc);

 private:
  using Next = std::function<void(Path)>;

  void run(Path path, dsl::Index node);
  void endless(Span span);
  void take(Path path, const dsl::FlowNode& node, std::size_t way, const std::string& result);
  void go(Path path, const dsl::FlowNode& node) { run(std::move(path), node.next[0]); }
  bool assume(Path& path, ExprId e, bool value);  // false: impossible on this path
  // Runs `yes` on the paths where e holds and `no` on the others; either may be empty.
  void split(const Path& path, ExprId e, const Next& yes, const Next& no);
  void changed(Path& path) { path.facts.clear(); }
  void op(Path& path, OpCode code, Id a, Id b = 0, std::uint8_t value = 0, ExprId e = 0);
  [[nodiscard]] ExprId translate(const Path& path, const dsl::FlowExpr& e);
  [[nodiscard]] ExprId is_null(const RefValue& r);
  [[nodiscard]] ExprId same(const RefValue& a, const RefValue& b);
  [[nodiscard]] ExprId bit_of(const RefValue& r, Id bit);
  [[nodiscard]] ExprId global(Id g) { return exprs_.make(ExprOp::global, g); }
  [[nodiscard]] ExprId local(Id l) { return exprs_.make(ExprOp::local, l); }
  Id in_handle(Path& path, dsl::Index ref);  // makes sure that the value of a reference is in a handle

  // steps (paths_steps.cpp)
  void load(Path path, const dsl::FlowNode& node);
  void load_field(Path path, const dsl::FlowNode& node);
  void store_field(Path path, const dsl::FlowNode& node);
  void in_object(const Path& path, const dsl::FlowNode& node, const Next& next);
  void lock(Path path, const dsl::FlowNode& node);
  void trylock(Path path, const dsl::FlowNode& node);
  void unlock(Path path, const dsl::FlowNode& node);
  void acquire(const Path& path, Id lock, LockMode mode, const Next& next);
  void alloc(Path path, const dsl::FlowNode& node);
  void free(Path path, const dsl::FlowNode& node);
  void touch(Path path, const dsl::FlowNode& node);
  void flush_send(Path path, const dsl::FlowNode& node);
  void grace_begin(Path path, const dsl::FlowNode& node);
  void wait_for_others(Path path, const dsl::FlowNode& node, Id kind);
  void look(Path path, const dsl::FlowNode& node);
  void context_word(Path path, const dsl::FlowNode& node);
  [[nodiscard]] bool may_not_sleep(Path& path, const dsl::FlowNode& node);

  // sequence counts (paths_sequences.cpp)
  void seq_write(Path path, const dsl::FlowNode& node);
  void tell_readers(Path& path, const dsl::FlowNode& node);
  void tell_oneself(Path path, const dsl::FlowNode& node, std::size_t var);
  void set_odd(Path& path, const dsl::FlowNode& node, bool odd);
  void seq_begin(Path path, const dsl::FlowNode& node);
  void seq_retry(Path path, const dsl::FlowNode& node);
  [[nodiscard]] ExprId is_odd(const Path& path, const dsl::FlowNode& node);

  // reference counts (paths_references.cpp)
  void refs_start(Path path, const dsl::FlowNode& node);
  void refs_get(Path path, const dsl::FlowNode& node);
  void refs_put(Path path, const dsl::FlowNode& node);
  void give_up(Path path, const dsl::FlowNode& node, const std::vector<dsl::Index>& names, std::size_t at);
  void give_up_first(Path path, const dsl::FlowNode& node, const std::vector<dsl::Index>& names, std::size_t at);
  void was_last(Path path, const dsl::FlowNode& node, const std::vector<dsl::Index>& names, std::size_t at);
  void put_done(Path path, const dsl::FlowNode& node, bool last);
  void hand_over(Path path, dsl::Index ref, const std::vector<dsl::Index>& names, std::size_t at, Span span,
                 const Next& next);
  // One path for each number of references that may be held under the name.
  void by_credit(const Path& path, std::size_t ref, const std::function<void(Path, std::uint8_t)>& next);
  [[nodiscard]] ExprId counted(const Path& path, const dsl::FlowNode& node, Id digit);

  // stores and ownership (paths_store.cpp)
  void store(Path path, const dsl::FlowNode& node);
  void stored(Path& path, const dsl::FlowNode& node);
  void store_scalar(Path path, const dsl::FlowNode& node);
  void store_entry(Path path, const dsl::FlowNode& node, Id from, Id to);
  void store_payload(Path path, const dsl::FlowNode& node, std::size_t slot, Id from, Id to, const Next& next);
  void put(Path path, const dsl::FlowNode& node, Id place, bool was_null_known, bool was_null, dsl::Index ref,
           const Next& next);
  void give_to_copy(Path path, const dsl::FlowNode& node, const RefValue& object,
                    const std::vector<dsl::Index>& candidates, std::size_t at, Span span, const Next& next);
  void drop(Path path, dsl::Index ref, dsl::Index live_at, Span span, const Next& next);
  void save_place(Path& path, Id place);
  void save_global(Path& path, Id g);
  [[nodiscard]] std::vector<dsl::Index> copies(dsl::Index resource, dsl::Index except, dsl::Index live_at) const;

  // ends (paths_emit.cpp)
  void violation(Path path, Kind kind, std::string message, Span span, std::string name = {});
  void finish(Path path, const dsl::FlowNode& node);
  void leave_owned(Path path, std::size_t ref, Span span, const Next& next);
  void emit(Path path, Id to, dsl::Index target);
  void write_back(Path& path, dsl::Index target);

  PathContext& context_;
  Exprs& exprs_;
  const dsl::Flow& flow_;
  const Liveness& live_;
  const Slots& slots_;
  Id handler_;
  Id idle_;
  std::function<Id(dsl::Index, const LockSet&)> position_;
  std::function<void(Command)> found_;
  Id from_pc_ = 0;
  dsl::Index from_node_ = dsl::nothing;
  int paths_ = 0;
};

}  // namespace faultline::step
