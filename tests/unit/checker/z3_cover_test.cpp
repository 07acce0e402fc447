// What is written of V must be V: the exclusions of a table against brute force.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "checker/queries_cover.hpp"

namespace faultline::check {
namespace {

using Row = std::vector<std::uint16_t>;

bool excluded(const Exclusion& exclusion, const Row& row) {
  for (const OneOf& condition : exclusion) {
    if (!condition.values[row[condition.field]]) return false;
  }
  return true;
}

// All rows over the values that occur and, for each field, one that does not.
std::vector<Row> all_rows(const Table& table) {
  std::vector<Row> rows{{}};
  for (const Field& field : table.fields) {
    std::vector<Row> longer;
    for (const Row& row : rows) {
      for (std::size_t v = 0; v <= field.values.size(); ++v) {
        longer.push_back(row);
        longer.back().push_back(static_cast<std::uint16_t>(v));
      }
    }
    rows = std::move(longer);
  }
  return rows;
}

Table random_table(std::mt19937& random, std::size_t fields, std::size_t values, std::size_t rows) {
  std::set<Row> set;
  for (std::size_t n = 0; n < rows; ++n) {
    Row row;
    for (std::size_t f = 0; f < fields; ++f) row.push_back(static_cast<std::uint16_t>(random() % values));
    set.insert(row);
  }
  Table table;
  for (std::size_t f = 0; f < fields; ++f) {
    Field field;
    field.what = f < 2 ? Field::What::position : Field::What::local;
    std::set<std::uint16_t> occurring;
    for (const Row& row : set) occurring.insert(row[f]);
    field.values.assign(occurring.begin(), occurring.end());
    table.fields.push_back(field);
  }
  for (Row row : set) {
    for (std::size_t f = 0; f < fields; ++f) {
      const auto& v = table.fields[f].values;
      row[f] = static_cast<std::uint16_t>(std::lower_bound(v.begin(), v.end(), row[f]) - v.begin());
    }
    table.rows.push_back(row);
  }
  return table;
}

TEST(Exclusions, SayExactlyWhatTheTableSays) {
  std::mt19937 random(42);
  for (int n = 0; n < 300; ++n) {
    const Table table = random_table(random, 1 + random() % 5, 1 + random() % 4, 1 + random() % 40);
    const std::vector<Exclusion> found = exclusions(table);
    const std::set<Row> rows(table.rows.begin(), table.rows.end());
    for (const Row& row : all_rows(table)) {
      const bool out = std::any_of(found.begin(), found.end(), [&](const Exclusion& e) { return excluded(e, row); });
      ASSERT_NE(out, rows.count(row) != 0) << "table " << n;
    }
  }
}

TEST(Exclusions, AreMaximal) {
  std::mt19937 random(7);
  for (int n = 0; n < 100; ++n) {
    const Table table = random_table(random, 1 + random() % 5, 2 + random() % 3, 1 + random() % 30);
    const auto excludes_a_row = [&](const Exclusion& e) {
      return std::any_of(table.rows.begin(), table.rows.end(), [&](const Row& row) { return excluded(e, row); });
    };
    for (const Exclusion& exclusion : exclusions(table)) {
      for (std::size_t c = 0; c < exclusion.size(); ++c) {
        Exclusion less = exclusion;
        less.erase(less.begin() + static_cast<std::ptrdiff_t>(c));
        EXPECT_TRUE(excludes_a_row(less));
        for (std::size_t v = 0; v < exclusion[c].values.size(); ++v) {
          Exclusion more = exclusion;
          more[c].values[v] = true;
          EXPECT_TRUE(exclusion[c].values[v] || excludes_a_row(more));
        }
      }
    }
  }
}

TEST(Exclusions, OfNothingExcludeEverything) {
  Table table;
  table.fields.resize(2);
  const std::vector<Exclusion> found = exclusions(table);
  const Row nothing_occurs{0, 0};
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const Exclusion& e) { return excluded(e, nothing_occurs); }));
}

}  // namespace
}  // namespace faultline::check
