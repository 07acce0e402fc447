// `run … once`: the fact that a handler was started has a name of its own for each line that starts it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "step/load.hpp"

namespace faultline::step {
namespace {

std::vector<std::string> globals(const std::string& lines) {
  const Loaded loaded = load_text("once.fl", "model m;\nhandler f() { step; }\nhandler g() { step; }\n" + lines);
  EXPECT_FALSE(loaded.diagnostics.has_errors());
  std::vector<std::string> names;
  for (const Variable& global : loaded.variants.at(0).program.globals) names.push_back(global.name);
  return names;
}

TEST(Once, OneLine) {
  EXPECT_THAT(globals("run f, g on any cpus once;\n"), ::testing::ElementsAre("f started", "g started"));
}

TEST(Once, TheSameHandlerOnTwoLines) {
  EXPECT_THAT(globals("run f on any cpus once;\nrun f, g on 1 cpu once;\n"),
              ::testing::ElementsAre("f started", "f started, line 2", "g started"));
}

TEST(Once, OnlyOneOfTwoLines) {
  EXPECT_THAT(globals("run f on any cpus;\nrun f on 1 cpu once;\n"), ::testing::ElementsAre("f started"));
}

}  // namespace
}  // namespace faultline::step
