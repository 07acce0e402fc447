#include "tests/differential/random/body.hpp"

#include <gtest/gtest.h>

#include "dsl/parse.hpp"
#include "dsl/patch.hpp"

namespace faultline::differential {
namespace {

std::string model(const std::string& body, const std::string& patch) {
  return "model m;\nhandler h()\n{\n" + body + "}\n" + patch;
}

// The body of `before`, with the hunk applied by the front end, as the printer lays it out.
std::string patched(const Body& before, const std::string& lines) {
  dsl::Sources sources;
  sources.emplace_back(0U, "m.fl", model(print(before, 1), "patch p in h {\n" + lines + "}\n"));
  dsl::Diagnostics diagnostics;
  const dsl::File file = dsl::parse(sources, 0, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << lines;
  const dsl::File applied = dsl::apply_variant(file, "p", diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << lines;
  return dsl::print(*applied.items.front().function->body);
}

std::string laid_out(const Body& body) {
  dsl::Sources sources;
  sources.emplace_back(0U, "m.fl", model(print(body, 1), ""));
  dsl::Diagnostics diagnostics;
  return dsl::print(*dsl::parse(sources, 0, diagnostics).items.front().function->body);
}

void expect_patch(const Body& before, const Body& after) {
  const auto lines = hunk(before, after);
  ASSERT_TRUE(lines.has_value());
  EXPECT_EQ(patched(before, *lines), laid_out(after)) << *lines;
}

const Body plain = {line("lock();"), when("a", {line("b();"), line("c();")}), line("unlock();")};

TEST(Body, ChoicesStandOrFall) {
  const Body body = {choice(0, {line("lock();")}), guard(1, "a", {line("b();")}),
                     choice(0, {line("unlock();")}, {line("c();")})};
  EXPECT_EQ(print(resolve(body, {true, true}), 0), "lock();\nif (a) {\n    b();\n}\nunlock();\n");
  EXPECT_EQ(print(resolve(body, {false, false}), 0), "b();\nc();\n");
}

TEST(Body, APatchTakesStatementsAway) { expect_patch(plain, {plain[1]}); }
TEST(Body, APatchAddsInFront) { expect_patch({plain[1]}, plain); }
TEST(Body, APatchAddsAtTheEnd) { expect_patch({plain[0], plain[1]}, plain); }
TEST(Body, APatchAddsAroundTheOnlyStatement) { expect_patch({plain[2]}, {plain[0], plain[2], line("after();")}); }
TEST(Body, APatchReplacesACompoundStatement) {
  expect_patch(plain, {plain[0], line("b();"), line("c();"), plain[2]});
  expect_patch(plain, {plain[0], when("a", {line("b();")}, {line("d();")}), plain[2]});
}

TEST(Body, NoPatchWithoutADifference) { EXPECT_FALSE(hunk(plain, plain).has_value()); }

TEST(Body, NoPatchOfAStatementThatStandsTwice) {
  const Body before = {line("b();"), plain[1]};
  EXPECT_FALSE(hunk(before, {plain[1]}).has_value()) << "b(); stands in the if as well";
}

}  // namespace
}  // namespace faultline::differential
