// Boolean terms for solvers: shared, simplified as they are built, written as SMT-LIB 2.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace faultline::check::smt {

// A term or its negation. Terms of different Terms must not be mixed.
struct Term {
  std::uint32_t code = 0;  // 2 * node + 1 if negated; node 0 is true
  friend bool operator==(const Term&, const Term&) = default;
  friend auto operator<=>(const Term&, const Term&) = default;
  [[nodiscard]] bool is_true() const { return code == 0; }
  [[nodiscard]] bool is_false() const { return code == 1; }
};
inline constexpr Term yes{0};
inline constexpr Term no{1};
inline Term operator!(Term t) { return {t.code ^ 1u}; }

// Conjunctions, disjunctions and atoms; equal terms are the same term. Conjunctions are flat lists without doubles,
// constants or opposites.
class Terms {
 public:
  Terms();
  // A Boolean constant of the script. Each call makes a new one; a name given before is made different. It must not be
  // a word of SMT-LIB; a dot in it is enough.
  Term variable(const std::string& name);
  // A number 0 .. values - 1, written as a bit vector, or a Boolean when there are two values: one term for "it is v"
  // each.
  std::vector<Term> number(const std::string& name, std::size_t values);
  // The same with a Boolean for each value when there are more than two. That exactly one of them holds is up to the
  // caller to claim.
  std::vector<Term> one_hot(const std::string& name, std::size_t values);

  Term all(std::vector<Term> parts);
  Term any(std::vector<Term> parts);
  Term both(Term a, Term b) { return all({a, b}); }
  Term either(Term a, Term b) { return any({a, b}); }
  Term implies(Term a, Term b) { return any({!a, b}); }
  Term same(Term a, Term b) { return all({any({!a, b}), any({a, !b})}); }
  Term choose(Term condition, Term a, Term b) { return any({all({condition, a}), all({!condition, b})}); }

  // A term without its negation, for solvers that take terms one by one: the parts of a conjunction, or an atom's name.
  struct Look {
    const std::vector<Term>& parts;
    const std::string& symbol;
  };
  [[nodiscard]] Look look(Term term) const {
    const Node& node = nodes_[term.code / 2];
    return {node.parts, node.symbol};
  }

  // The script that asserts all of `claims`: comment lines first, then declarations, shared terms, assertions,
  // (check-sat).
  [[nodiscard]] std::string script(const std::string& comment, const std::vector<Term>& claims) const;

 private:
  struct Node {
    std::vector<Term> parts;  // a conjunction
    std::string symbol;       // or an atom: as it is used
    std::uint32_t declaration = 0;
    std::string definition;  // of the symbol, when it is not a variable itself
  };
  struct HashParts {
    std::size_t operator()(const std::vector<Term>& parts) const;
  };
  class Writer;
  std::string symbol_for(const std::string& name);

  std::vector<Node> nodes_;
  std::vector<std::string> declarations_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::vector<Term>, std::uint32_t, HashParts> conjunctions_;
};

}  // namespace faultline::check::smt
