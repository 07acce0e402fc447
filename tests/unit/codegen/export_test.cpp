// Exported text: stable, in the language's own words, and refused where it cannot be right.
#include "codegen/export.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "codegen/export_dot.hpp"
#include "step/load.hpp"
#include "tests/support/peers.hpp"

namespace faultline::codegen {
namespace {

const step::Loaded& thp_fault() {
  static const step::Loaded loaded = step::load(FAULTLINE_SOURCE_DIR "/models/thp/thp_fault.fl");
  return loaded;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Export, PromelaHasSourceLinesAndNames) {
  ExportOptions options;
  options.source = "thp_fault.fl";
  const std::string text = to_promela(thp_fault().variants.front().program, options);
  EXPECT_TRUE(
      has(text, "/* thp_fault [base], CPUs on each `any` line: 2. Written by `faultline export` from thp_fault.fl."));
  EXPECT_TRUE(has(text, "#define pmd_none 0\n"));
  EXPECT_TRUE(has(text, "/* 118: down_read(&mm->mmap_sem) */"));
  EXPECT_TRUE(has(text, "assert(false)"));
  EXPECT_FALSE(has(text, "!!"));
  EXPECT_EQ(text, to_promela(thp_fault().variants.front().program, options));
}

TEST(Export, MurphiHasSourceLinesAndNames) {
  const std::string text = to_murphi(thp_fault().variants.front().program, {3, "thp_fault.fl", 20});
  EXPECT_TRUE(has(text, "  CPUS: 3;\n"));
  EXPECT_TRUE(has(text, "rule \"118: down_read(&mm->mmap_sem)\""));
  EXPECT_TRUE(has(text, "error \"assert: pte_offset_map() on a pmd that is not a page table\""));
}

TEST(Export, DotHasStatesAndArrows) {
  const std::string text = to_dot(thp_fault().variants.front().model);
  EXPECT_TRUE(has(text, "[label=<<b>table</b>(pt)<br/>"));
  EXPECT_TRUE(has(text, ">pmd_present</font><br/>"));
  EXPECT_TRUE(has(text, "[label=<page_table_lock<br/><b>after flush</b>>, color="));
  EXPECT_TRUE(has(text, ">*pmd</font>"));
  EXPECT_TRUE(has(text, "start_0 -> s0_0 ["));
}

TEST(Export, DotMarksWhatIsDead) {
  const step::Loaded loaded =
      step::load_text("m.fl",
                      "model m;\nspinlock l;\nentry e_t { state a { is_a } state b { is_b } "
                      "state c { is_c } unreachable; a -> b; b -> a under l; b -> c unreachable; }\n"
                      "shared e_t *p = b;\nhandler h() { spin_lock(l); *p = b; spin_unlock(l); "
                      "}\nrun h on any cpus;\n");
  ASSERT_FALSE(loaded.variants.front().diagnostics.has_errors());
  const std::string text = to_dot(loaded.variants.front().model);
  EXPECT_TRUE(has(text, "start_0 -> s0_1 ["));
  EXPECT_TRUE(has(text, ">is_c</font>>, style=\"rounded,dashed\""));
  EXPECT_TRUE(has(text, "s0_1 -> s0_2 [label=< >, style=dashed"));
}

TEST(Export, GraphvizDrawsEveryModel) {
  if (!testing::installed("dot")) GTEST_SKIP() << "graphviz is not installed";
  const testing::Folder folder;
  int drawn = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(FAULTLINE_SOURCE_DIR "/models")) {
    if (entry.path().extension() != ".fl") continue;
    const step::Loaded loaded = step::load(entry.path().string(), {"base"});
    std::ofstream(folder.path() / "dot") << to_dot(loaded.variants.at(0).model);
    const std::string in = "cd '" + folder.path().string() + "' && ";
    EXPECT_EQ(std::system((in + "dot -Tsvg -o svg dot 2>err && test -s svg && test ! -s err").c_str()), 0)
        << entry.path();
    ++drawn;
  }
  EXPECT_GE(drawn, 4);
}

// A name of the model may be a word of the other language.
TEST(Export, WordsOfTheLanguageAreNoNames) {
  const step::Loaded loaded = step::load_text(
      "m.fl",
      "model m;\nentry e_t { state of { is_of } state init { is_init } of -> init; init -> of; }\n"
      "shared e_t *active = of;\nhandler run_it() { *active = init; *active = of; }\nrun run_it on any cpus;\n");
  ASSERT_FALSE(loaded.variants.front().diagnostics.has_errors());
  EXPECT_TRUE(has(to_promela(loaded.variants.front().program, {}), "byte active_2 = ") ||
              has(to_promela(loaded.variants.front().program, {}), "bit active_2 = "));
}

}  // namespace
}  // namespace faultline::codegen
