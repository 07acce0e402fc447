#include "cli/significance.hpp"

#include <algorithm>

namespace faultline::cli {
namespace {

using check::TraceStep;
using step::Kind;

bool is_name_character(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool names(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_name_character(text[at - 1])) && (end == text.size() || !is_name_character(text[end])))
      return true;
  }
  return false;
}

bool is_lock(const std::string& name, const std::vector<std::string>& locks) {
  return std::find(locks.begin(), locks.end(), name) != locks.end();
}

bool about_locks(const TraceStep& step, const std::vector<std::string>& locks) {
  return std::any_of(step.notes.begin(), step.notes.end(), [&](const step::Note& note) {
    return std::any_of(locks.begin(), locks.end(), [&](const std::string& lock) { return names(note.text, lock); });
  });
}

bool about_tlb(const TraceStep& step) {
  return step.command == check::no_command ||
         std::any_of(step.notes.begin(), step.notes.end(), [](const step::Note& note) {
           return names(note.text, "touch") || note.text.find("flush_tlb") != std::string::npos;
         });
}

bool changes_shared(const TraceStep& step, const std::vector<std::string>& locks) {
  return std::any_of(step.changed.begin(), step.changed.end(),
                     [&](const check::SharedValue& value) { return !is_lock(value.name, locks); });
}

// The step itself has an outcome, or it reads shared memory into a local that is tested in the work joined to it.
bool looks(const TraceStep& step) {
  if (step.notes.empty()) return false;
  const step::Note& first = step.notes.front();
  if (!first.result.empty()) return true;
  const bool reads = first.text.find('*') != std::string::npos || first.text.find("->") != std::string::npos;
  const bool tested =
      std::any_of(step.notes.begin(), step.notes.end(), [](const step::Note& note) { return !note.result.empty(); });
  return reads && tested && step.changed.empty();
}

// In a deadlock and in a lasso everybody who takes part is stuck; else it is the CPU of the last step.
std::vector<std::uint32_t> culprits(const check::Counterexample& trace) {
  std::vector<std::uint32_t> result;
  const bool everybody = trace.violation.kind == Kind::deadlock || trace.violation.kind == Kind::progress;
  for (std::size_t i = everybody ? 0 : trace.steps.size() - 1; i < trace.steps.size(); ++i)
    result.push_back(trace.steps[i].cpu);
  return result;
}

bool is_culprit(const check::Counterexample& trace, std::uint32_t cpu) {
  const std::vector<std::uint32_t> stuck = culprits(trace);
  return std::find(stuck.begin(), stuck.end(), cpu) != stuck.end();
}

}  // namespace

bool shows_local_work(const check::Counterexample& trace, std::size_t step) {
  return looks(trace.steps[step]) && is_culprit(trace, trace.steps[step].cpu);
}

bool locks_matter(Kind kind) {
  switch (kind) {
    case Kind::deadlock:
    case Kind::lock_missing:
    case Kind::lock_unbalanced:
    case Kind::lock_recursion:
    case Kind::lock_order:
    case Kind::sleep_atomic: return true;
    default: return false;
  }
}

std::vector<bool> significant_steps(const check::Counterexample& trace, const std::vector<std::string>& locks) {
  std::vector<bool> shown(trace.steps.size(), false);
  if (trace.steps.empty()) return shown;
  const Kind kind = trace.violation.kind;
  const bool tlb = kind == Kind::stale_tlb || kind == Kind::flush_missing || kind == Kind::mixed_size;
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const TraceStep& step = trace.steps[i];
    const bool culprit = is_culprit(trace, step.cpu);
    shown[i] = changes_shared(step, locks) || (culprit && looks(step)) || (tlb && about_tlb(step)) ||
               (culprit && locks_matter(kind) && about_locks(step, locks));
  }
  shown.front() = true;
  shown.back() = true;
  if (trace.loop && *trace.loop < shown.size()) shown[*trace.loop] = true;
  return shown;
}

}  // namespace faultline::cli
