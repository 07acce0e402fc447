// What a run over random models found, counted.
#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "tests/differential/random/judge.hpp"

namespace faultline::differential {

// Of one model.
struct Outcome {
  std::uint64_t seed = 0;
  std::vector<std::string> features;
  std::vector<Judged> variants;
  // Was something dropped from the base in turn, and what did it make of a model that was proved?
  bool tried_removals = false;
  bool needed = false;             // a violation that the search finds
  bool needed_statically = false;  // one that the front end finds
  std::uint64_t spin_compared = 0;
};

class Tally {
 public:
  Tally(const std::vector<Engine>& engines, std::uint32_t max_cpus);

  void add(const Outcome& outcome);
  [[nodiscard]] std::string markdown() const;

  [[nodiscard]] std::uint64_t models() const { return models_; }
  [[nodiscard]] std::uint64_t disagreements() const { return disagreed_.size(); }
  [[nodiscard]] std::uint64_t spin_compared() const { return spin_; }
  // Shares of all models, in percent.
  [[nodiscard]] double unsafe() const { return percent(unsafe_, models_); }
  [[nodiscard]] double safe_for_a_reason() const { return percent(needed_, tried_); }
  [[nodiscard]] double with(const std::string& feature) const;
  [[nodiscard]] double rejected() const { return percent(static_models_, models_); }
  // Of those whose search with the most CPUs was exhaustive and found nothing or something: the check says unknown.
  [[nodiscard]] double undecided() const { return percent(undecided_, exhaustive_); }

 private:
  struct Answers {
    std::string engine;
    std::uint64_t safe = 0, unsafe = 0, unknown = 0, not_asked = 0;
  };
  static double percent(std::uint64_t part, std::uint64_t whole);
  void add(const Judged& judged);
  void add_search(const Judged& judged);

  std::uint32_t max_cpus_;
  std::uint64_t models_ = 0, static_models_ = 0, unsafe_ = 0, safe_ = 0;
  std::uint64_t tried_ = 0, needed_ = 0, needed_statically_ = 0;
  std::uint64_t programs_ = 0, static_variants_ = 0, exhaustive_ = 0, undecided_ = 0, spin_ = 0;
  Answers search_{"explicit search", 0, 0, 0, 0};
  std::vector<Answers> engines_;
  std::map<std::string, std::uint64_t> features_, kinds_, reasons_;
  std::map<std::uint32_t, std::uint64_t> cpus_;  // that the first violation takes
  std::vector<std::string> disagreed_;
};

}  // namespace faultline::differential
