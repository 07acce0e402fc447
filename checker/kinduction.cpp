// Proof rule: let F say, of every two of N CPUs, what the views leave at each position (facts.hpp), or, if that is not
// enough, all that the views exclude. If F and "no violation" hold at the start and for k steps, and Z3 finds no k + 1
// states in a row of which the first k have F and no violation and the last has not, then no reachable state of N CPUs
// has one. The views are believed nothing: a wrong fact only makes the proof fail. (Sheeran, Singh, Stalmarck,
// "Checking safety properties using induction and a SAT solver", FMCAD 2000.)
#include <algorithm>

#include "checker/engines.hpp"
#include "checker/facts.hpp"
#include "checker/queries_reading.hpp"
#include "checker/relation.hpp"
#include "checker/smt/unrolling.hpp"
#include "fmt/format.h"

namespace faultline::check {
namespace {

constexpr std::size_t most_k = 3;
constexpr double seconds_without_limit = 30;

class Induction {
 public:
  Induction(const step::Program& program, std::uint32_t cpus, const Watch& watch)
      : watch_(watch), relation_(program, terms_, cpus) {
    for (const Relation::Broken& broken : relation_.broken()) fine_.push_back(!broken.shown);
  }

  void add(const Facts& facts) {
    for (const Fact& fact : facts.facts)
      for_each_two([&](const auto& view) { fine_.push_back(of_two(facts, fact, view)); });
  }
  void add(const Table& table, const std::vector<Exclusion>& exclusions) {
    Picture& picture = relation_.now();
    for_each_two([&](const auto& view) {
      Reading reading(picture, terms_, picture.state(), view, table.fields);
      for (const Exclusion& exclusion : exclusions) fine_.push_back(!reading.excluded(exclusion));
    });
  }

  // Empty: proved. Else why not.
  std::string run() {
    std::sort(fine_.begin(), fine_.end());
    fine_.erase(std::unique(fine_.begin(), fine_.end()), fine_.end());
    std::erase(fine_, smt::yes);
    const smt::Term wrong = !terms_.all(fine_);
    smt::Unrolling base(terms_, relation_.after(), watch_), step(terms_, relation_.after(), watch_);
    base.claim(relation_.initial(), 0);
    step.claim(relation_.exactly_one_value(), 0);
    for (std::size_t k = 1; k <= most_k; ++k) {
      base.claim(relation_.always(), k - 1);
      const smt::Result at_start = base.ask(wrong, k - 1);
      if (at_start.answer == smt::Answer::unknown) return at_start.reason;
      if (at_start.answer == smt::Answer::sat) return "a fact or violation within the first steps";
      base.claim(relation_.step(), k - 1);
      if (k == 1) step.claim(relation_.always(), 0);
      step.claim(fine_, k - 1);
      step.claim(relation_.step(), k - 1);
      step.claim(relation_.always(), k);
      const smt::Result goes_on = step.ask(wrong, k);
      if (goes_on.answer == smt::Answer::unsat) {
        k_ = k;
        return {};
      }
      if (goes_on.answer == smt::Answer::unknown) return goes_on.reason;
    }
    return fmt::format("the facts of single positions are not inductive within {} steps", most_k);
  }

  [[nodiscard]] std::size_t k() const { return k_; }

 private:
  template <class Found>
  void for_each_two(const Found& found) {
    for (std::size_t i = 0; i < relation_.cpus(); ++i)
      for (std::size_t j = 0; j < relation_.cpus(); ++j)
        if (i != j) found(std::vector<std::size_t>{i, j});
  }

  smt::Term of_two(const Facts& facts, const Fact& fact, const std::vector<std::size_t>& view) {
    Picture& picture = relation_.now();
    const SymbolicState& s = picture.state();
    std::vector<smt::Term> clause = {!s.cpus[view[0]].position[fact.position]};
    for (const std::uint16_t value : fact.values)
      clause.push_back(picture.has(s, view, facts.fields[fact.field], value));
    return terms_.any(std::move(clause));
  }

  const Watch& watch_;
  smt::Terms terms_;
  Relation relation_;
  std::size_t k_ = 0;
  std::vector<smt::Term> fine_;
};

Finding ask_kinduction(const step::Program& program, const Question& question) {
  Limits limits = question.limits;
  if (limits.seconds <= 0) limits.seconds = seconds_without_limit;
  const Watch watch(limits);
  Finding finding;
  finding.unit = "facts";
  ViewsOptions options;
  options.limits = limits;
  const ViewsResult result = views(program, options);
  if (!result.proved) {
    finding.reason = "there are no facts to start from (" + result.reason + ")";
    return finding;
  }
  const Table table = table_of(program, result.set, watch);
  const Facts facts = facts_of(table);
  for (const bool all : {false, true}) {
    Induction induction(program, *question.cpus, watch);
    if (all) {
      const std::vector<Exclusion> excluded = exclusions(table, watch);
      finding.size = excluded.size();
      induction.add(table, excluded);
    } else {
      finding.size = facts.facts.size();
      induction.add(facts);
    }
    finding.reason = induction.run();
    if (!finding.reason.empty()) continue;
    finding.answer = Answer::proved;
    finding.reason =
        fmt::format("k = {}, {}", induction.k(), all ? "all that the views exclude" : "facts of one field each");
    break;
  }
  return finding;
}

}  // namespace

Engine kinduction_engine() {
  Engine engine;
  engine.name = "kinduction";
  engine.what = "Z3 on one step, from what the views leave at each position";
  engine.refuses = [](const step::Program& program, const Question& question) -> std::string {
    std::uint32_t cpus = 0;
    for (const std::uint32_t n : step::cpus_per_line(program, *question.cpus)) cpus += n;
    return cpus < 2 ? "it needs two CPUs" : "";
  };
  engine.ask = ask_kinduction;
  return engine;
}

}  // namespace faultline::check
