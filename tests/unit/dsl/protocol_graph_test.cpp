// The runs of a handler stay few where they come back to where they were.
#include "dsl/protocol_graph.hpp"

#include "protocol_support.hpp"

namespace faultline::dsl {
namespace {

// The graph of handler h.
std::optional<protocol::Graph> graph(const std::string& body) {
  Parsed p = parse_text(two_entries + "handler h() { " + body + " }\nrun h on any cpus;\n");
  const Model model = resolve(p.file, "base", p.diagnostics);
  const Flows flows = build_flows(model, p.diagnostics);
  EXPECT_EQ(p.errors(), "");
  for (std::size_t f = 0; f < model.functions.size(); ++f)
    if (const Flow* flow = flows.of(static_cast<Index>(f))) return protocol::explore(model, *flow);
  ADD_FAILURE() << "no handler";
  return std::nullopt;
}

// What a place was a round ago is no news: found by random handlers, each round had added a fact.
TEST(ProtocolGraph, ALoopThatLooksUnderALockEnds) {
  const auto folded = graph(
      "down_read(&mm->mmap_sem); while (maybe) { pmd_t a = *pmd; if (pmd_none(a)) step; pte_t b = *pte; "
      "if (pte_none(b)) step; } up_read(&mm->mmap_sem);");
  ASSERT_TRUE(folded);
  EXPECT_FALSE(folded->coarse);
  EXPECT_LT(folded->configs.size(), 1000U);
  for (const auto& config : folded->configs) EXPECT_LE(config.facts.known.size(), 12U);
}

// A value that a variable still has is kept apart.
TEST(ProtocolGraph, WhatAVariableNamesIsKept) {
  EXPECT_EQ(handler("spin_lock(&ptl); pmd_t a = *pmd; if (!pmd_trans_huge(a)) { spin_unlock(&ptl); return; } "
                    "while (maybe) { pmd_t b = *pmd; if (pmd_none(b)) step; } assert(tlb_cached(a.page)); "
                    "spin_unlock(&ptl);"),
            "");
}

}  // namespace
}  // namespace faultline::dsl
