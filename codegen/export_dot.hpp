// The state machines of a model's entries in the language of Graphviz (`dot -Tsvg`).
#pragma once
#include <string>

#include "dsl/model.hpp"

namespace faultline::codegen {

[[nodiscard]] std::string to_dot(const dsl::Model& model);

}  // namespace faultline::codegen
