// Inside of the ablation: what dsl/ablate.cpp puts together.
#pragma once
#include <functional>
#include <map>

#include "dsl/ablate.hpp"

namespace faultline::dsl::ablation {

// Each expression below the statement or expression, outermost first.
void each_expression(const Expr& expr, const std::function<void(const Expr&)>& visit);
void each_expression(const Stmt& stmt, const std::function<void(const Expr&)>& visit);
void each_statement(const Stmt& stmt, const std::function<void(const Stmt&)>& visit);

// What is run: the handlers of the `run` lines and the functions that they call, by place in the model.
[[nodiscard]] std::vector<const FunctionItem*> functions_run(const Model& model);
[[nodiscard]] std::vector<const Flow*> flows_run(const Model& model, const Flows& flows);

// Lock pairs, irq and rcu sections (ablate_sections.cpp).
void find_sections(const Model& model, const Flows& flows, std::vector<Ablation>& out);
// Checks and re-checks (ablate_checks.cpp).
void find_checks(const Model& model, const Flows& flows, std::vector<Ablation>& out);

}  // namespace faultline::dsl::ablation
