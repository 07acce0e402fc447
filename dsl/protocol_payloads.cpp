// FL0310: a payload is used of a copy that may be in a state without it. Like a type error: the copy must be tested,
// even if a reader can see that it need not be. What tests on the way say counts, through assignments and in loops.
#include <algorithm>
#include <bit>

#include "dsl/protocol_graph.hpp"
#include "fmt/format.h"

namespace faultline::dsl::protocol {

namespace {

// The predicate that says most without saying too much.
const std::string* test_for(const EntryDecl& entry, std::uint64_t with) {
  const std::string* best = nullptr;
  int most = 0;
  for (const auto& [name, states] : entry.predicates)
    if ((states & ~with) == 0 && std::popcount(states) > most) {
      best = &name;
      most = std::popcount(states);
    }
  return best;
}

}  // namespace

void check_payloads(const Context& context) {
  for (Index n = 0; n < context.flow.nodes.size(); ++n) {
    const FlowNode& node = context.node(n);
    if (node.kind != NodeKind::uses_payload || context.graph.at[n].empty()) continue;
    const FlowVar& copy = context.flow.vars[node.var];
    const EntryDecl& entry = context.model.entries[copy.type.which];
    const Index slot = context.flow.refs[node.ref].slot;
    const std::string& payload = entry.slots[slot].name;
    const std::uint64_t with = entry.with_slot(slot);
    std::uint64_t possible = 0;
    for (const Index c : context.graph.at[n]) {
      const Facts& f = context.config(c).facts;
      possible |= f.values[f.var[node.var]].mask;
    }
    const std::uint64_t without = possible & entry.all() & ~with;
    if (without == 0) continue;
    std::vector<std::string> states;
    for (std::size_t i = 0; i < entry.states.size(); ++i)
      if (((without >> i) & 1U) != 0) states.push_back(entry.states[i].name.text);
    std::string text = states.front();
    for (std::size_t i = 1; i < states.size(); ++i) text += (i + 1 < states.size() ? ", " : " or ") + states[i];
    const bool sure = (possible & with) == 0;
    std::vector<Related> related;
    const bool untested = possible == entry.all();
    if (!copy.temporary && copy.span.known())
      related.push_back({copy.span, untested ? "read here, nothing has tested it since" : "read here"});
    std::string help;
    std::vector<std::string> having;
    for (std::size_t i = 0; i < entry.states.size(); ++i)
      if (((with >> i) & 1U) != 0) having.push_back(entry.states[i].name.text);
    if (const std::string* predicate = test_for(entry, with); predicate == nullptr)
      help = fmt::format("give the states with `{}` a predicate, and test it first", payload);
    else if (copy.temporary)
      help = fmt::format("read it once into a local and test that: `{} now = {}; if ({}(now)) …`", entry.name.text,
                         copy.name, *predicate);
    else
      help = fmt::format("test it first: `if ({}({})) …`", *predicate, copy.name);
    context.diagnostics.add({Severity::error,
                             "FL0310",
                             node.span,
                             fmt::format("`{}` {} in state {}, which has no payload `{}`", copy.name,
                                         sure ? "is" : "can be", text, payload),
                             related,
                             {fmt::format("states with a payload `{}`: {}", payload, fmt::join(having, ", "))},
                             {help}});
  }
}

}  // namespace faultline::dsl::protocol
