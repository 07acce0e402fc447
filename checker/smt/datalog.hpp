// Z3's datalog engine behind one class: relations over numbers, facts, clauses, and what follows from them.
//
// Facts and clauses may be added between questions: what was derived stays, and what was derived from the absence of a
// fact is forgotten first. Who must not depend on that asks a new Datalog.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "checker/limits.hpp"
#include "checker/smt/solver.hpp"

namespace faultline::check::smt {

// Rows have numbers below this.
inline constexpr std::uint32_t datalog_numbers = 1u << 24;

using Relation = std::size_t;

// A relation of variables, which are numbered within a clause.
struct Atom {
  Relation relation = 0;
  std::vector<unsigned> variables;
  bool negated = false;
};

struct Derived {
  Answer answer = Answer::unknown;  // sat: there are rows; unsat: there are none
  std::string reason;               // for unknown
  std::vector<std::vector<std::uint32_t>> rows;
};

class Datalog {
 public:
  Datalog();
  ~Datalog();
  Datalog(const Datalog&) = delete;
  Datalog& operator=(const Datalog&) = delete;

  Relation relation(const std::string& name, std::size_t columns);
  // Throws std::length_error when a number is too large.
  void fact(Relation relation, const std::uint32_t* row);
  // head :- body. Variables of the head, and of what is negated, occur in the rest of the body.
  void clause(const Atom& head, const std::vector<Atom>& body);

  // All rows of a relation. Takes more than proportional time to list them: thousands are fine, a million is not. A
  // limit <= 0 is none. Memory is that of all of Z3 in this process; after `unknown` there is nothing more to ask.
  [[nodiscard]] Derived rows(Relation relation, const Watch& watch);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace faultline::check::smt
