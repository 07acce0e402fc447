#include "checker/smt/datalog.hpp"

#include <algorithm>
#include <stdexcept>

#include "checker/smt/watchdog.hpp"

namespace faultline::check::smt {
namespace {

// One row: (var 0 = a) and (var 1 = b) and ..., columns in any order.
std::vector<std::uint32_t> row_of(const z3::expr& formula, std::size_t columns) {
  std::vector<std::uint32_t> row(columns, datalog_numbers);
  const auto read = [&](const z3::expr& equation) {
    std::uint64_t number = 0;
    if (!equation.is_app() || equation.decl().decl_kind() != Z3_OP_EQ) throw std::logic_error("Z3: no equation");
    const bool first = equation.arg(0).is_var();
    const z3::expr variable = equation.arg(first ? 0 : 1);
    const z3::expr value = equation.arg(first ? 1 : 0);
    if (!variable.is_var() || !Z3_get_numeral_uint64(value.ctx(), value, &number) || number >= datalog_numbers)
      throw std::logic_error("Z3: an equation of something else");
    row.at(Z3_get_index_value(variable.ctx(), variable)) = static_cast<std::uint32_t>(number);
  };
  if (formula.is_and()) {
    for (unsigned i = 0; i < formula.num_args(); ++i) read(formula.arg(i));
  } else {
    read(formula);
  }
  if (std::count(row.begin(), row.end(), datalog_numbers) != 0) throw std::logic_error("Z3: a row with a gap");
  return row;
}

}  // namespace

struct Datalog::Impl {
  z3::context context;
  z3::sort number{context, Z3_mk_finite_domain_sort(context, context.str_symbol("number"), datalog_numbers)};
  z3::fixedpoint fixedpoint{context};
  std::vector<z3::func_decl> relations;
  unsigned clauses = 0;
  std::vector<unsigned> row;

  z3::expr variable(unsigned v) {
    return {context, Z3_mk_const(context, context.int_symbol(static_cast<int>(v)), number)};
  }
  z3::expr atom(const Atom& a) {
    z3::expr_vector arguments(context);
    for (const unsigned v : a.variables) arguments.push_back(variable(v));
    const z3::expr positive = relations.at(a.relation)(arguments);
    return a.negated ? !positive : positive;
  }
};

Datalog::Datalog() : impl_(std::make_unique<Impl>()) {
  z3::params params(impl_->context);
  params.set("engine", impl_->context.str_symbol("datalog"));
  // Clauses stay as they are written: put together, they are joined in an order that may have no end.
  for (const char* transformation : {"xform.inline_linear", "xform.inline_eager", "xform.slice", "xform.coi"})
    params.set(transformation, false);
  impl_->fixedpoint.set(params);
}
Datalog::~Datalog() = default;

Relation Datalog::relation(const std::string& name, std::size_t columns) {
  z3::sort_vector domain(impl_->context);
  for (std::size_t i = 0; i < columns; ++i) domain.push_back(impl_->number);
  z3::func_decl relation = impl_->context.function(name.c_str(), domain, impl_->context.bool_sort());
  impl_->fixedpoint.register_relation(relation);
  impl_->relations.push_back(relation);
  return impl_->relations.size() - 1;
}

void Datalog::fact(Relation relation, const std::uint32_t* row) {
  z3::func_decl& of = impl_->relations.at(relation);
  impl_->row.assign(row, row + of.arity());
  for (const unsigned number : impl_->row) {
    if (number >= datalog_numbers) throw std::length_error("more parts than datalog has numbers");
  }
  impl_->fixedpoint.add_fact(of, impl_->row.data());
}

void Datalog::clause(const Atom& head, const std::vector<Atom>& body) {
  unsigned variables = 0;
  z3::expr_vector conditions(impl_->context);
  for (const Atom& a : body) {
    conditions.push_back(impl_->atom(a));
    for (const unsigned v : a.variables) variables = std::max(variables, v + 1);
  }
  z3::expr_vector bound(impl_->context);
  for (unsigned v = 0; v < variables; ++v) bound.push_back(impl_->variable(v));
  z3::expr rule = z3::forall(bound, z3::implies(z3::mk_and(conditions), impl_->atom(head)));
  const std::string name = "clause" + std::to_string(impl_->clauses++);
  impl_->fixedpoint.add_rule(rule, impl_->context.str_symbol(name.c_str()));
}

Derived Datalog::rows(Relation relation, const Watch& watch) {
  Derived derived;
  Watchdog watchdog(impl_->context, watch);
  const std::size_t columns = impl_->relations.at(relation).arity();
  try {
    z3::func_decl_vector asked(impl_->context);
    asked.push_back(impl_->relations[relation]);
    const z3::check_result result = impl_->fixedpoint.query(asked);
    if (result == z3::sat) {
      const z3::expr answer = impl_->fixedpoint.get_answer();
      if (answer.is_or()) {
        for (unsigned i = 0; i < answer.num_args(); ++i) derived.rows.push_back(row_of(answer.arg(i), columns));
      } else {
        derived.rows.push_back(row_of(answer, columns));
      }
      derived.answer = Answer::sat;
    } else if (result == z3::unsat) {
      derived.answer = Answer::unsat;
    } else {
      derived.reason = impl_->fixedpoint.reason_unknown();
    }
  } catch (const z3::exception& error) {
    derived.reason = error.msg();
  }
  // What was interrupted is not what was asked, whatever Z3 says.
  if (const std::string reached = watchdog.stop(); !reached.empty()) derived = {Answer::unknown, reached, {}};
  return derived;
}

}  // namespace faultline::check::smt
