// What values of a type are called, where they have names.
#pragma once
#include <string>
#include <vector>

#include "dsl/model.hpp"

namespace faultline::step {

// By value; empty where values are numbers.
[[nodiscard]] std::vector<std::string> value_names(const dsl::Model& model, const dsl::Type& type);

}  // namespace faultline::step
