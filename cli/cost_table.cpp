#include "cli/cost_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal.hpp"
#include "cli/words.hpp"

namespace faultline::cli {
namespace {

using check::CostRange;

std::string range_text(const CostRange& range) {
  if (range.most == CostRange::unbounded) return fmt::format("{}..∞", range.least);
  return range.least == range.most ? std::to_string(range.least) : fmt::format("{}..{}", range.least, range.most);
}

std::string cell(const CostRow& row, const std::string& name) {
  const auto cost =
      std::find_if(row.costs.begin(), row.costs.end(), [&](const NamedCost& c) { return c.name == name; });
  return range_text(cost == row.costs.end() ? CostRange{} : cost->range);
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

std::string right(const std::string& text, std::size_t width) {
  const std::size_t have = columns(text);
  return std::string(width > have ? width - have : 0, ' ') + text;
}

}  // namespace

std::string cost_table(const CostTable& table, bool colour, std::size_t width) {
  std::vector<std::string> names;
  std::vector<std::string> states;
  std::size_t label = 0;
  for (const CostRow& row : table.rows) {
    add_once(states, row.state);
    for (const NamedCost& cost : row.costs) add_once(names, cost.name);
    label = std::max({label, columns(row.variant) + 2, columns(fmt::format("from {} = {}", table.entry, row.state))});
  }
  std::string text = painted(fmt::format("uncontended cost of {}", table.handler), Ink::bold, colour) +
                     ", one run alone (least..most over its own choices)\n";
  for (std::size_t from = 0; from < names.size();) {
    std::vector<std::size_t> widths;
    std::size_t used = 2 + label;
    std::size_t to = from;
    while (to < names.size()) {
      std::size_t need = columns(names[to]);
      for (const CostRow& row : table.rows) need = std::max(need, columns(cell(row, names[to])));
      if (to > from && used + 2 + need > width) break;
      widths.push_back(need);
      used += 2 + need;
      ++to;
    }
    for (const std::string& state : states) {
      text += "\n  " + painted(padded(fmt::format("from {} = {}", table.entry, state), label), Ink::cyan, colour);
      for (std::size_t i = from; i < to; ++i) text += "  " + right(names[i], widths[i - from]);
      text += "\n";
      for (const CostRow& row : table.rows) {
        if (row.state != state) continue;
        text += "  " + padded("  " + row.variant, label);
        for (std::size_t i = from; i < to; ++i) text += "  " + right(cell(row, names[i]), widths[i - from]);
        text += "\n";
      }
    }
    from = to;
  }
  return text;
}

}  // namespace faultline::cli
