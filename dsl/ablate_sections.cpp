// Lock pairs and other sections: which releases belong to an acquire. Read off the flow graphs, where calls are already
// expanded: from an acquire every path is followed to the first release of the same lock. The branches on the way are
// not evaluated, which can only join pairs that belong apart.
#include <algorithm>
#include <map>

#include "dsl/ablate_parts.hpp"
#include "dsl/patch.hpp"

namespace faultline::dsl::ablation {
namespace {

struct Place {
  std::string function;
  std::string text;
};

bool earlier(const Span& a, const Span& b) { return before(a, b); }
using Places = std::map<Span, Place, decltype(&earlier)>;
using Pieces = std::map<Span, bool, decltype(&earlier)>;  // span of the call; whether it acquires

// What opens and closes a section: `lock` counts for locks only.
struct Section {
  AblationKind kind = AblationKind::lock_pair;
  Index lock = nothing;
  Pieces pieces{&earlier};
};

std::optional<AblationKind> section_of(const FlowNode& node) {
  switch (node.kind) {
    case NodeKind::lock:
    case NodeKind::trylock:
    case NodeKind::downgrade:
    case NodeKind::unlock: return AblationKind::lock_pair;
    case NodeKind::irq_off:
    case NodeKind::irq_on: return AblationKind::irq_section;
    case NodeKind::rcu_lock:
    case NodeKind::rcu_unlock: return AblationKind::rcu_section;
    default: return std::nullopt;
  }
}

bool opens(const FlowNode& node) {
  return node.kind == NodeKind::lock || node.kind == NodeKind::trylock || node.kind == NodeKind::irq_off ||
         node.kind == NodeKind::rcu_lock;
}

// The acquire at `start` with all that paths reach from it.
Section follow(const Flow& flow, Index start) {
  const FlowNode& first = flow.nodes[start];
  Section section;
  section.kind = *section_of(first);
  section.lock = first.lock;
  section.pieces.emplace(first.span, true);
  std::vector<bool> seen(flow.nodes.size(), false);
  std::vector<Index> open = {first.next[0]};
  while (!open.empty()) {
    const Index at = open.back();
    open.pop_back();
    if (at == nothing || seen[at]) continue;
    seen[at] = true;
    const FlowNode& node = flow.nodes[at];
    if (section_of(node) == section.kind && node.lock == section.lock) {
      if (opens(node)) continue;  // nobody takes it twice: such a path is none
      section.pieces.emplace(node.span, false);
      if (node.kind != NodeKind::downgrade) continue;
    }
    open.insert(open.end(), node.next.begin(), node.next.end());
  }
  return section;
}

bool share(const Section& a, const Section& b) {
  return std::any_of(a.pieces.begin(), a.pieces.end(),
                     [&](const auto& piece) { return b.pieces.contains(piece.first); });
}

Places calls_of(const Model& model) {
  Places places(&earlier);
  for (const FunctionItem* function : functions_run(model)) {
    each_statement(*function->body, [&](const Stmt& s) {
      each_expression(s, [&](const Expr& e) {
        if (e.kind == ExprKind::call) places.emplace(e.span, Place{function->name.text, print(e)});
      });
    });
  }
  return places;
}

}  // namespace

void find_sections(const Model& model, const Flows& flows, std::vector<Ablation>& out) {
  std::vector<Section> sections;
  for (const Flow* flow : flows_run(model, flows)) {
    for (Index n = 0; n < flow->nodes.size(); ++n) {
      if (!opens(flow->nodes[n])) continue;
      Section made = follow(*flow, n);
      for (std::size_t i = sections.size(); i-- > 0;) {  // pieces in common: one section
        if (!share(sections[i], made)) continue;
        made.pieces.merge(sections[i].pieces);
        sections.erase(sections.begin() + static_cast<std::ptrdiff_t>(i));
      }
      sections.push_back(std::move(made));
    }
  }
  const Places places = calls_of(model);
  for (const Section& section : sections) {
    const auto acquire =
        std::find_if(section.pieces.begin(), section.pieces.end(), [](const auto& piece) { return piece.second; });
    const Place& place = places.at(acquire->first);
    Ablation made{section.kind, place.text, place.function, {}, "", {}, {}};
    if (section.lock != nothing) made.lock = model.locks[section.lock].name.text;
    for (const auto& [span, acquires] : section.pieces) made.parts.push_back(span);
    out.push_back(std::move(made));
  }
}

}  // namespace faultline::dsl::ablation
