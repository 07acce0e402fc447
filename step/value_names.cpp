#include "step/value_names.hpp"

namespace faultline::step {

std::vector<std::string> value_names(const dsl::Model& model, const dsl::Type& type) {
  std::vector<std::string> names;
  if (type.kind == dsl::TypeKind::sequence) names = {"even", "odd"};
  if (type.kind == dsl::TypeKind::references) names = {"0", "", "above 0, not by birth", "above 0"};
  if (type.kind == dsl::TypeKind::boolean) names = {"false", "true"};
  if (type.kind == dsl::TypeKind::enumeration) {
    names.assign(std::size_t{type.high} + 1, "");
    for (const auto& [name, value] : model.enums[type.which].constants) names[value] = name;
  }
  if (type.kind == dsl::TypeKind::entry)
    for (const auto& state : model.entries[type.which].states) names.push_back(state.name.text);
  return names;
}

}  // namespace faultline::step
