#include "checker/facts.hpp"

#include <algorithm>
#include <map>

namespace faultline::check {

Facts facts_of(const Table& table) {
  Facts result{table.fields, {}};
  const auto is_position = [](const Field& f) { return f.what == Field::What::position && f.i == 0; };
  const auto at = static_cast<std::size_t>(std::find_if(table.fields.begin(), table.fields.end(), is_position) -
                                           table.fields.begin());
  std::map<std::uint16_t, std::vector<const std::vector<std::uint16_t>*>> rows_of;
  for (const auto& row : table.rows) rows_of[row[at]].push_back(&row);
  for (const auto& [position, rows] : rows_of) {
    for (std::size_t f = 0; f < table.fields.size(); ++f) {
      std::vector<bool> seen(table.fields[f].values.size());
      for (const auto* row : rows) seen[(*row)[f]] = true;
      if (f == at || std::count(seen.begin(), seen.end(), false) == 0) continue;
      Fact fact{table.fields[at].values[position], f, {}};
      for (std::size_t v = 0; v < seen.size(); ++v)
        if (seen[v]) fact.values.push_back(table.fields[f].values[v]);
      result.facts.push_back(std::move(fact));
    }
  }
  return result;
}

}  // namespace faultline::check
