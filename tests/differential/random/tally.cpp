#include "tests/differential/random/tally.hpp"

#include <cctype>

#include "fmt/format.h"

namespace faultline::differential {

using check::Answer;

namespace {

// Equal for reasons that differ in numbers only.
std::string without_numbers(const std::string& reason) {
  std::string text;
  for (const char c : reason) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (digit && !text.empty() && text.back() == '#') continue;
    text += digit ? '#' : c;
  }
  return text;
}

}  // namespace

Tally::Tally(const std::vector<Engine>& engines, std::uint32_t max_cpus) : max_cpus_(max_cpus) {
  for (const Engine& engine : engines) engines_.push_back({engine.name, 0, 0, 0, 0});
}

double Tally::percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

double Tally::with(const std::string& feature) const {
  const auto found = features_.find(feature);
  return found == features_.end() ? 0 : percent(found->second, models_);
}

void Tally::add(const Outcome& outcome) {
  ++models_;
  for (const std::string& f : outcome.features) ++features_[f];
  spin_ += outcome.spin_compared;
  if (outcome.tried_removals) {
    ++tried_;
    if (outcome.needed)
      ++needed_;
    else if (outcome.needed_statically)
      ++needed_statically_;
  }
  for (const Judged& judged : outcome.variants) {
    add(judged);
    for (const Disagreement& d : judged.disagreements)
      disagreed_.push_back(fmt::format("seed {} [{}]: {}: {}", outcome.seed, d.variant, d.what, d.detail));
  }
  if (outcome.variants.empty()) return;
  const Judged& base = outcome.variants.front();
  if (base.is_static)
    ++static_models_;
  else if (base.reference.first_violated() != nullptr)
    ++unsafe_;
  else if (!base.findings.empty() && base.findings.back() && base.findings.back()->answer == Answer::proved)
    ++safe_;
}

void Tally::add(const Judged& judged) {
  if (judged.is_static) {
    ++static_variants_;
    return;
  }
  ++programs_;
  add_search(judged);
  for (std::size_t e = 0; e < judged.findings.size(); ++e) {
    Answers& answers = engines_[e];
    const std::optional<Finding>& finding = judged.findings[e];
    if (!finding)
      ++answers.not_asked;
    else
      ++(finding->answer == Answer::proved     ? answers.safe
         : finding->answer == Answer::violated ? answers.unsafe
                                               : answers.unknown);
  }
}

void Tally::add_search(const Judged& judged) {
  const Reference& reference = judged.reference;
  const bool all = reference.exhaustive(max_cpus_);
  if (const Searched* first = reference.first_violated()) {
    ++search_.unsafe;
    ++cpus_[first->cpus];
    for (const Searched& s : reference.searched)
      if (&s == &reference.searched.back())
        for (const std::string& v : s.violations) ++kinds_[v.substr(0, v.find('('))];
  } else {
    ++(all ? search_.safe : search_.unknown);
  }
  if (!all || judged.findings.empty() || !judged.findings.back()) return;
  ++exhaustive_;
  if (judged.findings.back()->answer != Answer::unknown) return;
  ++undecided_;
  ++reasons_[without_numbers(judged.findings.back()->reason)];
}

std::string Tally::markdown() const {
  std::string text = fmt::format(
      "| models | |\n| --- | --- |\n| all | {} |\n| unsafe | {} ({:.1f} %) |\n| safe | {} ({:.1f} %) |\n"
      "| wrong at once (FL04xx) | {} ({:.1f} %) |\n",
      models_, unsafe_, unsafe(), safe_, percent(safe_, models_), static_models_, rejected());
  text += fmt::format(
      "\nWith each lock, second look and flush removed in turn from {} of them: {} ({:.1f} %) are safe and one "
      "removal\n"
      "makes a violation that the search finds; {} more, one that the front end finds.\n",
      tried_, needed_, safe_for_a_reason(), needed_statically_);
  text += fmt::format("\n{} programs (variants included; {} more are wrong at once):\n\n", programs_, static_variants_);
  text += "| engine | safe | unsafe | unknown | not asked |\n| --- | --- | --- | --- | --- |\n";
  const auto row = [&](const Answers& a) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", a.engine, a.safe, a.unsafe, a.unknown, a.not_asked);
  };
  row(search_);
  for (const Answers& answers : engines_) row(answers);
  text +=
      fmt::format("\nSearched exhaustively with up to {} CPUs: {}; of these the check answers unknown: {} ({:.2f} %)\n",
                  max_cpus_, exhaustive_, undecided_, undecided());
  for (const auto& [reason, n] : reasons_) text += fmt::format("- {} × {}\n", n, reason);
  const auto list = [&](const char* title, const auto& counts, std::uint64_t whole) {
    text += fmt::format("\n| {} | programs |\n| --- | --- |\n", title);
    for (const auto& [name, n] : counts) text += fmt::format("| {} | {} ({:.1f} %) |\n", name, n, percent(n, whole));
  };
  list("violations that are reached", kinds_, programs_);
  list("CPUs of the first violation", cpus_, programs_);
  list("what the models use (of models)", features_, models_);
  text += fmt::format("\nCompared with Spin, states and errors: {} searches.\n", spin_);
  text += fmt::format("\nDisagreements: {}\n", disagreed_.size());
  for (const std::string& d : disagreed_) text += "- " + d.substr(0, d.find('\n')) + "\n";
  return text;
}

}  // namespace faultline::differential
