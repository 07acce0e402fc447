// libFuzzer target of the whole front half: text → variants → checked programs. Any bytes must give programs or
// diagnostics of ours, soon and without a crash; a program that comes out must run.
//
//   fuzz_load -dict=tests/fuzz/faultline.dict CORPUS tests/fuzz/seeds models tests/golden
#include "step/load.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "dsl/codes.hpp"
#include "step/interpreter.hpp"

namespace {

using namespace faultline;

[[noreturn]] void fail(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s\n%s\n", what, text.c_str());
  std::abort();
}

void check_diagnostics(const dsl::Diagnostics& diagnostics, const dsl::Sources& sources) {
  for (const dsl::Diagnostic& diagnostic : diagnostics.sorted()) {
    const std::string text = dsl::render(diagnostic, sources, false);
    if (dsl::find_code(diagnostic.code) == nullptr) fail("a code without a page", text);
  }
}

// A short walk: every command of the first few states must leave the program's own ranges intact.
void walk(const step::Program& program) {
  std::vector<step::State> seen = {step::initial_state(program, step::cpus_per_line(program, 1))};
  for (std::size_t i = 0; i < seen.size() && seen.size() < 200; ++i) {
    const step::State state = seen[i];
    for (std::size_t me = 0; me < state.cpus; ++me) {
      const auto pc = state.cpu[me].pc;
      if (pc >= program.locations.size()) fail("a position that does not exist", program.model);
      for (auto c = program.first[pc]; c < program.first[std::size_t{pc} + 1]; ++c) {
        step::run(program, state, me, program.commands[c], step::World::closed, [&](const step::State& next) {
          for (std::size_t g = 0; g < program.globals.size(); ++g)
            if (next.globals[g] > program.globals[g].max) fail("a global leaves its range", program.globals[g].name);
          for (std::size_t l = 0; l < program.locals.size(); ++l)
            if (next.cpu[me].locals[l] > program.locals[l].max)
              fail("a local leaves its range", program.locals[l].name);
          if (!program.commands[c].violation && seen.size() < 200) seen.push_back(next);
        });
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 20'000) return 0;  // models are small; long inputs only slow the search down
  const step::Loaded loaded = step::load_text("fuzz.fl", std::string(reinterpret_cast<const char*>(data), size));
  check_diagnostics(loaded.diagnostics, loaded.sources);
  if (loaded.diagnostics.has_errors()) return 0;
  for (const step::Variant& variant : loaded.variants) {
    check_diagnostics(variant.diagnostics, loaded.sources);
    if (!variant.diagnostics.has_errors()) walk(variant.program);
  }
  return 0;
}
