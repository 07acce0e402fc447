// The term layer: simplification while building, and scripts that Z3 reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/smt/solver.hpp"
#include "checker/smt/terms.hpp"

namespace faultline::check::smt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Answer solve(const Terms& terms, const std::vector<Term>& claims) {
  return Solver().solve(terms.script("; test\n", claims)).answer;
}

TEST(Terms, SimplifyWhileBuilding) {
  Terms t;
  const Term a = t.variable("a");
  const Term b = t.variable("b");
  EXPECT_EQ(t.all({}), yes);
  EXPECT_EQ(t.any({}), no);
  EXPECT_EQ(t.both(a, yes), a);
  EXPECT_EQ(t.both(a, no), no);
  EXPECT_EQ(t.both(a, a), a);
  EXPECT_EQ(t.both(a, !a), no);
  EXPECT_EQ(t.either(a, !a), yes);
  EXPECT_EQ(t.both(a, b), t.both(b, a));
  EXPECT_EQ(t.either(a, b), !t.both(!a, !b));
  EXPECT_EQ(!!a, a);
  EXPECT_EQ(t.choose(yes, a, b), a);
  EXPECT_EQ(t.same(a, a), yes);
}

TEST(Terms, MeanWhatTheySay) {
  Terms t;
  const Term a = t.variable("a");
  const Term b = t.variable("b");
  const Term c = t.variable("c");
  EXPECT_EQ(solve(t, {t.either(a, b), !a, !b}), Answer::unsat);
  EXPECT_EQ(solve(t, {t.either(a, b), !a}), Answer::sat);
  EXPECT_EQ(solve(t, {t.implies(a, b), a, !b}), Answer::unsat);
  EXPECT_EQ(solve(t, {t.same(a, b), a, !b}), Answer::unsat);
  EXPECT_EQ(solve(t, {t.choose(c, a, b), c, !a}), Answer::unsat);
  EXPECT_EQ(solve(t, {t.choose(c, a, b), !c, !b}), Answer::unsat);
  EXPECT_EQ(solve(t, {t.choose(c, a, b), !c, !a}), Answer::sat);
  EXPECT_EQ(solve(t, {no}), Answer::unsat);
  EXPECT_EQ(solve(t, {}), Answer::sat);
}

TEST(Terms, ANumberHasOneValue) {
  for (const std::size_t values : {2U, 3U, 5U, 8U}) {
    Terms t;
    const std::vector<Term> n = t.number("n", values);
    ASSERT_EQ(n.size(), values);
    EXPECT_EQ(solve(t, {t.both(n[0], n[1])}), Answer::unsat) << values;
    for (const Term is : n) EXPECT_EQ(solve(t, {is}), Answer::sat) << values;
  }
}

TEST(Terms, NamesThatClashOrAreStrangeAreToldApart) {
  Terms t;
  const Term a = t.variable("old (x|y)");
  const Term b = t.variable("old (x|y)");
  const std::vector<Term> n = t.number("old (x|y)", 4);
  EXPECT_EQ(solve(t, {a, !b, n[2]}), Answer::sat);
  EXPECT_THAT(t.script("", {a, !b}), HasSubstr("|old (x/y)~2|"));
}

TEST(Terms, DeclareWhatIsUsedAndNameWhatIsShared) {
  Terms t;
  const Term a = t.variable("a");
  const Term b = t.variable("b");
  t.variable("unused");
  const Term ab = t.both(a, b);
  const std::string script = t.script("; head\n", {t.either(ab, t.variable("c")), t.either(ab, t.variable("d"))});
  EXPECT_THAT(script, HasSubstr("; head\n(set-logic QF_BV)\n"));
  EXPECT_THAT(script, HasSubstr("(declare-const a Bool)"));
  EXPECT_THAT(script, HasSubstr("(define-fun "));
  EXPECT_THAT(script, Not(HasSubstr("unused")));
}

TEST(Solver, SaysWhyItDoesNotKnow) {
  const Result result = Solver().solve("(assert (no such thing))");
  EXPECT_EQ(result.answer, Answer::unknown);
  EXPECT_FALSE(result.reason.empty());
}

}  // namespace
}  // namespace faultline::check::smt
