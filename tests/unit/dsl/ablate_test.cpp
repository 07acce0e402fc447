// Which pieces of synchronisation are found, where they begin and end, and what is left without one.
#include "dsl/ablate.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dsl/parse.hpp"
#include "dsl/patch.hpp"

namespace faultline::dsl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* head =
    "model m;\n"
    "opaque mm, flags;\n"
    "spinlock l, k;\n"
    "rwsem s;\n"
    "entry pmd_t {\n"
    "    state none { pmd_none }\n"
    "    state table { pmd_table }\n"
    "    none -> table under l, k after flush;\n"
    "    table -> none under l;\n"
    "}\n"
    "shared pmd_t *pmd = none;\n"
    "shared bool *flag = false;\n"
    "tlb pmd in table;\n";

// A variant of a model made of `head` and the bodies, and its pieces.
class Pieces {
 public:
  explicit Pieces(const std::string& bodies, const std::string& variant = "base") {
    sources_.emplace_back(0U, "m.fl", head + bodies);
    Diagnostics diagnostics;
    const File file = parse(sources_, 0, diagnostics);
    model = resolve(apply_variant(file, variant, diagnostics), variant, diagnostics);
    const Flows flows = build_flows(model, diagnostics);
    for (const Diagnostic& d : diagnostics.sorted()) ADD_FAILURE() << render(d, sources_, false);
    all = ablations(model, flows);
  }

  // "lock pair f: spin_lock(l); spin_unlock(l)": the source text of all parts, and the constant.
  std::vector<std::string> said() const {
    std::vector<std::string> out;
    for (const Ablation& one : all) {
      std::string text;
      for (const Span& part : one.parts)
        text += (text.empty() ? "" : "; ") + std::string(sources_[0].text().substr(part.begin, part.end - part.begin));
      if (one.taken_as) text += fmt::format(" = {}", *one.taken_as);
      out.push_back(fmt::format("{} {}: {}", to_string(one.kind), one.function, text));
    }
    return out;
  }

  // The function without piece number `index`.
  std::string without_piece(std::size_t index, const std::string& function) const {
    const File file = without(model.file, all.at(index));
    for (const Item& item : file.items) {
      if (item.function && item.function->name.text == function) return print(*item.function->body);
    }
    return "no such function";
  }

  Model model;
  std::vector<Ablation> all;

 private:
  Sources sources_;
};

constexpr const char* flush_rule = "after flush pmd_t: after flush";

TEST(Ablations, EveryStatementThatSynchronises) {
  const Pieces pieces(
      "handler h() { smp_wmb(); flush_tlb(pmd); wait_event(pmd_none(*pmd)); cpu_relax(); barrier(); cond_resched(); }\n"
      "run h on any cpus;\n");
  EXPECT_THAT(pieces.said(), ElementsAre(flush_rule, "barrier h: smp_wmb()", "flush h: flush_tlb(pmd)",
                                         "wait h: wait_event(pmd_none(*pmd))", "barrier h: barrier()"));
  EXPECT_EQ(pieces.without_piece(2, "h"),
            "{\n    smp_wmb();\n    ;\n    wait_event(pmd_none(*pmd));\n    cpu_relax();\n    barrier();\n"
            "    cond_resched();\n}\n");
}

TEST(Ablations, ReleasesBelongToTheAcquireThatPathsLeadFrom) {
  const Pieces pieces(
      "handler h() {\n"
      "    spin_lock(l);\n"
      "    if (maybe) { spin_unlock(l); goto out; }\n"
      "    spin_lock_irqsave(k, flags);\n"
      "    spin_unlock_irqrestore(k, flags);\n"
      "    spin_unlock(l);\n"
      "    spin_lock(&mm->l);\n"
      "    spin_unlock(&mm->l);\n"
      "out:\n"
      "    step;\n"
      "}\n"
      "run h on any cpus;\n");
  EXPECT_THAT(pieces.said(), ElementsAre(flush_rule, "lock pair h: spin_lock(l); spin_unlock(l); spin_unlock(l)",
                                         "lock pair h: spin_lock_irqsave(k, flags); spin_unlock_irqrestore(k, flags)",
                                         "lock pair h: spin_lock(&mm->l); spin_unlock(&mm->l)"));
  EXPECT_EQ(pieces.all[1].lock, "l");
  EXPECT_EQ(pieces.all[2].lock, "k");
  EXPECT_THAT(pieces.all[1].parts[1].line, 16U);
  EXPECT_THAT(pieces.without_piece(1, "h"), HasSubstr("{\n        ;\n        goto out;\n    }"));
  EXPECT_THAT(pieces.without_piece(3, "h"), HasSubstr("spin_unlock(l);\n    ;\n    ;\nout:"));
}

TEST(Ablations, AcquiresThatShareAReleaseGoTogether) {
  const Pieces pieces(
      "handler h() { if (maybe) down_read(s); else { down_write(s); downgrade_write(s); } up_read(s); }\n"
      "run h on any cpus;\n");
  EXPECT_THAT(pieces.said(),
              ElementsAre(flush_rule, "lock pair h: down_read(s); down_write(s); downgrade_write(s); up_read(s)"));
}

TEST(Ablations, PairsAcrossFunctionsAndAllTheirCallers) {
  const Pieces pieces(
      "void take() { spin_lock(l); }\n"
      "handler h() { take(); spin_unlock(l); }\n"
      "handler i() { take(); step; spin_unlock(l); }\n"
      "handler idle() { spin_lock(k); spin_unlock(k); }\n"
      "run h, i on any cpus;\n");
  EXPECT_THAT(pieces.said(), ElementsAre(flush_rule, "lock pair take: spin_lock(l); spin_unlock(l); spin_unlock(l)"));
  EXPECT_EQ(pieces.without_piece(1, "take"), "{\n    ;\n}\n");
  EXPECT_EQ(pieces.without_piece(1, "i"), "{\n    take();\n    step;\n    ;\n}\n");
}

TEST(Ablations, ATrylockIsTakenAtOnce) {
  const Pieces pieces("handler h() { if (!spin_trylock(l)) return; spin_unlock(l); }\nrun h on any cpus;\n");
  EXPECT_THAT(pieces.said(), ElementsAre(flush_rule, "lock pair h: spin_trylock(l); spin_unlock(l)"));
  EXPECT_EQ(pieces.without_piece(1, "h"), "{\n    if (!true) return;\n    ;\n}\n");
}

TEST(Ablations, IrqAndRcuSections) {
  const Pieces pieces(
      "handler h() { local_irq_save(flags); local_irq_restore(flags); rcu_read_lock(); rcu_read_unlock(); }\n"
      "run h on any cpus;\n");
  EXPECT_THAT(pieces.said(), ElementsAre(flush_rule, "irq section h: local_irq_save(flags); local_irq_restore(flags)",
                                         "rcu section h: rcu_read_lock(); rcu_read_unlock()"));
  EXPECT_EQ(pieces.all[1].lock, "");
}

// The same field looked at again is a re-check; another field of the same object is not.
TEST(Ablations, FieldsOfAnObjectAreChecksOfTheirOwn) {
  const Pieces pieces(
      "resource vma_t { alloc vm_area_alloc; free vm_area_free; bool dead; bool young; }\n"
      "shared vma_t *slot = NULL;\n"
      "handler h() {\n"
      "    vma_t v = *slot;\n"
      "    if (v->dead) step;\n"
      "    if (v->young) step;\n"
      "    if (v->dead) step;\n"
      "}\n"
      "run h on any cpus;\n");
  EXPECT_THAT(pieces.said(), ElementsAre(flush_rule, "check h: v->dead = true", "check h: v->young = true",
                                         "re-check h: v->dead = true"));
}

TEST(Ablations, AConditionIsTakenAsWhatLeadsOn) {
  const Pieces pieces(
      "handler h() {\n"
      "    if (*flag) return;\n"
      "    if (pmd_none(*pmd)) step;\n"
      "    if (pmd_none(*pmd)) step; else return;\n"
      "    while (*flag) cpu_relax();\n"
      "    do { step; } while (READ_ONCE(*flag));\n"
      "}\n"
      "run h on any cpus;\n");
  EXPECT_THAT(pieces.said(), ElementsAre(flush_rule, "check h: *flag = false", "check h: pmd_none(*pmd) = true",
                                         "re-check h: pmd_none(*pmd) = true", "re-check h: *flag = false",
                                         "re-check h: READ_ONCE(*flag) = false"));
  EXPECT_THAT(pieces.without_piece(1, "h"), HasSubstr("if (false) return;\n    if (pmd_none(*pmd)) step;"));
  EXPECT_THAT(pieces.without_piece(4, "h"), HasSubstr("while (false) cpu_relax();"));
  EXPECT_TRUE(pieces.all[1].branch);   // the return is meant to be dead
  EXPECT_FALSE(pieces.all[2].branch);  // the step is not
  ASSERT_TRUE(pieces.all[3].branch);
  EXPECT_EQ(pieces.all[3].branch->line, 17U);
}

TEST(Ablations, WhereNeitherBranchLeavesBothConstantsAreTried) {
  const Pieces pieces("handler h() { if (*flag) *flag = false; else *flag = true; }\nrun h on any cpus;\n");
  EXPECT_THAT(pieces.said(), ElementsAre(flush_rule, "check h: *flag = true", "check h: *flag = false"));
  EXPECT_THAT(pieces.without_piece(2, "h"), HasSubstr("if (false) *flag = false;"));
}

TEST(Ablations, AnOperandIsDroppedByItself) {
  const Pieces pieces(
      "handler h() {\n"
      "    pmd_t now = *pmd;\n"
      "    if (unlikely(pmd_none(now) || !(pmd_table(now) && *flag))) return;\n"
      "    if (maybe && *flag && pmd_none(*pmd)) step;\n"
      "}\n"
      "run h on any cpus;\n");
  EXPECT_THAT(pieces.said(),
              ElementsAre(flush_rule, "check h: unlikely(pmd_none(now) || !(pmd_table(now) && *flag)) = false",
                          "check h: pmd_none(now) = false", "check h: !(pmd_table(now) && *flag) = false",
                          "check h: pmd_table(now) = true", "check h: *flag = true", "re-check h: *flag = true",
                          "re-check h: pmd_none(*pmd) = true"));
  EXPECT_THAT(pieces.without_piece(2, "h"), HasSubstr("if (unlikely(!(pmd_table(now) && *flag))) return;"));
  EXPECT_THAT(pieces.without_piece(4, "h"), HasSubstr("if (unlikely(pmd_none(now) || !*flag)) return;"));
  EXPECT_THAT(pieces.without_piece(6, "h"), HasSubstr("if (maybe && pmd_none(*pmd)) step;"));
}

TEST(Ablations, AChainHasItsOperandsAndNoPartsOfThem) {
  const Pieces pieces("handler h() { if (*flag || pmd_none(*pmd) || pmd_table(*pmd)) step; }\nrun h on any cpus;\n");
  EXPECT_THAT(pieces.said(), ElementsAre(flush_rule, "re-check h: *flag || pmd_none(*pmd) || pmd_table(*pmd) = true",
                                         "check h: *flag = false", "check h: pmd_none(*pmd) = false",
                                         "re-check h: pmd_table(*pmd) = false"));
  EXPECT_THAT(pieces.without_piece(3, "h"), HasSubstr("if (*flag || pmd_table(*pmd)) step;"));
}

TEST(Ablations, CopiesAndFunctionsThatOnlyLookAreLooks) {
  const Pieces pieces(
      "bool unstable(pmd_t *pmd) { pmd_t now = *pmd; return pmd_none(now); }\n"
      "bool changes(pmd_t *pmd) { *flag = true; return pmd_none(*pmd); }\n"
      "void tail(pmd_t orig) { if (pmd_none(orig)) return; step; }\n"
      "handler h() {\n"
      "    bool seen = *flag;\n"
      "    bool mine = false;\n"
      "    tail(*pmd);\n"
      "    if (seen) mine = true;\n"
      "    if (mine) step;\n"
      "    if (unstable(pmd)) return;\n"
      "    if (changes(pmd)) return;\n"
      "}\n"
      "run h on any cpus;\n");
  EXPECT_THAT(pieces.said(), ElementsAre(flush_rule, "check tail: pmd_none(orig) = false", "check h: seen = true",
                                         "re-check h: unstable(pmd) = false"));
}

TEST(Ablations, QuestionsThatAreNoLooksAreLeftAlone) {
  const Pieces pieces(
      "handler h() {\n"
      "    bool done = false;\n"
      "    if (mm->locked_vm) step;\n"
      "    if (maybe) step;\n"
      "    if (cmpxchg(flag, false, true)) step;\n"
      "    if (!done) assert(pmd_none(*pmd));\n"
      "}\n"
      "run h on any cpus;\n");
  EXPECT_THAT(pieces.said(), ElementsAre(flush_rule));
}

TEST(Ablations, ALookIsSecondWhereOneCanComeBeforeIt) {
  const Pieces pieces(
      "void again(pmd_t *pmd) { if (pmd_none(*pmd)) step; }\n"
      "handler h() { if (pmd_none(*pmd)) again(pmd); if (*flag) step; }\n"
      "run h on any cpus;\n");
  EXPECT_THAT(pieces.said(), ElementsAre(flush_rule, "re-check again: pmd_none(*pmd) = true",
                                         "check h: pmd_none(*pmd) = true", "check h: *flag = true"));
}

TEST(Ablations, PatchedStatementsKeepThePlaceInTheirPatch) {
  const Pieces pieces(
      "handler h() { if (*flag) step; }\n"
      "run h on any cpus;\n"
      "patch p in h {\n"
      "  - if (*flag) step;\n"
      "  + if (pmd_none(*pmd)) step;\n"
      "}\n",
      "p");
  EXPECT_THAT(pieces.said(), ElementsAre(flush_rule, "check h: pmd_none(*pmd) = true"));
  EXPECT_EQ(pieces.all[1].parts.front().line, 18U);
  EXPECT_EQ(pieces.without_piece(1, "h"), "{\n    if (true) step;\n}\n");
}

TEST(Rules, AreStruckFromArrowsOnly) {
  const Pieces pieces("handler h() { step; }\nrun h on any cpus;\n");
  EXPECT_THAT(print(without_lock_rule(pieces.model.file, "l")),
              AllOf(HasSubstr("none -> table under k after flush;"), HasSubstr("table -> none;")));
  EXPECT_THAT(print(without_flush_rule(pieces.model.file)), HasSubstr("none -> table under l, k;"));
  EXPECT_THAT(print(without(pieces.model.file, pieces.all[0])), Not(HasSubstr("after flush")));
  EXPECT_THAT(print(without_flush_rule(pieces.model.file, Span{0, 1, 2, 1, 2})), HasSubstr("after flush"));
}

TEST(Landmarks, AreAssertionsAndStores) {
  const Pieces pieces(
      "handler h() {\n"
      "    bool seen = *flag;\n"
      "    seen = false;\n"
      "    *flag = true;\n"
      "    assert(*flag);\n"
      "    VM_BUG_ON(!*flag);\n"
      "    WRITE_ONCE(*flag, false);\n"
      "    if (cmpxchg(flag, false, true)) { step; }\n"
      "}\n"
      "run h on any cpus;\n");
  std::vector<std::string> texts;
  for (const Landmark& landmark : landmarks(pieces.model.file)) texts.push_back(landmark.text);
  EXPECT_THAT(texts, ElementsAre("*flag = true", "assert(*flag)", "VM_BUG_ON(!*flag)", "WRITE_ONCE(*flag, false)",
                                 "cmpxchg(flag, false, true)"));
  const Pieces none("handler h() { step; }\nrun h on any cpus;\n");
  EXPECT_THAT(landmarks(none.model.file), IsEmpty());
}

}  // namespace
}  // namespace faultline::dsl
