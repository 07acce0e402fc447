#include "step/scratch.hpp"

#include <algorithm>

#include "fmt/format.h"
#include "step/paths.hpp"

namespace faultline::step {
namespace {

// Which operand of an operation is a handle of the actor: written or changed, and read.
bool changes_handle(OpCode code) {
  switch (code) {
    case OpCode::clear_handle:
    case OpCode::handle_from_place:
    case OpCode::handle_from_handle:
    case OpCode::fresh:
    case OpCode::set_object_bit: return true;
    default: return false;
  }
}
bool reads_handle(OpCode code) { return code == OpCode::handle_from_handle || code == OpCode::place_from_handle; }

bool reads_handle(const Expr& x, Id handle) {
  switch (x.op) {
    case ExprOp::handle_null:
    case ExprOp::handle_is_place:
    case ExprOp::object_bit: return x.a == handle;
    case ExprOp::handles_equal: return x.a == handle || x.b == handle;
    case ExprOp::other_is_mine: return x.b == handle;
    default: return false;
  }
}

class Scratch {
 public:
  Scratch(Program& program, Exprs& exprs) : program_(program), exprs_(exprs) {}

  void run() {
    for (Command& command : program_.commands) {
      shorten(command);
      drop_unread(command);
      const std::map<Id, Id> mine = handles_of(command);
      rename(
          command, [&](Id h) { return h < scratch_base ? h : mine.at(h); }, [&](Id l) { return local(l); });
    }
  }

 private:
  // A `fresh` or copy into scratch that is then moved to a free slot goes there directly.
  void shorten(Command& command) {
    for (std::size_t i = 0; i < command.ops.size();) {
      const Op move = command.ops[i];
      const Id scratch = move.b;
      if (move.code != OpCode::handle_from_handle || scratch < scratch_base || move.a >= scratch_base ||
          used_before(command, i, move.a) || moves_of(command, scratch) != 1) {
        ++i;
        continue;
      }
      command.ops.erase(command.ops.begin() + static_cast<std::ptrdiff_t>(i));
      std::erase_if(command.ops, [&](const Op& o) { return o.code == OpCode::clear_handle && o.a == scratch; });
      rename(
          command, [&](Id h) { return h == scratch ? move.a : h; }, [](Id l) { return l; });
      i = 0;
    }
  }

  // A local kept for a read that was then decided without it.
  void drop_unread(Command& command) {
    std::erase_if(command.ops, [&](const Op& set) {
      return set.code == OpCode::set_local && set.a >= scratch_base &&
             std::none_of(command.ops.begin(), command.ops.end(), [&](const Op& o) {
               return exprs_.reads(o.e, [&](const Expr& x) { return x.op == ExprOp::local && x.a == set.a; });
             });
    });
  }

  [[nodiscard]] bool used_before(const Command& command, std::size_t end, Id handle) const {
    return std::any_of(command.ops.begin(), command.ops.begin() + static_cast<std::ptrdiff_t>(end), [&](const Op& o) {
      return (changes_handle(o.code) && o.a == handle) || (reads_handle(o.code) && o.b == handle) ||
             exprs_.reads(o.e, [&](const Expr& x) { return reads_handle(x, handle); });
    });
  }

  static std::ptrdiff_t moves_of(const Command& command, Id scratch) {
    return std::count_if(command.ops.begin(), command.ops.end(),
                         [&](const Op& o) { return o.code == OpCode::handle_from_handle && o.b == scratch; });
  }

  // The scratch handles of one command, each with a handle of the program that has its type.
  std::map<Id, Id> handles_of(const Command& command) {
    std::map<Id, Id> mine;
    std::map<Id, int> of_type;
    const auto type_of = [&](Id handle) {
      return program_.handles[handle >= scratch_base ? mine.at(handle) : handle].type;
    };
    for (const Op& o : command.ops) {
      if (o.code != OpCode::fresh && o.code != OpCode::handle_from_place && o.code != OpCode::handle_from_handle)
        continue;
      if (o.a < scratch_base || mine.contains(o.a)) continue;
      const Id type = o.code == OpCode::fresh               ? o.b
                      : o.code == OpCode::handle_from_place ? program_.places[o.b].type
                                                            : type_of(o.b);
      const auto [it, is_new] = handles_.emplace(std::pair{type, of_type[type]++}, Id{0});
      if (is_new) {
        it->second = static_cast<Id>(program_.handles.size());
        program_.handles.push_back({fmt::format("scratch({})", program_.types[type].name), type});
      }
      mine[o.a] = it->second;
    }
    return mine;
  }

  Id local(Id l) {
    if (l < scratch_base) return l;
    while (locals_.size() <= std::size_t{l} - scratch_base) {
      locals_.push_back(static_cast<Id>(program_.locals.size()));
      program_.locals.push_back({"scratch", 255, 0, {}, false});
    }
    return locals_[l - scratch_base];
  }

  template <class Handle, class Local>
  void rename(Command& command, const Handle& handle, const Local& local) {
    for (Op& o : command.ops) {
      if (changes_handle(o.code)) o.a = handle(o.a);
      if (reads_handle(o.code)) o.b = handle(o.b);
      if (o.code == OpCode::set_local) o.a = local(o.a);
      // The resource was noted there for scratch handles only.
      if (o.code == OpCode::fresh && o.a < scratch_base) o.b = 0;
      o.e = rename(o.e, handle, local);
    }
  }

  template <class Handle, class Local>
  ExprId rename(ExprId e, const Handle& handle, const Local& local) {
    if (program_.exprs.empty()) return e;
    Expr x = program_.exprs[e];
    const auto h = [&](ExprId& id) { id = handle(static_cast<Id>(id)); };
    switch (x.op) {
      case ExprOp::local: x.a = local(static_cast<Id>(x.a)); break;
      case ExprOp::handle_null:
      case ExprOp::handle_is_place:
      case ExprOp::object_bit: h(x.a); break;
      case ExprOp::handles_equal: h(x.a); [[fallthrough]];
      case ExprOp::other_is_mine: h(x.b); break;
      default: break;
    }
    for (unsigned i = 0; i < operand_count(x.op); ++i) x.operand(i) = rename(x.operand(i), handle, local);
    return exprs_.make(x.op, x.a, x.b, x.c, x.value);
  }

  Program& program_;
  Exprs& exprs_;
  std::map<std::pair<Id, int>, Id> handles_;  // (type, how many of it in one command) → handle
  std::vector<Id> locals_;
};

}  // namespace

void resolve_scratch(Program& program, Exprs& exprs) { Scratch(program, exprs).run(); }

}  // namespace faultline::step
