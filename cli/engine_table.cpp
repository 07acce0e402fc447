#include "cli/engine_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/terminal.hpp"
#include "cli/words.hpp"

namespace faultline::cli {
namespace {

using check::Answer;

std::string answer_of(const check::EngineAnswer& answer) {
  if (!answer.asked) return "not asked";
  if (answer.answer != Answer::violated) return std::string(answer_word(answer.answer));
  return fmt::format("violated in {}", plural(answer.steps, "step"));
}

std::string size_of(const check::EngineAnswer& answer) {
  return answer.size == 0 ? "" : fmt::format("{} {}", thousands(answer.size), answer.unit);
}

std::string trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  const std::size_t last = line.find_last_not_of(" \t\r\n");
  return first == std::string_view::npos ? "" : std::string(line.substr(first, last - first + 1));
}

}  // namespace

std::string engine_table(const check::Verdict& verdict, const TextOptions& options) {
  struct Row {
    std::string engine, cpus, answer, size, time, reason;
  };
  std::vector<Row> rows = {{"engine", "for", "answer", "looked at", options.timing ? "time" : "", "rests on"}};
  for (const check::EngineAnswer& a : verdict.engines)
    rows.push_back({a.engine, cpus_text(a.scope), answer_of(a), size_of(a),
                    options.timing && a.asked ? seconds_text(a.seconds) : "", a.reason});
  std::size_t widths[5] = {};
  for (const Row& r : rows) {
    const std::string* cells[] = {&r.engine, &r.cpus, &r.answer, &r.size, &r.time};
    for (std::size_t c = 0; c < 5; ++c) widths[c] = std::max(widths[c], columns(*cells[c]));
  }
  std::string text = "\n";
  for (const Row& r : rows) {
    std::string head = "  " + padded(r.engine, widths[0]) + "  " + padded(r.cpus, widths[1]) + "  " +
                       padded(r.answer, widths[2]) + "  " + padded(r.size, widths[3]) + "  ";
    if (options.timing) head += padded(r.time, widths[4]) + "  ";
    const std::size_t room = std::max<std::size_t>(options.width, columns(head) + 30) - columns(head);
    const std::vector<std::string> lines = wrapped(r.reason, room);
    text += trimmed(lines.empty() ? head : head + lines.front()).insert(0, "  ") + "\n";
    for (std::size_t i = 1; i < lines.size(); ++i) text += std::string(columns(head), ' ') + lines[i] + "\n";
  }
  return text + "  no two of these answers contradict each other\n";
}

std::string explanation(const check::Verdict& verdict, const ReportContext& context, const TextOptions& options) {
  std::vector<std::string> handlers;
  for (const check::Known& known : verdict.known)
    if (std::find(handlers.begin(), handlers.end(), known.handler) == handlers.end()) handlers.push_back(known.handler);
  std::string text = "\n  what the proof knows before each step, in any system of two CPUs or more:\n";
  for (const std::string& handler : handlers) {
    text += "\n  " + painted(handler, Ink::bold, options.colour) + "\n";
    for (const check::Known& known : verdict.known) {
      if (known.handler != handler) continue;
      const bool readable = known.span.known() && known.span.file < context.sources.size();
      text += fmt::format(
          "  {:>5}  {}\n", known.span.line,
          cut(readable ? trimmed(context.sources[known.span.file].line(known.span.line)) : "", options.width - 9));
      for (const std::string& fact : known.facts)
        for (const std::string& line : wrapped(fact, options.width - 13))
          text += painted("           | ", Ink::dim, options.colour) + line + "\n";
    }
  }
  return text;
}

}  // namespace faultline::cli
