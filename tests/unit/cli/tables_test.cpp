#include "cli/cost_table.hpp"
#include "cli/guard_table.hpp"
#include "cli/words.hpp"
#include "tests/unit/cli/hand_made.hpp"

namespace faultline::testing {
namespace {

cli::CostTable thp_costs() {
  cli::CostTable table;
  table.handler = "page_fault";
  table.entry = "pmd";
  table.rows = {
      {"base", "table", {{"allocs", {1, 1}}, {"mmap_sem", {1, 1}}, {"page_table_lock", {1, 2}}, {"ipis", {0, 0}}}},
      {"guard_none", "table", {{"allocs", {0, 0}}, {"mmap_sem", {1, 1}}, {"ipis", {0, 0}}}},
      {"base", "frozen", {{"allocs", {1, 1}}, {"mmap_sem", {1, 1}}, {"page_table_lock", {1, 1}}, {"ipis", {0, 0}}}},
      {"guard_none", "frozen", {{"allocs", {0, 0}}, {"mmap_sem", {1, 1}}, {"ipis", {0, 0}}}},
  };
  return table;
}

cli::GuardTable thp_guards() {
  const auto cells = [](std::initializer_list<int> passes) {
    std::vector<cli::GuardCell> row;
    for (const int pass : passes) row.push_back({pass != 0, 20});
    return row;
  };
  return {"handle_mm_fault:48",
          {"none", "table", "huge", "splitting", "frozen"},
          {{"base", "", cells({1, 1, 1, 1, 1})},
           {"guard_present", "!pmd_present(*pmd)", cells({1, 0, 0, 0, 1})},
           {"guard_none", "pmd_none(*pmd)", cells({1, 0, 0, 0, 0})}}};
}

TEST(CostTable, Golden) { expect_golden("cost.txt", cli::cost_table(thp_costs(), false)); }
TEST(CostTable, NarrowPagesContinueTheColumns) {
  const std::string text = cli::cost_table(thp_costs(), false, 45);
  expect_golden("cost_narrow.txt", text);
  std::istringstream lines(text.substr(text.find('\n') + 1));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(cli::columns(line), 45U) << line;
}
TEST(GuardTable, Golden) { expect_golden("guard.txt", cli::guard_table(thp_guards(), false)); }
TEST(GuardTable, StatesNeverSeenAreNotCalledReachable) {
  cli::GuardTable table = thp_guards();
  for (cli::GuardRow& row : table.rows) row.cells[4].seen = 0;
  EXPECT_EQ(cli::guard_table(table, false).find("reachable"), std::string::npos);
}

}  // namespace
}  // namespace faultline::testing
