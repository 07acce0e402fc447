// The tree of one .fl file as written, spans included. Names are not resolved here (dsl/resolve.hpp does that), patches
// are not applied (dsl/patch.hpp). Bodies are a subset of kernel C, so there are few node kinds: builtins such as
// spin_lock(), assert(), wait_event(), touch() and `maybe` are ordinary calls and names, told apart by
// dsl/vocabulary.hpp.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dsl/source.hpp"

namespace faultline::dsl {

struct Ident {
  std::string text;
  Span span;
};

// ---------------------------------------------------------------- expressions

enum class ExprKind : std::uint8_t {
  name,         // text; `maybe`, `NULL`, `true` and `false` too
  integer,      // value
  string,       // text, without quotes; only as an argument
  star,         // *kids[0]
  address,      // &kids[0]
  arrow,        // kids[0]->text
  dot,          // kids[0].text
  index,        // kids[0][kids[1]]
  call,         // text(kids...)
  lnot,         // !kids[0]
  negate,       // -kids[0]
  binary,       // kids[0] op kids[1]; text is the operator: + - < <= > >= == != & | && || implies
  conditional,  // kids[0] ? kids[1] : kids[2]
  paren,        // (kids[0])
};

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;  // shared between variants: patches never change a node in place

struct Expr {
  ExprKind kind = ExprKind::name;
  Span span;
  std::string text;
  Span text_span;  // of `text`: the name in a call, the field behind a dot
  std::int64_t value = 0;
  std::vector<ExprPtr> kids;
};

// ---------------------------------------------------------------- statements

enum class StmtKind : std::uint8_t {
  block,       // body
  atomic,      // atomic { body }
  if_,         // expr, body[0], maybe body[1]
  while_,      // expr, body[0]
  do_while,    // body[0], expr
  for_,        // init (may be null), expr (may be null), step (may be null), body[0]
  switch_,     // expr, body: case labels and statements, flat
  case_,       // cases (empty: default), no body
  return_,     // expr may be null
  declare,     // type, declarators
  assign,      // lhs op expr; op is "=", "+=", "-=", "++", "--" (expr null for the last two)
  expression,  // expr: a call, or the name `step` or `unreachable`
  goto_,       // text
  label,       // text:
  break_,
  continue_,
  empty,  // ;
};

struct Stmt;
using StmtPtr = std::shared_ptr<const Stmt>;

// How a declaration names a type: `pmd_t`, `unsigned long`, `struct vm_area_struct`, `int(0..3)`.
struct TypeName {
  std::string text;  // words joined by one space, qualifiers (static inline const volatile) dropped
  Span span;
  std::optional<std::int64_t> low, high;  // of int(low..high)
};

struct Declarator {
  Ident name;
  int stars = 0;
  ExprPtr init;  // may be null
};

struct Stmt {
  StmtKind kind = StmtKind::empty;
  Span span;
  Span close;        // of a block: its closing brace
  std::string text;  // label, goto target, assignment operator
  ExprPtr expr;
  ExprPtr lhs;
  StmtPtr init, step;
  std::vector<StmtPtr> body;
  std::vector<Ident> cases;
  TypeName type;
  std::vector<Declarator> declarators;
};

// ---------------------------------------------------------------- items

struct Param {
  std::optional<TypeName> type;  // absent for a bare opaque name: f(mm, vma)
  int stars = 0;
  Ident name;
  Span span;
};

struct MemoryItem {
  Ident model;
};  // sc, tso, weak
struct LockItem {
  Ident kind;
  std::vector<Ident> names;
};  // spinlock, mutex, rwsem, seqcount, rcu
struct OpaqueItem {
  std::vector<Ident> names;
  bool is_volatile = false;
};
struct ResourceItem {
  Ident name;
  std::optional<Ident> alloc, free;
  bool nofail = false;
  bool type_stable = false;
  struct Field {
    TypeName type;
    Ident name;
  };
  std::vector<Field> fields;
};
struct EnumItem {
  std::optional<Ident> name;
  struct Constant {
    Ident name;
    std::optional<std::int64_t> value;
  };
  std::vector<Constant> constants;
};
struct StateDecl {
  Ident name;
  std::vector<Param> payload;
  std::vector<Ident> predicates;
  bool unreachable = false;
  Span span;
};
struct LockUse {
  std::optional<Ident> mode;
  Ident lock;
  Span span;
};  // mode: read or write
struct Arrow {
  std::vector<Ident> from, to;
  std::vector<LockUse> locks;
  bool after_flush = false;
  bool unreachable = false;
  Span span;
  Span under_span;  // `under ...`, or empty
  Span flush_span;  // `after flush`, or empty
};
struct EntryItem {
  Ident name;
  std::vector<StateDecl> states;
  std::vector<Arrow> arrows;
};
struct SharedItem {
  TypeName type;
  Ident name;
  ExprPtr init;
};  // shared T *name = init;
struct TlbItem {
  Ident place;
  std::optional<Ident> caches;
  std::vector<Ident> states;
};
struct FunctionItem {
  bool is_handler = false;
  TypeName result;  // of a function
  Ident name;
  std::vector<Param> params;
  StmtPtr body;  // a block
};
struct RunItem {
  std::vector<Ident> handlers;
  std::optional<std::int64_t> cpus;
  bool once = false;
};  // no cpus: any
struct InvariantItem {
  Ident name;
  ExprPtr expr;
};
struct ProgressItem {
  Ident name;
  ExprPtr from, to;
};
struct CostItem {
  Ident handler;
  std::vector<Ident> states;
};
struct PatchLine {
  char sign = ' ';
  StmtPtr stmt;
  Span span;
};  // '-', '+', ' '
struct PatchHunk {
  Ident function;
  std::vector<PatchLine> lines;
};
struct PatchItem {
  Ident name;
  std::optional<Ident> after;
  std::vector<PatchHunk> hunks;
};
struct ExpectClause {
  enum class What : std::uint8_t { safe, violates, compare } what = What::safe;
  Span span;
  std::optional<std::int64_t> cpus;  // safe on N cpus
  std::vector<Ident> kinds;          // violates a, b (each clause of `violates x, y` is folded into one)
  Ident relation, measure, than;     // fewer|more|same  allocs|locks|ipis|...  than  VARIANT
};
struct ExpectItem {
  Ident variant;
  std::vector<ExpectClause> clauses;
};

// One item of a file; exactly one of the pointers is set.
struct Item {
  Span span;
  std::shared_ptr<MemoryItem> memory;
  std::shared_ptr<LockItem> lock;
  std::shared_ptr<OpaqueItem> opaque;
  std::shared_ptr<ResourceItem> resource;
  std::shared_ptr<EnumItem> enumeration;
  std::shared_ptr<EntryItem> entry;
  std::shared_ptr<SharedItem> shared;
  std::shared_ptr<TlbItem> tlb;
  std::shared_ptr<FunctionItem> function;
  std::shared_ptr<RunItem> run;
  std::shared_ptr<InvariantItem> invariant;
  std::shared_ptr<ProgressItem> progress;
  std::shared_ptr<CostItem> cost;
  std::shared_ptr<PatchItem> patch;
  std::shared_ptr<ExpectItem> expect;
};

struct File {
  Ident model;
  std::vector<Item> items;
};

}  // namespace faultline::dsl
