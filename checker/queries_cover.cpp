// The table is walked as a decision tree. Below a node, fields decided so far have one value each; what another field
// never is there is excluded, unless an exclusion found before says so already. Each new one is made as general as it
// can be: conditions are dropped while no row is excluded, then each is given all the values that it can have.
#include "checker/queries_cover.hpp"

#include <algorithm>
#include <numeric>

namespace faultline::check {
namespace {

using Rows = std::vector<std::uint64_t>;  // a set of rows

bool disjoint(const Rows& a, const Rows& b) {
  for (std::size_t n = 0; n < a.size(); ++n) {
    if ((a[n] & b[n]) != 0) return false;
  }
  return true;
}

void meet(Rows& a, const Rows& b) {
  for (std::size_t n = 0; n < a.size(); ++n) a[n] &= b[n];
}

class Cover {
 public:
  Cover(const Table& table, const Watch& watch)
      : table_(table), watch_(watch), decided_(table.fields.size(), undecided) {
    const std::size_t words = (table.rows.size() + 63) / 64;
    std::size_t sets = 0;
    for (const Field& field : table.fields) sets += field.values.size();
    watch.check(sets * words * sizeof(std::uint64_t));
    all_.assign(words, 0);
    for (std::size_t r = 0; r < table.rows.size(); ++r) all_[r / 64] |= std::uint64_t{1} << (r % 64);
    for (std::size_t f = 0; f < table.fields.size(); ++f) {
      offsets_.push_back(offsets_.back() + table.fields[f].values.size() + 1);
      having_.emplace_back(table.fields[f].values.size(), Rows(words, 0));
      for (std::size_t r = 0; r < table.rows.size(); ++r) {
        having_[f][table.rows[r][f]][r / 64] |= std::uint64_t{1} << (r % 64);
      }
    }
  }

  std::vector<Exclusion> run() {
    std::vector<std::size_t> rows(table_.rows.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    walk(rows, {});
    return std::move(found_);
  }

 private:
  static constexpr std::size_t undecided = static_cast<std::size_t>(-1);

  // Marks of values of undecided fields, all fields in one list.
  using Marks = std::vector<char>;

  // `open`: exclusions that the decisions have not ruled out.
  void walk(const std::vector<std::size_t>& rows, std::vector<std::size_t> open) {
    watch_.tick();
    Marks present(offsets_.back(), 0);
    for (const std::size_t r : rows) {
      for (std::size_t f = 0; f < decided_.size(); ++f) present[offsets_[f] + table_.rows[r][f]] = 1;
    }
    Marks known = present;  // present, or excluded already
    for (const std::size_t n : open) mark_excluded(found_[n], known);

    const std::size_t before = found_.size();
    std::size_t branch = undecided;
    std::size_t most = 1;
    for (std::size_t f = 0; f < decided_.size(); ++f) {
      if (decided_[f] != undecided) continue;
      const auto at = [&](const Marks& marks, std::size_t n) {
        return marks.begin() + static_cast<std::ptrdiff_t>(offsets_[n]);
      };
      const auto count = static_cast<std::size_t>(std::count(at(present, f), at(present, f + 1), 1));
      if (rank(f, count) > most) {
        most = rank(f, count);
        branch = f;
      }
      if (!path_.empty()) known[offsets_[f + 1] - 1] = 1;  // values that never occur are excluded at the root
      if (std::find(at(known, f), at(known, f + 1), 0) == at(known, f + 1)) continue;
      std::vector<bool> missing;
      for (auto mark = at(known, f); mark != at(known, f + 1); ++mark) missing.push_back(*mark == 0);
      found_.push_back(generalised(f, missing));
      mark_excluded(found_.back(), known);
    }
    if (branch == undecided) return;
    for (std::size_t n = before; n < found_.size(); ++n) open.push_back(n);
    std::vector<std::vector<std::size_t>> split(table_.fields[branch].values.size());
    for (const std::size_t r : rows) split[table_.rows[r][branch]].push_back(r);
    path_.push_back(branch);
    for (std::size_t v = 0; v < split.size(); ++v) {
      if (split[v].empty()) continue;
      decided_[branch] = v;
      std::vector<std::size_t> still;
      for (const std::size_t n : open) {
        if (allows(found_[n], branch, v)) still.push_back(n);
      }
      const std::size_t first_new = found_.size();
      walk(split[v], std::move(still));
      for (std::size_t n = first_new; n < found_.size(); ++n) open.push_back(n);
    }
    decided_[branch] = undecided;
    path_.pop_back();
  }

  // Positions first: most of what a model says depends on them.
  [[nodiscard]] std::size_t rank(std::size_t f, std::size_t count) const {
    if (count < 2) return 1;
    return table_.fields[f].what == Field::What::position ? 100000 + count : count;
  }

  static bool allows(const Exclusion& exclusion, std::size_t field, std::size_t value) {
    for (const OneOf& condition : exclusion) {
      if (condition.field == field) return condition.values[value];
    }
    return true;
  }

  // If the decisions and a value of one further field make all of the exclusion hold, that value is excluded already.
  void mark_excluded(const Exclusion& exclusion, Marks& known) const {
    const OneOf* further = nullptr;
    for (const OneOf& condition : exclusion) {
      if (decided_[condition.field] != undecided) {
        if (!condition.values[decided_[condition.field]]) return;
      } else {
        if (further != nullptr) return;
        further = &condition;
      }
    }
    if (further == nullptr) return;
    for (std::size_t v = 0; v < further->values.size(); ++v) {
      if (further->values[v]) known[offsets_[further->field] + v] = 1;
    }
  }

  [[nodiscard]] Rows having(const OneOf& condition) const {
    Rows rows(all_.size(), 0);
    for (std::size_t v = 0; v + 1 < condition.values.size(); ++v) {
      if (!condition.values[v]) continue;
      for (std::size_t n = 0; n < rows.size(); ++n) rows[n] |= having_[condition.field][v][n];
    }
    return rows;
  }

  // The decisions and "f has one of the values", made general.
  [[nodiscard]] Exclusion generalised(std::size_t f, const std::vector<bool>& values) const {
    watch_.tick();
    Exclusion conditions;
    for (const std::size_t d : path_) {
      OneOf decision{d, std::vector<bool>(table_.fields[d].values.size() + 1)};
      decision.values[decided_[d]] = true;
      conditions.push_back(std::move(decision));
    }
    conditions.push_back({f, values});
    std::reverse(conditions.begin(), conditions.end());  // the last decisions are the least important: try them first
    drop(conditions);
    for (std::size_t c = 0; c < conditions.size(); ++c) raise(conditions, c);
    std::sort(conditions.begin(), conditions.end(), [](const OneOf& a, const OneOf& b) { return a.field < b.field; });
    return conditions;
  }

  void drop(Exclusion& conditions) const {
    std::vector<Rows> rows;
    for (const OneOf& condition : conditions) rows.push_back(having(condition));
    std::vector<Rows> rest(conditions.size(), all_);  // of the conditions after this one
    for (std::size_t c = conditions.size(); c-- > 1;) {
      rest[c - 1] = rest[c];
      meet(rest[c - 1], rows[c]);
    }
    Rows kept = all_;
    Exclusion result;
    for (std::size_t c = 0; c < conditions.size(); ++c) {
      if (disjoint(kept, rest[c])) continue;
      meet(kept, rows[c]);
      result.push_back(std::move(conditions[c]));
    }
    conditions = std::move(result);
  }

  void raise(Exclusion& conditions, std::size_t which) const {
    Rows others = all_;
    for (std::size_t c = 0; c < conditions.size(); ++c) {
      if (c != which) meet(others, having(conditions[c]));
    }
    OneOf& condition = conditions[which];
    for (std::size_t v = 0; v + 1 < condition.values.size(); ++v) {
      condition.values[v] = disjoint(others, having_[condition.field][v]);
    }
    condition.values.back() = true;
  }

  const Table& table_;
  const Watch& watch_;
  std::vector<std::size_t> offsets_{0};  // where the marks of each field begin
  Rows all_;
  std::vector<std::vector<Rows>> having_;  // by field and value
  std::vector<std::size_t> decided_;       // the value of each field, or undecided
  std::vector<std::size_t> path_;          // the decided fields in order
  std::vector<Exclusion> found_;
};

}  // namespace

std::vector<Exclusion> exclusions(const Table& table, const Watch& watch) { return Cover(table, watch).run(); }

}  // namespace faultline::check
