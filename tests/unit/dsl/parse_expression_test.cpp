// Golden parse trees: C's precedence, level by level, then `implies`.
#include "parse_support.hpp"

namespace faultline::dsl {
namespace {

TEST(Precedence, PostfixBindsTightest) {
  EXPECT_EQ(tree_of("*p.x"), "(*p.x)");
  EXPECT_EQ(tree_of("!a->b.c"), "(!a->b.c)");
  EXPECT_EQ(tree_of("*a[i]"), "(*a[i])");
  EXPECT_EQ(tree_of("-f(x).y"), "(-f(x).y)");
  EXPECT_EQ(tree_of("a[i][j + 1]"), "a[i][(j + 1)]");
  EXPECT_EQ(tree_of("(*p).x"), "(*p).x");
  EXPECT_EQ(tree_of("&mm->page_table_lock"), "(&mm->page_table_lock)");
}

TEST(Precedence, PrefixBeforeSum) {
  EXPECT_EQ(tree_of("*a + *b"), "((*a) + (*b))");
  EXPECT_EQ(tree_of("!a == b"), "((!a) == b)");
  EXPECT_EQ(tree_of("-1 < -x"), "((-1) < (-x))");
  EXPECT_EQ(tree_of("!!*&a"), "(!(!(*(&a))))");
  EXPECT_EQ(tree_of("*(pmd)"), "(*pmd)");
}

TEST(Precedence, SumBeforeOrder) {
  EXPECT_EQ(tree_of("a + b < c - d"), "((a + b) < (c - d))");
  EXPECT_EQ(tree_of("a - b - c"), "((a - b) - c)");
  EXPECT_EQ(tree_of("a - b + c"), "((a - b) + c)");
  EXPECT_EQ(tree_of("a - (b - c)"), "(a - (b - c))");
}

TEST(Precedence, OrderBeforeEquality) {
  EXPECT_EQ(tree_of("a < b == c >= d"), "((a < b) == (c >= d))");
  EXPECT_EQ(tree_of("a <= b != c > d"), "((a <= b) != (c > d))");
  EXPECT_EQ(tree_of("a < b < c"), "((a < b) < c)");
}

TEST(Precedence, EqualityBeforeAmpersand) {
  EXPECT_EQ(tree_of("flags & mask == 0"), "(flags & (mask == 0))");  // C's trap, kept
  EXPECT_EQ(tree_of("a == b == c"), "((a == b) == c)");
}

TEST(Precedence, AmpersandBeforeBar) { EXPECT_EQ(tree_of("a | b & c | d"), "((a | (b & c)) | d)"); }

TEST(Precedence, BarBeforeAnd) { EXPECT_EQ(tree_of("a | b && c & d"), "((a | b) && (c & d))"); }

TEST(Precedence, AndBeforeOr) {
  EXPECT_EQ(tree_of("a || b && c || d"), "((a || (b && c)) || d)");
  EXPECT_EQ(tree_of("a && b && c"), "((a && b) && c)");
}

TEST(Precedence, OrBeforeConditional) {
  EXPECT_EQ(tree_of("a || b ? c || d : e || f"), "((a || b) ? (c || d) : (e || f))");
  EXPECT_EQ(tree_of("a ? b : c ? d : e"), "(a ? b : (c ? d : e))");
  EXPECT_EQ(tree_of("a ? b ? c : d : e"), "(a ? (b ? c : d) : e)");
}

TEST(Precedence, ImpliesBindsLeastAndToTheRight) {
  EXPECT_EQ(tree_of("a || b implies c && d"), "((a || b) implies (c && d))");
  EXPECT_EQ(tree_of("a implies b implies c"), "(a implies (b implies c))");
  EXPECT_EQ(tree_of("a ? b : c implies d"), "((a ? b : c) implies d)");
  EXPECT_EQ(tree_of("a implies b ? c : d"), "(a implies (b ? c : d))");
  EXPECT_EQ(tree_of("(a implies b) implies c"), "((a implies b) implies c)");
}

TEST(Expression, TheCornersOfTheThreadsPatch) {
  EXPECT_EQ(tree_of("unlikely(!pmd_present(*(pmd))) && __pte_alloc(mm, vma, pmd, address)"),
            "(unlikely((!pmd_present((*pmd)))) && __pte_alloc(mm, vma, pmd, address))");
}

TEST(Expression, Literals) {
  EXPECT_EQ(tree_of("0x1F + 010 + 3UL"), "((31 + 10) + 3)");  // no octal: 010 is ten
  EXPECT_EQ(tree_of("f(\"a \\\" b\", true, NULL)"), "f(\"a \\\" b\", true, NULL)");
  const Parsed parsed = parse_text("model m; enum { A = -3, B = 0x10 };");
  EXPECT_EQ(parsed.errors(), "");
  EXPECT_EQ(parsed.file.items[0].enumeration->constants[0].value, -3);
  EXPECT_EQ(parsed.file.items[0].enumeration->constants[1].value, 16);
}

TEST(Expression, SpansAreTheSourceText) {
  const Parsed parsed = parse_text("model m; invariant i : pmd_none ( *pmd ) && a.b;");
  const Expr& conjunction = *parsed.file.items[0].invariant->expr;
  const auto text = [&parsed](const Span& span) {
    return std::string(parsed.sources[0].text().substr(span.begin, span.end - span.begin));
  };
  EXPECT_EQ(text(conjunction.span), "pmd_none ( *pmd ) && a.b");
  EXPECT_EQ(text(conjunction.text_span), "&&");
  EXPECT_EQ(text(conjunction.kids[0]->span), "pmd_none ( *pmd )");
  EXPECT_EQ(text(conjunction.kids[0]->text_span), "pmd_none");
  EXPECT_EQ(text(conjunction.kids[0]->kids[0]->span), "*pmd");
  EXPECT_EQ(text(conjunction.kids[1]->text_span), "b");
}

TEST(Expression, MinimalParenthesesComeBack) {
  for (const std::string text :
       {"(a + b) - (c - d)", "!(a && b)", "(a ? b : c) ? d : e", "(a implies b) implies c", "-(-x)", "&(&x)", "a - -b",
        "(*p)[i].x", "(a == b) == c", "a == (b == c)", "a && (b || c)", "*(a + b)", "(a || b) && c"}) {
    const Parsed once = parse_text("model m; invariant i : " + text + ";");
    ASSERT_EQ(once.errors(), "") << text;
    const Expr& tree = *once.file.items[0].invariant->expr;
    const Parsed twice = parse_text("model m; invariant i : " + print(tree) + ";");
    ASSERT_EQ(twice.errors(), "") << print(tree);
    EXPECT_EQ(print_tree(*twice.file.items[0].invariant->expr), print_tree(tree)) << text;
    EXPECT_LE(print(tree).size(), text.size());
  }
}

}  // namespace
}  // namespace faultline::dsl
