// What fuzzing found once ends in an answer, every time. Beside sanitizers each index is checked too.
#include <gtest/gtest.h>

#include <filesystem>

#include "step/load.hpp"

namespace faultline::step {
namespace {

TEST(Findings, AreAnswered) {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(FAULTLINE_SOURCE_DIR "/tests/fuzz/findings")) {
    EXPECT_TRUE(load(file.path()).diagnostics.has_errors()) << file.path();
    ++files;
  }
  EXPECT_GE(files, 1);
}

}  // namespace
}  // namespace faultline::step
