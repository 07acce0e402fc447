// Graphviz: a cluster for each entry, its states with the predicates that hold there, its arrows with what they need.
#include "codegen/export_dot.hpp"

#include "fmt/format.h"

namespace faultline::codegen {
namespace {

std::string joined(const std::vector<std::string>& words, const char* between) {
  return fmt::format("{}", fmt::join(words, between));
}

// Text inside a label in Graphviz's HTML.
std::string html(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string small(const std::string& text) {
  return "<font point-size=\"10\" color=\"gray30\">" + html(text) + "</font>";
}

// What an arrow needs: locks with their mode, and the flush.
std::string label(const dsl::Model& model, const dsl::ArrowDecl& arrow) {
  std::vector<std::string> words;
  for (const auto& need : arrow.locks) {
    const std::string& name = model.locks[need.lock].name.text;
    const bool rwsem = model.locks[need.lock].kind == dsl::LockKind::rwsem;
    words.push_back(!rwsem || need.mode == dsl::LockMode::any ? name
                    : need.mode == dsl::LockMode::write       ? "write(" + name + ")"
                                                              : "read(" + name + ")");
  }
  std::string text = html(joined(words, ", "));
  if (arrow.after_flush) text += std::string(text.empty() ? "" : "<br/>") + "<b>after flush</b>";
  return text;
}

// A state: its payload beside the name, the predicates that hold there below.
std::string label(const dsl::EntryDecl& entry, std::size_t s) {
  std::vector<std::string> slots, predicates;
  for (const dsl::Index slot : entry.states[s].payload) slots.push_back(entry.slots[slot].name);
  for (const auto& [name, states] : entry.predicates)
    if ((states >> s & 1U) != 0) predicates.push_back(small(name));
  std::string text = "<b>" + html(entry.states[s].name.text) + "</b>";
  if (!slots.empty()) text += html("(" + joined(slots, ", ") + ")");
  if (!predicates.empty()) text += "<br/>" + joined(predicates, "<br/>");
  return text;
}

constexpr const char* dead = ", style=\"rounded,dashed\", color=gray60, fontcolor=gray60";

}  // namespace

std::string to_dot(const dsl::Model& model) {
  std::string text = fmt::format("// {} [{}], written by `faultline export`\ndigraph \"{}\" {{\n", model.name,
                                 model.variant, model.name);
  text +=
      "  rankdir=LR;\n  nodesep=0.35;\n  ranksep=0.6;\n  fontname=\"Helvetica\";\n"
      "  node [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=13];\n"
      "  edge [fontname=\"Helvetica\", fontsize=10, arrowsize=0.8];\n";
  for (std::size_t e = 0; e < model.entries.size(); ++e) {
    const auto& entry = model.entries[e];
    text += fmt::format("  subgraph cluster_{} {{\n    label=<entry <b>{}</b>>;\n    color=gray70;\n", e,
                        html(entry.name.text));
    for (std::size_t s = 0; s < entry.states.size(); ++s)
      text +=
          fmt::format("    s{}_{} [label=<{}>{}];\n", e, s, label(entry, s), entry.states[s].unreachable ? dead : "");
    for (const auto& arrow : entry.arrows) {
      const char* look = arrow.unreachable   ? ", style=dashed, color=gray60, fontcolor=gray60"
                         : arrow.after_flush ? ", color=\"#b03000\", fontcolor=\"#b03000\", penwidth=1.6"
                                             : "";
      const std::string needs = label(model, arrow);
      text += fmt::format("    s{0}_{1} -> s{0}_{2} [label=<{3}>{4}];\n", e, arrow.from, arrow.to,
                          needs.empty() ? " " : needs, look);
    }
    // Where each place of this type starts.
    for (std::size_t p = 0; p < model.shared.size(); ++p) {
      const dsl::SharedDecl& place = model.shared[p];
      if (place.type.kind != dsl::TypeKind::entry || place.type.which != e) continue;
      text += fmt::format("    start_{} [shape=plaintext, label=<{}>];\n    start_{} -> s{}_{} [style=bold];\n", p,
                          small("*" + place.name.text), p, e, place.init);
    }
    text += "  }\n";
  }
  return text + "}\n";
}

}  // namespace faultline::codegen
