// Steps looked up instead of taken. What a command does that reads and writes only globals and the cell of its CPU, and
// of other CPUs reads only their cells, depends on those alone; so it is run once for each pair of them that occurs.
#pragma once
#include "checker/search/closed.hpp"

namespace faultline::check::search {

class Rows {
 public:
  explicit Rows(Closed& closed);

  // What other CPUs satisfy is told as facts about each: bit f of `none` and `some` is one of the expressions that
  // guards ask of other CPUs.
  struct Outcome {
    const Code* code = nullptr;
    std::uint64_t globals = 0, cell = 0;  // after the step
    std::uint32_t none = 0, some = 0;     // facts that no other CPU may, some other CPU must satisfy
  };
  struct Row {
    std::uint32_t first = 0, last = 0;  // outcomes
    std::uint32_t facts = 0;            // that this CPU satisfies
    std::uint32_t pc = 0;
    bool complete = false;  // all commands of the position are in the table
  };

  // Globals and each cell take one word, and together no more.
  [[nodiscard]] bool usable() const { return usable_; }
  // Every position is in the table: flat states are not needed.
  [[nodiscard]] bool all() const { return all_; }

  // Of a CPU at `cell`; on first sight `example` is called for a flat state in which CPU `me` is one.
  template <class Example>
  const Row& row(std::uint64_t globals, std::uint64_t cell, std::uint32_t me, Example&& example) {
    const std::uint64_t key = globals << cell_bits_ | cell;
    Recent& recent = recent_[(key ^ key >> recent_bits) & (recent_.size() - 1)];
    if (recent.key != key || recent.index >= rows_.size()) {
      const auto [index, is_new] = known_.insert(&key);
      if (is_new) rows_.push_back(make(example(), me));
      recent = {key, index};
    }
    return rows_[recent.index];
  }
  [[nodiscard]] const Outcome* begin(const Row& row) const { return outcomes_.data() + row.first; }
  [[nodiscard]] const Outcome* end(const Row& row) const { return outcomes_.data() + row.last; }

  // Keeps the table small. Rows given out before are lost.
  void trim();

 private:
  static constexpr std::uint32_t most_facts = 32;
  static constexpr std::uint32_t recent_bits = 12;
  static constexpr std::size_t most_rows = std::size_t{1} << 18;
  struct Guards {
    bool tabulated = false;
    std::uint32_t none = 0, some = 0;
  };
  struct Recent {
    std::uint64_t key = 0;
    StateSet::Index index = StateSet::none;
  };
  [[nodiscard]] bool reads_only(step::ExprId e, bool of_other) const;
  [[nodiscard]] Guards guards(const step::Command& command);
  Row make(const Byte* s, std::uint32_t me);

  Closed& closed_;
  bool usable_ = false, all_ = false;
  std::uint32_t cell_bits_ = 0;
  std::vector<step::ExprId> facts_;
  std::vector<Guards> guards_;  // per command
  std::vector<Byte> complete_;  // per position
  StateSet known_{1};
  std::vector<Row> rows_;
  std::vector<Recent> recent_{std::size_t{1} << recent_bits};  // found without a search
  std::vector<Outcome> outcomes_;
};

}  // namespace faultline::check::search
