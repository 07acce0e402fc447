// What is exported means the same: Spin and Rumur find the number of plain states that the explicit search finds, and
// errors where it finds violations. Skipped where the two are not installed; the long run takes every variant and N
// = 3.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "checker/explicit.hpp"
#include "codegen/export.hpp"
#include "fmt/format.h"
#include "step/load.hpp"

namespace faultline::codegen {
namespace {

#ifdef FAULTLINE_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

struct Answer {
  std::uint64_t states = 0;
  bool errors = false;
  std::string output;
};

bool installed(const char* tool) { return std::system(fmt::format("command -v {} >/dev/null", tool).c_str()) == 0; }
bool all_of_it() { return std::getenv("FAULTLINE_FULL") != nullptr; }

class Peers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (sanitized) GTEST_SKIP() << "the release run does this";
    std::string name = (std::filesystem::temp_directory_path() / "faultline-peers-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  // Writes the text, runs a shell line beside it and reads a number and an error count out of what it prints.
  Answer run(const std::string& text, const std::string& command, const char* states, const char* errors) {
    std::ofstream(folder_ / "FILE") << text;
    // Errors found may be an exit code of the tool.
    const std::string line = fmt::format("cd '{}' && ({}) >out 2>&1", folder_.string(), command);
    EXPECT_NE(std::system(line.c_str()), -1);
    std::ostringstream output;
    output << std::ifstream(folder_ / "out").rdbuf();
    Answer answer;
    answer.output = output.str();
    std::smatch found;
    if (std::regex_search(answer.output, found, std::regex(states))) answer.states = std::stoull(found[1]);
    answer.errors = std::regex_search(answer.output, std::regex(errors));
    return answer;
  }

  template <class Ask>
  void compare(const Ask& ask) {
    const std::vector<std::pair<std::string, std::string>> sample = {{"thp/thp_fault", "base"},
                                                                     {"thp/thp_fault", "unstable"},

                                                                     {"reference/pmd_race", "B_v2f"}};
    int compared = 0, unsafe = 0;
    for (const char* model :
         {"thp/thp_fault", "thp/thp_fault_munmap", "thp/khugepaged_collapse", "reference/pmd_race"}) {
      const std::string path = fmt::format("{}/models/{}.fl", FAULTLINE_SOURCE_DIR, model);
      for (const step::Variant& variant : step::load(path).variants) {
        const bool wanted =
            std::find(sample.begin(), sample.end(), std::pair{std::string(model), variant.name}) != sample.end();
        if (!all_of_it() && !wanted) continue;
        for (std::uint32_t n = 1; n <= (all_of_it() ? 3U : 2U); ++n) {
          check::ExplicitOptions options;
          options.cpus = n;
          options.reduction = false;
          options.all_kinds = true;
          options.deadlock = false;
          options.limits.seconds = all_of_it() ? 300 : 20;
          options.limits.memory_bytes = 1U << 30U;
          const check::ExplicitResult ours = check::explore(variant.program, options);
          // What a tool that keeps every state apart can hold: more is for the long run, or for none.
          if (!ours.complete || ours.states > (all_of_it() ? 3'000'000U : 60'000U)) continue;
          ExportOptions how;
          how.cpus = n;
          how.source = path;
          const Answer theirs = ask(variant.program, how);
          EXPECT_EQ(theirs.states, ours.states) << model << " [" << variant.name << "] N = " << n << "\n"
                                                << theirs.output;
          EXPECT_EQ(theirs.errors, !ours.violations.empty()) << model << " [" << variant.name << "] N = " << n << "\n"
                                                             << theirs.output;
          ++compared;
          if (theirs.errors) ++unsafe;
        }
      }
    }
    std::cout << compared << " compared, " << unsafe << " with errors\n";
    EXPECT_GE(compared, 5);
    EXPECT_GE(unsafe, 1);
  }

  std::filesystem::path folder_;
};

// What the head says, on a file of that name and without the wait for the optimiser.
std::string recipe(const char* told) {
  std::string line = told;
  line.replace(line.find("-O2"), 3, "-O0");
  return line;
}

TEST_F(Peers, Spin) {
  if (!installed("spin") || !installed("cc")) GTEST_SKIP() << "spin is not installed";
  compare([&](const step::Program& program, const ExportOptions& how) {
    return run(to_promela(program, how), recipe(run_promela), R"((\d+) states, stored)", R"(errors: [1-9])");
  });
}

TEST_F(Peers, Rumur) {
  if (!installed("rumur") || !installed("cc")) GTEST_SKIP() << "rumur is not installed";
  compare([&](const step::Program& program, const ExportOptions& how) {
    return run(to_murphi(program, how), recipe(run_murphi), R"((\d+) states, \d+ rules fired in)",
               R"([1-9]\d* error\(s\) found)");
  });
}

}  // namespace
}  // namespace faultline::codegen
