#include "codegen/export_names.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <stdexcept>

#include "fmt/format.h"
#include "step/hoist.hpp"

namespace faultline::codegen {

using step::Expr;
using step::ExprId;
using step::ExprOp;
using step::Id;

namespace {

std::string identifier(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (word) result += c;
    if (!word && !result.empty() && result.back() != '_') result += '_';
  }
  while (!result.empty() && result.back() == '_') result.pop_back();
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result.front())) != 0) result = "x" + result;
  return result;
}

// The lock that is held for reading at exactly these positions, or empty.
std::string read_lock(const step::Program& program, const std::vector<bool>& set) {
  for (std::size_t l = 0; l < program.locks.size(); ++l) {
    bool same = program.locks[l].kind == step::LockKind::rwsem;
    for (std::size_t pc = 0; pc < program.locations.size() && same; ++pc) {
      const auto& held = program.locations[pc].held;
      same = set[pc] == std::any_of(held.begin(), held.end(),
                                    [&](const step::Held& h) { return h.lock == l && h.mode == step::LockMode::read; });
    }
    if (same) return program.locks[l].name;
  }
  return {};
}

}  // namespace

std::string Identifiers::unique(const std::string& wanted) {
  const std::string base = identifier(wanted);
  std::string name = base;
  for (int n = 2; !taken_.insert(name).second; ++n) name = fmt::format("{}_{}", base, n);
  return name;
}

Identifiers::Identifiers(const step::Program& program, std::uint32_t n, const std::set<std::string>& reserved)
    : taken_(reserved) {
  for (const step::Variable& g : program.globals) globals.push_back(unique(g.name));
  for (std::size_t g = 0; g < program.globals.size(); ++g) {
    values.emplace_back();
    const auto& names = program.globals[g].names;
    if (names.size() != std::size_t{program.globals[g].max} + 1 || program.globals[g].max < 2) continue;
    for (const std::string& v : names) values.back().push_back(unique(program.globals[g].name + "_" + v));
  }
  for (const step::Place& p : program.places) places.push_back(unique(p.name));
  for (const step::Variable& l : program.locals) locals.push_back(unique(l.name));
  for (const step::Handle& h : program.handles) handles.push_back(unique(h.name));
  for (const step::AwaitKind& a : program.awaits) awaits.push_back(unique("waits_" + a.name));
  std::size_t most_bits = 0;
  for (const step::ObjectType& t : program.types) most_bits = std::max(most_bits, t.bits.size());
  for (std::size_t b = 0; b < most_bits; ++b) {
    std::string name;
    for (const step::ObjectType& t : program.types) {
      if (b >= t.bits.size()) continue;
      if (!name.empty() && name != t.bits[b]) name = fmt::format("bit{}", b);
      if (name.empty()) name = t.bits[b];
    }
    bits.push_back(unique(name));
  }
  pc_set_used.assign(program.pc_sets.size(), false);
  for (const Expr& e : program.exprs)
    if (e.op == ExprOp::pc_in || e.op == ExprOp::other_pc_in) pc_set_used[e.a] = true;
  for (const auto& set : program.pc_sets) {
    const std::string lock = read_lock(program, set);
    pc_sets.push_back(unique(lock.empty() ? "inside" : "reads_" + lock));
  }
  const std::vector<std::uint32_t> per_line = step::cpus_per_line(program, n);
  for (std::size_t l = 0; l < program.lines.size(); ++l) {
    lines.push_back({unique(program.lines[l].name), cpus, per_line[l]});
    cpus += per_line[l];
  }
  for (const step::Location& location : program.locations) {
    const bool idle = location.handler == step::no_id;
    positions.push_back(unique(idle ? "idle_" + lines[location.line].name
                                    : fmt::format("{}_{}", program.handlers[location.handler], location.span.line)));
  }
  std::size_t most_replaced = 0;
  for (const step::Command& c : program.commands) most_replaced = std::max(most_replaced, replaces(c));
  for (const step::AwaitKind& a : program.awaits) most_replaced = std::max(most_replaced, a.clears_handles.size());
  while (olds.size() < most_replaced) olds.push_back(unique("old"));
  pool = static_cast<std::uint32_t>(program.places.size() + program.handles.size() * cpus);
}

std::string Identifiers::value(Id global, std::uint32_t v) const {
  return v < values[global].size() ? values[global][v] : fmt::format("{}", v);
}

std::string Names::compared(const Expr& e, const char* word, const std::string& other) const {
  return fmt::format("({} {} {})", number(e.a, other), word, number(e.b, other));
}

// `word` is what the operands stand around, as conditions.
std::string Names::operands(const Expr& e, const char* word, const std::string& other) const {
  return fmt::format("({} {} {})", condition(e.a, other), word, condition(e.b, other));
}

std::string Names::in_set(const Expr& e, const std::string& other) const {
  const Expr& of = program_.exprs[e.a];
  std::uint32_t max = 63;
  if (of.op == ExprOp::global) max = program_.globals[of.a].max;
  if (of.op == ExprOp::local || of.op == ExprOp::other_local) max = program_.locals[of.a].max;
  const std::uint64_t all = max >= 63 ? ~std::uint64_t{0} : (std::uint64_t{1} << (max + 1)) - 1;
  const std::uint64_t in = e.value & all;
  const bool outside = max < 63 && std::popcount(in) > std::popcount(all & ~in);
  const std::uint64_t listed = outside ? all & ~in : in;
  std::string text;
  const std::string x = number(e.a, other);
  for (std::uint32_t v = 0; v <= std::min(max, 63U); ++v) {
    if ((listed >> v & 1) == 0) continue;
    if (!text.empty()) text += fmt::format(" {} ", outside ? dialect_.land : dialect_.lor);
    const std::string name = of.op == ExprOp::global ? value(static_cast<Id>(of.a), v) : fmt::format("{}", v);
    text += fmt::format("{} {} {}", x, outside ? dialect_.ne : dialect_.eq, name);
  }
  if (text.empty()) return outside ? "true" : "false";
  return "(" + text + ")";
}

std::string Names::condition(ExprId id, const std::string& other) const {
  const Expr& e = program_.exprs[id];
  const auto is = [&](const std::string& a, const std::string& b) {
    return fmt::format("({} {} {})", a, dialect_.eq, b);
  };
  const auto is_not = [&](const std::string& a, const std::string& b) {
    return fmt::format("({} {} {})", a, dialect_.ne, b);
  };
  switch (e.op) {
    case ExprOp::constant: return e.value != 0 ? "true" : "false";
    case ExprOp::global: return is_not(globals[e.a], "0");
    case ExprOp::local: return is_not(mine(locals[e.a]), "0");
    case ExprOp::other_local: return is_not(at(locals[e.a], other), "0");
    case ExprOp::in: return in_set(e, other);
    case ExprOp::lnot: {
      const std::string c = condition(e.a, other);
      return c.front() == '!' ? c.substr(1) : "!" + c;
    }
    case ExprOp::land: return operands(e, dialect_.land, other);
    case ExprOp::lor: return operands(e, dialect_.lor, other);
    case ExprOp::eq: return compared(e, dialect_.eq, other);
    case ExprOp::lt: return compared(e, "<", other);
    case ExprOp::le: return compared(e, "<=", other);
    case ExprOp::add:
    case ExprOp::sub:
    case ExprOp::bit_and: return is_not(number(id, other), "0");
    case ExprOp::ite: {
      const std::string c = condition(e.a, other);
      return fmt::format("(({} {} {}) {} (!({}) {} {}))", c, dialect_.land, condition(e.b, other), dialect_.lor, c,
                         dialect_.land, condition(e.c, other));
    }
    case ExprOp::handle_null: return is(mine(handles[e.a]), "0");
    case ExprOp::handle_is_place: return is(mine(handles[e.a]), places[e.b]);
    case ExprOp::handles_equal: return is(mine(handles[e.a]), mine(handles[e.b]));
    case ExprOp::place_null: return is(places[e.a], "0");
    case ExprOp::places_equal: return is(places[e.a], places[e.b]);
    // Object 0 has no bits.
    case ExprOp::object_bit: return at(bits[e.b], mine(handles[e.a]));
    case ExprOp::place_bit: return at(bits[e.b], places[e.a]);
    case ExprOp::pc_in: return in_pc_set(static_cast<Id>(e.a), dialect_.me);
    case ExprOp::other_pc_in: return in_pc_set(static_cast<Id>(e.a), other);
    case ExprOp::other_null: return is(at(handles[e.a], other), "0");
    case ExprOp::other_is_mine:
      return fmt::format("({} {} {})", is_not(at(handles[e.a], other), "0"), dialect_.land,
                         is(at(handles[e.a], other), mine(handles[e.b])));
    case ExprOp::other_is_place:
      return fmt::format("({} {} {})", is_not(at(handles[e.a], other), "0"), dialect_.land,
                         is(at(handles[e.a], other), places[e.b]));
    case ExprOp::i_await_other: return awaits_other(static_cast<Id>(e.a), other);
    case ExprOp::any_cpu: return any_cpu(e.a);
  }
  return "false";
}

std::string Names::number(ExprId id, const std::string& other) const {
  const Expr& e = program_.exprs[id];
  switch (e.op) {
    case ExprOp::constant: return fmt::format("{}", e.value);
    case ExprOp::global: return globals[e.a];
    case ExprOp::local: return mine(locals[e.a]);
    case ExprOp::other_local: return at(locals[e.a], other);
    case ExprOp::add: return fmt::format("({} + {})", number(e.a, other), number(e.b, other));
    case ExprOp::sub: return fmt::format("({} - {})", number(e.a, other), number(e.b, other));
    case ExprOp::bit_and:
      if (!dialect_.boolean_is_number) throw std::domain_error("the language has no bitwise `and`");
      return fmt::format("({} & {})", number(e.a, other), number(e.b, other));
    case ExprOp::ite: return choose(condition(e.a, other), number(e.b, other), number(e.c, other));
    default: break;
  }
  const std::string c = condition(id, other);
  return dialect_.boolean_is_number ? c : choose(c, "1", "0");
}

std::string Names::assignment(const step::Op& op) const {
  using step::OpCode;
  const auto set = [&](const std::string& to, const std::string& from) {
    return fmt::format("{} {} {}; ", to, dialect_.assign, from);
  };
  switch (op.code) {
    case OpCode::set_global: {
      const Expr& e = program_.exprs[op.e];
      const bool constant = e.op == ExprOp::constant;
      return set(globals[op.a],
                 constant ? value(op.a, static_cast<std::uint32_t>(e.value)) : number(op.e, dialect_.me));
    }
    case OpCode::set_local: return set(mine(locals[op.a]), number(op.e, dialect_.me));
    case OpCode::clear_handle: return set(mine(handles[op.a]), "0");
    case OpCode::handle_from_place: return set(mine(handles[op.a]), places[op.b]);
    case OpCode::handle_from_handle: return set(mine(handles[op.a]), mine(handles[op.b]));
    case OpCode::clear_place: return set(places[op.a], "0");
    case OpCode::place_from_handle: return set(places[op.a], mine(handles[op.b]));
    default: return {};
  }
}

std::string Names::keep(const step::Command& command, const step::Op& op) const {
  if (replaces(command) == 0 || !changes_names(op)) return {};
  const auto before = std::count_if(command.ops.data(), &op, changes_names);
  const bool of_place = op.code == step::OpCode::clear_place || op.code == step::OpCode::place_from_handle;
  return fmt::format("{} {} {}; ", olds[static_cast<std::size_t>(before)], dialect_.assign,
                     of_place ? places[op.a] : mine(handles[op.a]));
}

std::string Names::forget(const step::Command& command) const {
  if (std::none_of(command.ops.begin(), command.ops.end(), changes_names)) return {};
  const std::size_t n = replaces(command);
  std::string text = n == 0 ? "forget(); " : "";
  for (std::size_t i = 0; i < n; ++i) text += fmt::format("forget_one({}); ", olds[i]);
  return text;
}

bool changes_names(const step::Op& op) {
  using step::OpCode;
  switch (op.code) {
    case OpCode::clear_handle:
    case OpCode::handle_from_place:
    case OpCode::handle_from_handle:
    case OpCode::fresh:
    case OpCode::clear_place:
    case OpCode::place_from_handle:
    case OpCode::others_clear_handle: return true;
    default: return false;
  }
}

std::size_t replaces(const step::Command& command) {
  using step::OpCode;
  std::size_t count = 0;
  for (const step::Op& op : command.ops) {
    if (op.code == OpCode::fresh || op.code == OpCode::others_clear_handle) return 0;
    if (changes_names(op)) ++count;
  }
  return count;
}

step::Program exported_form(step::Program program) {
  program.progress.clear();
  return step::guards_first(std::move(program));
}

std::string remark(const step::Command& command) {
  std::string text = fmt::format("{}:", command.span.line);
  for (const step::Note& note : command.notes) {
    text += (text.back() == ':' ? " " : "; ") + note.text;
    if (!note.result.empty()) text += " -> " + note.result;
  }
  return text;
}

}  // namespace faultline::codegen
