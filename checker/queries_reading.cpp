#include "checker/queries_reading.hpp"

namespace faultline::check {

using smt::Term;

Reading::Reading(Picture& picture, smt::Terms& terms, const SymbolicState& state, const std::vector<std::size_t>& view,
                 const std::vector<Field>& fields)
    : terms_(terms) {
  has_.reserve(fields.size());
  for (const Field& field : fields) {
    std::vector<Term>& values = has_.emplace_back();
    values.reserve(field.values.size());
    for (const std::uint16_t value : field.values) values.push_back(picture.has(state, view, field, value));
  }
}

Term Reading::excluded(const Exclusion& exclusion) {
  std::vector<Term> conditions;
  for (const OneOf& condition : exclusion) {
    const std::vector<Term>& has = has_[condition.field];
    const bool positive = !condition.values.back();
    std::vector<Term> values;
    for (std::size_t v = 0; v < has.size(); ++v) {
      if (condition.values[v] == positive) values.push_back(has[v]);
    }
    const Term one_of = terms_.any(std::move(values));
    conditions.push_back(positive ? one_of : !one_of);
  }
  return terms_.all(std::move(conditions));
}

std::vector<bool> Reading::differs(const Reading& other) const {
  std::vector<bool> result;
  for (std::size_t f = 0; f < has_.size(); ++f) result.push_back(has_[f] != other.has_[f]);
  return result;
}

}  // namespace faultline::check
