#include <new>

#include "cli/commands.hpp"

namespace faultline::cli {

check::CheckOptions checker_options(const Settings& settings) {
  check::CheckOptions options;
  options.cpus = settings.cpus;
  options.memory = settings.memory;
  options.engine = settings.engine;
  options.explain = settings.explain;
  options.z3 = settings.z3;
  options.reduction = settings.reduction;
  options.timeout = settings.timeout;
  options.memory_bytes = settings.memory_limit << 20U;
  options.threads = settings.threads;
  return options;
}

check::Verdict run_checker(const step::Program& program, const check::CheckOptions& options, Progress& progress,
                           const std::string& doing) {
  check::CheckOptions reporting = options;
  reporting.report = [&](const std::string& phase, std::uint64_t states, std::uint32_t depth) {
    progress.update(doing.empty() ? phase : doing + ": " + phase, states, depth);
  };
  try {
    return check::check(program, reporting);
  } catch (const std::bad_alloc&) {
    check::Verdict verdict;
    verdict.model = program.model;
    verdict.variant = program.variant;
    verdict.scope.memory = options.memory;
    verdict.reason = "memory ran out; --memory-limit makes a search stop in time and say what it covered";
    return verdict;
  }
}

check::Verdict run_checker(const step::Program& program, const check::CheckOptions& options, Streams& streams) {
  Progress progress(streams.err, streams.progress);
  return run_checker(program, options, progress, "");
}

}  // namespace faultline::cli
