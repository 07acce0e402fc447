// A state as one bit vector of SMT-LIB: which bits hold what, and a state on its way from one step to the next.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "step/program.hpp"

namespace faultline::codegen {

// "(_ bv5 3)": a number of so many bits.
[[nodiscard]] std::string bits_of(std::uint64_t value, std::uint32_t width);
// Bits that it takes to hold 0..max.
[[nodiscard]] std::uint32_t width_for(std::uint64_t max);

// Conditions, without what is known anyway.
[[nodiscard]] std::string smt_and(std::vector<std::string> parts);
[[nodiscard]] std::string smt_or(std::vector<std::string> parts);
[[nodiscard]] std::string smt_not(const std::string& part);

// The parts of the state of a program with so many CPUs, each with a name of its own.
class Smt2Layout {
 public:
  struct Field {
    std::string name;
    std::uint32_t width = 1, at = 0;  // bits at .. at + width - 1
  };
  using Index = std::size_t;  // of a field

  Index add(const std::string& name, std::uint32_t width);
  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }
  [[nodiscard]] std::uint32_t width() const { return width_; }

 private:
  std::vector<Field> fields_;
  std::uint32_t width_ = 0;
};

// A state that starts as the variable `s` and is changed part by part. What is read is what was written last.
class Smt2Change {
 public:
  explicit Smt2Change(const Smt2Layout& layout) : layout_(&layout), terms_(layout.fields().size()) {}

  [[nodiscard]] std::string get(Smt2Layout::Index field) const {
    return terms_[field].empty() ? "(" + layout_->fields()[field].name + " s)" : terms_[field];
  }
  void set(Smt2Layout::Index field, std::string term) {
    terms_[field] = std::move(term);
    changed_ = true;
  }
  [[nodiscard]] bool changed() const { return changed_; }
  // The whole state as a term.
  [[nodiscard]] std::string text() const;

 private:
  const Smt2Layout* layout_;
  std::vector<std::string> terms_;  // empty: as in s
  bool changed_ = false;
};

}  // namespace faultline::codegen
