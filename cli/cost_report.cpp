#include "cli/cost_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace faultline::cli {
namespace {

using Json = nlohmann::ordered_json;

Json place_json(const dsl::Span& span, const dsl::Sources& sources) {
  Json json;
  json["file"] = span.file < sources.size() ? sources[span.file].name() : "";
  json["line"] = span.line;
  json["column"] = span.column;
  return json;
}

Json one_cost(const std::string& variant, const check::HandlerCost& cost, const dsl::Sources& sources) {
  Json json;
  json["variant"] = variant;
  json["handler"] = cost.handler;
  json["entry"] = cost.entry;
  json["state"] = cost.state;
  json["measures"] = Json::object();
  for (const check::MeasuredCost& measure : cost.measures) {
    Json& range = json["measures"][measure.name];
    range["least"] = measure.range.least;
    range["most"] = measure.range.most == check::CostRange::unbounded ? Json() : Json(measure.range.most);
  }
  json["ends"] = cost.ends;
  json["waits"] = Json::array();
  for (const step::Span& span : cost.waits) json["waits"].push_back(place_json(span, sources));
  if (cost.violation) {
    json["violation"] = {{"kind", step::to_string(cost.violation->kind)}, {"message", cost.violation->message}};
    json["violation"].update(place_json(cost.violation->span, sources));
  }
  return json;
}

Json one_guard(const check::GuardTable& table, const dsl::Sources& sources) {
  Json json;
  json["function"] = table.function;
  json["call"] = table.call;
  json["entry"] = table.entry;
  json.update(place_json(table.place, sources));
  json["states"] = table.states;
  json["rows"] = Json::array();
  for (const check::GuardRow& row : table.rows) {
    Json one;
    one["variant"] = row.variant;
    one["guard"] = row.guard;
    one["line"] = row.span.line;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const check::Passes passes = row.cells[i].passes;
      one["passes"][table.states[i]] =
          passes == check::Passes::maybe ? Json("depends") : Json(passes == check::Passes::yes);
    }
    if (!row.guard.empty()) {
      for (std::size_t i = 0; i < row.cells.size(); ++i) one["seen"][table.states[i]] = row.cells[i].seen;
      one["complete"] = row.complete;
    }
    json["rows"].push_back(std::move(one));
  }
  return json;
}

}  // namespace

std::vector<GuardTable> drawn(const std::vector<check::GuardTable>& tables) {
  std::vector<GuardTable> result;
  for (const check::GuardTable& table : tables) {
    GuardTable one{fmt::format("{}:{}, before {}()", table.function, table.place.line, table.call), table.states, {}};
    for (const check::GuardRow& row : table.rows) {
      GuardRow drawn_row{row.variant, row.guard, {}};
      for (const check::GuardCell& cell : row.cells)
        drawn_row.cells.push_back({cell.passes != check::Passes::no, cell.seen, cell.passes == check::Passes::maybe});
      one.rows.push_back(std::move(drawn_row));
    }
    result.push_back(std::move(one));
  }
  return result;
}

std::string cost_json(const std::string& path, const step::Loaded& loaded, const std::vector<VariantCosts>& costs,
                      const std::vector<check::GuardTable>& guards) {
  Json json;
  json["schema"] = "faultline/1";
  json["model"] = loaded.file.model.text;
  json["file"] = path;
  json["costs"] = Json::array();
  for (const VariantCosts& of_variant : costs) {
    for (const check::HandlerCost& cost : of_variant.costs)
      json["costs"].push_back(one_cost(of_variant.variant, cost, loaded.sources));
  }
  json["guards"] = Json::array();
  for (const check::GuardTable& table : guards) json["guards"].push_back(one_guard(table, loaded.sources));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace faultline::cli
