// No number of a program leads outside its tables: the engines do not look.
#include "step/wellformed.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "step/load.hpp"
#include "step/program.hpp"

namespace faultline::step {
namespace {

// One global, one local, one position with a step that sets the global to an expression of it.
Program small() {
  Program p;
  p.globals.push_back({"x", 3});
  p.locals.push_back({"l", 1});
  p.locations.resize(1);
  p.exprs = {{ExprOp::constant, 0, 0, 0, 1}, {ExprOp::global}, {ExprOp::local}, {ExprOp::in, 1, 0, 0, 2}};
  Command c;
  c.ops.push_back({OpCode::set_global, 0, 0, 0, 3});
  p.commands.push_back(c);
  return p;
}

TEST(Wellformed, NamesTheNumber) {
  EXPECT_EQ(malformed(small()), "");
  Program p = small();
  p.exprs[2].a = 1000;
  EXPECT_EQ(malformed(p), "expression 2: local 1000");
  p = small();
  p.commands[0].ops[0].a = 1;
  EXPECT_EQ(malformed(p), "command 0: global 1");
  p = small();
  p.commands[0].to = 7;
  EXPECT_EQ(malformed(p), "command 0: position 7");
  p = small();
  p.exprs[3].a = 3;
  EXPECT_EQ(malformed(p), "expression 3: operand 3");
  p = small();
  p.invariants.push_back({"i", 4, {}});
  EXPECT_EQ(malformed(p), "property: expression 4");
}

TEST(Wellformed, UnusedExpressionsGo) {
  Program p = small();
  drop_unused_exprs(p);
  ASSERT_EQ(p.exprs.size(), 3U);
  EXPECT_EQ(p.exprs[0].op, ExprOp::constant);
  EXPECT_EQ(p.exprs[1].op, ExprOp::global);
  EXPECT_EQ(p.exprs[2].op, ExprOp::in);
  EXPECT_EQ(p.exprs[2].a, 1U);
  EXPECT_EQ(p.commands[0].ops[0].e, 2U);
  EXPECT_EQ(malformed(p), "");
}

// The lowering throws when its own program is malformed; here also nothing unused is left.
TEST(Wellformed, EveryModel) {
  int programs = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(FAULTLINE_SOURCE_DIR "/models")) {
    if (file.path().extension() != ".fl") continue;
    for (const Variant& variant : load(file.path()).variants) {
      Program program = variant.program;
      EXPECT_EQ(malformed(program), "") << file.path() << ' ' << variant.name;
      const std::size_t before = program.exprs.size();
      drop_unused_exprs(program);
      EXPECT_EQ(program.exprs.size(), before) << file.path() << ' ' << variant.name;
      ++programs;
    }
  }
  EXPECT_GE(programs, 20);
}

}  // namespace
}  // namespace faultline::step
