// Graphviz: a cluster for each entry, its states with the predicates that hold there, its arrows with what they need.
#include "codegen/export_dot.hpp"

#include "fmt/format.h"

namespace faultline::codegen {
namespace {

std::string joined(const std::vector<std::string>& words, const char* between) {
  return fmt::format("{}", fmt::join(words, between));
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result + "\"";
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
  std::string text = joined(words, ", ");
  if (arrow.after_flush) text += std::string(text.empty() ? "" : "\n") + "after flush";
  return text;
}

}  // namespace

std::string to_dot(const dsl::Model& model) {
  std::string text = fmt::format("// {} [{}], written by `faultline export`\ndigraph {} {{\n", model.name,
                                 model.variant, quoted(model.name));
  text +=
      "  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"monospace\"];\n  edge [fontname=\"monospace\", "
      "fontsize=10];\n";
  for (std::size_t e = 0; e < model.entries.size(); ++e) {
    const auto& entry = model.entries[e];
    text += fmt::format("  subgraph cluster_{} {{\n    label={};\n", e, quoted(entry.name.text));
    for (std::size_t s = 0; s < entry.states.size(); ++s) {
      std::vector<std::string> predicates;
      for (const auto& [name, states] : entry.predicates)
        if ((states >> s & 1U) != 0) predicates.push_back(name);
      std::vector<std::string> slots;
      for (const dsl::Index slot : entry.states[s].payload) slots.push_back(entry.slots[slot].name);
      std::string head = entry.states[s].name.text;
      if (!slots.empty()) head += "(" + joined(slots, ", ") + ")";
      text += fmt::format("    s{}_{} [label={}];\n", e, s,
                          quoted(head + (predicates.empty() ? "" : "\n" + joined(predicates, "\n"))));
    }
    for (const auto& arrow : entry.arrows)
      text +=
          fmt::format("    s{0}_{1} -> s{0}_{2} [label={3}];\n", e, arrow.from, arrow.to, quoted(label(model, arrow)));
    text += "  }\n";
  }
  return text + "}\n";
}

}  // namespace faultline::codegen
