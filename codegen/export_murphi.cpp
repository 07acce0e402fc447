// Murphi, for Rumur. A command is a rule for each CPU of its line; positions are an enumeration. Where a command
// allocates, the object it gets is a parameter of the rule. Objects are numbers of a pool; what nobody names is
// forgotten at once.
#include <algorithm>
#include <stdexcept>

#include "codegen/export.hpp"
#include "codegen/export_names.hpp"
#include "fmt/format.h"

namespace faultline::codegen {
namespace {

using step::Command;
using step::Id;
using step::Op;
using step::OpCode;

constexpr Dialect murphi = {"=", "!=", "&", "|", ":=", "me", false};
const std::set<std::string> reserved = {
    "alias",      "array",    "assert",      "assume",     "begin",       "boolean",  "by",          "case",
    "clear",      "const",    "cover",       "do",         "else",        "elsif",    "end",         "enum",
    "endif",      "endfor",   "error",       "exists",     "false",       "for",      "forall",      "function",
    "if",         "in",       "interleaved", "invariant",  "is",          "ismember", "isundefined", "liveness",
    "multiset",   "of",       "procedure",   "process",    "program",     "put",      "record",      "return",
    "rule",       "ruleset",  "scalarset",   "startstate", "switch",      "then",     "to",          "traceuntil",
    "true",       "type",     "undefine",    "union",      "var",         "while",    "at",          "cpu",
    "object",     "position", "named",       "forget",     "lowest_free", "kind",     "pick",        "me",
    "forget_one", "o",        "n",           "m",          "c",           "p",        "CPUS",        "POOL"};

class Writer : private Names {
 public:
  Writer(const step::Program& program, const ExportOptions& options)
      : Names(program, options.cpus, murphi, reserved), program_(program), options_(options) {}

  std::string run() {
    head();
    variables();
    functions();
    start();
    for (std::size_t l = 0; l < program_.lines.size(); ++l) rules(static_cast<Id>(l));
    acknowledgements();
    for (const step::Invariant& i : program_.invariants)
      line("\ninvariant \"{}, line {}\" {};", i.name, i.span.line, condition(i.e, "o"));
    return std::move(text_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  [[nodiscard]] bool objects() const { return pool > 0; }
  [[nodiscard]] bool several_types() const { return program_.types.size() > 1; }

  void head() {
    line("-- {} [{}], CPUs on each `any` line: {}. Written by `faultline export` from {}.", program_.model,
         program_.variant, options_.cpus, options_.source.empty() ? "a model" : options_.source);
    line("--");
    line("-- Each rule is one step of the model, named by its source line and what is looked at. To run it:");
    line("--   {}", run_murphi);
    line("-- Deadlock detection is off because a deadlock there is not one here.");
    line("const");
    line("  CPUS: {};", cpus);
    if (objects()) line("  POOL: {};", pool);
    for (std::size_t g = 0; g < values.size(); ++g)
      for (std::size_t v = 0; v < values[g].size(); ++v) line("  {}: {};", values[g][v], v);
    line("\ntype");
    line("  cpu: {};", lines.size() == 1 ? "scalarset(CPUS)" : "0 .. CPUS - 1");
    if (objects()) line("  object: 0 .. POOL;  -- 0 is NULL");
    std::string all;
    for (const std::string& p : positions) all += (all.empty() ? "" : ", ") + p;
    line("  position: enum {{ {} }};", all);
  }

  void variables() {
    line("\nvar");
    line("  at: array [cpu] of position;");
    for (std::size_t g = 0; g < globals.size(); ++g) line("  {}: 0 .. {};", globals[g], program_.globals[g].max);
    for (const std::string& p : places) line("  {}: object;", p);
    if (objects())
      for (const std::string& b : bits) line("  {}: array [object] of boolean;", b);
    if (objects() && several_types()) line("  kind: array [object] of 0 .. {};", program_.types.size() - 1);
    for (std::size_t l = 0; l < locals.size(); ++l)
      line("  {}: array [cpu] of 0 .. {};", locals[l], program_.locals[l].max);
    for (const std::string& h : handles) line("  {}: array [cpu] of object;", h);
    for (const std::string& a : awaits) line("  {}: array [cpu] of array [cpu] of boolean;", a);
  }

  void functions() {
    if (objects()) {
      std::string shared, own;
      for (const std::string& p : places) shared += fmt::format("{}{} = n", shared.empty() ? "" : " | ", p);
      for (const std::string& h : handles) own += fmt::format("{}{}[c] = n", own.empty() ? "" : " | ", h);
      if (!own.empty()) shared += fmt::format("{}(exists c: cpu do {} end)", shared.empty() ? "" : " | ", own);
      line("\nfunction named(n: object): boolean; begin return {}; end;", shared);
      line("\nfunction lowest_free(n: object): boolean;");
      line("begin return !named(n) & (forall m: object do m = 0 | m >= n | named(m) end); end;");
      line("\nprocedure forget_one(n: object);");
      line("begin");
      line("  if n != 0 & !named(n) then");
      for (const std::string& b : bits) line("    {}[n] := false;", b);
      if (several_types()) line("    kind[n] := 0;");
      line("  end;");
      line("end;");
      line("\nprocedure forget(); begin for n: object do forget_one(n); end; end;");
    }
    for (std::size_t s = 0; s < pc_sets.size(); ++s) {
      if (!pc_set_used[s]) continue;
      std::string all;
      for (std::size_t pc = 0; pc < positions.size(); ++pc)
        if (program_.pc_sets[s][pc]) all += fmt::format("{}p = {}", all.empty() ? "" : " | ", positions[pc]);
      line("\nfunction {}(p: position): boolean; begin return {}; end;", pc_sets[s], all.empty() ? "false" : all);
    }
  }

  void start() {
    line("\nstartstate");
    line("begin");
    for (std::size_t g = 0; g < globals.size(); ++g)
      line("  {} := {};", globals[g], value(static_cast<Id>(g), program_.globals[g].init));
    for (const std::string& p : places) line("  {} := 0;", p);
    if (objects()) {
      line("  for n: object do");
      for (const std::string& b : bits) line("    {}[n] := false;", b);
      if (several_types()) line("    kind[n] := 0;");
      line("  end;");
    }
    line("  for c: cpu do");
    for (const std::string& l : locals) line("    {}[c] := 0;", l);
    for (const std::string& h : handles) line("    {}[c] := 0;", h);
    for (const std::string& a : awaits) line("    for o: cpu do {}[c][o] := false; end;", a);
    line("  end;");
    for (std::size_t l = 0; l < lines.size(); ++l)
      if (lines[l].count > 0) line("  for c: {} do at[c] := {}; end;", range(l), positions[program_.lines[l].idle]);
    line("end;");
  }

  // CPUs of one line are a scalarset, which Rumur can reduce, where there is only one line.
  [[nodiscard]] std::string range(std::size_t l) const {
    if (lines.size() == 1) return "cpu";
    return fmt::format("{} .. {}", lines[l].first, lines[l].first + lines[l].count - 1);
  }

  void rules(Id l) {
    if (lines[l].count == 0) return;
    line("\n-- {}", lines[l].name);
    line("ruleset me: {} do", range(l));
    for (const Command& c : program_.commands)
      if (program_.locations[c.from].line == l) rule(c);
    line("end;");
  }

  static std::string safe(std::string text) {
    for (char& c : text) {
      if (c == '"' || c == '\\') c = '\'';
      if (c == '\n') c = ' ';
    }
    return text;
  }

  void rule(const Command& c) {
    std::string guard = fmt::format("at[me] = {}", positions[c.from]), body;
    const Op* fresh = nullptr;
    bool late = false;  // what may be allocated has changed since the guard
    for (const Op& op : c.ops) {
      if (op.code == OpCode::assume) {
        guard += " & " + condition(op.e, "o");
      } else if (op.code == OpCode::none) {
        guard += fmt::format(" & !(exists o: cpu do o != me & {} end)", condition(op.e, "o"));
      } else if (op.code == OpCode::some) {
        guard += fmt::format(" & (exists o: cpu do o != me & {} end)", condition(op.e, "o"));
      } else if (op.code == OpCode::fresh) {
        if (fresh != nullptr) throw std::domain_error(fmt::format("the step at line {} allocates twice", c.span.line));
        if (late) throw std::domain_error(fmt::format("the step at line {} allocates late", c.span.line));
        fresh = &op;
        body += allocation(op);
      } else {
        body += keep(c, op) + effect(op);
      }
      late = late || changes_names(op) || op.code == OpCode::set_object_bit;
    }
    if (c.violation) {
      body = c.violation->kind == step::Kind::bound
                 ? ""
                 : fmt::format("error \"{}: {}\"; ", step::to_string(c.violation->kind), safe(c.violation->message));
      fresh = nullptr;  // whatever it gets
    } else {
      body += forget(c);
      if (c.from != c.to) body += fmt::format("at[me] := {}; ", positions[c.to]);
    }
    const std::string text =
        fmt::format("rule \"{}\" {} ==> {}begin {}end;", safe(remark(c)), guard, own(replaces(c)), body);
    if (fresh == nullptr) return line("  {}", text);
    const Id type = program_.handles[fresh->a].type;
    std::string may = "lowest_free(pick)";
    if (program_.has_alloc_reuse)
      may = fmt::format("({} | ({}[pick]{} & named(pick)))", may, bits[0],
                        several_types() ? fmt::format(" & kind[pick] = {}", type) : "");
    line("  ruleset pick: 1 .. POOL do rule \"{}\" {} & {} ==> begin {}end; end;", safe(remark(c)), guard, may, body);
  }

  // The declaration of the first n variables for replaced objects.
  [[nodiscard]] std::string own(std::size_t n) const {
    return n == 0 ? ""
                  : fmt::format("var {}: object; ",
                                fmt::join(olds.begin(), olds.begin() + static_cast<std::ptrdiff_t>(n), ", "));
  }

  [[nodiscard]] std::string allocation(const Op& op) const {
    std::string text;
    for (const std::string& b : bits) text += fmt::format("{}[pick] := false; ", b);
    if (several_types()) text += fmt::format("kind[pick] := {}; ", program_.handles[op.a].type);
    return text + fmt::format("{} := pick; ", mine(handles[op.a]));
  }

  [[nodiscard]] std::string effect(const Op& op) const {
    switch (op.code) {
      case OpCode::set_object_bit:
        return fmt::format("if {0} != 0 then {1}[{0}] := {2}; end; ", mine(handles[op.a]), bits[op.b],
                           op.value != 0 ? "true" : "false");
      case OpCode::others_set_local: return others(op, fmt::format("{}[o] := {}", locals[op.a], op.value));
      case OpCode::others_clear_handle: return others(op, fmt::format("{}[o] := 0", handles[op.a]));
      case OpCode::await_others: return others(op, fmt::format("{}[o] := true", mine(awaits[op.a])));
      default: return assignment(op);
    }
  }

  [[nodiscard]] std::string others(const Op& op, const std::string& then) const {
    return fmt::format("for o: cpu do if o != me & {} then {}; end; end; ", condition(op.e, "o"), then);
  }

  void acknowledgements() {
    if (awaits.empty()) return;
    for (std::size_t k = 0; k < awaits.size(); ++k) {
      std::string cannot;
      for (std::size_t pc = 0; pc < positions.size(); ++pc)
        if (!program_.locations[pc].can_acknowledge(k)) cannot += fmt::format(" & at[me] != {}", positions[pc]);
      const auto& clears = program_.awaits[k].clears_handles;
      std::string clear, forget;
      for (std::size_t i = 0; i < clears.size(); ++i) {
        clear += fmt::format("{0} := {1}; {1} := 0; ", olds[i], mine(handles[clears[i]]));
        forget += fmt::format("forget_one({}); ", olds[i]);
      }
      for (const Id l : program_.awaits[k].clears_locals) clear += fmt::format("{} := 0; ", mine(locals[l]));
      line("\nruleset me: cpu; c: cpu do");
      line("  rule \"acknowledge {}\" {}[c][me]{} ==> {}begin {}{}[c][me] := false; {}end;", program_.awaits[k].name,
           awaits[k], cannot, own(clears.size()), clear, awaits[k], forget);
      line("end;");
    }
  }

  [[nodiscard]] std::string in_pc_set(Id set, const std::string& cpu) const override {
    return fmt::format("{}(at[{}])", pc_sets[set], cpu);
  }
  [[nodiscard]] std::string awaits_other(Id kind, const std::string& other) const override {
    return at(mine(awaits[kind]), other);
  }
  [[nodiscard]] std::string any_cpu(step::ExprId e) const override {
    return fmt::format("(exists o: cpu do {} end)", condition(e, "o"));
  }
  [[nodiscard]] std::string choose(const std::string& c, const std::string& yes, const std::string& no) const override {
    return fmt::format("({} ? {} : {})", c, yes, no);
  }

  const step::Program& program_;
  const ExportOptions& options_;
  std::string text_;
};

}  // namespace

std::string to_murphi(const step::Program& program, const ExportOptions& options) {
  const step::Program ready = exported_form(program);
  return Writer(ready, options).run();
}

}  // namespace faultline::codegen
