#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <set>

#include "checker/cost.hpp"
#include "cli/commands.hpp"
#include "cli/cost_report.hpp"
#include "cli/cost_table.hpp"
#include "cli/loading.hpp"
#include "cli/run.hpp"

namespace faultline::cli {
namespace {

// The table's columns: allocations and IPIs always, locks by name and the rest where something takes them.
constexpr std::array always = {"allocs", "ipis"};
constexpr std::array summed = {"locks"};  // the locks stand there one by one

bool listed(const std::string& name, const auto& names) {
  return std::any_of(names.begin(), names.end(), [&](const char* other) { return name == other; });
}

std::set<std::string> columns_of(const std::vector<VariantCosts>& all, const CostTable& table) {
  std::set<std::string> names(always.begin(), always.end());
  for (const VariantCosts& measured : all) {
    for (const check::HandlerCost& cost : measured.costs) {
      if (cost.handler != table.handler || cost.entry != table.entry) continue;
      for (const check::MeasuredCost& one : cost.measures) {
        if (one.range.most != 0 && !listed(one.name, summed)) names.insert(one.name);
      }
    }
  }
  return names;
}

// One table for each handler and entry of the cost lines, in their order.
std::vector<CostTable> tables_of(const std::vector<VariantCosts>& all) {
  std::vector<CostTable> tables;
  for (const VariantCosts& measured : all) {
    for (const check::HandlerCost& cost : measured.costs) {
      const bool known = std::any_of(tables.begin(), tables.end(), [&](const CostTable& table) {
        return table.handler == cost.handler && table.entry == cost.entry;
      });
      if (!known) tables.push_back({cost.handler, cost.entry, {}});
    }
  }
  for (CostTable& table : tables) {
    const std::set<std::string> names = columns_of(all, table);
    for (const VariantCosts& measured : all) {
      for (const check::HandlerCost& cost : measured.costs) {
        if (cost.handler != table.handler || cost.entry != table.entry) continue;
        CostRow row{measured.variant, cost.state, {}};
        for (const check::MeasuredCost& one : cost.measures) {
          if (names.count(one.name) != 0) row.costs.push_back({one.name, one.range});
        }
        table.rows.push_back(std::move(row));
      }
    }
  }
  return tables;
}

// What a number alone would hide: a run that never ends, or that breaks something by itself.
void remarks(const std::vector<VariantCosts>& all, const step::Loaded& loaded, Streams& streams) {
  for (const VariantCosts& measured : all) {
    for (const check::HandlerCost& cost : measured.costs) {
      const std::string who =
          fmt::format("{} from {} = {} [{}]", cost.handler, cost.entry, cost.state, measured.variant);
      for (const step::Span& span : cost.waits) {
        streams.out << fmt::format("  {}: a run waits for ever at {}\n", who, place_text(span, loaded.sources));
      }
      if (cost.violation) {
        streams.out << fmt::format("  {}: a run violates {} at {}\n", who, violation_name(*cost.violation),
                                   place_text(cost.violation->span, loaded.sources));
      }
    }
  }
}

int cost_of_model(const std::string& path, const Settings& settings, Streams& streams) {
  const step::Loaded loaded = step::load(path, settings.variants);
  if (!report_file(path, loaded, settings.format, streams)) return exit_invalid;
  int code = exit_fine;
  std::vector<VariantCosts> all;
  std::vector<const step::Variant*> sound;
  for (const step::Variant& variant : loaded.variants) {
    switch (health(variant)) {
      case Health::invalid:
        report_invalid(path, loaded, variant, settings.format, streams);
        code = worse(code, exit_invalid);
        break;
      case Health::wrong:
        streams.err << rendered_errors(variant, loaded, streams.err_colour);
        code = worse(code, exit_violated);
        break;
      case Health::sound:
        all.push_back({variant.name, check::handler_costs(variant.program)});
        sound.push_back(&variant);
        break;
    }
  }
  const std::vector<CostTable> tables = tables_of(all);
  const std::vector<check::GuardTable> guards = check::guard_tables(sound);
  if (tables.empty() && guards.empty() && code == exit_fine) {
    streams.err << fmt::format("faultline: {} has no `cost` line; write `cost HANDLER from STATE;`\n", path);
    return exit_invalid;
  }
  if (settings.format == Format::json) {
    streams.out << cost_json(path, loaded, all, guards) << "\n";
    return code;
  }
  for (std::size_t i = 0; i < tables.size(); ++i)
    streams.out << (i == 0 ? "" : "\n") << cost_table(tables[i], streams.out_colour);
  remarks(all, loaded, streams);
  for (const GuardTable& table : drawn(guards)) streams.out << "\n" << guard_table(table, streams.out_colour);
  return code;
}

}  // namespace

int cost_command(const Settings& settings, Streams& streams) {
  int code = exit_fine;
  for (const std::string& path : settings.operands) code = worse(code, cost_of_model(path, settings, streams));
  return code;
}

}  // namespace faultline::cli
