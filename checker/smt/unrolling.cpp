#include "checker/smt/unrolling.hpp"

#include <optional>
#include <unordered_map>

#include "checker/smt/watchdog.hpp"

namespace faultline::check::smt {

struct Unrolling::Impl {
  Impl(const Terms& all, const Watch& limits) : terms(all), watch(limits), solver(context, "QF_FD") {}

  z3::expr expression(Term term, std::size_t time) {
    const std::uint32_t node = term.code / 2;
    const bool negated = (term.code & 1) != 0;
    const z3::expr positive = of_node(node, time);
    return negated ? !positive : positive;
  }

  z3::expr of_node(std::uint32_t node, std::size_t time) {
    if (node == 0) return context.bool_val(true);
    if (const auto moved = now_of.find(node); moved != now_of.end()) return of_node(moved->second, time + 1);
    if (known.size() <= time) known.resize(time + 1);
    if (const auto found = known[time].find(node); found != known[time].end()) return found->second;
    watch.tick();
    const Terms::Look look = terms.look({2 * node});
    std::optional<z3::expr> result;
    if (look.parts.empty()) {
      result = context.bool_const((look.symbol + "@" + std::to_string(time)).c_str());
    } else {
      z3::expr_vector parts(context);
      for (const Term part : look.parts) parts.push_back(expression(part, time));
      result = z3::mk_and(parts);
    }
    known[time].emplace(node, *result);
    return *result;
  }

  const Terms& terms;
  const Watch& watch;
  z3::context context;
  z3::solver solver;
  std::unordered_map<std::uint32_t, std::uint32_t> now_of;
  std::vector<std::unordered_map<std::uint32_t, z3::expr>> known;  // by time
  std::optional<z3::model> model;
  std::size_t asked = 0;
};

Unrolling::Unrolling(const Terms& terms, const std::vector<std::pair<Term, Term>>& after, const Watch& watch)
    : impl_(std::make_unique<Impl>(terms, watch)) {
  for (const auto& [next, now] : after) impl_->now_of.emplace(next.code / 2, now.code / 2);
}
Unrolling::~Unrolling() = default;

void Unrolling::claim(const std::vector<Term>& terms, std::size_t time) {
  for (const Term term : terms) {
    // a negated conjunction is a clause: said as one, it needs no name inside the solver
    const Terms::Look look = impl_->terms.look(term);
    if ((term.code & 1) != 0 && !look.parts.empty()) {
      z3::expr_vector parts(impl_->context);
      for (const Term part : look.parts) parts.push_back(impl_->expression(!part, time));
      impl_->solver.add(z3::mk_or(parts));
    } else {
      impl_->solver.add(impl_->expression(term, time));
    }
  }
}

Result Unrolling::ask(Term term, std::size_t time) {
  const Watch& watch = impl_->watch;
  try {
    z3::context& context = impl_->context;
    const z3::expr question = context.bool_const(("ask~" + std::to_string(++impl_->asked)).c_str());
    impl_->solver.add(z3::implies(question, impl_->expression(term, time)));
    z3::expr_vector assumptions(context);
    assumptions.push_back(question);
    if (const char* limit = watch.over()) return {Answer::unknown, limit};
    Watchdog watchdog(context, watch);
    const z3::check_result answer = impl_->solver.check(assumptions);
    const std::string limit = watchdog.stop();
    if (answer == z3::sat) impl_->model = impl_->solver.get_model();
    if (answer != z3::sat) impl_->solver.add(!question);
    if (answer == z3::unknown) return {Answer::unknown, limit.empty() ? impl_->solver.reason_unknown() : limit};
    return {answer == z3::sat ? Answer::sat : Answer::unsat, ""};
  } catch (const z3::exception& error) {
    return {Answer::unknown, error.msg()};
  }
}

bool Unrolling::value(Term term, std::size_t time) {
  return impl_->model->eval(impl_->expression(term, time), true).is_true();
}

}  // namespace faultline::check::smt
