// Inside of the flow builder: shared by the flow_*.cpp files.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <set>

#include "dsl/flow.hpp"
#include "dsl/patch.hpp"
#include "dsl/vocabulary.hpp"
#include "fmt/format.h"

namespace faultline::dsl {

// Thrown after a diagnostic: the statement is given up, the next one is tried.
struct GiveUp {};

// A value at hand: a scalar expression, an entry (state expression and payload refs by slot), or a reference.
struct FlowValue {
  Type type;
  FlowExprPtr scalar;       // scalar, or state of an entry
  std::vector<Index> refs;  // entry: by slot, nothing = null; resource: one, nothing = NULL
  bool null = false;        // the constant NULL
};

// What is read and written in shared memory.
struct Target {
  FlowPlace place;
  Type type;
  Ident name;  // where it is declared
};

struct Edge {
  Index node;
  int way;
};
using Edges = std::vector<Edge>;

// What a name means inside a body.
struct LocalName {
  enum class What : std::uint8_t { var, ref, entry_copy, place, ignored } what = What::var;
  Type type;
  Index var = nothing;      // var; state of an entry copy
  std::vector<Index> refs;  // ref: one; entry copy: by slot
  Index shared = nothing;   // place
  Span span;
};

class FlowBuilder {
 public:
  FlowBuilder(const Model& model, Diagnostics& diagnostics, Flows& flows, std::map<std::uint64_t, Index>& cover_ids)
      : model_(model), diagnostics_(diagnostics), flows_(flows), cover_ids_(cover_ids) {}

  Flow build(Index function);

 private:
  // ---- graph
  Index emit(FlowNode node);  // linked behind the open edges
  FlowNode& at(Index node) { return flow_.nodes[node]; }
  void link(const Edges& edges, Index node);
  Edges open_;  // edges that wait for the next node
  [[nodiscard]] bool reachable() const { return !open_.empty(); }
  Index new_var(std::string name, Type type, Span span, bool temporary);
  Index new_ref(std::string name, Index resource, Span span, bool temporary);
  LocalName new_local(const std::string& name, const Type& type, Span span, bool temporary);
  FlowValue value_of(const LocalName& local) const;
  void assign_local(const LocalName& local, const FlowValue& value, Span span, const std::string& text);

  // ---- names
  [[nodiscard]] const LocalName* find_local(const std::string& name) const;
  void declare(const std::string& name, LocalName local);
  [[nodiscard]] bool is_opaque_expr(const Expr& expr) const;  // its value is not tracked
  [[nodiscard]] bool mentions_opaque(const Expr& expr) const;
  Index place(const Expr& expr, bool must);             // shared place that the expression names (not loads)
  Target target(const Expr& expr, bool must);           // the same, or a field of an object
  void needs_object(const Expr& arrow);                 // says why what stands before `->` is none, if that is clear
  [[nodiscard]] Index pointee(const Expr& expr) const;  // the resource that a value of this expression names
  Index lock_place(const Expr& expr);
  std::vector<std::string> known_names() const;
  std::vector<std::string> known_functions() const;

  // ---- messages
  [[nodiscard]] bool mentions_broken() const;  // the current statement uses a name whose declaration has errors
  [[noreturn]] void fail(std::string code, Span span, std::string message, std::vector<std::string> notes = {},
                         std::vector<std::string> helps = {}, std::vector<Related> related = {});
  void report(std::string code, Span span, std::string message, std::vector<std::string> notes = {},
              std::vector<std::string> helps = {}, std::vector<Related> related = {});
  [[noreturn]] void unknown_name(const Ident& name, const std::string& what, const std::vector<std::string>& known,
                                 const std::string& code, const std::string& title);

  // ---- expressions
  void check_stars(const Expr& expr);
  // In order of evaluation; of an `&&`, `||` or `?:` only the first, since each operand is a look of its own, unless
  // `all`.
  void stars(const Expr& expr, std::vector<const Expr*>& found, bool all = false) const;
  std::pair<Edges, Edges> condition(const Expr& expr);  // true and false edges; open_ is consumed
  std::pair<Edges, Edges> leaf(const Expr& expr);
  FlowValue value(const Expr& expr, const Type* expected = nullptr);
  FlowValue name_value(const Expr& expr, const Type* expected);
  FlowValue load(const Target& from, const Expr& expr);
  FlowValue call(const Expr& expr, const Type* expected, bool statement);
  FlowValue inline_call(Index function, const Expr& expr);
  FlowValue builtin(const Word& word, const Expr& expr, bool statement);
  FlowValue sequence_word(const Word& word, const Expr& expr);
  Target sequence(const Expr& expr);
  void check_sequences();
  [[nodiscard]] const FlowNode* use_of(const FlowNode& from) const;
  void rcu_domain(const std::vector<const Expr*>& arguments);
  FlowValue lock_word(const Word& word, const Expr& expr, bool statement);
  FlowValue counter_word(const Word& word, const Expr& expr, bool statement);
  FlowValue reference_word(const Word& word, const Target& count, const Expr& expr, bool statement);
  Index reference_node(NodeKind kind, const Target& count, const Expr& expr);
  void reference_start(const Target& count, const Expr& value, Span span, const std::string& text);
  FlowValue construct(const EntryDecl& entry, Index entry_index, Index state, const Expr& expr);
  FlowValue from_condition(const Expr& expr);
  FlowValue compare(const Expr& expr);
  FlowValue arithmetic(const Expr& expr);
  FlowValue oracle(const Expr& expr);
  FlowValue payload(const Expr& expr);
  FlowExprPtr truth(const FlowValue& value, const Expr& expr);
  void need(const FlowValue& value, const Type& type, Span span);
  FlowValue coerce(const Expr& expr, const Type& type);
  void store_value(const Target& to, const FlowValue& value, Span span, const std::string& text);
  void guard_range(const FlowExprPtr& expr, std::uint8_t high, Span span);
  void not_in_atomic(const std::string& what, Span span);
  void assertion(const Expr& expr, bool negated);
  std::vector<const Expr*> real_arguments(const Expr& call) const;

  // ---- statements
  void statement(const Stmt& stmt);
  void block(const Stmt& stmt);
  void statement_inner(const Stmt& stmt);
  void declaration(const Stmt& stmt);
  void assignment(const Stmt& stmt);
  void loop(const Stmt& stmt);
  void switch_(const Stmt& stmt);
  void return_(const Stmt& stmt);
  void cover(const Stmt& stmt);
  void missing_return(const FunctionItem& item);
  void missing_labels(const FunctionItem& item);
  void leave_atomic(int depth, Span span);
  Index label_node(const std::string& name, Span span);

  const Model& model_;
  Diagnostics& diagnostics_;
  Flows& flows_;
  std::map<std::uint64_t, Index>& cover_ids_;
  Flow flow_;

  struct Frame {
    Index function = nothing;
    std::vector<std::map<std::string, LocalName>> scopes;
    std::map<std::string, Index> labels;
    std::map<std::string, Span> gotos;
    std::set<std::string> placed_labels;
    Edges returns;
    LocalName result;
    bool has_result = false;
    int atomic = 0;
    std::size_t loops = 0;
  };
  std::deque<Frame> frames_;  // references to frames stay good while calls are inlined
  struct Loop {
    Index continue_to;  // nothing inside a switch
    Edges* breaks;
    int atomic;
  };
  std::vector<Loop> loops_;
  const Stmt* current_ = nullptr;  // the innermost statement
  int atomic_ = 0;
  Index last_load_ = nothing;
  std::map<std::string, Index> oracles_;
};

// Without redundant parentheses.
const Expr& bare(const Expr& expr);

FlowExprPtr flow_constant(std::uint64_t value);
FlowExprPtr flow_var(Index var);
FlowExprPtr flow_in(FlowExprPtr e, std::uint64_t mask);
FlowExprPtr flow_not(FlowExprPtr e);
FlowExprPtr flow_binary(FlowExprKind kind, FlowExprPtr a, FlowExprPtr b);
FlowExprPtr flow_ref_null(Index ref);
FlowExprPtr flow_refs_equal(Index a, Index b);

}  // namespace faultline::dsl
