// Flow builder: reference counts. Nobody sees the number; what is kept is who holds a reference
// (step/paths_references.cpp).
#include "dsl/flow_build.hpp"

namespace faultline::dsl {

Index FlowBuilder::reference_node(NodeKind kind, const Target& count, const Expr& expr) {
  FlowNode node;
  node.kind = kind;
  node.span = expr.span;
  node.text = print(expr);
  node.at(count.place);
  return emit(node);
}

FlowValue FlowBuilder::reference_word(const Word& word, const Target& count, const Expr& e, bool statement) {
  switch (word.builtin) {
    case Builtin::atomic_set: reference_start(count, *real_arguments(e)[1], e.span, print(e)); return FlowValue{};
    case Builtin::atomic_inc: reference_node(NodeKind::refs_get, count, e); return FlowValue{};
    case Builtin::atomic_dec: reference_node(NodeKind::refs_put, count, e); return FlowValue{};
    case Builtin::atomic_inc_not_zero:
    case Builtin::atomic_dec_and_test: break;
    default: return load(count, *real_arguments(e)[0]);  // says what is wrong with it
  }
  if (!statement) return from_condition(e);
  auto [yes, no] = condition(e);
  open_ = std::move(yes);
  open_.insert(open_.end(), no.begin(), no.end());
  return FlowValue{};
}

// The count of a new object: the one reference of who made it.
void FlowBuilder::reference_start(const Target& count, const Expr& value, Span span, const std::string& text) {
  const Expr& one = bare(value);
  if (one.kind != ExprKind::integer || one.value != 1)
    fail("FL0302", value.span, fmt::format("a reference count starts at 1, not at `{}`", print(value)),
         {"the model keeps who holds a reference, not how many there are"},
         {"write 1, and take the others with `atomic_inc`"}, {{count.name.span, "declared here"}});
  FlowNode node;
  node.kind = NodeKind::refs_start;
  node.span = span;
  node.text = text;
  node.at(count.place);
  emit(node);
}

}  // namespace faultline::dsl
