// The fields of a view, read off a state: a term for each value that a field has somewhere in the table.
#pragma once
#include "checker/queries_picture.hpp"

namespace faultline::check {

class Reading {
 public:
  // `view`: its CPUs, as indices into the picture.
  Reading(Picture& picture, smt::Terms& terms, const SymbolicState& state, const std::vector<std::size_t>& view,
          const std::vector<Field>& fields);

  // Does the exclusion exclude the view?
  smt::Term excluded(const Exclusion& exclusion);
  // Which of the fields, that both are of, do not read the same, value by value?
  [[nodiscard]] std::vector<bool> differs(const Reading& other) const;

 private:
  smt::Terms& terms_;
  std::vector<std::vector<smt::Term>> has_;  // by field and index of the value
};

}  // namespace faultline::check
