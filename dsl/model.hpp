// One variant of a model with its declarations resolved: what the file says exists, by index, with spans for messages.
// Bodies stay trees (dsl/ast.hpp); dsl/flow.hpp turns them into graphs.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dsl/ast.hpp"
#include "dsl/diagnostic.hpp"

namespace faultline::dsl {

using Index = std::uint32_t;
inline constexpr Index nothing = 0xffffffff;

enum class TypeKind : std::uint8_t {
  none,
  boolean,
  integer,
  enumeration,
  entry,
  resource,
  sequence,
  references,
  opaque
};

// `which` is an index into enums, entries or resources. Values of integers are low..high, of enumerations their
// constants' values.
struct Type {
  TypeKind kind = TypeKind::none;
  Index which = nothing;
  std::uint8_t high = 0;
  [[nodiscard]] bool scalar() const {
    return kind == TypeKind::boolean || kind == TypeKind::integer || kind == TypeKind::enumeration;
  }
  // Kept as a number: the generation of a seqcount as whether it is odd, a reference count as whether it is above zero
  // and whether the reference is still there that the object was born with.
  [[nodiscard]] bool numeric() const { return scalar() || kind == TypeKind::sequence || kind == TypeKind::references; }
  friend bool operator==(const Type& a, const Type& b) { return a.kind == b.kind && a.which == b.which; }
};

enum class LockKind : std::uint8_t { spinlock, mutex, rwsem };
enum class LockMode : std::uint8_t { any, read, write };

struct LockDecl {
  Ident name;
  LockKind kind = LockKind::spinlock;
};

struct LockNeed {
  Index lock = nothing;
  LockMode mode = LockMode::any;  // any: either mode of a rwsem
  friend bool operator==(const LockNeed&, const LockNeed&) = default;
};

struct ResourceDecl {
  Ident name;
  std::string alloc, free;
  bool nofail = false;
  struct Field {
    Ident name;
    Type type;  // numeric; 0 in a new object
  };
  std::vector<Field> fields;
  [[nodiscard]] Index field(std::string_view field_name) const;
};

struct EnumDecl {
  std::string name;  // empty for an anonymous one: its constants are ints
  std::vector<std::pair<std::string, std::uint8_t>> constants;
  Span span;
};

struct ArrowDecl {
  Index from = 0, to = 0;
  std::vector<LockNeed> locks;
  bool after_flush = false;
  bool unreachable = false;
  Span span, under_span, flush_span;
};

struct EntryDecl {
  Ident name;
  struct State {
    Ident name;
    std::vector<Index> payload;  // slots, in declaration order
    bool unreachable = false;
    Span span;
  };
  struct Slot {
    std::string name;
    Index resource = nothing;
  };
  std::vector<State> states;  // at most 64
  std::vector<Slot> slots;    // payload parameters of the same name and type share one
  std::vector<std::pair<std::string, std::uint64_t>> predicates;  // name, set of states
  std::vector<ArrowDecl> arrows;

  [[nodiscard]] Index state(std::string_view state_name) const;
  [[nodiscard]] const std::uint64_t* predicate(std::string_view predicate_name) const;
  [[nodiscard]] const ArrowDecl* arrow(Index from, Index to) const;
  [[nodiscard]] std::uint64_t all() const;                  // every state
  [[nodiscard]] std::uint64_t with_slot(Index slot) const;  // states that have this payload
};

// What hardware may cache of an entry place.
struct TlbDecl {
  std::uint64_t states = 0;
  Index slot = nothing;  // the payload it maps; nothing when the entry has none
  Span span;
};

struct SharedDecl {
  Ident name;
  Type type;              // numeric, entry, or resource (a pointer to an object)
  std::uint8_t init = 0;  // value, or state; resources start NULL
  std::optional<TlbDecl> tlb;
};

struct RunDecl {
  std::vector<Index> handlers;  // into functions
  std::uint32_t cpus = 0;       // 0: any number
  bool once = false;
  Span span;
};

struct FunctionDecl {
  const FunctionItem* item = nullptr;
  Type result;  // none for handlers and void
};

struct InvariantDecl {
  Ident name;
  ExprPtr expr;
};
struct ProgressDecl {
  Ident name;
  ExprPtr from, to;
};
struct CostDecl {
  Index function = nothing;
  Index shared = nothing;
  std::vector<std::uint8_t> states;
  Span span;
};

struct Model {
  std::string name;
  std::string variant;
  std::string memory = "sc";
  File file;  // owns the trees that the pointers above refer to
  std::vector<LockDecl> locks;
  std::vector<Ident> rcu;  // names of the one kind of RCU there is
  std::vector<ResourceDecl> resources;
  std::vector<EnumDecl> enums;
  std::vector<EntryDecl> entries;
  std::vector<SharedDecl> shared;
  std::vector<FunctionDecl> functions;
  std::vector<RunDecl> runs;
  std::vector<InvariantDecl> invariants;
  std::vector<ProgressDecl> progress;
  std::vector<CostDecl> costs;
  std::vector<std::string> opaque;
  std::vector<std::string> volatile_opaque;
  std::vector<std::string> broken;  // names whose declaration has errors: nothing is said about their uses

  [[nodiscard]] Index find_lock(std::string_view name) const;
  [[nodiscard]] Index find_shared(std::string_view name) const;
  [[nodiscard]] Index find_function(std::string_view name) const;
  [[nodiscard]] Index find_alloc(std::string_view name) const;  // resource that it allocates
  [[nodiscard]] Index find_free(std::string_view name) const;   // resource that it frees
  [[nodiscard]] bool is_opaque(std::string_view name) const;
  // A named constant: an enum constant (with its enum), or nothing.
  struct Constant {
    Index enumeration = nothing;
    std::uint8_t value = 0;
  };
  [[nodiscard]] std::optional<Constant> find_constant(std::string_view name) const;
  // The type that a declaration names, or nothing.
  [[nodiscard]] std::optional<Type> find_type(const TypeName& type) const;
  [[nodiscard]] std::string type_name(const Type& type) const;
};

// Collects and checks the declarations of a file whose patches are applied (FL02xx, FL03xx). `model.file` keeps the
// file.
[[nodiscard]] Model resolve(File file, const std::string& variant, Diagnostics& diagnostics);

// Expectations name variants, kinds and measures that exist (FL061x). Looks at the unpatched file.
void check_expectations(const File& file, Diagnostics& diagnostics);

}  // namespace faultline::dsl
