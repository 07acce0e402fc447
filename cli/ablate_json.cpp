#include "cli/ablate_report.hpp"
#include "cli/violation_json.hpp"
#include "cli/words.hpp"

namespace faultline::cli {
namespace {

using check::AblationAnswer;
using check::AblationResult;

std::string_view answer_name(AblationAnswer answer) {
  switch (answer) {
    case AblationAnswer::needed: return "needed";
    case AblationAnswer::rule_only: return "rule only";
    case AblationAnswer::not_needed: return "not needed";
    case AblationAnswer::idle: return "idle";
    case AblationAnswer::rule: return "rule";
    case AblationAnswer::not_judged: return "not judged";
    case AblationAnswer::not_applicable: return "not applicable";
    case AblationAnswer::unknown: return "unknown";
  }
  return {};
}

void add_verdict(Json& json, const check::Judged& judged, const dsl::Sources& sources, bool traces) {
  const auto& violations = judged.verdict.violations;
  // a progress line that fails beside a proof is no part of a verdict, but it does break the mutant
  json["verdict"] = answer_word(violations.empty() ? judged.verdict.answer : check::Answer::violated);
  if (!violations.empty()) json["violation"] = violation_json(violations.front(), sources, traces);
}

Json one(const AblationResult& result, const dsl::Sources& sources, bool traces, bool timing) {
  const dsl::Ablation& removal = result.removal;
  Json json;
  json["kind"] = to_string(removal.kind);
  json["text"] = removal.text;
  json["function"] = removal.function;
  json["line"] = removal.parts.front().line;
  json["lines"] = Json::array();
  for (const dsl::Span& part : removal.parts) json["lines"].push_back(part.line);
  if (removal.taken_as) json["taken_as"] = *removal.taken_as;
  json["answer"] = answer_name(result.answer);
  if (result.answer == AblationAnswer::not_judged || result.answer == AblationAnswer::not_applicable)
    json["verdict"] = answer_name(result.answer);
  else
    add_verdict(json, result.as_is, sources, traces);
  json["rule_only"] = result.answer == AblationAnswer::rule_only;
  if (result.race) {
    json["race"] = Json::object();
    add_verdict(json["race"], *result.race, sources, traces);
  }
  if (!result.reason.empty()) json["reason"] = result.reason;
  if (!result.idle.empty()) json["idle"] = result.idle;
  for (const check::FlushWithoutRule& flush : result.flushes) {
    Json entry;
    entry["line"] = flush.flush.line;
    entry["verdict"] = answer_word(flush.violation ? check::Answer::violated : flush.answer);
    if (flush.violation) entry["violation"] = step::to_string(flush.violation->kind);
    json["flushes"].push_back(entry);
  }
  if (timing) json["seconds"] = result.seconds;
  return json;
}

}  // namespace

std::string ablation_json(const check::Verdict& proved, const std::vector<AblationResult>& results,
                          const ReportContext& context, bool traces, bool timing) {
  Json json;
  json["schema"] = "faultline/1";
  json["model"] = proved.model;
  json["variant"] = proved.variant;
  json["file"] = context.sources.front().name();
  json["cpus"] = cpus_json(proved.scope);
  json["ablations"] = Json::array();
  for (const AblationResult& result : results)
    json["ablations"].push_back(one(result, context.sources, traces, timing));
  return one_line(json);
}

}  // namespace faultline::cli
