// Proof rule. Inv(shared, cpu 1, cpu 2) is what two CPUs of a system of any number can look like, closed under
//   initial          two idle CPUs are in Inv;
//   symmetry         Inv(g, 1, 2) gives Inv(g, 2, 1);
//   own step         Inv(g, 1, 2), CPU 1 steps, or acknowledges CPU 2;
//   interference     Inv(g, 1, 2), Inv(g, 3, 1) and Inv(g, 3, 2) make a picture, CPU 3 steps: Inv of 1 and 2 after it;
//   acknowledgement  the same, CPU 1 acknowledges CPU 3.
// `none` is read on the CPUs of the picture; `some` holds, for somebody unseen may do, but for violations, whose
// witnesses have to be seen. By induction over the steps every two CPUs of every system of at least two are in Inv, so
// a violation that is not derivable does not happen.
//
// Z3 finds the least Inv over numbers (datalog_facts.hpp). Which facts it needs depends on what it finds, so it is
// asked in rounds: pairs that it derives and nobody has asked the interpreter about are asked about, until there are
// none; one that shows a violation ends it. The last word has a Z3 that was given all facts at once.
#include "checker/datalog.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "checker/datalog_facts.hpp"
#include "checker/smt/datalog.hpp"
#include "fmt/format.h"

namespace faultline::check {
namespace {

using smt::Atom;
using step::Program;

std::size_t count_any_cpu(const Program& program, step::ExprId id) {
  const step::Expr& e = program.expr(id);
  std::size_t count = e.op == step::ExprOp::any_cpu ? 1 : 0;
  for (unsigned i = 0; i < step::operand_count(e.op); ++i) count += count_any_cpu(program, e.operand(i));
  return count;
}

// One Z3 with the clauses, and the facts as far as it was told.
class Closure {
 public:
  explicit Closure(const std::vector<Clause>& clauses) {
    for (std::size_t f = 0; f < fact_kinds; ++f)
      facts_[f] = datalog_.relation("fact" + std::to_string(f), fact_columns[f]);
    pair_ = datalog_.relation("pair", 1);
    seen_ = datalog_.relation("seen", 5);
    made_ = datalog_.relation("made", 5);
    wanted_ = datalog_.relation("wanted", 5);
    connect();
    for (const Clause clause : clauses) add(clause);
  }

  void tell(const PairFacts& facts) {
    for (std::size_t f = 0; f < fact_kinds; ++f) {
      const std::vector<std::uint32_t>& rows = facts.rows(static_cast<Fact>(f));
      for (std::size_t& at = told_[f]; at < rows.size(); at += fact_columns[f]) datalog_.fact(facts_[f], &rows[at]);
    }
  }

  // Pairs in Inv about which there are no facts.
  smt::Derived wanted(const Watch& watch) { return datalog_.rows(wanted_, watch); }
  smt::Derived pairs(const Watch& watch) { return datalog_.rows(pair_, watch); }

 private:
  [[nodiscard]] Atom fact(Fact kind, std::vector<unsigned> variables) const {
    return {facts_[static_cast<std::size_t>(kind)], std::move(variables)};
  }

  // Inv is kept twice: by number of the pair, and by its parts. What interference makes has parts only, until somebody
  // has asked about it.
  void connect() {
    enum : unsigned { t, g, a, b, same, awaits };
    const Atom parts = fact(Fact::parts, {t, g, a, b, same, awaits});
    const std::vector<unsigned> columns = {g, a, b, same, awaits};
    Atom asked = fact(Fact::asked, columns);
    asked.negated = true;
    datalog_.clause({seen_, columns}, {{pair_, {t}}, parts});
    datalog_.clause({pair_, {t}}, {{made_, columns}, parts});
    datalog_.clause({wanted_, columns}, {{made_, columns}, asked});
  }

  void add(Clause clause) {
    enum : unsigned { t, u };
    switch (clause) {
      case Clause::initial: datalog_.clause({pair_, {t}}, {fact(Fact::start, {t})}); break;
      case Clause::symmetry: datalog_.clause({pair_, {u}}, {{pair_, {t}}, fact(Fact::swapped, {t, u})}); break;
      case Clause::own_step: datalog_.clause({pair_, {u}}, {{pair_, {t}}, fact(Fact::step, {t, u})}); break;
      case Clause::interference: interference(); break;
      case Clause::acknowledgement: acknowledgement(); break;
    }
  }

  // The effects of one event on CPUs 1 and 2 first, and then whether these two are seen together: an order that Z3
  // would not find by itself. One of the two notices something, or nothing is new; by symmetry let it be CPU 1.
  void interference() {
    enum : unsigned { t, event, g, h, one, one_after, link, two, two_after, link2, same, awaits, same_after };
    const smt::Relation changed = datalog_.relation("changed", 6);
    const smt::Relation hit = datalog_.relation("hit", 6);
    const smt::Relation both = datalog_.relation("both", 8);
    const std::vector<unsigned> first = {event, g, h, one, one_after, link};
    const std::vector<unsigned> second = {event, g, h, two, two_after, link2};
    datalog_.clause({changed, first}, {{pair_, {t}}, fact(Fact::change, {t, event, g, h, one, one_after, link})});
    datalog_.clause({hit, first}, {{pair_, {t}}, fact(Fact::effect, {t, event, g, h, one, one_after, link})});
    datalog_.clause({both, {g, h, one, one_after, link, two, two_after, link2}}, {{changed, first}, {hit, second}});
    datalog_.clause({made_, {h, one_after, two_after, same_after, awaits}},
                    {{both, {g, h, one, one_after, link, two, two_after, link2}},
                     {seen_, {g, one, two, same, awaits}},
                     fact(Fact::meets, {same, link, link2, same_after})});
  }

  void acknowledgement() {
    enum : unsigned { t, g, three, one, one_after, link, two, link2, same, awaits, same_after };
    const smt::Relation answers = datalog_.relation("answers", 5);
    const smt::Relation stands = datalog_.relation("stands", 4);
    const smt::Relation both = datalog_.relation("both_of_three", 6);
    datalog_.clause({answers, {g, three, one, one_after, link}},
                    {{pair_, {t}}, fact(Fact::answer, {t, g, three, one, one_after, link})});
    datalog_.clause({stands, {g, three, two, link2}}, {{pair_, {t}}, fact(Fact::beside, {t, g, three, two, link2})});
    datalog_.clause({both, {g, one, one_after, link, two, link2}},
                    {{answers, {g, three, one, one_after, link}}, {stands, {g, three, two, link2}}});
    datalog_.clause({made_, {g, one_after, two, same_after, awaits}},
                    {{both, {g, one, one_after, link, two, link2}},
                     {seen_, {g, one, two, same, awaits}},
                     fact(Fact::meets, {same, link, link2, same_after})});
  }

  smt::Datalog datalog_;
  std::array<smt::Relation, fact_kinds> facts_{};
  std::array<std::size_t, fact_kinds> told_{};
  smt::Relation pair_ = 0, seen_ = 0, made_ = 0, wanted_ = 0;
};

std::string cannot_exclude(const Program& program, std::uint32_t number) {
  if (number >= program.commands.size())
    return "cannot exclude: invariant " + program.invariants[number - program.commands.size()].name;
  const step::Violation& violation = *program.commands[number].violation;
  std::string text = violation.kind == step::Kind::bound
                         ? "a value may leave its declared range"
                         : fmt::format("cannot exclude: {}: {}", step::to_string(violation.kind), violation.message);
  if (violation.span.known()) text += fmt::format(" at line {}", violation.span.line);
  return text;
}

class Rounds {
 public:
  Rounds(const Program& program, const DatalogOptions& options)
      : program_(program), options_(options), watch_(options.limits), facts_(program, options.clauses) {}

  DatalogResult run() {
    while (true) {
      Closure closure(options_.clauses);
      Round round = next(closure);
      if (round == Round::closed) return last_word(closure);
      while (round == Round::more) round = next(closure);
      if (round == Round::failed) return result_;
    }
  }

 private:
  enum class Round : std::uint8_t { more, closed, failed };

  // Asks the interpreter about what is wanted, and Z3 what is wanted then.
  Round next(Closure& closure) {
    ++result_.rounds;
    facts_.ask([this] { return over_limit(); });
    if (facts_.wrong()) result_.reason = cannot_exclude(program_, *facts_.wrong());
    if (!result_.reason.empty()) return Round::failed;
    closure.tell(facts_);
    const smt::Derived wanted = closure.wanted(watch_);
    if (!known(wanted)) return Round::failed;
    Round round = Round::closed;
    for (const auto& row : wanted.rows) {
      if (facts_.want({row[0], row[1], row[2], row[3], row[4]})) round = Round::more;
    }
    return round;
  }

  // Of a Z3 that was given all facts before the first question.
  DatalogResult last_word(Closure& closure) {
    const smt::Derived pairs = closure.pairs(watch_);
    if (!known(pairs)) return result_;
    for (const auto& row : pairs.rows) {
      if (!facts_.is_asked(row[0])) throw std::logic_error("datalog ended without the facts about a pair");
    }
    result_.pairs = pairs.rows.size();
    result_.proved = true;
    return result_;
  }

  bool known(const smt::Derived& derived) {
    if (derived.answer == smt::Answer::unknown) result_.reason = "Z3: " + derived.reason;
    return derived.answer != smt::Answer::unknown;
  }

  bool over_limit() {
    if (const char* limit = watch_.over(0, facts_.bytes())) result_.reason = limit;
    return !result_.reason.empty();
  }

  const Program& program_;
  const DatalogOptions& options_;
  Watch watch_;
  PairFacts facts_;
  DatalogResult result_;
};

}  // namespace

std::string datalog_refuses(const Program& program) {
  for (const step::Command& command : program.commands) {
    const auto some = [](const step::Op& op) { return op.code == step::OpCode::some; };
    if (command.violation && std::count_if(command.ops.begin(), command.ops.end(), some) > 1)
      return "it takes more than 2 CPUs to see a violation";
  }
  for (const step::Invariant& invariant : program.invariants) {
    if (count_any_cpu(program, invariant.e) > 2) return "an invariant speaks of more than 2 CPUs";
  }
  return {};
}

DatalogResult datalog(const Program& program, const DatalogOptions& options) { return Rounds(program, options).run(); }

}  // namespace faultline::check
