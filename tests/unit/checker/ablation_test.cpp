// One answer of each kind about models small enough to see that it is right.
#include "checker/ablation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/check.hpp"

namespace faultline::check {
namespace {

Verdict checked(const step::Program& program) {
  CheckOptions options;
  options.z3 = false;
  return check(program, options);
}

// The results about the base variant, by kind and line ("lock pair 14", "check 15 true").
class Answers {
 public:
  explicit Answers(
      const std::string& text,
      const AblationRunner& run = [](const step::Program& program, const std::string&) { return checked(program); }) {
    const step::Loaded loaded = step::load_text("m.fl", text, {"base"});
    EXPECT_FALSE(loaded.diagnostics.has_errors());
    const step::Variant& variant = loaded.variants.at(0);
    EXPECT_FALSE(variant.diagnostics.has_errors());
    const Verdict proved = checked(variant.program);
    EXPECT_EQ(proved.answer, Answer::proved) << proved.reason;
    results = judge_ablations(variant, proved, run);
  }

  const AblationResult& at(const std::string& name) const {
    std::string known;
    for (const AblationResult& result : results) {
      const dsl::Ablation& removal = result.removal;
      const std::string as = removal.taken_as ? fmt::format(" {}", *removal.taken_as) : "";
      const std::string own = fmt::format("{} {}{}", to_string(removal.kind), removal.parts.front().line, as);
      if (own == name) return result;
      known += own + ", ";
    }
    throw std::invalid_argument("no " + name + " among " + known);
  }

  std::vector<AblationResult> results;
};

// Of a pmd that is filled in two ways and cleared; lines 1 to 9.
const std::string pmd =
    "model m;\n"
    "spinlock l; rwsem s;\n"
    "entry pmd_t {\n"
    "    state none { pmd_none }\n"
    "    state table { pmd_table } state huge { pmd_huge }\n"
    "    none -> table, huge under l;\n"
    "    table, huge -> none under l;\n"
    "}\n"
    "shared pmd_t *pmd = none;\n";

TEST(Ablation, ALockThatKeepsTwoStoresApartIsNeeded) {
  const Answers answers(
      pmd +
      "handler fill() {\n"
      "    down_read(s);\n"
      "    spin_lock(l);\n"
      "    if (pmd_none(*pmd)) *pmd = table;\n"
      "    spin_unlock(l);\n"
      "    up_read(s);\n"
      "}\n"
      "handler clear() { spin_lock(l); atomic { if (!pmd_none(*pmd)) *pmd = none; } spin_unlock(l); }\n"
      "handler huge() { spin_lock(l); if (pmd_none(*pmd)) *pmd = huge; spin_unlock(l); }\n"
      "run fill, clear, huge on any cpus;\n");
  const AblationResult& fill = answers.at("lock pair 12");
  EXPECT_EQ(fill.answer, AblationAnswer::needed);
  EXPECT_EQ(fill.as_is.verdict.violations.front().violation.kind, step::Kind::lock_missing);
  ASSERT_TRUE(fill.race);
  ASSERT_NE(breakage(fill), nullptr);
  EXPECT_EQ(breakage(fill)->violation.kind, step::Kind::transition);
  EXPECT_EQ(breakage(fill)->scope.cpus, 2U);

  const AblationResult& clear = answers.at("lock pair 17");  // its look and its store are one step
  EXPECT_EQ(clear.answer, AblationAnswer::rule_only);
  ASSERT_TRUE(clear.race);
  EXPECT_EQ(clear.race->verdict.answer, Answer::proved);
  EXPECT_EQ(breakage(clear)->violation.kind, step::Kind::lock_missing);

  const AblationResult& sem = answers.at("lock pair 11");  // nobody takes it for writing
  EXPECT_EQ(sem.answer, AblationAnswer::not_needed);
  EXPECT_FALSE(sem.race);
  EXPECT_EQ(breakage(sem), nullptr);

  EXPECT_EQ(answers.at("check 13 true").answer, AblationAnswer::needed);
}

TEST(Ablation, AProofOfLessIsIdle) {
  const Answers answers(pmd +
                        "shared bool *flag = false;\n"
                        "handler h() {\n"
                        "    spin_lock(l);\n"
                        "    if (pmd_none(*pmd)) *pmd = table; else step;\n"
                        "    spin_unlock(l);\n"
                        "    if (*flag) { *flag = false; return; }\n"
                        "    *flag = true;\n"
                        "}\n"
                        "handler huge() { spin_lock(l); if (pmd_none(*pmd)) *pmd = huge; spin_unlock(l); }\n"
                        "handler clear() { spin_lock(l); if (!pmd_none(*pmd)) *pmd = none; spin_unlock(l); }\n"
                        "run h, huge, clear on any cpus;\n");
  EXPECT_EQ(answers.at("check 13 true").answer, AblationAnswer::needed);
  const AblationResult& never = answers.at("check 13 false");
  EXPECT_EQ(never.answer, AblationAnswer::idle);
  EXPECT_EQ(never.idle,
            (std::vector<std::string>{"*pmd = table", "state table", "arrow none -> table", "arrow table -> none"}));
  // what stands in a branch that leaves is meant to be dead without its check, so this is no proof of less
  EXPECT_EQ(answers.at("check 15 false").answer, AblationAnswer::not_needed);
}

TEST(Ablation, WhatIsLeftMayBeNoModel) {
  const Answers answers(
      "model m;\n"
      "spinlock l;\n"
      "resource page_t { alloc alloc_page; free put_page; }\n"
      "entry pmd_t {\n"
      "    state none { pmd_none }\n"
      "    state huge(page_t page) { pmd_huge }\n"
      "    none -> huge under l;\n"
      "    huge -> none under l;\n"
      "}\n"
      "shared pmd_t *pmd = none;\n"
      "handler fill() {\n"
      "    page_t page = alloc_page();\n"
      "    if (!page) return;\n"
      "    spin_lock(l);\n"
      "    if (pmd_none(*pmd)) { *pmd = huge(page); page = NULL; }\n"
      "    spin_unlock(l);\n"
      "    if (page) put_page(page);\n"
      "}\n"
      "handler zap() {\n"
      "    spin_lock(l);\n"
      "    pmd_t old = *pmd;\n"
      "    if (pmd_huge(old)) { *pmd = none; put_page(old.page); }\n"
      "    spin_unlock(l);\n"
      "}\n"
      "run fill, zap on any cpus;\n");
  const AblationResult& result = answers.at("check 22 true");
  EXPECT_EQ(result.answer, AblationAnswer::not_applicable);
  EXPECT_EQ(result.reason.substr(0, 8), "FL0310: ") << result.reason;
  EXPECT_EQ(breakage(result), nullptr);
}

TEST(Ablation, WhatNothingCanTellIsNotJudged) {
  const Answers answers(
      "model m;\n"
      "shared bool *flag = false;\n"
      "handler h() {\n"
      "    smp_wmb();\n"
      "    rcu_read_lock();\n"
      "    *flag = true;\n"
      "    rcu_read_unlock();\n"
      "}\n"
      "run h on any cpus;\n");
  EXPECT_EQ(answers.at("barrier 4").answer, AblationAnswer::not_judged);
  EXPECT_EQ(answers.at("rcu section 5").answer, AblationAnswer::not_judged);
}

TEST(Ablation, AReaderThatAGracePeriodWaitsForIsNeeded) {
  const Answers answers(
      "model m;\n"
      "mutex l;\n"
      "resource page_t { alloc alloc_page; free put_page; bool dirty; }\n"
      "shared page_t *slot = NULL;\n"
      "handler put() {\n"
      "    page_t page = alloc_page();\n"
      "    if (!page) return;\n"
      "    mutex_lock(&l);\n"
      "    page_t old = *slot;\n"
      "    *slot = page;\n"
      "    mutex_unlock(&l);\n"
      "    synchronize_rcu();\n"
      "    if (old) put_page(old);\n"
      "}\n"
      "handler get() {\n"
      "    rcu_read_lock();\n"
      "    page_t page = *slot;\n"
      "    if (page) page->dirty = true;\n"
      "    rcu_read_unlock();\n"
      "}\n"
      "run put, get on any cpus;\n");
  for (const char* piece : {"rcu section 16", "grace period 12"}) {
    const AblationResult& result = answers.at(piece);
    EXPECT_EQ(result.answer, AblationAnswer::needed) << piece;
    ASSERT_NE(breakage(result), nullptr) << piece;
    EXPECT_EQ(breakage(result)->violation.kind, step::Kind::use_after_free) << piece;
  }
}

TEST(Ablation, AProgressLineThatFailsBreaksIt) {
  const Answers answers(
      "model m;\n"
      "shared bool *flag = true;\n"
      "handler h() {\n"
      "    while (true) {\n"
      "        if (*flag) return;\n"
      "        step;\n"
      "    }\n"
      "}\n"
      "run h on any cpus;\n"
      "progress returns : running(h) ~> !running(h);\n");
  const AblationResult& result = answers.at("check 5 false");
  EXPECT_EQ(result.answer, AblationAnswer::needed);
  ASSERT_NE(breakage(result), nullptr);
  EXPECT_EQ(breakage(result)->violation.kind, step::Kind::progress);
}

// Nothing is freed here, so `after flush` alone makes a flush out of order a violation.
const std::string frozen =
    "model m;\n"
    "spinlock l;\n"
    "entry pmd_t {\n"
    "    state none { pmd_none }\n"
    "    state huge { pmd_huge }\n"
    "    state frozen { pmd_frozen }\n"
    "    none -> huge under l;\n"
    "    huge -> frozen under l;\n"
    "    frozen -> none under l after flush;\n"
    "}\n"
    "shared pmd_t *pmd = none;\n"
    "tlb pmd in huge;\n"
    "handler use() { touch(pmd); }\n"
    "handler h() {\n"
    "    spin_lock(l);\n"
    "    if (pmd_none(*pmd)) {\n"
    "        *pmd = huge;\n"
    "    } else {\n"
    "        *pmd = frozen;\n"
    "        flush_tlb(pmd);\n"
    "        *pmd = none;\n"
    "    }\n"
    "    spin_unlock(l);\n"
    "}\n"
    "run use, h on any cpus;\n";

TEST(Ablation, AFlushMayBeThereForARuleAlone) {
  const Answers answers(frozen);
  const AblationResult& flush = answers.at("flush 20");
  EXPECT_EQ(flush.answer, AblationAnswer::rule_only);
  EXPECT_EQ(breakage(flush)->violation.kind, step::Kind::flush_missing);
  const AblationResult& rule = answers.at("after flush 9");
  EXPECT_EQ(rule.answer, AblationAnswer::rule);
  ASSERT_EQ(rule.flushes.size(), 1U);
  EXPECT_EQ(rule.flushes[0].flush.line, 20U);
  EXPECT_EQ(rule.flushes[0].answer, Answer::proved);
  EXPECT_FALSE(rule.flushes[0].violation);
}

TEST(Ablation, ALimitIsUnknown) {
  std::vector<std::string> doing;
  const Answers answers(frozen, [&](const step::Program& program, const std::string& what) {
    doing.push_back(what);
    Verdict verdict = checked(program);
    if (what.find("flush_tlb") == std::string::npos) return verdict;
    if (verdict.answer == Answer::violated) return verdict;
    Verdict limit;
    limit.reason = "time limit";
    return limit;
  });
  EXPECT_EQ(doing.front(), "1 of 5: frozen -> none after flush");
  const AblationResult& flush = answers.at("flush 20");  // the rule is broken; whether more is, nobody knows
  EXPECT_EQ(flush.answer, AblationAnswer::unknown);
  EXPECT_EQ(flush.reason, "time limit");

  const Answers all(frozen, [](const step::Program&, const std::string&) {
    Verdict limit;
    limit.reason = "memory limit";
    return limit;
  });
  EXPECT_EQ(all.at("check 16 true").answer, AblationAnswer::unknown);
  EXPECT_EQ(all.at("check 16 true").reason, "memory limit");
  EXPECT_EQ(all.at("after flush 9").answer, AblationAnswer::unknown);
}

}  // namespace
}  // namespace faultline::check
