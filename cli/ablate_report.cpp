#include "cli/ablate_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "cli/terminal.hpp"
#include "cli/words.hpp"

namespace faultline::cli {
namespace {

using check::AblationAnswer;
using check::AblationResult;

constexpr std::size_t text_width = 38;  // of what is removed; longer conditions are cut

struct AnswerWord {
  AblationAnswer answer;
  std::string_view word;
  Ink ink;
  bool listed;  // has a line of its own below the table
};
constexpr std::array<AnswerWord, 8> answer_words = {{
    {AblationAnswer::needed, "needed", Ink::red, true},
    {AblationAnswer::rule_only, "rule only", Ink::yellow, true},
    {AblationAnswer::not_needed, "not needed", Ink::green, true},
    {AblationAnswer::idle, "idle", Ink::yellow, true},
    {AblationAnswer::unknown, "unknown", Ink::yellow, true},
    {AblationAnswer::rule, "rule", Ink::plain, false},
    {AblationAnswer::not_judged, "not judged", Ink::dim, false},
    {AblationAnswer::not_applicable, "no model", Ink::dim, false},
}};

const AnswerWord& word_of(AblationAnswer answer) {
  return *std::find_if(answer_words.begin(), answer_words.end(),
                       [&](const AnswerWord& row) { return row.answer == answer; });
}

std::string lines_text(const dsl::Ablation& removal) {
  std::set<std::uint32_t> lines;
  for (const dsl::Span& part : removal.parts) lines.insert(part.line);
  return fmt::format("{}", fmt::join(lines, ", "));
}

// At most `width` columns; what a condition is taken as is always there.
std::string removed_text(const dsl::Ablation& removal, std::size_t width = SIZE_MAX) {
  const std::string as = removal.taken_as ? fmt::format(" as {}", *removal.taken_as) : "";
  return cut(removal.text, width - as.size()) + as;
}

std::string broken_text(const check::Counterexample& example) {
  const std::string name = violation_name(example.violation);
  if (example.is_static) return name + ", static";
  return fmt::format("{}, {}, {}", name, cpus_text(example.scope), plural(example.steps.size(), "step"));
}

std::string joined(const std::vector<std::string>& list) { return fmt::format("{}", fmt::join(list, ", ")); }

std::string flushes_text(const AblationResult& result) {
  if (result.flushes.empty()) return "it asks for no flush";
  std::vector<std::string> alone;
  std::vector<std::string> others;
  for (const check::FlushWithoutRule& flush : result.flushes) {
    if (flush.violation)
      others.push_back(fmt::format("{} ({})", flush.flush.line, violation_name(*flush.violation)));
    else
      alone.push_back(std::to_string(flush.flush.line));
  }
  std::string text;
  if (!alone.empty()) text = "it alone asks for flush " + joined(alone);
  if (!others.empty())
    text += fmt::format("{}flush {} is missed without it too", text.empty() ? "" : "; ", joined(others));
  return text;
}

std::string detail(const AblationResult& result) {
  const auto& violations = result.as_is.verdict.violations;
  switch (result.answer) {
    case AblationAnswer::needed: {
      const std::string text = broken_text(*check::breakage(result));
      return result.race ? "race: " + text : text;  // and before it a rule that is declared
    }
    case AblationAnswer::rule_only:
      return fmt::format("only the rule ({})", violation_name(violations.front().violation));
    case AblationAnswer::not_needed: return "proved, " + cpus_text(result.as_is.verdict.scope);
    case AblationAnswer::idle: return "proved, but nothing reaches " + joined(result.idle);
    case AblationAnswer::rule: return flushes_text(result);
    case AblationAnswer::not_judged:
    case AblationAnswer::not_applicable:
    case AblationAnswer::unknown: return result.reason;
  }
  return {};
}

std::size_t count(const std::vector<AblationResult>& results, std::initializer_list<AblationAnswer> answers) {
  return static_cast<std::size_t>(std::count_if(results.begin(), results.end(), [&](const AblationResult& result) {
    return std::find(answers.begin(), answers.end(), result.answer) != answers.end();
  }));
}

std::string hanging(const std::string& head, const std::string& text, std::size_t width) {
  std::string out;
  const std::size_t indent = columns(head);
  for (const std::string& line : wrapped(text, width > indent + 24 ? width - indent : 24))
    out += (out.empty() ? head : std::string(indent, ' ')) + line + "\n";
  return out;
}

// "lock pair 47, 78; flush 135": the first lines of those with one answer.
std::string places(const std::vector<AblationResult>& results, AblationAnswer answer) {
  std::vector<std::pair<dsl::AblationKind, std::vector<std::uint32_t>>> groups;
  for (const AblationResult& result : results) {
    if (result.answer != answer) continue;
    const dsl::AblationKind kind = result.removal.kind;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == kind; });
    if (group == groups.end()) group = groups.insert(groups.end(), {kind, {}});
    const std::uint32_t line = result.removal.parts.front().line;
    if (group->second.empty() || group->second.back() != line) group->second.push_back(line);
  }
  std::string text;
  for (const auto& [kind, lines] : groups)
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", to_string(kind), fmt::join(lines, ", "));
  return text;
}

std::string summary(const std::vector<AblationResult>& results, const TextOptions& options) {
  using enum AblationAnswer;
  const std::size_t breaks = count(results, {needed, rule_only});
  const std::size_t keeps = count(results, {not_needed, idle, rule});
  double seconds = 0;
  for (const AblationResult& result : results) seconds += result.seconds;
  std::string text =
      fmt::format("  {}: {} {} the proof, {} {} it, {} unknown", plural(results.size(), "removal"), breaks,
                  breaks == 1 ? "breaks" : "break", keeps, keeps == 1 ? "keeps" : "keep", count(results, {unknown}));
  if (const std::size_t n = count(results, {not_judged}); n != 0) text += fmt::format(", {} not judged", n);
  if (const std::size_t n = count(results, {not_applicable}); n != 0) text += fmt::format(", {} no model", n);
  text += options.timing ? "; " + seconds_text(seconds) + "\n" : "\n";
  for (const AnswerWord& row : answer_words) {
    if (!row.listed || count(results, {row.answer}) == 0) continue;
    text +=
        hanging(fmt::format("    {:<12} ", fmt::format("{}:", row.word)), places(results, row.answer), options.width);
  }
  return text;
}

std::string scope_words(const check::Scope& scope) {
  return scope.any ? "for any number of CPUs" : fmt::format("for {} only", cpus_text(scope));
}

}  // namespace

std::string ablation_table(const check::Verdict& proved, const std::vector<AblationResult>& results,
                           const TextOptions& options) {
  std::string text =
      painted(fmt::format("ablation of {} [{}]", proved.model, proved.variant), Ink::bold, options.colour) +
      fmt::format(", proved {}: each piece taken out on its own\n", scope_words(proved.scope));
  std::size_t lines = 0;
  std::size_t kind = 0;
  std::size_t removed = 0;
  for (const AblationResult& result : results) {
    lines = std::max(lines, columns(lines_text(result.removal)));
    kind = std::max(kind, columns(to_string(result.removal.kind)));
    removed = std::max(removed, columns(removed_text(result.removal)));
  }
  removed = std::min(removed, text_width);
  std::string function;
  for (const AblationResult& result : results) {
    const dsl::Ablation& removal = result.removal;
    if (removal.function != function) {
      function = removal.function;
      const bool entry = removal.kind == dsl::AblationKind::after_flush;
      text += "\n  " + painted((entry ? "entry " : "") + function, Ink::cyan, options.colour) + "\n";
    }
    const AnswerWord& word = word_of(result.answer);
    const std::string answer = padded(word.word, 10);
    const std::string head =
        fmt::format("    {}  {}  {}  {}  ", padded(lines_text(removal), lines), padded(to_string(removal.kind), kind),
                    padded(removed_text(removal, removed), removed), answer);
    std::string row = hanging(head, detail(result), options.width);
    if (options.colour) {
      const std::size_t at = head.size() - 2 - answer.size();
      row.replace(at, answer.size(), painted(answer, word.ink, true));
    }
    text += row;
  }
  return text + "\n" + summary(results, options);
}

std::string ablation_traces(const std::vector<AblationResult>& results, const ReportContext& context,
                            const TextOptions& options) {
  std::string text;
  for (const AblationResult& result : results) {
    const check::Counterexample* example = check::breakage(result);
    if (example == nullptr) continue;
    text += fmt::format("\nwithout {}, {}:{}\n", removed_text(result.removal), result.removal.function,
                        lines_text(result.removal));
    const bool struck = result.race && !result.race->verdict.violations.empty();
    const check::Judged& shown = struck ? *result.race : result.as_is;
    if (!example->is_static) {
      text += report_text(shown.verdict, context, options);
      continue;
    }
    for (const dsl::Diagnostic& diagnostic : shown.diagnostics.sorted()) {
      if (diagnostic.severity == dsl::Severity::error) text += dsl::render(diagnostic, context.sources, options.colour);
    }
  }
  return text;
}

}  // namespace faultline::cli
