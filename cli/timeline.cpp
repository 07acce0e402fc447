#include "cli/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "cli/significance.hpp"
#include "cli/terminal.hpp"
#include "cli/words.hpp"

namespace faultline::cli {
namespace {

using check::TraceStep;

constexpr std::size_t gutter = 8;      // "    45  "
constexpr std::size_t gap = 2;         // between columns
constexpr std::size_t narrowest = 24;  // of a CPU's column; below that the rows go into one column
constexpr std::size_t widest_state = 32;
constexpr std::size_t tight_state = 24;   // where the CPUs need the room
constexpr std::size_t longest_look = 40;  // results are aligned up to here
constexpr std::size_t cpu_label = 7;      // "cpu 10 "

struct Row {
  enum class What { step, handler, ruler } what = What::step;
  std::uint32_t cpu = 0;
  std::uint32_t line = 0;  // 0: none is shown
  std::string text;
  std::string result;
  std::string state;
  bool last = false;  // the step that violates
};

// The step itself, and the local work joined to it: all of it, what has an outcome, or none.
std::vector<step::Note> notes_to_show(const TraceStep& step, bool full, bool local_work) {
  std::vector<step::Note> notes;
  for (std::size_t i = 0; i < step.notes.size(); ++i) {
    if (full || i == 0 || (local_work && !step.notes[i].result.empty())) notes.push_back(step.notes[i]);
  }
  if (notes.empty()) {
    notes.push_back({step.span, step.command == check::no_command ? "(acknowledges the flush)" : "(goes on)", {}});
  }
  return notes;
}

// The shared values that the right column follows: what changes anywhere in the trace, locks only where they matter.
class Followed {
 public:
  Followed(const check::Counterexample& trace, const std::vector<std::string>& locks, bool full) {
    const bool with_locks = full || locks_matter(trace.violation.kind);
    const auto wanted = [&](const std::string& name) {
      return with_locks || std::find(locks.begin(), locks.end(), name) == locks.end();
    };
    std::set<std::string> changing;
    for (const TraceStep& step : trace.steps) {
      for (const check::SharedValue& value : step.changed) changing.insert(value.name);
    }
    const std::vector<check::SharedValue>& all = trace.steps.front().state;
    for (const check::SharedValue& value : all) {
      if (wanted(value.name) && changing.count(value.name) != 0) names_.push_back(value.name);
    }
    for (const std::string& name : changing) {
      const bool listed = std::find(names_.begin(), names_.end(), name) != names_.end();
      if (wanted(name) && !listed) names_.push_back(name);
    }
    // Nothing changes: what there is to see is the initial value.
    if (names_.empty() && !all.empty() && wanted(all.front().name)) names_.push_back(all.front().name);
  }

  [[nodiscard]] std::string header() const {
    return names_.size() == 1 ? names_.front() : names_.empty() ? "" : "shared";
  }

  [[nodiscard]] std::string cell(const std::vector<check::SharedValue>& values) const {
    std::string text;
    for (const std::string& name : names_) {
      const auto value = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.name == name; });
      if (value == values.end()) continue;
      text += text.empty() ? "" : ", ";
      text += names_.size() == 1 ? value->value : fmt::format("{} = {}", name, value->value);
    }
    return text;
  }

 private:
  std::vector<std::string> names_;
};

// All that is known after a step: a trace need not list what is as at the start, such as a free lock.
std::vector<check::SharedValue> everything_after(const TraceStep& step) {
  std::vector<check::SharedValue> all = step.state;
  for (const check::SharedValue& value : step.changed) {
    const bool listed = std::any_of(all.begin(), all.end(), [&](const auto& v) { return v.name == value.name; });
    if (!listed) all.push_back(value);
  }
  return all;
}

struct Rows {
  std::vector<Row> rows;
  std::map<std::uint32_t, std::string> headers;  // of each CPU that is seen, in order
  std::size_t hidden = 0;
};

Rows rows_of(const check::Counterexample& trace, const std::vector<bool>& shown, const Followed& followed, bool full) {
  Rows result;
  std::map<std::uint32_t, std::string> starting;  // handlers whose first step is not shown yet
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const TraceStep& step = trace.steps[i];
    if (trace.loop && *trace.loop == i)
      result.rows.push_back({Row::What::ruler, 0, 0, "repeats for ever from here", {}, {}, false});
    if (step.starts) starting[step.cpu] = step.handler;
    if (!shown[i]) {
      ++result.hidden;
      continue;
    }
    const bool first = result.headers.empty();
    const auto [header, is_new] = result.headers.emplace(step.cpu, fmt::format("cpu {}", step.cpu));
    const auto begins = starting.find(step.cpu);
    if (first && is_new && begins != starting.end()) {
      header->second += ": " + begins->second;
    } else if (begins != starting.end()) {
      result.rows.push_back({Row::What::handler, step.cpu, 0, begins->second, {}, {}, false});
    }
    starting.erase(step.cpu);
    const std::vector<step::Note> notes = notes_to_show(step, full, shows_local_work(trace, i));
    for (std::size_t n = 0; n < notes.size(); ++n) {
      Row row{Row::What::step, step.cpu, notes[n].span.line, notes[n].text, notes[n].result, {}, false};
      if (n == 0) row.state = followed.cell(first ? everything_after(step) : step.changed);
      row.last = i + 1 == trace.steps.size() && !trace.loop;
      result.rows.push_back(std::move(row));
    }
  }
  if (trace.loop) {
    const bool stands_still = *trace.loop >= trace.steps.size();
    result.rows.push_back({Row::What::ruler,
                           0,
                           0,
                           stands_still ? "nothing need happen from here on" : "and so on, from the line above",
                           {},
                           {},
                           false});
  }
  return result;
}

// A cell as lines of at most `width` columns; the result stands at `arrow` if there is room, and is never torn.
std::vector<std::string> cell_lines(const Row& row, std::size_t width, std::size_t arrow) {
  const std::string result = row.result.empty() ? std::string() : " -> " + row.result;
  const std::size_t room = width - std::min(width, columns(result));
  if (columns(row.text) <= room)
    return {(result.empty() ? row.text : padded(row.text, std::min(arrow, room))) + result};
  std::vector<std::string> lines = wrapped(row.text, width - 2);
  for (std::size_t i = 1; i < lines.size(); ++i) lines[i] = "  " + lines[i];
  if (columns(lines.back()) + columns(result) <= width) {
    lines.back() += result;
  } else {
    for (const std::string& line : wrapped(result.substr(1), width - 2)) lines.push_back("  " + line);
  }
  return lines;
}

// "pmd = none, readers = 0" as lines, broken behind commas as long as each value fits.
std::vector<std::string> state_lines(std::string state, std::size_t width) {
  constexpr char glue = '\x1f';
  for (std::size_t i = 1; i < state.size(); ++i) {
    if (state[i] == ' ' && state[i - 1] != ',') state[i] = glue;
  }
  std::vector<std::string> lines = wrapped(state, width);
  for (std::string& line : lines) std::replace(line.begin(), line.end(), glue, ' ');
  return lines;
}

std::size_t arrow_of(const std::vector<Row>& rows, const std::uint32_t* cpu) {
  std::size_t arrow = 0;
  for (const Row& row : rows) {
    const bool here = cpu == nullptr || row.cpu == *cpu;
    if (here && !row.result.empty() && columns(row.text) <= longest_look) arrow = std::max(arrow, columns(row.text));
  }
  return arrow;
}

std::size_t widest(const std::vector<Row>& rows, const std::uint32_t* cpu, std::size_t arrow) {
  std::size_t width = 0;
  for (const Row& row : rows) {
    if (row.what == Row::What::ruler || (cpu != nullptr && row.cpu != *cpu)) continue;
    width = std::max(width, columns(cell_lines(row, 1000, arrow).front()));
  }
  return width;
}

Ink ink_of(const Row& row) {
  if (row.what == Row::What::handler) return Ink::cyan;
  return row.last ? Ink::red : Ink::plain;
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string ruler(const Row& row, std::size_t width, bool colour) {
  const std::string text = fmt::format("--- {} ", row.text);
  const std::size_t room = width - gutter;
  return std::string(gutter, ' ') +
         painted(text + std::string(room > columns(text) ? room - columns(text) : 0, '-'), Ink::yellow, colour) + "\n";
}

// One row of the timeline: gutter, `before` columns of blanks, the cell, and the state at `state_at`.
std::string draw(const Row& row, const std::string& label, std::size_t before, std::size_t width, std::size_t arrow,
                 std::size_t state_at, std::size_t state_width, bool colour) {
  constexpr std::size_t usual_result = 9;  // " -> false": these stand in line even where the column is narrow
  const std::vector<std::string> cells = cell_lines(row, width, std::min(arrow, width - std::min(width, usual_result)));
  std::vector<std::string> states;
  if (!row.state.empty()) states = state_lines(row.state, state_width);
  std::string text;
  for (std::size_t i = 0; i < std::max(cells.size(), states.size()); ++i) {
    std::string line = i == 0 && row.line != 0 ? fmt::format("{:>6}  ", row.line) : std::string(gutter, ' ');
    line += i == 0 ? padded(label, before) : std::string(before, ' ');
    std::size_t at = gutter + before;
    if (i < cells.size()) {
      line += painted(cells[i], ink_of(row), colour);
      at += columns(cells[i]);
    }
    if (i < states.size())
      line += std::string(state_at > at ? state_at - at : 1, ' ') + painted(states[i], Ink::bold, colour);
    text += without_trailing_blanks(std::move(line)) + "\n";
  }
  return text;
}

// Widths for the columns of the CPUs: what each needs, shortened evenly when that is too much. Empty: they do not fit.
std::vector<std::size_t> share(const std::vector<std::size_t>& needed, std::size_t room) {
  std::vector<std::size_t> widths(needed.size(), 0);
  std::vector<std::size_t> order(needed.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return needed[a] < needed[b]; });
  std::size_t left = needed.size();
  for (const std::size_t i : order) {
    widths[i] = std::min(needed[i], room / left);
    if (widths[i] < needed[i] && widths[i] < narrowest) return {};
    room -= widths[i];
    --left;
  }
  return widths;
}

}  // namespace

std::string timeline(const check::Counterexample& trace, const std::vector<std::string>& locks,
                     const TimelineOptions& options) {
  if (trace.steps.empty()) return {};
  const std::vector<bool> shown =
      options.full ? std::vector<bool>(trace.steps.size(), true) : significant_steps(trace, locks);
  const Followed followed(trace, locks, options.full);
  const Rows all = rows_of(trace, shown, followed, options.full);

  std::vector<std::size_t> needed;
  std::map<std::uint32_t, std::size_t> arrows;
  std::size_t room = options.width - gutter;
  for (const auto& [cpu, header] : all.headers) {
    arrows[cpu] = arrow_of(all.rows, &cpu);
    needed.push_back(std::max(columns(header), widest(all.rows, &cpu, arrows[cpu])));
    room -= std::min(room, gap);
  }
  std::size_t state_width = columns(followed.header());
  for (const Row& row : all.rows) state_width = std::max(state_width, columns(row.state));
  state_width = std::min(state_width, widest_state);
  const std::size_t wanted = std::accumulate(needed.begin(), needed.end(), state_width);
  if (wanted > room) state_width = std::min(state_width, tight_state);
  std::vector<std::size_t> widths = share(needed, room - std::min(room, state_width));

  std::string text;
  if (!widths.empty()) {
    std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> places;  // of each CPU: blanks before, width
    std::string head(gutter, ' ');
    std::size_t at = 0;
    std::size_t i = 0;
    for (const auto& [cpu, header] : all.headers) {
      places[cpu] = {at, widths[i]};
      head += painted(padded(cut(header, widths[i]), widths[i] + gap), Ink::cyan, options.colour);
      at += widths[i++] + gap;
    }
    text += without_trailing_blanks(head + followed.header()) + "\n";
    for (const Row& row : all.rows) {
      if (row.what == Row::What::ruler) {
        text += ruler(row, gutter + at + state_width, options.colour);
      } else {
        const auto [before, width] = places.at(row.cpu);
        text += draw(row, "", before, width, arrows[row.cpu], gutter + at, state_width, options.colour);
      }
    }
  } else {
    const std::size_t arrow = arrow_of(all.rows, nullptr);
    const std::size_t most = options.width - std::min(options.width, gutter + cpu_label + gap + state_width);
    const std::size_t width = std::min(std::max(most, narrowest), widest(all.rows, nullptr, arrow));
    const std::size_t state_at = gutter + cpu_label + width + gap;
    text += without_trailing_blanks(padded("", state_at) + followed.header()) + "\n";
    // The header of the first CPU names its handler; here that is a row of its own.
    bool first = true;
    for (const Row& row : all.rows) {
      const std::string label = fmt::format("cpu {}", row.cpu);
      if (row.what == Row::What::ruler) {
        text += ruler(row, state_at + state_width, options.colour);
        continue;
      }
      const std::string& header = all.headers.at(row.cpu);
      if (first && header.size() > label.size()) {
        const Row start{Row::What::handler, row.cpu, 0, header.substr(label.size() + 2), {}, {}, false};
        text += draw(start, label, cpu_label, width, arrow, state_at, state_width, options.colour);
      }
      first = false;
      text += draw(row, label, cpu_label, width, arrow, state_at, state_width, options.colour);
    }
  }
  if (all.hidden != 0) {
    text +=
        painted(fmt::format("{}{} not shown, --full shows all\n", std::string(gutter, ' '), plural(all.hidden, "step")),
                Ink::dim, options.colour);
  }
  return text;
}

}  // namespace faultline::cli
