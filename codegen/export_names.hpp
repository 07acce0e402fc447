// Identifiers for what a program numbers, and its expressions in C-like words. Shared by the exporters.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "step/program.hpp"

namespace faultline::codegen {

// How a language writes things. `other` of an expression is a variable of its own.
struct Dialect {
  const char* eq;
  const char* ne;
  const char* land;
  const char* lor;
  const char* assign;
  const char* me;          // index of the acting CPU
  bool boolean_is_number;  // a comparison may stand where a number does
};

// An identifier for each thing of a program, with so many CPUs on each any-line.
class Identifiers {
 public:
  // reserved: words of the language.
  Identifiers(const step::Program& program, std::uint32_t n, const std::set<std::string>& reserved);

  std::vector<std::string> globals, places, locals, handles, awaits, pc_sets, positions;
  std::vector<std::vector<std::string>> values;  // of a global; empty where numbers do
  std::vector<std::string> olds;                 // variables for objects that a command replaces, as many as one needs
  std::vector<std::string> bits;                 // by number, of all object types: arrays over the pool
  std::vector<bool> pc_set_used;
  std::uint32_t cpus = 0, pool = 0;
  struct Line {
    std::string name;
    std::uint32_t first = 0, count = 0;  // its CPUs
  };
  std::vector<Line> lines;
  std::string unique(const std::string& wanted);  // an identifier not given before
  [[nodiscard]] std::string value(step::Id global, std::uint32_t v) const;

 private:
  std::set<std::string> taken_;
};

// Expressions in a language that writes them as C does.
class Names : public Identifiers {
 public:
  virtual ~Names() = default;
  Names(const step::Program& program, std::uint32_t n, const Dialect& dialect, const std::set<std::string>& reserved)
      : Identifiers(program, n, reserved), program_(program), dialect_(dialect) {}

  // An expression as a condition, and as a number. `other` is the index of the other CPU.
  [[nodiscard]] std::string condition(step::ExprId e, const std::string& other) const;
  [[nodiscard]] std::string number(step::ExprId e, const std::string& other) const;
  [[nodiscard]] std::string at(const std::string& array, const std::string& index) const {
    return array + "[" + index + "]";
  }
  [[nodiscard]] std::string mine(const std::string& array) const { return at(array, dialect_.me); }
  // "x = 1; " for an operation that sets one variable of the actor or of all; empty for the others.
  [[nodiscard]] std::string assignment(const step::Op& op) const;
  // What forgets the objects that have no name left after the command: "forget(); " looks at all, "forget_one(old); "
  // at one that was replaced. effect() keeps them: "old = handle[me]; " before `op` is written.
  [[nodiscard]] std::string forget(const step::Command& command) const;
  [[nodiscard]] std::string keep(const step::Command& command, const step::Op& op) const;

 protected:
  // Whether the CPU with that index is at a position of the set; whether the acting CPU awaits it; whether any CPU
  // makes `e` true; one of two numbers.
  [[nodiscard]] virtual std::string in_pc_set(step::Id set, const std::string& cpu) const = 0;
  [[nodiscard]] virtual std::string awaits_other(step::Id kind, const std::string& other) const = 0;
  [[nodiscard]] virtual std::string any_cpu(step::ExprId e) const = 0;
  [[nodiscard]] virtual std::string choose(const std::string& c, const std::string& yes,
                                           const std::string& no) const = 0;

 private:
  [[nodiscard]] std::string in_set(const step::Expr& e, const std::string& other) const;
  [[nodiscard]] std::string operands(const step::Expr& e, const char* word, const std::string& other) const;
  [[nodiscard]] std::string compared(const step::Expr& e, const char* word, const std::string& other) const;

  const step::Program& program_;
  const Dialect& dialect_;
};

// What is exported: guards first, without the progress properties. Throws std::domain_error.
[[nodiscard]] step::Program exported_form(step::Program program);

// Whether the operation may change which objects are named, so that one may have to be forgotten.
[[nodiscard]] bool changes_names(const step::Op& op);
// How many objects the command replaces one by one; 0 where it is simpler to look at all of them: it allocates, or
// changes what other CPUs name.
[[nodiscard]] std::size_t replaces(const step::Command& command);

// What the notes of a command say, on one line: "101: pmd_none(*pmd) -> true".
[[nodiscard]] std::string remark(const step::Command& command);

}  // namespace faultline::codegen
