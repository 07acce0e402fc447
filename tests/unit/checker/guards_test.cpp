// The guard tables of the shipped models, and of guards in every position that a patch may put them.
#include "checker/guards.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/states.hpp"

namespace faultline::check {
namespace {

std::vector<GuardTable> tables_of(const step::Loaded& loaded, const GuardOptions& options = {}) {
  EXPECT_FALSE(loaded.diagnostics.has_errors());
  std::vector<const step::Variant*> variants;
  for (const step::Variant& variant : loaded.variants) {
    EXPECT_FALSE(variant.diagnostics.has_errors()) << variant.name;
    variants.push_back(&variant);
  }
  return guard_tables(variants, options);
}

// "x" the call is made, "." not, "?" it depends on something else.
std::string marks(const GuardRow& row) {
  std::string text;
  for (const GuardCell& cell : row.cells) text += ".x?"[static_cast<int>(cell.passes)];
  return text;
}

const step::Loaded& thp() {
  static const step::Loaded loaded =
      step::load(FAULTLINE_SOURCE_DIR "/models/thp/thp_fault.fl", {"base", "guard_present", "guard_none"});
  return loaded;
}

TEST(Guards, TheMailOfApril2011) {
  const auto tables = tables_of(thp());
  ASSERT_EQ(tables.size(), 1U);
  const GuardTable& table = tables[0];
  EXPECT_EQ(table.function, "handle_mm_fault");
  EXPECT_EQ(table.call, "__pte_alloc");
  EXPECT_EQ(table.entry, "pmd");
  EXPECT_EQ(table.states, (std::vector<std::string>{"none", "table", "huge", "splitting", "frozen"}));
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[0].guard, "");
  EXPECT_EQ(marks(table.rows[0]), "xxxxx");
  EXPECT_EQ(table.rows[1].guard, "!pmd_present(*pmd)");
  EXPECT_EQ(marks(table.rows[1]), "x...x");
  EXPECT_EQ(table.rows[2].guard, "pmd_none(*pmd)");
  EXPECT_EQ(marks(table.rows[2]), "x....");
  EXPECT_NE(table.rows[1].span.line, table.rows[2].span.line);
  // the review's point: a fault can stand there while the pmd is frozen
  EXPECT_GT(table.rows[1].cells[4].seen, 0U);
  EXPECT_EQ(table.rows[0].cells[4].seen, 0U);  // no guard, no look
}

// The same count from the reference interpreter.
TEST(Guards, SeenIsCountedRight) {
  const auto tables = tables_of(thp());
  ASSERT_EQ(tables.size(), 1U);
  for (std::size_t r : {1U, 2U}) {
    const GuardRow& row = tables[0].rows[r];
    const step::Program& program = thp().variants[r].program;
    std::vector<std::uint64_t> seen(row.cells.size(), 0);
    testing::for_each_reachable(program, 2, [&](const step::State& state) {
      bool there = false;
      for (std::size_t cpu = 0; cpu < state.cpus; ++cpu) {
        const step::Location& location = program.locations[state.cpu[cpu].pc];
        // the look of the guard is the only step on the line of the patch
        there = there || (location.handler != step::no_id && location.span.line == row.span.line);
      }
      if (there) ++seen[state.globals[program.entries[0].global]];
    });
    for (std::size_t s = 0; s < seen.size(); ++s) EXPECT_EQ(row.cells[s].seen, seen[s]) << row.variant << ' ' << s;
  }
}

TEST(Guards, EveryVariantOfTheModel) {
  const auto tables = tables_of(step::load(FAULTLINE_SOURCE_DIR "/models/thp/thp_fault.fl"), {0, 0});
  std::vector<std::string> places;
  for (const GuardTable& table : tables) places.push_back(table.call + " in " + table.function);
  EXPECT_EQ(places, (std::vector<std::string>{"__pte_alloc in do_huge_pmd_anonymous_page",
                                              "pte_offset_map in do_huge_pmd_anonymous_page",
                                              "__pte_alloc in handle_mm_fault", "pte_offset_map in handle_mm_fault"}));
  // what the repair changes: the page table is not mapped any more while the pmd is none
  const GuardRow& base = tables[3].rows.front();
  const GuardRow& unstable = tables[3].rows.back();
  EXPECT_EQ(base.guard, "!pmd_trans_huge(*pmd)");
  EXPECT_EQ(marks(base), "xx...");
  EXPECT_EQ(unstable.guard, "!pmd_none(now) && !pmd_trans_huge(now)");
  EXPECT_EQ(marks(unstable), ".x...");
}

constexpr const char* head = R"(model guards;
opaque vma;
spinlock lock;
entry pte_t {
    state none { pte_none }
    state old { pte_present, pte_old }
    state young { pte_present }
    none -> old under lock;
    old -> young, none under lock;
    young -> none under lock;
}
shared pte_t *pte = none;
shared bool *wanted = false;

void work() { spin_lock(lock); spin_unlock(lock); }
handler fill() {
    spin_lock(lock);
    pte_t now = *pte;
    if (pte_none(now)) *pte = old;
    else if (pte_old(now)) *pte = young;
    else *pte = none;
    spin_unlock(lock);
}
handler h() {
    step;
    work();
    step;
}
run fill, h on any cpus;
)";

GuardRow patched(const std::string& replacement) {
  const std::string text = head + std::string("patch p in h {\n  - work();\n") + replacement + "}\n";
  const auto tables = tables_of(step::load_text("guards.fl", text));
  EXPECT_EQ(tables.size(), 1U) << replacement;
  if (tables.size() != 1U) return {};
  EXPECT_EQ(marks(tables[0].rows[0]), "xxx");
  return tables[0].rows[1];
}

TEST(Guards, Positions) {
  const struct {
    const char* text;
    const char* guard;
    const char* marks;
  } cases[] = {
      {"+ if (pte_none(*pte)) work();\n", "pte_none(*pte)", "x.."},
      {"+ if (likely(!(pte_old(*pte)))) work();\n", "!pte_old(*pte)", "x.x"},
      {"+ if (pte_none(*pte)) step; else work();\n", "!pte_none(*pte)", ".xx"},
      {"+ if (pte_none(*pte)) return;\n + work();\n", "!pte_none(*pte)", ".xx"},
      {"+ pte_t now = *pte;\n + if (pte_present(now) && !pte_old(now)) { step; work(); }\n",
       "pte_present(now) && !pte_old(now)", "..x"},
      {"+ if (pte_none(*pte) || pte_old(*pte)) work();\n", "pte_none(*pte) || pte_old(*pte)", "xx."},
      {"+ if (pte_none(*pte) || vma) work();\n", "pte_none(*pte) || vma", "x??"},
      {"+ if (pte_old(*pte) ? maybe : true) work();\n", "pte_old(*pte) ? maybe : true", "x?x"},
      {"+ if (!*wanted) { if (pte_old(*pte)) work(); }\n", "!*wanted && pte_old(*pte)", ".?."},
      {"+ while (pte_none(*pte)) work();\n", "pte_none(*pte)", "x.."},
  };
  for (const auto& c : cases) {
    const GuardRow row = patched(c.text);
    EXPECT_EQ(row.guard, c.guard) << c.text;
    EXPECT_EQ(marks(row), c.marks) << c.text;
    // fill makes every state, and h looks at any time
    for (const GuardCell& cell : row.cells) EXPECT_GT(cell.seen, 0U) << c.text;
  }
}

TEST(Guards, NoTableWithoutADifferentQuestion) {
  for (const char* change : {"  - work();\n  + work();\n  + step;\n",       // the same question: none
                             "  - work();\n",                               // the call is gone
                             "  - work();\n  + if (*wanted) work();\n"}) {  // nothing about an entry
    const std::string text = head + std::string("patch p in h {\n") + change + "}\n";
    EXPECT_TRUE(tables_of(step::load_text("guards.fl", text)).empty()) << change;
  }
}

TEST(Guards, CutOffIsTold) {
  const auto tables = tables_of(thp(), {2, 100});
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_TRUE(tables[0].rows[0].complete);
  EXPECT_FALSE(tables[0].rows[1].complete);
}

}  // namespace
}  // namespace faultline::check
