// A program as fields of one bit vector of SMT-LIB, and its expressions over them. A term reads the state in the
// variable `s`, as far as a Smt2Change has not changed it.
#pragma once
#include <optional>

#include "codegen/export_names.hpp"
#include "codegen/smt2_state.hpp"

namespace faultline::codegen {

class Smt2Terms : public Identifiers {
 public:
  using Field = Smt2Layout::Index;
  Smt2Terms(const step::Program& program, std::uint32_t any_cpus);

  Smt2Layout layout;
  std::vector<step::Id> line_of;                                                 // of each CPU
  std::vector<Field> global_fields, place_fields, position_fields, kind_fields;  // kind: of an object
  std::vector<std::vector<Field>> local_fields, handle_fields;                   // by CPU
  std::vector<std::vector<std::vector<Field>>> await_fields;                     // by kind, who waits, for whom
  std::vector<std::vector<Field>> bit_fields;                                    // by object (from 0), bit

  [[nodiscard]] bool several_types() const { return program_.types.size() > 1; }
  // The name of object n, as a constant; a value of a field; "the CPU is in that set of positions", a function.
  [[nodiscard]] std::string object(std::uint32_t n) const;
  [[nodiscard]] std::string constant(Field field, std::uint64_t v) const;
  [[nodiscard]] std::string in_set_name(std::size_t set, std::uint32_t cpu) const;

  [[nodiscard]] std::string is(const Smt2Change& s, Field field, const std::string& what) const;
  [[nodiscard]] std::string is_set(const Smt2Change& s, Field field) const;  // not 0

  // An expression for CPU `me` and one other, as a condition and as a number of 8 bits.
  [[nodiscard]] std::string condition(const Smt2Change& s, step::ExprId id, std::uint32_t me,
                                      std::uint32_t other) const;
  [[nodiscard]] std::string number(const Smt2Change& s, step::ExprId id, std::uint32_t me, std::uint32_t other) const;
  // Its value as the field takes it.
  [[nodiscard]] std::string value_for(const Smt2Change& s, Field field, step::ExprId id, std::uint32_t me) const;

 private:
  // The field that the expression is, or none.
  [[nodiscard]] std::optional<Field> leaf(const step::Expr& e, std::uint32_t me, std::uint32_t other) const;
  [[nodiscard]] std::string equals(const Smt2Change& s, step::ExprId id, std::uint64_t v, std::uint32_t me,
                                   std::uint32_t other) const;
  [[nodiscard]] std::string has_bit(const Smt2Change& s, const std::string& name, std::size_t bit) const;

  const step::Program& program_;
};

}  // namespace faultline::codegen
