// A random model of page-fault code, as text. Its handlers are idioms (idioms.hpp) whose locks, second looks and
// flushes all stand at first; then some are dropped. A patch drops another one, or puts one back.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace faultline::differential {

struct RandomModel {
  std::string text;
  // The model without patches, one text for each of its choices that stands: the same with that one dropped.
  std::vector<std::string> without;
};

enum class Family { entries, vmas };  // idioms_states and idioms_objects; idioms_vma

// Equal for equal seeds, with every compiler.
[[nodiscard]] RandomModel random_model(std::uint64_t seed, Family family = Family::entries);

// What a model uses, from its text: "tlb", "exclusive rwsem", "objects", …
[[nodiscard]] std::vector<std::string> features(const std::string& text);

}  // namespace faultline::differential
