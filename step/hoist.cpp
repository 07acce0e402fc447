#include "step/hoist.hpp"

#include <algorithm>
#include <stdexcept>

#include "fmt/format.h"
#include "step/exprs.hpp"
#include "step/wellformed.hpp"

namespace faultline::step {
namespace {

class Hoist {
 public:
  explicit Hoist(Program& program) : program_(program), exprs_(program) {
    // Expressions of the program keep their numbers; new ones come behind them.
  }

  void run() {
    for (Command& command : program_.commands) {
      std::vector<Op> guards, effects;
      for (const Op& op : command.ops) {
        if (!is_guard(op.code)) {
          effects.push_back(op);
          continue;
        }
        Op guard = op;
        for (auto effect = effects.rbegin(); effect != effects.rend(); ++effect)
          guard.e = before(guard.e, *effect, command);
        if (guard.code == OpCode::assume && exprs_.value(guard.e) == 1U) continue;
        guards.push_back(guard);
      }
      guards.insert(guards.end(), effects.begin(), effects.end());
      command.ops = std::move(guards);
    }
    drop_unused_exprs(program_);
  }

 private:
  // What `e` is in the state before `op`.
  ExprId before(ExprId id, const Op& op, const Command& command) {
    const Expr e = program_.exprs[id];
    if (const unsigned n = operand_count(e.op); n > 0) {
      Expr made = e;
      for (unsigned i = 0; i < n; ++i) made.operand(i) = before(e.operand(i), op, command);
      return remake(made);
    }
    return leaf(id, e, op, command);
  }

  ExprId remake(const Expr& e) {
    switch (e.op) {
      case ExprOp::in: return exprs_.in(e.a, e.value);
      case ExprOp::lnot: return exprs_.lnot(e.a);
      case ExprOp::land: return exprs_.land(e.a, e.b);
      case ExprOp::lor: return exprs_.lor(e.a, e.b);
      case ExprOp::ite:
      case ExprOp::any_cpu: return exprs_.make(e.op, e.a, e.b, e.c, e.value);
      default: return exprs_.binary(e.op, e.a, e.b);
    }
  }

  ExprId yes() { return exprs_.constant(1); }
  ExprId no() { return exprs_.constant(0); }
  ExprId make(ExprOp op, ExprId a, ExprId b = 0) { return exprs_.make(op, a, b); }

  ExprId leaf(ExprId id, const Expr& e, const Op& op, const Command& command) {
    switch (op.code) {
      case OpCode::set_global: return e.op == ExprOp::global && e.a == op.a ? op.e : id;
      case OpCode::set_local: return e.op == ExprOp::local && e.a == op.a ? op.e : id;
      case OpCode::clear_handle: return with_null_handle(id, e, op.a);
      case OpCode::handle_from_place: return with_handle_of_place(id, e, op.a, op.b);
      case OpCode::handle_from_handle: return with_handle_of_handle(id, e, op.a, op.b);
      case OpCode::fresh: return with_new_object(id, e, op.a, command);
      case OpCode::clear_place: return with_null_place(id, e, op.a);
      case OpCode::place_from_handle: return with_place_of_handle(id, e, op.a, op.b);
      case OpCode::set_object_bit: return with_bit(id, e, op);
      case OpCode::others_set_local:
        if (e.op != ExprOp::other_local || e.a != op.a) return id;
        return exprs_.make(ExprOp::ite, op.e, exprs_.constant(op.value), id);
      case OpCode::others_clear_handle:
        if (e.op == ExprOp::other_null && e.a == op.a) return exprs_.lor(op.e, id);
        if ((e.op == ExprOp::other_is_mine || e.op == ExprOp::other_is_place) && e.a == op.a)
          return exprs_.land(exprs_.lnot(op.e), id);
        return id;
      case OpCode::await_others: return e.op == ExprOp::i_await_other && e.a == op.a ? exprs_.lor(op.e, id) : id;
      default: return id;
    }
  }

  ExprId with_null_handle(ExprId id, const Expr& e, Id h) {
    switch (e.op) {
      case ExprOp::handle_null: return e.a == h ? yes() : id;
      case ExprOp::handle_is_place: return e.a == h ? make(ExprOp::place_null, e.b) : id;
      case ExprOp::handles_equal:
        if (e.a == h && e.b == h) return yes();
        return e.a == h ? make(ExprOp::handle_null, e.b) : e.b == h ? make(ExprOp::handle_null, e.a) : id;
      case ExprOp::object_bit: return e.a == h ? no() : id;
      case ExprOp::other_is_mine: return e.b == h ? no() : id;
      default: return id;
    }
  }

  ExprId with_handle_of_place(ExprId id, const Expr& e, Id h, Id p) {
    switch (e.op) {
      case ExprOp::handle_null: return e.a == h ? make(ExprOp::place_null, p) : id;
      case ExprOp::handle_is_place: return e.a == h ? make(ExprOp::places_equal, p, e.b) : id;
      case ExprOp::handles_equal:
        if (e.a == h && e.b == h) return yes();
        return e.a == h ? make(ExprOp::handle_is_place, e.b, p) : e.b == h ? make(ExprOp::handle_is_place, e.a, p) : id;
      case ExprOp::object_bit: return e.a == h ? make(ExprOp::place_bit, p, e.b) : id;
      case ExprOp::other_is_mine: return e.b == h ? make(ExprOp::other_is_place, e.a, p) : id;
      default: return id;
    }
  }

  ExprId with_handle_of_handle(ExprId id, const Expr& e, Id h, Id from) {
    const auto renamed = [&](ExprId x) { return x == h ? ExprId{from} : x; };
    switch (e.op) {
      case ExprOp::handle_null: return make(e.op, renamed(e.a));
      case ExprOp::handle_is_place:
      case ExprOp::object_bit: return make(e.op, renamed(e.a), e.b);
      case ExprOp::handles_equal: return make(e.op, renamed(e.a), renamed(e.b));
      case ExprOp::other_is_mine: return make(e.op, e.a, renamed(e.b));
      default: return id;
    }
  }

  // A new object may be a freed one whose address is reused: then others still name it, and its bits are seen through
  // their names.
  ExprId with_new_object(ExprId id, const Expr& e, Id h, const Command& command) {
    if (e.op == ExprOp::handle_null && e.a == h) return no();
    if (e.op == ExprOp::object_bit && e.a == h) return no();
    if (e.op == ExprOp::handles_equal && e.a == h && e.b == h) return yes();
    const bool asks = ((e.op == ExprOp::handle_is_place || e.op == ExprOp::handles_equal) && e.a == h) ||
                      ((e.op == ExprOp::handles_equal || e.op == ExprOp::other_is_mine) && e.b == h) ||
                      (e.op == ExprOp::object_bit && program_.handles[e.a].type == program_.handles[h].type) ||
                      (e.op == ExprOp::place_bit && program_.places[e.a].type == program_.handles[h].type);
    if (asks)
      throw std::domain_error(
          fmt::format("the step at line {} compares a new object with an older one", command.span.line));
    return id;
  }

  ExprId with_null_place(ExprId id, const Expr& e, Id p) {
    switch (e.op) {
      case ExprOp::place_null: return e.a == p ? yes() : id;
      case ExprOp::handle_is_place: return e.b == p ? make(ExprOp::handle_null, e.a) : id;
      case ExprOp::places_equal:
        if (e.a == p && e.b == p) return yes();
        return e.a == p ? make(ExprOp::place_null, e.b) : e.b == p ? make(ExprOp::place_null, e.a) : id;
      case ExprOp::place_bit: return e.a == p ? no() : id;
      case ExprOp::other_is_place: return e.b == p ? no() : id;
      default: return id;
    }
  }

  ExprId with_place_of_handle(ExprId id, const Expr& e, Id p, Id h) {
    switch (e.op) {
      case ExprOp::place_null: return e.a == p ? make(ExprOp::handle_null, h) : id;
      case ExprOp::handle_is_place: return e.b == p ? make(ExprOp::handles_equal, e.a, h) : id;
      case ExprOp::places_equal:
        if (e.a == p && e.b == p) return yes();
        return e.a == p ? make(ExprOp::handle_is_place, h, e.b) : e.b == p ? make(ExprOp::handle_is_place, h, e.a) : id;
      case ExprOp::place_bit: return e.a == p ? make(ExprOp::object_bit, h, e.b) : id;
      case ExprOp::other_is_place: return e.b == p ? make(ExprOp::other_is_mine, e.a, h) : id;
      default: return id;
    }
  }

  ExprId with_bit(ExprId id, const Expr& e, const Op& op) {
    ExprId same = 0;
    if (e.op == ExprOp::object_bit && e.b == op.b && program_.handles[e.a].type == program_.handles[op.a].type)
      same = make(ExprOp::handles_equal, e.a, op.a);
    else if (e.op == ExprOp::place_bit && e.b == op.b && program_.places[e.a].type == program_.handles[op.a].type)
      same = make(ExprOp::handle_is_place, op.a, e.a);
    else
      return id;
    same = exprs_.land(same, exprs_.lnot(make(ExprOp::handle_null, op.a)));
    return op.value != 0 ? exprs_.lor(same, id) : exprs_.land(exprs_.lnot(same), id);
  }

  Program& program_;
  Exprs exprs_;
};

}  // namespace

Program guards_first(Program program) {
  Hoist(program).run();
  return program;
}

}  // namespace faultline::step
