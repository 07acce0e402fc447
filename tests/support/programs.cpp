#include "tests/support/programs.hpp"

#include <algorithm>
#include <utility>

namespace faultline::testing {

using step::Command;
using step::ExprOp;
using step::Kind;
using step::no_id;
using step::Op;
using step::OpCode;

Command& CommandBuilder::command() { return builder_->program_.commands[index_]; }

CommandBuilder& CommandBuilder::op(OpCode code, Id a, Id b, int value, ExprId e) {
  command().ops.push_back(Op{code, a, b, static_cast<std::uint8_t>(value), e});
  return *this;
}
CommandBuilder& CommandBuilder::assume(ExprId e) { return op(OpCode::assume, 0, 0, 0, e); }
CommandBuilder& CommandBuilder::none(ExprId e) { return op(OpCode::none, 0, 0, 0, e); }
CommandBuilder& CommandBuilder::some(ExprId e) { return op(OpCode::some, 0, 0, 0, e); }
CommandBuilder& CommandBuilder::set_global(Id global, ExprId e) { return op(OpCode::set_global, global, 0, 0, e); }
CommandBuilder& CommandBuilder::set_global(Id global, int value) {
  return set_global(global, builder_->constant(value));
}
CommandBuilder& CommandBuilder::set_local(Id local, ExprId e) { return op(OpCode::set_local, local, 0, 0, e); }
CommandBuilder& CommandBuilder::set_local(Id local, int value) { return set_local(local, builder_->constant(value)); }
CommandBuilder& CommandBuilder::clear_handle(Id handle) { return op(OpCode::clear_handle, handle, 0, 0, 0); }
CommandBuilder& CommandBuilder::handle_from_place(Id handle, Id place) {
  return op(OpCode::handle_from_place, handle, place, 0, 0);
}
CommandBuilder& CommandBuilder::handle_from_handle(Id handle, Id from) {
  return op(OpCode::handle_from_handle, handle, from, 0, 0);
}
CommandBuilder& CommandBuilder::fresh(Id handle) { return op(OpCode::fresh, handle, 0, 0, 0); }
CommandBuilder& CommandBuilder::clear_place(Id place) { return op(OpCode::clear_place, place, 0, 0, 0); }
CommandBuilder& CommandBuilder::place_from_handle(Id place, Id handle) {
  return op(OpCode::place_from_handle, place, handle, 0, 0);
}
CommandBuilder& CommandBuilder::set_bit(Id handle, Id bit, bool value) {
  return op(OpCode::set_object_bit, handle, bit, value ? 1 : 0, 0);
}
CommandBuilder& CommandBuilder::others_set_local(Id local, int value, ExprId e) {
  return op(OpCode::others_set_local, local, 0, value, e);
}
CommandBuilder& CommandBuilder::others_clear_handle(Id handle, ExprId e) {
  return op(OpCode::others_clear_handle, handle, 0, 0, e);
}
CommandBuilder& CommandBuilder::await_others(Id kind, ExprId e) { return op(OpCode::await_others, kind, 0, 0, e); }
CommandBuilder& CommandBuilder::may_block() {
  command().may_block = true;
  return *this;
}
CommandBuilder& CommandBuilder::fails(Kind kind, std::string message) {
  command().violation = step::Violation{kind, "", std::move(message), command().span};
  return *this;
}

ProgramBuilder::ProgramBuilder(std::string model, std::string variant) {
  program_.model = std::move(model);
  program_.variant = std::move(variant);
}

namespace {
template <class T>
Id add(std::vector<T>& list, T item) {
  list.push_back(std::move(item));
  return static_cast<Id>(list.size() - 1);
}
}  // namespace

Id ProgramBuilder::global(std::string name, int max, std::vector<std::string> names) {
  return add(program_.globals,
             step::Variable{std::move(name), static_cast<std::uint8_t>(max), 0, std::move(names), true});
}
Id ProgramBuilder::local(std::string name, int max) {
  return add(program_.locals, step::Variable{std::move(name), static_cast<std::uint8_t>(max), 0, {}, true});
}
Id ProgramBuilder::type(std::string name, std::vector<std::string> bits) {
  return add(program_.types, step::ObjectType{std::move(name), std::move(bits)});
}
Id ProgramBuilder::place(std::string name, Id type) { return add(program_.places, step::Place{std::move(name), type}); }
Id ProgramBuilder::handle(std::string name, Id type) {
  return add(program_.handles, step::Handle{std::move(name), type});
}
Id ProgramBuilder::await(std::string name, std::vector<Id> clears_handles, std::vector<Id> clears_locals) {
  return add(program_.awaits, step::AwaitKind{std::move(name), std::move(clears_handles), std::move(clears_locals)});
}
Id ProgramBuilder::handler(std::string name) { return add(program_.handlers, std::move(name)); }
Id ProgramBuilder::line(std::string name, int cpus) {
  const Id id = add(program_.lines, step::Line{std::move(name), static_cast<std::uint32_t>(cpus), 0});
  program_.lines[id].idle = at(id, no_id);
  return id;
}
Id ProgramBuilder::at(Id line, Id handler, std::vector<step::Held> held) {
  step::Location location;
  location.line = line;
  location.handler = handler;
  location.held = std::move(held);
  return add(program_.locations, std::move(location));
}
Id ProgramBuilder::lock(std::string name, Id global, step::LockKind kind) {
  return add(program_.locks, step::Lock{std::move(name), kind, global, {}});
}
Id ProgramBuilder::pc_set(const std::vector<Id>& positions) {
  std::vector<bool> set(step::max_locations);
  for (const Id pc : positions) set[pc] = true;
  return add(program_.pc_sets, std::move(set));
}

ExprId ProgramBuilder::op(ExprOp op, ExprId a, ExprId b, ExprId c, std::uint64_t value) {
  program_.exprs.push_back(step::Expr{op, a, b, c, value});
  return static_cast<ExprId>(program_.exprs.size() - 1);
}
ExprId ProgramBuilder::constant(int value) { return op(ExprOp::constant, 0, 0, 0, static_cast<std::uint64_t>(value)); }
ExprId ProgramBuilder::global_is(Id global, int value) {
  return op(ExprOp::eq, op(ExprOp::global, global), constant(value));
}
ExprId ProgramBuilder::global_in(Id global, std::uint64_t mask) {
  return op(ExprOp::in, op(ExprOp::global, global), 0, 0, mask);
}
ExprId ProgramBuilder::local_is(Id local, int value) {
  return op(ExprOp::eq, op(ExprOp::local, local), constant(value));
}

CommandBuilder ProgramBuilder::command(Id from, Id to, std::string text) {
  Command command;
  command.from = from;
  command.to = to;
  command.span.line = next_line_++;
  command.span.column = 1;
  command.notes.push_back(step::Note{command.span, std::move(text), ""});
  program_.commands.push_back(std::move(command));
  return {*this, program_.commands.size() - 1};
}
CommandBuilder ProgramBuilder::violation(Id from, Kind kind, std::string message) {
  return command(from, from, message).fails(kind, message);
}
void ProgramBuilder::invariant(std::string name, ExprId e) {
  program_.invariants.push_back(step::Invariant{std::move(name), e, {}});
}
void ProgramBuilder::progress(std::string name, ExprId p, ExprId q) {
  program_.progress.push_back(step::Progress{std::move(name), p, q, {}});
}

step::Program ProgramBuilder::finish() {
  auto is_idle = [&](Id pc) { return program_.locations[pc].handler == no_id; };
  std::stable_sort(program_.commands.begin(), program_.commands.end(),
                   [](const Command& a, const Command& b) { return a.from < b.from; });
  program_.first.assign(program_.locations.size() + 1, 0);
  for (Command& command : program_.commands) {
    ++program_.first[command.from + 1U];
    command.starts = is_idle(command.from);
    command.ends = is_idle(command.to) && !command.violation;
    command.handler = program_.locations[command.starts ? command.to : command.from].handler;
  }
  for (std::size_t pc = 0; pc < program_.locations.size(); ++pc) program_.first[pc + 1] += program_.first[pc];
  for (auto& set : program_.pc_sets) set.resize(program_.locations.size());
  return program_;
}

}  // namespace faultline::testing
