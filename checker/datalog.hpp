// The closure of what two CPUs look like, derived by Z3's datalog engine: a cross-check of the views.
#pragma once
#include <array>

#include "checker/explicit.hpp"

namespace faultline::check {

// The kinds of clauses. Tests leave one out, to see that it is missed.
enum class Clause : std::uint8_t { initial, symmetry, own_step, interference, acknowledgement };

inline constexpr std::array all_clauses = {Clause::initial, Clause::symmetry, Clause::own_step, Clause::interference,
                                           Clause::acknowledgement};

struct DatalogOptions {
  std::vector<Clause> clauses{all_clauses.begin(), all_clauses.end()};
  Limits limits{};
};

struct DatalogResult {
  bool proved = false;      // no violation is derivable
  std::string reason;       // why not: the first violation that is derivable, or a limit
  std::uint64_t pairs = 0;  // ordered pairs of CPUs in the relation
  std::uint32_t rounds = 0;
};

// Empty if the program is one of those that two CPUs can say something about.
[[nodiscard]] std::string datalog_refuses(const step::Program& program);
[[nodiscard]] DatalogResult datalog(const step::Program& program, const DatalogOptions& options);

}  // namespace faultline::check
