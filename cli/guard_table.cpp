#include "cli/guard_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal.hpp"
#include "cli/words.hpp"

namespace faultline::cli {
namespace {

std::string guard_text(const GuardRow& row) { return row.guard.empty() ? "(always)" : row.guard; }

std::string blanks(std::size_t count) { return std::string(count, ' '); }

}  // namespace

std::string guard_table(const GuardTable& table, bool colour, std::size_t width) {
  const std::string title = "guard at " + table.place;
  std::size_t names = 0;
  std::size_t guards = 0;
  std::size_t states = 0;
  for (const GuardRow& row : table.rows) {
    names = std::max(names, columns(row.variant));
    guards = std::max(guards, columns(guard_text(row)));
  }
  for (const std::string& state : table.states) states += 2 + columns(state);
  // A long guard is cut rather than pushing the marks over the edge.
  const std::size_t fixed = 4 + names + states;
  guards = std::min(guards, std::max<std::size_t>(width > fixed ? width - fixed : 0, 12));
  const std::size_t left = std::max(columns(title), 4 + names + guards);

  std::string text = painted(padded(title, left), Ink::bold, colour);
  for (const std::string& state : table.states) text += "  " + state;
  text += "\n";
  for (const GuardRow& row : table.rows) {
    std::string line = padded(fmt::format("  {}  {}", padded(row.variant, names), cut(guard_text(row), guards)), left);
    for (std::size_t i = 0; i < table.states.size(); ++i) {
      const bool passes = i < row.cells.size() && row.cells[i].passes;
      const char* mark = !passes ? " " : row.cells[i].depends ? "?" : "x";
      line += blanks(1 + columns(table.states[i])) + mark;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  for (std::size_t i = 0; i < table.states.size(); ++i) {
    const GuardRow* first = nullptr;
    bool differ = false;
    std::uint64_t seen = 0;
    for (const GuardRow& row : table.rows) {
      if (row.guard.empty() || i >= row.cells.size()) continue;
      seen = std::max(seen, row.cells[i].seen);
      if (first == nullptr) first = &row;
      differ = differ || first->cells[i].passes != row.cells[i].passes;
    }
    if (differ && seen != 0) {
      text += fmt::format("  {}: reachable there, seen in {}\n", table.states[i], plural(seen, "explored state"));
    }
  }
  return text;
}

}  // namespace faultline::cli
