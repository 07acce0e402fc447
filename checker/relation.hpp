// The steps of a fixed number of CPUs as terms over a state and the next one: what bounded model checking unrolls and
// k-induction argues about. Written from step/program.hpp by way of queries_picture.hpp; nothing of checker/search.
#pragma once
#include "checker/queries_picture.hpp"
#include "step/replay.hpp"

namespace faultline::check {

// Steps in which nothing else is said to happen: for each CPU and command, and for each acknowledgement, one "fire"
// literal, of which exactly one holds. What no fired step changes stays as it was.
class Relation {
 public:
  Relation(const step::Program& program, smt::Terms& terms, std::uint32_t cpus);  // of each any-line

  struct Fire {
    smt::Term fires;
    step::ReplayStep step;
  };
  struct Broken {  // what shows a violation in a state
    smt::Term shown;
    step::ReplayStep step;                 // the violation command, by whom
    std::optional<std::size_t> invariant;  // or the invariant that fails
    bool bound = false;
  };

  [[nodiscard]] std::vector<smt::Term> initial();
  [[nodiscard]] const std::vector<smt::Term>& always() const { return always_; }  // of every state
  [[nodiscard]] const std::vector<smt::Term>& step() const { return step_; }
  [[nodiscard]] std::vector<smt::Term> exactly_one_value() { return now_.exactly_one_value(); }
  [[nodiscard]] const std::vector<std::pair<smt::Term, smt::Term>>& after() const { return after_; }
  [[nodiscard]] const std::vector<Fire>& fires() const { return fires_; }
  [[nodiscard]] const std::vector<Broken>& broken() const { return broken_; }
  [[nodiscard]] Picture& now() { return now_; }
  [[nodiscard]] std::size_t cpus() const { return lines_.size(); }

 private:
  static std::vector<step::Id> lines_of(const step::Program& program, std::uint32_t cpus);
  std::vector<smt::Term> values(Picture& picture, const SymbolicState& state);
  void add_fire(const std::string& name, std::size_t cpu, std::uint32_t command, const SymbolicStep& step);
  void add_commands();
  void add_acknowledgements();
  void one_at_a_time();
  void frame();

  const step::Program& program_;
  smt::Terms& terms_;
  std::vector<step::Id> lines_;
  Picture now_, next_;
  std::vector<smt::Term> atoms_, next_atoms_;  // in the order of values()
  std::vector<std::vector<smt::Term>> changed_by_;
  std::vector<std::vector<smt::Term>> fires_of_;  // by CPU; the last: acknowledgements
  std::vector<Fire> fires_;
  std::vector<Broken> broken_;
  std::vector<std::pair<smt::Term, smt::Term>> after_;
  std::vector<smt::Term> always_, step_;
};

}  // namespace faultline::check
