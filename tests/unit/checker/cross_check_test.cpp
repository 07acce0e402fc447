// --engine all, with engines of which one lies.
#include "checker/cross_check.hpp"

#include <gmock/gmock.h>

#include "checker/engine.hpp"
#include "tests/support/programs.hpp"

namespace faultline::check {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

step::Program unsafe() {
  testing::PmdRace which;
  which.fix = false;
  return testing::pmd_race(which);
}

Engine liar() {
  Engine engine;
  engine.name = "liar";
  engine.any = true;
  engine.refuses = [](const step::Program&, const Question&) { return std::string(); };
  engine.ask = [](const step::Program&, const Question&) {
    Finding finding;
    finding.answer = Answer::proved;
    return finding;
  };
  return engine;
}

Verdict checked(const step::Program& program) {
  CheckOptions options;
  options.z3 = false;
  return check(program, options);
}

TEST(CrossCheck, EnginesThatAgree) {
  const step::Program program = testing::pmd_race({});
  Verdict verdict = checked(program);
  ASSERT_EQ(verdict.answer, Answer::proved);
  CheckOptions options;
  options.timeout = 1;
  cross_check(program, options, engines(), verdict);
  EXPECT_THAT(verdict.contradictions, IsEmpty());
  EXPECT_GE(verdict.engines.size(), engines().size());
  std::size_t proved = 0;
  for (const EngineAnswer& answer : verdict.engines) {
    EXPECT_NE(answer.answer, Answer::violated) << answer.engine;
    if (answer.answer == Answer::proved) ++proved;
  }
  EXPECT_GE(proved, 3u);
}

TEST(CrossCheck, AProofOfAnUnsafeProgramIsNoticed) {
  const step::Program program = unsafe();
  Verdict verdict = checked(program);
  ASSERT_EQ(verdict.answer, Answer::violated);
  const std::size_t steps = verdict.violations.front().steps.size();
  cross_check(program, {}, {liar()}, verdict);
  EXPECT_THAT(verdict.contradictions, ElementsAre("the verdict and liar (any CPUs): violated in " +
                                                  std::to_string(steps) + " steps against proved"));
}

TEST(CrossCheck, AWrongVerdictIsNoticed) {
  const step::Program program = unsafe();
  Verdict verdict;
  verdict.answer = Answer::proved;
  verdict.scope.any = true;
  CheckOptions options;
  options.timeout = 3;
  cross_check(program, options, {*find_engine("explicit")}, verdict);
  ASSERT_FALSE(verdict.contradictions.empty());
  EXPECT_THAT(verdict.contradictions.front(), HasSubstr("the verdict and explicit"));
}

TEST(CrossCheck, EnginesThatRefuseSayWhy) {
  const step::Program program = testing::pmd_race({});
  Verdict verdict = checked(program);
  Engine picky = liar();
  picky.refuses = [](const step::Program&, const Question&) { return std::string("it is Monday"); };
  cross_check(program, {}, {picky}, verdict);
  ASSERT_EQ(verdict.engines.size(), 1u);
  EXPECT_FALSE(verdict.engines.front().asked);
  EXPECT_EQ(verdict.engines.front().reason, "it is Monday");
}

TEST(Check, NamedEngines) {
  CheckOptions options;
  options.cpus = 2;
  options.engine = "kinduction";
  const Verdict safe = check(testing::pmd_race({}), options);
  EXPECT_EQ(safe.answer, Answer::proved) << safe.reason;
  EXPECT_EQ(safe.engine, "kinduction");
  EXPECT_FALSE(safe.scope.any);
  options.engine = "bmc";
  options.timeout = 60;
  const Verdict violated = check(unsafe(), options);
  ASSERT_EQ(violated.answer, Answer::violated) << violated.reason;
  ExplicitOptions search;
  search.cpus = 2;
  EXPECT_EQ(violated.violations.front().steps.size(), explore(unsafe(), search).violations.front().steps.size());
}

}  // namespace
}  // namespace faultline::check
