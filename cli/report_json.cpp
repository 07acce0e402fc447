#include "cli/report_json.hpp"

#include <nlohmann/json.hpp>

#include "cli/words.hpp"

namespace faultline::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema = "faultline/1";

Json cpus_json(const check::Scope& scope) { return scope.any ? Json("any") : Json(scope.cpus); }

Json scope_json(const check::Scope& scope) {
  Json json;
  json["cpus"] = cpus_json(scope);
  if (!scope.any && scope.per_line.size() > 1) json["cpus_per_line"] = scope.per_line;
  json["memory"] = scope.memory;
  json["bounds"] = Json::array();
  for (const std::string& bound : scope.bounds) json["bounds"].push_back(bound);
  return json;
}

void add_place(Json& json, const dsl::Span& span, const dsl::Sources& sources) {
  json["file"] = span.file < sources.size() ? sources[span.file].name() : "";
  json["line"] = span.line;
  json["column"] = span.column;
}

Json step_json(const check::TraceStep& step) {
  Json json;
  json["cpu"] = step.cpu;
  json["handler"] = step.handler;
  json["line"] = step.notes.empty() ? step.span.line : step.notes.front().span.line;
  json["text"] = step.notes.empty() ? "" : step.notes.front().text;
  if (!step.notes.empty() && !step.notes.front().result.empty()) json["result"] = step.notes.front().result;
  for (std::size_t i = 1; i < step.notes.size(); ++i) {  // local work joined to the step
    Json note;
    note["line"] = step.notes[i].span.line;
    note["text"] = step.notes[i].text;
    if (!step.notes[i].result.empty()) note["result"] = step.notes[i].result;
    json["then"].push_back(note);
  }
  json["state"] = Json::object();
  for (const check::SharedValue& value : step.state) json["state"][value.name] = value.value;
  return json;
}

Json violation_json(const check::Counterexample& example, const dsl::Sources& sources) {
  Json json;
  json["kind"] = step::to_string(example.violation.kind);
  if (!example.violation.name.empty()) json["name"] = example.violation.name;
  json["message"] = example.violation.message;
  add_place(json, example.violation.span, sources);
  if (example.is_static) return json;
  json["cpus"] = cpus_json(example.scope);
  json["steps"] = example.steps.size();
  json["trace"] = Json::array();
  for (const check::TraceStep& step : example.steps) json["trace"].push_back(step_json(step));
  if (example.loop) json["loop"] = *example.loop;
  return json;
}

Json property_json(const check::PropertyResult& property) {
  Json json;
  json["name"] = property.name;
  json["verdict"] = answer_word(property.answer);
  json["cpus"] = cpus_json(property.scope);
  json["engine"] = property.engine;
  if (!property.reason.empty()) json["reason"] = property.reason;
  return json;
}

Json engine_json(const check::EngineAnswer& answer, bool timing) {
  Json json;
  json["engine"] = answer.engine;
  json["cpus"] = cpus_json(answer.scope);
  json["verdict"] = answer.asked ? Json(answer_word(answer.answer)) : Json("not asked");
  if (!answer.reason.empty()) json["reason"] = answer.reason;
  if (!answer.asked) return json;
  json["size"] = answer.size;
  json["unit"] = answer.unit;
  if (answer.answer == check::Answer::violated) json["steps"] = answer.steps;
  if (timing) json["seconds"] = answer.seconds;
  return json;
}

std::string one_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string report_json(const check::Verdict& verdict, const ReportContext& context, bool timing) {
  Json json;
  json["schema"] = schema;
  json["model"] = verdict.model;
  json["variant"] = verdict.variant;
  json["verdict"] = answer_word(verdict.answer);
  if (!verdict.reason.empty()) json["reason"] = verdict.reason;
  if (!verdict.violations.empty() && verdict.violations.front().is_static) json["static"] = true;
  json["properties"] = Json::array();
  for (const check::PropertyResult& property : verdict.properties)
    json["properties"].push_back(property_json(property));
  json["scope"] = scope_json(verdict.scope);
  json["engine"] = verdict.engine;
  if (timing) json["seconds"] = verdict.seconds;
  json["states"] = verdict.states;
  if (verdict.certificate) {
    Json certificate;
    certificate["kind"] = verdict.certificate->kind;
    certificate["k"] = verdict.certificate->k;
    certificate["size"] = verdict.certificate->size;
    certificate["checked_by"] = verdict.certificate->checked_by;
    if (!verdict.certificate->z3_note.empty()) certificate["z3_note"] = verdict.certificate->z3_note;
    json["certificate"] = certificate;
  }
  // A progress line may fail beside a proof: its lasso is then no part of the verdict.
  const bool violated = verdict.answer == check::Answer::violated;
  for (std::size_t i = 0; i < verdict.violations.size(); ++i) {
    Json violation = violation_json(verdict.violations[i], context.sources);
    if (violated && i == 0) {
      json["violation"] = std::move(violation);
    } else {
      json[violated ? "further_violations" : "progress_violations"].push_back(std::move(violation));
    }
  }
  for (const step::Coverage& part : verdict.unreached) {
    Json unreached;
    unreached["what"] = part.what == step::Coverage::What::statement ? "statement"
                        : part.what == step::Coverage::What::state   ? "state"
                                                                     : "arrow";
    unreached["text"] = part.text;
    add_place(unreached, part.span, context.sources);
    json["unreached"].push_back(unreached);
  }
  for (const check::EngineAnswer& answer : verdict.engines) json["engines"].push_back(engine_json(answer, timing));
  for (const check::Known& known : verdict.known) {
    Json line;
    line["handler"] = known.handler;
    add_place(line, known.span, context.sources);
    line["facts"] = known.facts;
    json["proof"].push_back(line);
  }
  return one_line(json);
}

std::string invalid_json(const std::string& file, const std::string& variant,
                         const std::vector<dsl::Diagnostic>& diagnostics, const dsl::Sources& sources) {
  Json json;
  json["schema"] = schema;
  json["file"] = file;
  if (!variant.empty()) json["variant"] = variant;
  json["verdict"] = "invalid";
  json["diagnostics"] = Json::array();
  for (const dsl::Diagnostic& diagnostic : diagnostics) {
    Json entry;
    entry["severity"] = diagnostic.severity == dsl::Severity::error ? "error" : "warning";
    entry["code"] = diagnostic.code;
    entry["message"] = diagnostic.message;
    add_place(entry, diagnostic.span, sources);
    for (const dsl::Related& related : diagnostic.related) {
      Json place;
      place["text"] = related.text;
      add_place(place, related.span, sources);
      entry["related"].push_back(place);
    }
    for (const std::string& note : diagnostic.notes) entry["notes"].push_back(note);
    for (const std::string& help : diagnostic.helps) entry["helps"].push_back(help);
    json["diagnostics"].push_back(entry);
  }
  return one_line(json);
}

}  // namespace faultline::cli
