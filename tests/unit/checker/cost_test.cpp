// What one undisturbed run takes: the numbers of the page_test thread, and the corners (a wait, a loop, a leak alone).
#include "checker/cost.hpp"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "step/load.hpp"

namespace faultline::check {
namespace {

std::map<std::string, std::vector<HandlerCost>> costs_of(const step::Loaded& loaded) {
  std::map<std::string, std::vector<HandlerCost>> all;
  EXPECT_FALSE(loaded.diagnostics.has_errors());
  for (const step::Variant& variant : loaded.variants) {
    EXPECT_FALSE(variant.diagnostics.has_errors()) << variant.name;
    all[variant.name] = handler_costs(variant.program);
  }
  return all;
}

const HandlerCost& row(const std::vector<HandlerCost>& costs, const std::string& state) {
  for (const HandlerCost& cost : costs)
    if (cost.state == state) return cost;
  throw std::invalid_argument("no row for " + state);
}

void expect_range(const HandlerCost& cost, const std::string& measure, std::uint32_t least, std::uint32_t most) {
  const CostRange* range = cost.find(measure);
  ASSERT_NE(range, nullptr) << measure;
  EXPECT_EQ(range->least, least) << measure << " from " << cost.state;
  EXPECT_EQ(range->most, most) << measure << " from " << cost.state;
}

// A fault on a populated pmd: what the patch of April 2011 saves.
TEST(Cost, FaultOnPopulatedPmd) {
  const auto costs = costs_of(step::load(FAULTLINE_SOURCE_DIR "/models/thp/thp_fault.fl"));
  const HandlerCost& base = row(costs.at("base"), "table");
  EXPECT_EQ(base.handler, "page_fault");
  EXPECT_EQ(base.entry, "pmd");
  EXPECT_TRUE(base.ends);
  EXPECT_TRUE(base.waits.empty());
  EXPECT_FALSE(base.violation);
  expect_range(base, "allocs", 1, 1);
  expect_range(base, "page_table_lock", 0, 1);  // 0: the allocation failed
  expect_range(base, "mmap_sem", 1, 1);
  expect_range(base, "locks", 1, 2);
  expect_range(base, "frees", 0, 1);
  expect_range(base, "ipis", 0, 0);
  for (const char* name : {"guard_present", "guard_none", "guard_none_both", "unstable_one_tail", "unstable"}) {
    const HandlerCost& guarded = row(costs.at(name), "table");
    expect_range(guarded, "allocs", 0, 0);
    expect_range(guarded, "page_table_lock", 0, 0);
    expect_range(guarded, "mmap_sem", 1, 1);
    expect_range(guarded, "locks", 1, 1);
    for (const char* measure : {"allocs", "locks", "frees"})
      EXPECT_EQ(compare_costs(costs.at(name), costs.at("base"), measure), CostRelation::fewer)
          << name << ' ' << measure;
    EXPECT_EQ(compare_costs(costs.at("base"), costs.at(name), "allocs"), CostRelation::more);
    EXPECT_EQ(compare_costs(costs.at(name), costs.at("base"), "ipis"), CostRelation::same);
    EXPECT_EQ(compare_costs(costs.at(name), costs.at("base"), "mmap_sem"), CostRelation::same);
  }
}

constexpr const char* small = R"(model small;
spinlock lock;
resource page_t { alloc get_page; free put_page; }
entry pte_t {
    state none { pte_none }
    state present(page_t page) { pte_present }
    state busy(page_t page) { pte_busy }
    none -> present under lock;
    present -> none, busy under lock;
    busy -> present under lock;
}
shared pte_t *pte = none;
tlb pte in present;

handler fill() {
    page_t page = get_page();
    if (!page)
        return;
    wait_event(!pte_busy(*pte));
    spin_lock(lock);
    if (pte_none(*pte)) {
        *pte = present(page);
        page = NULL;
    }
    spin_unlock(lock);
    if (page)
        put_page(page);
}
handler zap() {
    spin_lock(lock);
    pte_t old = *pte;
    if (pte_present(old)) {
        *pte = none;
        flush_tlb(pte);
        put_page(old.page);
    }
    spin_unlock(lock);
}
handler spin() {
    while (pte_busy(*pte)) {
        spin_lock(lock);
        spin_unlock(lock);
    }
}
handler hold() {
    spin_lock(lock);
    pte_t old = *pte;
    if (pte_present(old)) { *pte = busy(old.page); }
    spin_unlock(lock);
    assert(!pte_none(*pte));
}
run fill, zap, spin, hold on any cpus;
cost fill from none, present, busy;
cost zap from none, present;
cost spin from none, busy;
cost hold from none;

patch no_flush in zap {
  - flush_tlb(pte);
}
patch dear in zap {
  - spin_unlock(lock);
  + spin_unlock(lock);
  + page_t spare = get_page();
  + if (spare) put_page(spare);
}
)";

const HandlerCost& row(const std::vector<HandlerCost>& costs, const std::string& handler, const std::string& state) {
  for (const HandlerCost& cost : costs)
    if (cost.handler == handler && cost.state == state) return cost;
  throw std::invalid_argument("no row");
}

TEST(Cost, PayloadsAreThere) {
  const auto costs = costs_of(step::load_text("small.fl", small)).at("base");
  ASSERT_EQ(costs.size(), 8U);
  const HandlerCost& zap = row(costs, "zap", "present");
  expect_range(zap, "frees", 1, 1);
  expect_range(zap, "flushes", 1, 1);
  expect_range(zap, "ipis", 1, 1);
  expect_range(zap, "lock", 1, 1);
  expect_range(row(costs, "zap", "none"), "frees", 0, 0);
  expect_range(row(costs, "fill", "none"), "frees", 0, 0);
  expect_range(row(costs, "fill", "present"), "frees", 0, 1);
}

TEST(Cost, ARunThatWaitsForEver) {
  const auto costs = costs_of(step::load_text("small.fl", small)).at("base");
  const HandlerCost& fill = row(costs, "fill", "busy");
  EXPECT_TRUE(fill.ends);  // without memory it returns before it waits
  ASSERT_EQ(fill.waits.size(), 1U);
  EXPECT_EQ(fill.waits[0].line, 19U);
  expect_range(fill, "allocs", 1, 1);
  expect_range(fill, "locks", 0, 0);
}

TEST(Cost, ALoopThatTakesMoreEachTime) {
  const auto costs = costs_of(step::load_text("small.fl", small)).at("base");
  const HandlerCost& spin = row(costs, "spin", "busy");
  EXPECT_FALSE(spin.ends);
  EXPECT_EQ(spin.find("locks")->most, CostRange::unbounded);
  EXPECT_EQ(spin.find("allocs")->most, 0U);
  expect_range(row(costs, "spin", "none"), "locks", 0, 0);
}

TEST(Cost, AViolationOfOneCpuIsTold) {
  const auto costs = costs_of(step::load_text("small.fl", small)).at("base");
  const HandlerCost& hold = row(costs, "hold", "none");
  ASSERT_TRUE(hold.violation);
  EXPECT_EQ(hold.violation->kind, step::Kind::assertion);
  expect_range(hold, "locks", 1, 1);
}

TEST(Cost, Relations) {
  const auto costs = costs_of(step::load_text("small.fl", small));
  const auto& base = costs.at("base");
  EXPECT_EQ(compare_costs(costs.at("no_flush"), base, "ipis"), CostRelation::fewer);
  EXPECT_EQ(compare_costs(costs.at("no_flush"), base, "locks"), CostRelation::same);
  EXPECT_EQ(compare_costs(costs.at("dear"), base, "allocs"), CostRelation::more);
  EXPECT_EQ(compare_costs(base, base, "no such measure"), CostRelation::nothing);
  // dearer from one state and cheaper from another is neither
  auto mixed = base;
  for (MeasuredCost& m : mixed[0].measures) m.range.most += 1;
  auto other = base;
  for (MeasuredCost& m : other[1].measures) m.range.most += 1;
  EXPECT_EQ(compare_costs(mixed, other, "allocs"), CostRelation::mixed);
}

}  // namespace
}  // namespace faultline::check
