// How long the stages take on the corpus. Prints; nothing asserts a time (the machines are shared).
//
//   ninja -C build bench_engines && build/bench_engines --benchmark_repetitions=5
#include <benchmark/benchmark.h>

#include "checker/certificate.hpp"
#include "checker/explicit.hpp"
#include "checker/views.hpp"
#include "step/load.hpp"

namespace {

using namespace faultline;

const std::string thp = FAULTLINE_SOURCE_DIR "/models/thp/thp_fault.fl";
const std::string reference = FAULTLINE_SOURCE_DIR "/models/reference/pmd_race.fl";

step::Program program(const std::string& path, const std::string& variant) {
  step::Loaded loaded = step::load(path, {variant});
  if (loaded.variants.size() != 1 || loaded.variants[0].diagnostics.has_errors())
    throw std::runtime_error("cannot load " + path);
  return std::move(loaded.variants[0].program);
}

void load_model(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(step::load(thp, {"unstable"}));
}
BENCHMARK(load_model)->Unit(benchmark::kMillisecond);

void explicit_search(benchmark::State& state) {
  const step::Program p = program(reference, "B_v2f");
  check::ExplicitOptions options;
  options.cpus = static_cast<std::uint32_t>(state.range(0));
  std::uint64_t states = 0;
  for (auto _ : state) states = check::explore(p, options).states;
  state.counters["states"] = static_cast<double>(states);
}
BENCHMARK(explicit_search)->Arg(2)->Arg(4)->Arg(6)->Arg(8)->Unit(benchmark::kMillisecond);

void shortest_counterexample(benchmark::State& state) {
  const step::Program p = program(thp, "guard_none");
  check::ExplicitOptions options;
  for (auto _ : state) benchmark::DoNotOptimize(check::explore(p, options));
}
BENCHMARK(shortest_counterexample)->Unit(benchmark::kMillisecond);

void views(benchmark::State& state) {
  const step::Program p = program(thp, "unstable");
  std::size_t size = 0;
  for (auto _ : state) size = check::views(p, {}).set.views.size();
  state.counters["views"] = static_cast<double>(size);
}
BENCHMARK(views)->Unit(benchmark::kMillisecond);

void own_judge(benchmark::State& state) {
  const step::Program p = program(thp, "unstable");
  const check::ViewSet set = check::views(p, {}).set;
  for (auto _ : state) benchmark::DoNotOptimize(check::own_check(p, set));
}
BENCHMARK(own_judge)->Unit(benchmark::kMillisecond);

void z3_judge(benchmark::State& state) {
  const step::Program p = program(thp, "unstable");
  const check::ViewSet set = check::views(p, {}).set;
  for (auto _ : state) benchmark::DoNotOptimize(check::z3_check(p, set));
}
BENCHMARK(z3_judge)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
