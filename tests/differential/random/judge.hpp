// One model against all that can judge it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tests/differential/random/engines.hpp"
#include "tests/differential/random/reference.hpp"

namespace faultline::differential {

struct Disagreement {
  std::string variant;
  std::string what;    // the kind of it, equal for equal causes: "views of 2 proves what is violated"
  std::string detail;  // this one
};

struct Judged {
  std::string variant;
  bool is_static = false;  // the front end proved it wrong; nothing below is filled in
  Reference reference;
  std::vector<std::optional<Finding>> findings;  // of each engine; nothing: not asked, or not applicable
  std::vector<Disagreement> disagreements;
};

struct Judges {
  std::vector<Engine> engines;
  std::uint32_t max_cpus = 4;
  std::uint64_t max_states = 200'000;
  Question question{};
  std::uint64_t number = 0;  // of the model: which engines are asked about it
};

// All variants of the text. A model that does not load is a disagreement: generators write what the front end accepts.
[[nodiscard]] std::vector<Judged> judge(const std::string& text, const Judges& judges);
[[nodiscard]] Judged judge(const step::Program& program, const Judges& judges);

}  // namespace faultline::differential
