// Promela for Spin. A CPU is a process, a position a label, a command a d_step behind its guard. Where a command
// allocates, an `atomic` picks the object first. Objects are numbers of a pool; what nobody names is forgotten at once.
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

constexpr Dialect promela = {"==", "!=", "&&", "||", "=", "_pid", true};
const std::set<std::string> reserved = {
    "active",  "assert", "atomic",     "bit",       "bool",     "break",    "byte",   "chan",  "d_step", "d_proctype",
    "do",      "else",   "empty",      "enabled",   "eval",     "false",    "fi",     "for",   "full",   "goto",
    "hidden",  "if",     "in",         "init",      "inline",   "int",      "kind",   "len",   "local",  "ltl",
    "mtype",   "named",  "nempty",     "never",     "nfull",    "np_",      "od",     "of",    "pick",   "pid",
    "printf",  "print",  "priority",   "proctype",  "provided", "run",      "select", "short", "show",   "skip",
    "timeout", "true",   "type",       "typedef",   "unless",   "unsigned", "xr",     "xs",    "forget", "CPUS",
    "POOL",    "NAMED",  "INVARIANTS", "forget_one"};

class Writer : private Names {
 public:
  Writer(const step::Program& program, const ExportOptions& options)
      : Names(program, options.cpus, promela, reserved), program_(program), options_(options) {}

  std::string run() {
    head();
    variables();
    macros();
    for (std::size_t l = 0; l < program_.lines.size(); ++l) process(static_cast<Id>(l));
    return std::move(text_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  void head() {
    line("/* {} [{}], CPUs on each `any` line: {}. Written by `faultline export` from {}.", program_.model,
         program_.variant, options_.cpus, options_.source.empty() ? "a model" : options_.source);
    line(" *");
    line(" * Each option is one step of the model; its source line and what is looked at stand above it. To run it:");
    line(" *   {}", run_promela);
    line(" * -o2, -DNOREDUCE and -c0 count every state, with what is only written; -E because a deadlock there is not");
    line(" * one here. */");
    line("#define CPUS {}", cpus);
    if (objects()) line("#define POOL {}", pool);
    for (std::size_t g = 0; g < values.size(); ++g)
      for (std::size_t v = 0; v < values[g].size(); ++v) line("#define {} {}", values[g][v], v);
  }

  [[nodiscard]] bool objects() const { return !handles.empty() || !places.empty(); }
  [[nodiscard]] static const char* type_of(std::uint32_t max) { return max <= 1 ? "bit" : "byte"; }

  void variables() {
    for (std::size_t s = 0; s < pc_sets.size(); ++s)
      for (const step::Line& l : program_.lines)
        if (pc_set_used[s] && program_.pc_sets[s][l.idle])
          throw std::domain_error("an idle CPU is in a set of positions");
    line("");
    for (std::size_t g = 0; g < globals.size(); ++g)
      line("{} {} = {};", type_of(program_.globals[g].max), globals[g],
           value(static_cast<Id>(g), program_.globals[g].init));
    for (const std::string& p : places) line("byte {};", p);
    if (objects()) {
      for (const std::string& b : bits) line("bool {}[POOL + 1];", b);
      if (program_.types.size() > 1) line("byte kind[POOL + 1];");
    }
    for (std::size_t l = 0; l < locals.size(); ++l) line("{} {}[CPUS];", type_of(program_.locals[l].max), locals[l]);
    for (const std::string& h : handles) line("byte {}[CPUS];", h);
    for (const std::string& a : awaits) line("int {}[CPUS];  /* bit j: waits for CPU j */", a);
    for (std::size_t s = 0; s < pc_sets.size(); ++s)
      if (pc_set_used[s]) line("bool {}[CPUS];  /* follows the position */", pc_sets[s]);
    if (fresh()) line("hidden byte pick;");
    for (const std::string& old : olds) line("hidden byte {};", old);
  }

  [[nodiscard]] bool fresh() const {
    for (const Command& c : program_.commands)
      if (std::any_of(c.ops.begin(), c.ops.end(), [](const Op& op) { return op.code == OpCode::fresh; })) return true;
    return false;
  }

  void macros() {
    line("");
    if (objects()) {
      std::string all;
      for (const std::string& p : places) all += fmt::format("{}{} == (n)", all.empty() ? "" : " || ", p);
      for (const std::string& h : handles)
        for (std::uint32_t i = 0; i < cpus; ++i) all += fmt::format("{}{}[{}] == (n)", all.empty() ? "" : " || ", h, i);
      line("#define NAMED(n) ({})", all);
      const auto clear = [&](const std::string& n) {
        std::string text;
        for (const std::string& b : bits) text += fmt::format("{}[{}] = false; ", b, n);
        if (program_.types.size() > 1) text += fmt::format("kind[{}] = 0; ", n);
        return text;
      };
      line("inline forget_one(n) {{\n  if :: n != 0 && !NAMED(n) -> {}:: else fi;\n}}", clear("n"));
      line("inline forget() {{");
      for (std::uint32_t n = 1; n <= pool; ++n)
        line("  if :: !NAMED({}) -> {}:: else fi;", n, clear(fmt::format("{}", n)));
      line("}}");
    }
    if (!program_.invariants.empty()) {
      line("inline INVARIANTS() {{");
      for (const step::Invariant& i : program_.invariants)
        line("  assert({});  /* {}, line {} */", condition(i.e, "0"), i.name, i.span.line);
      line("}}");
    }
    if (!awaits.empty()) acknowledge_macro();
  }

  void acknowledge_macro() {
    for (std::size_t k = 0; k < awaits.size(); ++k) {
      text_ += fmt::format("#define ACKNOWLEDGE_{}(back)", awaits[k]);
      std::string clear, forget;
      for (std::size_t i = 0; i < program_.awaits[k].clears_handles.size(); ++i) {
        clear += fmt::format("{0} = {1}; {1} = 0; ", olds[i], mine(handles[program_.awaits[k].clears_handles[i]]));
        forget += fmt::format("forget_one({}); ", olds[i]);
      }
      for (const Id l : program_.awaits[k].clears_locals) clear += fmt::format("{} = 0; ", mine(locals[l]));
      for (std::uint32_t sender = 0; sender < cpus; ++sender)
        text_ += fmt::format(
            " \\\n  :: d_step {{ (({0}[{1}] >> _pid) & 1) -> {2}{0}[{1}] = {0}[{1}] - (1 << _pid); {3}{4}}} goto back",
            awaits[k], sender, clear, forget, invariants());
      text_ += "\n";
    }
  }

  [[nodiscard]] std::string invariants() const { return program_.invariants.empty() ? "" : "INVARIANTS(); "; }

  void process(Id l) {
    if (lines[l].count == 0) return;
    line("");
    line("active [{}] proctype {}() {{", lines[l].count, lines[l].name);
    position(program_.lines[l].idle);
    for (std::size_t pc = 0; pc < program_.locations.size(); ++pc)
      if (program_.locations[pc].line == l && pc != program_.lines[l].idle) position(static_cast<Id>(pc));
    line("}}");
  }

  void position(Id pc) {
    const std::uint32_t first = program_.first[pc], last = program_.first[std::size_t{pc} + 1];
    std::vector<std::string> acknowledged;
    for (std::size_t k = 0; k < awaits.size(); ++k)
      if (program_.locations[pc].can_acknowledge(k)) acknowledged.push_back(awaits[k]);
    line("{}:", positions[pc]);
    if (first == last && acknowledged.empty()) return line("  false;");
    line("  if");
    for (std::uint32_t c = first; c < last; ++c) command(program_.commands[c]);
    for (const std::string& kind : acknowledged) line("  ACKNOWLEDGE_{}({})", kind, positions[pc]);
    line("  fi;");
  }

  void command(const Command& c) {
    line("  /* {} */", safe(remark(c)));
    std::string guard;
    std::vector<Op> effects;
    for (const Op& op : c.ops) {
      const std::string g = guard_of(op);
      if (!g.empty()) guard += (guard.empty() ? "" : " && ") + g;
      if (g.empty()) effects.push_back(op);
    }
    if (guard.empty()) guard = "true";
    if (c.violation) {
      const bool is_bound = c.violation->kind == step::Kind::bound;
      line("  :: d_step {{ {} -> assert({}) }} goto {}  /* {} */", guard, is_bound ? "true" : "false",
           positions[c.from], safe(fmt::format("{}: {}", step::to_string(c.violation->kind), c.violation->message)));
      return;
    }
    const auto allocates =
        std::find_if(effects.begin(), effects.end(), [](const Op& op) { return op.code == OpCode::fresh; });
    if (allocates == effects.end()) {
      std::string body;
      for (const Op& op : c.ops)
        if (!step::is_guard(op.code)) body += keep(c, op) + effect(op);
      line("  :: d_step {{ {} -> {}}} goto {}", guard, body + end(c), positions[c.to]);
      return;
    }
    std::string body;
    auto from = effects.begin();
    for (auto at = allocates; at != effects.end();
         at = std::find_if(at + 1, effects.end(), [](const Op& op) { return op.code == OpCode::fresh; })) {
      body += effects_text(from, at) + allocation(*at);
      from = at + 1;
    }
    line("  :: atomic {{ {} -> {}{}}} goto {}", guard, body, effects_text(from, effects.end()) + end(c),
         positions[c.to]);
  }

  static std::string safe(std::string text) {
    for (std::size_t at = 0; (at = text.find("*/", at)) != std::string::npos;) text.replace(at, 2, "* /");
    for (std::size_t at = 0; (at = text.find("/*", at)) != std::string::npos;) text.replace(at, 2, "/ *");
    for (char& c : text)
      if (c == '\n') c = ' ';
    return text;
  }

  // Empty for an effect.
  [[nodiscard]] std::string guard_of(const Op& op) const {
    if (op.code == OpCode::assume) return condition(op.e, "_pid");
    if (op.code != OpCode::none && op.code != OpCode::some) return "";
    std::string text;
    for (std::uint32_t j = 0; j < cpus; ++j) {
      const std::string c = condition(op.e, fmt::format("{}", j));
      text += text.empty() ? "" : op.code == OpCode::none ? " && " : " || ";
      text += op.code == OpCode::none ? fmt::format("(_pid == {} || !({}))", j, c)
                                      : fmt::format("(_pid != {} && {})", j, c);
    }
    return "(" + text + ")";
  }

  template <class It>
  [[nodiscard]] std::string effects_text(It from, It to) const {
    std::string text;
    for (; from != to; ++from) text += effect(*from);
    return text;
  }

  [[nodiscard]] std::string effect(const Op& op) const {
    switch (op.code) {
      case OpCode::set_object_bit: {
        const std::string to = at(bits[op.b], mine(handles[op.a]));
        return fmt::format("if :: {} != 0 -> {} = {} :: else fi; ", mine(handles[op.a]), to,
                           op.value != 0 ? "true" : "false");
      }
      case OpCode::others_set_local: return others(op, fmt::format("{}[$] = {}", locals[op.a], op.value));
      case OpCode::others_clear_handle: return others(op, fmt::format("{}[$] = 0", handles[op.a]));
      case OpCode::await_others: return others(op, fmt::format("{0} = {0} | (1 << $)", mine(awaits[op.a])));
      default: return assignment(op);
    }
  }

  [[nodiscard]] std::string others(const Op& op, const std::string& then) const {
    std::string text;
    for (std::uint32_t j = 0; j < cpus; ++j) {
      std::string each = then;
      each.replace(each.find('$'), 1, fmt::format("{}", j));
      text += fmt::format("if :: _pid != {} && {} -> {} :: else fi; ", j, condition(op.e, fmt::format("{}", j)), each);
    }
    return text;
  }

  // The lowest name that is free, or the address of a freed object of the type that is still named.
  [[nodiscard]] std::string allocation(const Op& op) const {
    const Id type = program_.handles[op.a].type;
    std::string text = "if ";
    if (program_.has_alloc_reuse) {
      for (std::uint32_t n = 1; n <= pool; ++n) {
        const std::string same = program_.types.size() > 1 ? fmt::format(" && kind[{}] == {}", n, type) : "";
        text += fmt::format(":: {}[{}]{} && NAMED({}) -> pick = {} ", bits[0], n, same, n, n);
      }
    }
    text += ":: true -> pick = 1; do :: NAMED(pick) -> pick++ :: else -> break od fi; ";
    for (const std::string& b : bits) text += fmt::format("{}[pick] = false; ", b);
    if (program_.types.size() > 1) text += fmt::format("kind[pick] = {}; ", type);
    return text + fmt::format("{} = pick; ", mine(handles[op.a]));
  }

  // What the position is to others, what is forgotten, what must hold.
  [[nodiscard]] std::string end(const Command& c) const {
    std::string text;
    for (std::size_t s = 0; s < pc_sets.size(); ++s) {
      if (!pc_set_used[s] || program_.pc_sets[s][c.from] == program_.pc_sets[s][c.to]) continue;
      text += fmt::format("{} = {}; ", mine(pc_sets[s]), program_.pc_sets[s][c.to] ? "true" : "false");
    }
    text += forget(c);
    text += invariants();
    const bool no_effect =
        std::all_of(c.ops.begin(), c.ops.end(), [](const Op& op) { return step::is_guard(op.code); });
    return text.empty() && no_effect ? "skip; " : text;
  }

  [[nodiscard]] std::string in_pc_set(Id set, const std::string& cpu) const override { return at(pc_sets[set], cpu); }
  [[nodiscard]] std::string awaits_other(Id kind, const std::string& other) const override {
    return fmt::format("(({} >> {}) & 1)", mine(awaits[kind]), other);
  }
  [[nodiscard]] std::string any_cpu(step::ExprId e) const override {
    std::string text;
    for (std::uint32_t j = 0; j < cpus; ++j) text += (j == 0 ? "" : " || ") + condition(e, fmt::format("{}", j));
    return "(" + text + ")";
  }
  [[nodiscard]] std::string choose(const std::string& c, const std::string& yes, const std::string& no) const override {
    return fmt::format("({} -> {} : {})", c, yes, no);
  }

  const step::Program& program_;
  const ExportOptions& options_;
  std::string text_;
};

}  // namespace

std::string to_promela(const step::Program& program, const ExportOptions& options) {
  const step::Program ready = exported_form(program);
  return Writer(ready, options).run();
}

}  // namespace faultline::codegen
