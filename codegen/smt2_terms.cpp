#include "codegen/smt2_terms.hpp"

#include <algorithm>

#include "fmt/format.h"

namespace faultline::codegen {

using step::Expr;
using step::ExprId;
using step::ExprOp;
using step::Id;

namespace {

constexpr std::uint32_t number_width = 8;  // of values while they are computed: 0..255

const std::set<std::string> reserved = {
    "and",   "or",       "not",    "ite",    "let",    "xor",    "distinct", "true",   "false", "concat", "extract",
    "Array", "Bool",     "Int",    "Real",   "BitVec", "State",  "Name",     "assert", "s",     "t",      "Init",
    "Step",  "Violates", "Broken", "forget", "exists", "forall", "match",    "par",    "as",    "select", "store",
    "div",   "mod",      "abs",    "String", "repeat", "check",  "push",     "pop",    "exit",  "reset",  "echo"};

}  // namespace

Smt2Terms::Smt2Terms(const step::Program& program, std::uint32_t any_cpus)
    : Identifiers(program, any_cpus, reserved), program_(program) {
  for (std::size_t l = 0; l < lines.size(); ++l) line_of.insert(line_of.end(), lines[l].count, static_cast<Id>(l));
  if (pool > 0) ++pool;  // an allocation takes its name while all handles may name something

  const std::uint32_t name_width = width_for(pool);
  const auto each_cpu = [&](const std::string& name, std::uint32_t width) {
    std::vector<Field> fields;
    for (std::uint32_t c = 0; c < cpus; ++c) fields.push_back(layout.add(unique(fmt::format("{}_{}", name, c)), width));
    return fields;
  };
  for (std::size_t g = 0; g < globals.size(); ++g)
    global_fields.push_back(layout.add(globals[g], width_for(program_.globals[g].max)));
  for (const std::string& p : places) place_fields.push_back(layout.add(p, name_width));
  position_fields = each_cpu("at", width_for(positions.size() - 1));
  for (std::size_t l = 0; l < locals.size(); ++l)
    local_fields.push_back(each_cpu(locals[l], width_for(program_.locals[l].max)));
  for (const std::string& h : handles) handle_fields.push_back(each_cpu(h, name_width));
  for (const std::string& a : awaits) {
    await_fields.emplace_back(cpus, std::vector<Field>(cpus));
    for (std::uint32_t c = 0; c < cpus; ++c)
      for (std::uint32_t other = 0; other < cpus; ++other)
        if (other != c) await_fields.back()[c][other] = layout.add(unique(fmt::format("{}_{}_{}", a, c, other)), 1);
  }
  for (std::uint32_t n = 1; n <= pool; ++n) {
    bit_fields.emplace_back();
    for (const std::string& b : bits) bit_fields.back().push_back(layout.add(unique(fmt::format("{}_{}", b, n)), 1));
    if (several_types())
      kind_fields.push_back(layout.add(unique(fmt::format("kind_{}", n)), width_for(program_.types.size() - 1)));
  }
}

std::string Smt2Terms::object(std::uint32_t n) const { return bits_of(n, width_for(pool)); }

std::string Smt2Terms::constant(Field field, std::uint64_t v) const {
  const auto global =
      static_cast<std::size_t>(std::find(global_fields.begin(), global_fields.end(), field) - global_fields.begin());
  if (global < values.size() && v < values[global].size()) return values[global][v];
  const std::uint32_t width = layout.fields()[field].width;
  return bits_of(v & ((std::uint64_t{1} << width) - 1), width);
}

std::string Smt2Terms::in_set_name(std::size_t set, std::uint32_t cpu) const {
  return fmt::format("{}.{}", pc_sets[set], cpu);
}

std::string Smt2Terms::is(const Smt2Change& s, Field field, const std::string& what) const {
  return fmt::format("(= {} {})", s.get(field), what);
}

std::string Smt2Terms::is_set(const Smt2Change& s, Field field) const {
  const std::uint32_t width = layout.fields()[field].width;
  return width == 1 ? is(s, field, bits_of(1, 1)) : smt_not(is(s, field, bits_of(0, width)));
}

std::optional<Smt2Terms::Field> Smt2Terms::leaf(const Expr& e, std::uint32_t me, std::uint32_t other) const {
  if (e.op == ExprOp::global) return global_fields[e.a];
  if (e.op == ExprOp::local) return local_fields[e.a][me];
  if (e.op == ExprOp::other_local) return local_fields[e.a][other];
  return std::nullopt;
}

std::string Smt2Terms::equals(const Smt2Change& s, ExprId id, std::uint64_t v, std::uint32_t me,
                              std::uint32_t other) const {
  if (const auto field = leaf(program_.exprs[id], me, other)) {
    if (v >> layout.fields()[*field].width != 0) return "false";
    return is(s, *field, constant(*field, v));
  }
  return fmt::format("(= {} {})", number(s, id, me, other), bits_of(v, number_width));
}

std::string Smt2Terms::has_bit(const Smt2Change& s, const std::string& name, std::size_t bit) const {
  if (!s.changed()) return fmt::format("(is.{} s {})", bits[bit], name);
  std::vector<std::string> some;
  for (std::uint32_t n = 1; n <= pool; ++n)
    some.push_back(smt_and({fmt::format("(= {} {})", name, object(n)), is_set(s, bit_fields[n - 1][bit])}));
  return smt_or(std::move(some));
}

std::string Smt2Terms::condition(const Smt2Change& s, ExprId id, std::uint32_t me, std::uint32_t other) const {
  const Expr& e = program_.exprs[id];
  const auto both = [&](const char* word) {
    return fmt::format("({} {} {})", word, number(s, e.a, me, other), number(s, e.b, me, other));
  };
  const auto same = [](const std::string& a, const std::string& b) { return fmt::format("(= {} {})", a, b); };
  const auto mine = [&](ExprId h) { return s.get(handle_fields[h][me]); };
  const auto others = [&](ExprId h) { return s.get(handle_fields[h][other]); };
  const auto place = [&](ExprId p) { return s.get(place_fields[p]); };
  switch (e.op) {
    case ExprOp::constant: return e.value != 0 ? "true" : "false";
    case ExprOp::global:
    case ExprOp::local:
    case ExprOp::other_local: return is_set(s, *leaf(e, me, other));
    case ExprOp::in: {
      std::vector<std::string> some;
      for (std::uint64_t v = 0; v < 64; ++v)
        if ((e.value >> v & 1) != 0) some.push_back(equals(s, e.a, v, me, other));
      return smt_or(std::move(some));
    }
    case ExprOp::lnot: return smt_not(condition(s, e.a, me, other));
    case ExprOp::land: return smt_and({condition(s, e.a, me, other), condition(s, e.b, me, other)});
    case ExprOp::lor: return smt_or({condition(s, e.a, me, other), condition(s, e.b, me, other)});
    case ExprOp::eq:
      if (program_.exprs[e.b].op == ExprOp::constant) return equals(s, e.a, program_.exprs[e.b].value, me, other);
      return both("=");
    case ExprOp::lt: return both("bvult");
    case ExprOp::le: return both("bvule");
    case ExprOp::add:
    case ExprOp::sub:
    case ExprOp::bit_and: return smt_not(equals(s, id, 0, me, other));
    case ExprOp::ite:
      return fmt::format("(ite {} {} {})", condition(s, e.a, me, other), condition(s, e.b, me, other),
                         condition(s, e.c, me, other));
    case ExprOp::handle_null: return same(mine(e.a), object(0));
    case ExprOp::handle_is_place: return same(mine(e.a), place(e.b));
    case ExprOp::handles_equal: return same(mine(e.a), mine(e.b));
    case ExprOp::place_null: return same(place(e.a), object(0));
    case ExprOp::places_equal: return same(place(e.a), place(e.b));
    case ExprOp::object_bit: return has_bit(s, mine(e.a), e.b);
    case ExprOp::place_bit: return has_bit(s, place(e.a), e.b);
    case ExprOp::pc_in: return fmt::format("({} s)", in_set_name(e.a, me));
    case ExprOp::other_pc_in: return fmt::format("({} s)", in_set_name(e.a, other));
    case ExprOp::other_null: return same(others(e.a), object(0));
    case ExprOp::other_is_mine: return smt_and({smt_not(same(others(e.a), object(0))), same(others(e.a), mine(e.b))});
    case ExprOp::other_is_place: return smt_and({smt_not(same(others(e.a), object(0))), same(others(e.a), place(e.b))});
    case ExprOp::i_await_other: return me == other ? "false" : is_set(s, await_fields[e.a][me][other]);
    case ExprOp::any_cpu: {
      std::vector<std::string> some;
      for (std::uint32_t c = 0; c < cpus; ++c) some.push_back(condition(s, e.a, me, c));
      return smt_or(std::move(some));
    }
  }
  return "false";
}

std::string Smt2Terms::number(const Smt2Change& s, ExprId id, std::uint32_t me, std::uint32_t other) const {
  const Expr& e = program_.exprs[id];
  const auto both = [&](const char* word) {
    return fmt::format("({} {} {})", word, number(s, e.a, me, other), number(s, e.b, me, other));
  };
  if (const auto field = leaf(e, me, other)) {
    const std::uint32_t more = number_width - layout.fields()[*field].width;
    return more == 0 ? s.get(*field) : fmt::format("((_ zero_extend {}) {})", more, s.get(*field));
  }
  switch (e.op) {
    case ExprOp::constant: return bits_of(e.value, number_width);
    case ExprOp::add: return both("bvadd");
    case ExprOp::sub: return both("bvsub");
    case ExprOp::bit_and: return both("bvand");
    case ExprOp::ite:
      return fmt::format("(ite {} {} {})", condition(s, e.a, me, other), number(s, e.b, me, other),
                         number(s, e.c, me, other));
    default:
      return fmt::format("(ite {} {} {})", condition(s, id, me, other), bits_of(1, number_width),
                         bits_of(0, number_width));
  }
}

std::string Smt2Terms::value_for(const Smt2Change& s, Field field, ExprId id, std::uint32_t me) const {
  const Expr& e = program_.exprs[id];
  const std::uint32_t width = layout.fields()[field].width;
  if (e.op == ExprOp::constant) return constant(field, e.value);
  const auto from = leaf(e, me, me);
  if (from && layout.fields()[*from].width == width) return s.get(*from);
  const std::string value = number(s, id, me, me);
  return width == number_width ? value : fmt::format("((_ extract {} 0) {})", width - 1, value);
}

}  // namespace faultline::codegen
