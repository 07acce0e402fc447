// Proof rule: that of datalog.cpp covers every system of at least 2 CPUs; smaller ones are searched. A cross-check of
// the views: it has no certificate.
#include "checker/datalog.hpp"
#include "checker/engines.hpp"

namespace faultline::check {
namespace {

Finding ask_datalog(const step::Program& program, const Question& question) {
  const Watch watch(question.limits);
  if (const auto found = search_fewer_than(2, program, question.limits)) return *found;
  DatalogOptions options;
  options.limits = question.limits;
  options.limits.seconds = watch.left();
  const DatalogResult result = datalog(program, options);
  Finding finding;
  finding.answer = result.proved ? Answer::proved : Answer::unknown;
  finding.reason = result.reason;
  finding.size = result.pairs;
  finding.unit = "pairs";
  return finding;
}

}  // namespace

Engine datalog_engine() {
  Engine engine;
  engine.name = "datalog";
  engine.what = "what any 2 CPUs look like, found by Z3's datalog";
  engine.any = true;
  engine.refuses = [](const step::Program& program, const Question&) -> std::string {
    if (!has_any_line(program)) return "the model fixes its number of CPUs";
    return datalog_refuses(program);
  };
  engine.ask = ask_datalog;
  return engine;
}

}  // namespace faultline::check
