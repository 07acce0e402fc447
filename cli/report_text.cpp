#include "cli/report_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/engine_table.hpp"
#include "cli/terminal.hpp"
#include "cli/timeline.hpp"
#include "cli/words.hpp"

namespace faultline::cli {
namespace {

using check::Answer;

constexpr std::size_t unreached_shown = 10;

Ink ink_of(Answer answer) {
  switch (answer) {
    case Answer::proved: return Ink::green;
    case Answer::violated: return Ink::red;
    case Answer::unknown: return Ink::yellow;
  }
  return Ink::plain;
}

// `text` wrapped behind `head`, later lines indented to stand under it.
std::string hanging(const std::string& head, const std::string& text, std::size_t width) {
  const std::size_t indent = columns(head);
  std::string result;
  for (const std::string& line : wrapped(text, width > indent + 20 ? width - indent : 20)) {
    result += (result.empty() ? head : std::string(indent, ' ')) + line + "\n";
  }
  return result;
}

std::string scope_text(const check::Scope& scope) {
  return fmt::format("{}, memory {}", cpus_text(scope), scope.memory);
}

std::string engine_name(const std::string& engine) {
  if (engine == "explicit") return "explicit search";
  return engine;
}

// Scope and engine in one line; the bounds that the answer rests on follow it.
std::string scope_line(const check::Verdict& verdict, const TextOptions& options) {
  if (verdict.answer == Answer::unknown && verdict.engine.empty()) return "";  // nothing was begun
  const bool traced =
      verdict.answer == Answer::violated && !verdict.violations.empty() && !verdict.violations.front().is_static;
  std::string text = scope_text(traced ? verdict.violations.front().scope : verdict.scope);
  if (!verdict.engine.empty()) text += "; " + engine_name(verdict.engine);
  // A proof comes after a search for a counterexample with few CPUs; its own size is that of the certificate.
  if (verdict.states != 0) {
    text += verdict.certificate ? fmt::format(" (after a search of {})", plural(verdict.states, "state"))
                                : ", " + plural(verdict.states, "state");
  }
  if (options.timing) text += ", " + seconds_text(verdict.seconds);
  text += "\n";
  std::string bounds;
  for (const std::string& bound : verdict.scope.bounds) bounds += (bounds.empty() ? "" : ", ") + bound;
  return "  " + text + (bounds.empty() ? "" : hanging("  within bounds: ", bounds, options.width));
}

std::string certificate_line(const check::CertificateInfo& certificate, std::size_t width) {
  std::string judges;
  for (std::size_t i = 0; i < certificate.checked_by.size(); ++i) {
    const std::string& judge = certificate.checked_by[i];
    judges += i == 0 ? "" : i + 1 == certificate.checked_by.size() ? " and by " : ", by ";
    judges += judge == "own" ? "Faultline's own checker" : judge == "z3" ? "Z3" : judge;
  }
  std::string text = certificate.kind == "views"
                         ? fmt::format("{} of {} CPUs", plural(certificate.size, "view"), certificate.k)
                         : fmt::format("{}, size {}", certificate.kind, thousands(certificate.size));
  if (!judges.empty()) text += ", accepted by " + judges;
  if (!certificate.z3_note.empty()) text += fmt::format(" (Z3: {})", certificate.z3_note);
  return hanging("  certificate: ", text, width);
}

// Properties of one answer, scope, engine and reason share a line.
std::string property_lines(const std::vector<check::PropertyResult>& properties, const TextOptions& options) {
  struct Group {
    const check::PropertyResult* like;
    std::string names;
  };
  std::vector<Group> groups;
  for (const check::PropertyResult& property : properties) {
    if (property.answer == Answer::violated) continue;  // each has a headline of its own
    const auto same = [&](const Group& group) {
      return group.like->answer == property.answer && scope_text(group.like->scope) == scope_text(property.scope) &&
             group.like->engine == property.engine && group.like->reason == property.reason;
    };
    const auto group = std::find_if(groups.begin(), groups.end(), same);
    if (group == groups.end()) {
      groups.push_back({&property, property.name});
    } else {
      group->names += ", " + property.name;
    }
  }
  std::size_t cpus_width = 0;
  std::size_t engine_width = 0;
  for (const Group& group : groups) {
    cpus_width = std::max(cpus_width, columns(cpus_text(group.like->scope)));
    engine_width = std::max(engine_width, columns(engine_name(group.like->engine)));
  }
  std::string text;
  for (const Group& group : groups) {
    const check::PropertyResult& like = *group.like;
    const std::string answer = padded(answer_word(like.answer), 8);
    const std::string head = fmt::format("  {}  {}  {}  ", answer, padded(cpus_text(like.scope), cpus_width),
                                         padded(engine_name(like.engine), engine_width));
    std::string block = hanging(head, group.names + (like.reason.empty() ? "" : ": " + like.reason), options.width);
    if (options.colour) block.replace(2, answer.size(), painted(answer, ink_of(like.answer), true));
    text += block;
  }
  return text;
}

std::string unreached_lines(const check::Verdict& verdict, const ReportContext& context, const TextOptions& options) {
  if (verdict.unreached.empty()) return {};
  std::string text = painted("  warning: ", Ink::yellow, options.colour) +
                     fmt::format("never reached with up to {} on an `any` line, so nothing was shown about:\n",
                                 plural(verdict.unreached_cpus, "CPU"));
  const std::size_t count =
      options.full ? verdict.unreached.size() : std::min(unreached_shown, verdict.unreached.size());
  for (std::size_t i = 0; i < count; ++i) {
    const step::Coverage& part = verdict.unreached[i];
    text +=
        "    " +
        cut(fmt::format("{}: {}", place_text(part.span, context.sources), unreached_text(part)), options.width - 4) +
        "\n";
  }
  if (count < verdict.unreached.size()) {
    text += fmt::format("    and {} more, --full shows all\n", verdict.unreached.size() - count);
  }
  return text;
}

std::string violated_headline(const check::Verdict& verdict, const check::Counterexample& example,
                              const ReportContext& context, const TextOptions& options) {
  const step::Violation& violation = example.violation;
  std::string tag;
  const std::string name = violation_name(violation);
  if (name != "assert") tag += name + ", ";
  tag += verdict.variant;
  if (!example.is_static)
    tag += fmt::format(", {}, {}", cpus_text(example.scope), plural(example.steps.size(), "step"));
  const std::string message = violation.message.empty() ? name : violation.message;
  const std::string word(answer_word(Answer::violated));
  const std::string first = fmt::format("{}: {}: {}", place_text(violation.span, context.sources), word, message);
  std::vector<std::string> lines = {first};
  if (columns(first) > options.width) lines = wrapped(first, options.width - 4);  // later lines are indented

  tag = fmt::format("[{}]", tag);
  if (columns(lines.back()) + 1 + columns(tag) + (lines.size() > 1 ? 4 : 0) <= options.width) {
    lines.back() += " " + tag;
  } else {
    lines.push_back(tag);
  }
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "    ") + line + "\n";
  const std::size_t at = text.find(word);
  if (at != std::string::npos) text.replace(at, word.size(), painted(word, Ink::red, options.colour));
  return text;
}

std::string headline(const check::Verdict& verdict, const ReportContext& context, const TextOptions& options) {
  const std::string subject = fmt::format("{} [{}]", verdict.model, verdict.variant);
  const std::string word = painted(answer_word(verdict.answer), ink_of(verdict.answer), options.colour);
  switch (verdict.answer) {
    case Answer::violated:
      if (!verdict.violations.empty()) return violated_headline(verdict, verdict.violations.front(), context, options);
      return fmt::format("{}: {}\n", word, subject);
    case Answer::proved:
      // A progress line has a scope of its own and is no part of the proof; that it fails must not be overlooked.
      return fmt::format("{}: {}, {}{}\n", word, subject,
                         verdict.scope.any ? "for any number of CPUs" : "for " + cpus_text(verdict.scope) + " only",
                         verdict.violations.empty()
                             ? ""
                             : "; but " + violation_name(verdict.violations.front().violation) + " is violated");
    case Answer::unknown: {
      std::string text;
      const std::string plain = fmt::format("{}: {}: {}", answer_word(verdict.answer), subject, verdict.reason);
      for (const std::string& line : wrapped(plain, options.width - 4))
        text += (text.empty() ? "" : "    ") + line + "\n";
      return word + text.substr(answer_word(verdict.answer).size());
    }
  }
  return {};
}

}  // namespace

std::string violation_name(const step::Violation& violation) {
  const std::string kind = step::to_string(violation.kind);
  return violation.name.empty() ? kind : fmt::format("{}({})", kind, violation.name);
}

std::string unreached_text(const step::Coverage& part) {
  const std::string_view what = part.what == step::Coverage::What::statement ? "statement"
                                : part.what == step::Coverage::What::state   ? "state"
                                                                             : "arrow";
  return part.text.empty() ? std::string(what) : fmt::format("{} {}", what, part.text);
}

std::string place_text(const dsl::Span& span, const dsl::Sources& sources) {
  const std::string file = span.file < sources.size() ? sources[span.file].name() : std::string("?");
  return span.known() ? fmt::format("{}:{}:{}", file, span.line, span.column) : file;
}

std::string report_text(const check::Verdict& verdict, const ReportContext& context, const TextOptions& options) {
  std::string text = headline(verdict, context, options) + scope_line(verdict, options);
  if (verdict.certificate) text += certificate_line(*verdict.certificate, options.width);
  text += property_lines(verdict.properties, options);
  text += unreached_lines(verdict, context, options);
  if (!verdict.engines.empty()) text += engine_table(verdict, options);
  if (!verdict.known.empty()) text += explanation(verdict, context, options);
  for (std::size_t i = 0; i < verdict.violations.size(); ++i) {
    const check::Counterexample& example = verdict.violations[i];
    const bool headed = i == 0 && verdict.answer == Answer::violated;  // a progress line may fail beside a proof
    if (!headed) text += "\n" + violated_headline(verdict, example, context, options);
    if (!example.steps.empty())
      text += "\n" + timeline(example, context.locks, {options.full, options.colour, options.width});
  }
  return text;
}

std::string summary_line(const std::vector<check::Verdict>& verdicts, bool colour) {
  std::string text;
  for (const check::Verdict& verdict : verdicts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", verdict.variant,
                        painted(answer_word(verdict.answer), ink_of(verdict.answer), colour));
    if (verdict.answer == Answer::violated && !verdict.violations.empty()) {
      text += fmt::format(" ({})", violation_name(verdict.violations.front().violation));
    }
  }
  return text + "\n";
}

}  // namespace faultline::cli
