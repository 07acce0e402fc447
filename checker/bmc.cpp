// Proof rule: the steps of N CPUs are unrolled d times from the initial state; Z3 finds a violation in the state after
// them, or none. A model is a run, which is replayed; if there is none for 0 .. d, no run of d steps violates anything.
// That is no proof: more steps might. (Biere and others, "Symbolic model checking without BDDs", TACAS 1999.)
#include "checker/engines.hpp"
#include "checker/relation.hpp"
#include "checker/smt/unrolling.hpp"
#include "checker/trace_of.hpp"
#include "fmt/format.h"

namespace faultline::check {
namespace {

constexpr std::size_t most_steps = 60;  // without a bug each further step costs more than all before it
constexpr double seconds_without_limit = 10;

Limits limited(Limits limits) {
  if (limits.seconds <= 0) limits.seconds = seconds_without_limit;
  return limits;
}

class Bmc {
 public:
  Bmc(const step::Program& program, const Question& question)
      : program_(program),
        cpus_(*question.cpus),
        watch_(limited(question.limits)),
        relation_(program, terms_, cpus_),
        limits_(question.limits) {
    for (const Relation::Broken& broken : relation_.broken())
      if (!broken.bound) shown_.push_back(broken.shown);
  }

  Finding run() {
    finding_.unit = "steps";
    try {
      unroll();
    } catch (const OverLimit&) {  // what was covered stands
    }
    if (finding_.answer == Answer::unknown)
      finding_.reason = fmt::format("no violation within {} steps", finding_.safe_steps.value_or(0));
    return std::move(finding_);
  }

 private:
  void unroll() {
    const smt::Term violated = terms_.any(shown_);
    const std::vector<smt::Term> initial = relation_.initial();
    smt::Unrolling unrolling(terms_, relation_.after(), watch_);
    unrolling.claim(initial, 0);
    for (std::size_t depth = 0; depth <= most_steps && watch_.over() == nullptr; ++depth) {
      if (limits_.progress) limits_.progress(depth, static_cast<std::uint32_t>(depth));
      unrolling.claim(relation_.always(), depth);
      const smt::Result result = unrolling.ask(violated, depth);
      if (result.answer == smt::Answer::sat) return found(unrolling, depth);
      if (result.answer == smt::Answer::unknown) return;
      // a violation command is a step more than the state it is found in; a broken invariant is not
      finding_.safe_steps = static_cast<std::uint32_t>(depth + (program_.invariants.empty() ? 1 : 0));
      finding_.size = *finding_.safe_steps;
      unrolling.claim({!violated}, depth);  // it follows, and later depths need not find it again
      unrolling.claim(relation_.step(), depth);
    }
  }

  void found(smt::Unrolling& unrolling, std::size_t depth) {
    std::vector<step::ReplayStep> steps;
    for (std::size_t t = 0; t < depth; ++t)
      for (const Relation::Fire& fire : relation_.fires())
        if (unrolling.value(fire.fires, t)) steps.push_back(fire.step);
    for (const Relation::Broken& broken : relation_.broken()) {
      if (broken.bound || !unrolling.value(broken.shown, depth)) continue;
      if (!broken.invariant) steps.push_back(broken.step);
      finding_.answer = Answer::violated;
      finding_.example = counterexample_of(program_, cpus_, steps, broken.invariant);
      finding_.size = steps.size();
      if (!finding_.example) throw std::logic_error("a model of Z3 is no run");
      replay_or_throw(program_, *finding_.example, cpus_);
      return;
    }
    throw std::logic_error("a model of Z3 shows no violation");
  }

  const step::Program& program_;
  std::uint32_t cpus_;
  Watch watch_;
  smt::Terms terms_;
  Relation relation_;
  Limits limits_;
  std::vector<smt::Term> shown_;
  Finding finding_;
};

}  // namespace

Engine bmc_engine() {
  Engine engine;
  engine.name = "bmc";
  engine.what = "Z3 on the steps, unrolled one by one";
  engine.refuses = [](const step::Program&, const Question&) { return std::string(); };
  engine.ask = [](const step::Program& program, const Question& question) { return Bmc(program, question).run(); };
  return engine;
}

}  // namespace faultline::check
