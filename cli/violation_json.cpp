#include "cli/violation_json.hpp"

namespace faultline::cli {
namespace {

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

}  // namespace

Json cpus_json(const check::Scope& scope) { return scope.any ? Json("any") : Json(scope.cpus); }

void add_place(Json& json, const dsl::Span& span, const dsl::Sources& sources) {
  json["file"] = span.file < sources.size() ? sources[span.file].name() : "";
  json["line"] = span.line;
  json["column"] = span.column;
}

Json violation_json(const check::Counterexample& example, const dsl::Sources& sources, bool trace) {
  Json json;
  json["kind"] = step::to_string(example.violation.kind);
  if (!example.violation.name.empty()) json["name"] = example.violation.name;
  json["message"] = example.violation.message;
  add_place(json, example.violation.span, sources);
  if (example.is_static) return json;
  json["cpus"] = cpus_json(example.scope);
  json["steps"] = example.steps.size();
  if (!trace) return json;
  json["trace"] = Json::array();
  for (const check::TraceStep& step : example.steps) json["trace"].push_back(step_json(step));
  if (example.loop) json["loop"] = *example.loop;
  return json;
}

std::string one_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace faultline::cli
