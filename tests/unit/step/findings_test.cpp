// What fuzzing found once ends in an answer, every time. Beside sanitizers each index is checked too.
#include <gtest/gtest.h>

#include <filesystem>

#include "step/load.hpp"

namespace faultline::step {
namespace {

TEST(Findings, AreAnswered) {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(FAULTLINE_SOURCE_DIR "/tests/fuzz/findings")) {
    const Loaded loaded = load(file.path());  // the file, or what it says, is wrong
    const bool answered =
        loaded.variants.empty() ? loaded.diagnostics.has_errors() : loaded.variants.front().diagnostics.has_errors();
    EXPECT_TRUE(answered) << file.path();
    ++files;
  }
  EXPECT_GE(files, 2);
}

}  // namespace
}  // namespace faultline::step
