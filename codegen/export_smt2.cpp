// SMT-LIB 2 for Z3 and other solvers: a bounded search. A state is one bit vector, read through functions with the
// names of the model; a command is a function of two states for each CPU of its line; states s0, s1, .. are linked by
// steps, and the last one is asked to be a violation. Waiting is allowed at the start only, so that `sat` means "within
// so many steps". Objects are numbers of a pool; what nobody names is forgotten behind each step.
#include <algorithm>

#include "codegen/export.hpp"
#include "codegen/smt2_terms.hpp"
#include "fmt/format.h"

namespace faultline::codegen {
namespace {

using step::Command;
using step::Id;
using step::Op;
using step::OpCode;

class Writer : private Smt2Terms {
 public:
  Writer(const step::Program& program, const ExportOptions& options)
      : Smt2Terms(program, options.cpus), program_(program), options_(options) {
    const auto fresh = [](const Op& op) { return op.code == OpCode::fresh; };
    for (const Command& c : program_.commands)
      picks_ = std::max(picks_, std::count_if(c.ops.begin(), c.ops.end(), fresh));
  }

  std::string run() {
    head();
    reading();
    if (pool > 0) names();
    init();
    for (std::uint32_t me = 0; me < cpus; ++me) {
      line("\n; CPU {} of {}", me, lines[line_of[me]].name);
      for (const Command& c : program_.commands)
        if (program_.locations[c.from].line == line_of[me]) command(c, me);
      acknowledgements(me);
    }
    whole();
    unroll();
    return std::move(text_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  void head() {
    line("; {} [{}], CPUs on each `any` line: {}. Written by `faultline export` from {}.", program_.model,
         program_.variant, options_.cpus, options_.source.empty() ? "a model" : options_.source);
    line(";");
    line("; sat: a violation is at most {} steps away from the start. unsat: it is not. To ask:", options_.depth);
    line(";   {}", run_smt2);
    line("; A step is a command of one CPU; its source line and what is looked at stand above it. What is not asked:");
    line("; deadlock and progress. (QF_FD is Z3's word for finite domains; other solvers know it as QF_BV.)");
    line("(set-logic QF_FD)");
    line("(define-sort State () (_ BitVec {}))", layout.width());
    if (pool > 0) line("(define-sort Name () (_ BitVec {}))  ; of an object; 0 is NULL", width_for(pool));
  }

  // --- functions that read a state ---

  void reading() {
    line("\n; what a state holds");
    for (const Smt2Layout::Field& f : layout.fields())
      line("(define-fun {} ((s State)) (_ BitVec {}) ((_ extract {} {}) s))", f.name, f.width, f.at + f.width - 1,
           f.at);
    line("\n; values and positions");
    for (std::size_t g = 0; g < values.size(); ++g)
      for (std::size_t v = 0; v < values[g].size(); ++v) {
        const std::uint32_t width = layout.fields()[global_fields[g]].width;
        line("(define-fun {} () (_ BitVec {}) {})", values[g][v], width, bits_of(v, width));
      }
    const std::uint32_t width = width_for(positions.size() - 1);
    for (std::size_t pc = 0; pc < positions.size(); ++pc)
      line("(define-fun {} () (_ BitVec {}) {})", positions[pc], width, bits_of(pc, width));
    const Smt2Change s(layout);
    for (std::size_t set = 0; set < pc_sets.size(); ++set) {
      if (!pc_set_used[set]) continue;
      for (std::uint32_t c = 0; c < cpus; ++c) {
        std::vector<std::string> some;
        for (std::size_t pc = 0; pc < positions.size(); ++pc)
          if (program_.pc_sets[set][pc] && program_.locations[pc].line == line_of[c])
            some.push_back(is(s, position_fields[c], positions[pc]));
        line("(define-fun {} ((s State)) Bool {})", in_set_name(set, c), smt_or(std::move(some)));
      }
    }
  }
  // What is named, what an allocation may return, and what remains of a state when the rest is forgotten.
  void names() {
    const Smt2Change s(layout);
    line("\n; objects");
    std::vector<std::string> known;  // of all names below n
    for (std::uint32_t n = 1; n <= pool; ++n) {
      std::vector<std::string> by;
      for (const Field f : place_fields) by.push_back(is(s, f, object(n)));
      for (const auto& each : handle_fields)
        for (const Field f : each) by.push_back(is(s, f, object(n)));
      line("(define-fun named.{} ((s State)) Bool {})", n, smt_or(std::move(by)));
    }
    for (std::size_t b = 0; b < bits.size(); ++b) {
      std::vector<std::string> some;
      for (std::uint32_t n = 1; n <= pool; ++n)
        some.push_back(smt_and({fmt::format("(= n {})", object(n)), is_set(s, bit_fields[n - 1][b])}));
      line("(define-fun is.{} ((s State) (n Name)) Bool {})", bits[b], smt_or(std::move(some)));
    }
    for (std::size_t type = 0; picks_ > 0 && type < program_.types.size(); ++type) {
      std::vector<std::string> some;
      std::string below = "true";
      for (std::uint32_t n = 1; n <= pool; ++n) {
        const std::string named = fmt::format("(named.{} s)", n);
        std::vector<std::string> freed = {named, is_set(s, bit_fields[n - 1][0])};
        if (several_types())
          freed.push_back(is(s, kind_fields[n - 1], bits_of(type, width_for(program_.types.size() - 1))));
        const std::string again = program_.has_alloc_reuse ? smt_and(std::move(freed)) : "false";
        some.push_back(
            smt_and({fmt::format("(= n {})", object(n)), smt_or({smt_and({smt_not(named), below}), again})}));
        below = smt_and({below, named});
      }
      line("(define-fun may_get.{} ((s State) (n Name)) Bool {})", type, smt_or(std::move(some)));
    }
    Smt2Change rest(layout);
    for (std::uint32_t n = 1; n <= pool; ++n) {
      const auto keep = [&](Field f) {
        rest.set(f, fmt::format("(ite (named.{} s) {} {})", n, s.get(f), bits_of(0, layout.fields()[f].width)));
      };
      for (const Field f : bit_fields[n - 1]) keep(f);
      if (several_types()) keep(kind_fields[n - 1]);
    }
    line("(define-fun forget ((s State)) State {})", rest.text());
  }

  void init() {
    std::vector<std::string> all;
    const Smt2Change s(layout);
    for (Field f = 0; f < layout.fields().size(); ++f) {
      const auto cpu = static_cast<std::uint32_t>(std::find(position_fields.begin(), position_fields.end(), f) -
                                                  position_fields.begin());
      if (f < globals.size())
        all.push_back(is(s, f, constant(f, program_.globals[f].init)));
      else
        all.push_back(is(s, f, cpu < cpus ? positions[program_.lines[line_of[cpu]].idle] : constant(f, 0)));
    }
    line("\n(define-fun Init ((s State)) Bool {})", smt_and(std::move(all)));
  }

  // --- steps ---

  [[nodiscard]] std::string guard(const Smt2Change& s, const Op& op, std::uint32_t me) const {
    if (op.code == OpCode::assume) return condition(s, op.e, me, me);
    std::vector<std::string> each;
    for (std::uint32_t c = 0; c < cpus; ++c)
      if (c != me) each.push_back(condition(s, op.e, me, c));
    const std::string some = smt_or(std::move(each));
    return op.code == OpCode::none ? smt_not(some) : some;
  }

  void effect(Smt2Change& s, const Op& op, std::uint32_t me) const {
    const auto set_if = [&](const std::string& c, Field f, const std::string& to) {
      if (c != "false") s.set(f, c == "true" ? to : fmt::format("(ite {} {} {})", c, to, s.get(f)));
    };
    switch (op.code) {
      case OpCode::set_global: s.set(global_fields[op.a], value_for(s, global_fields[op.a], op.e, me)); break;
      case OpCode::set_local: s.set(local_fields[op.a][me], value_for(s, local_fields[op.a][me], op.e, me)); break;
      case OpCode::clear_handle: s.set(handle_fields[op.a][me], object(0)); break;
      case OpCode::handle_from_place: s.set(handle_fields[op.a][me], s.get(place_fields[op.b])); break;
      case OpCode::handle_from_handle: s.set(handle_fields[op.a][me], s.get(handle_fields[op.b][me])); break;
      case OpCode::clear_place: s.set(place_fields[op.a], object(0)); break;
      case OpCode::place_from_handle: s.set(place_fields[op.a], s.get(handle_fields[op.b][me])); break;
      case OpCode::set_object_bit:
        for (std::uint32_t n = 1; n <= pool; ++n)
          set_if(is(s, handle_fields[op.a][me], object(n)), bit_fields[n - 1][op.b], bits_of(op.value != 0 ? 1 : 0, 1));
        break;
      case OpCode::others_set_local:
      case OpCode::others_clear_handle:
      case OpCode::await_others:
        for (std::uint32_t c = 0; c < cpus; ++c) {
          if (c == me) continue;
          const std::string who = condition(s, op.e, me, c);
          if (op.code == OpCode::others_set_local)
            set_if(who, local_fields[op.a][c], constant(local_fields[op.a][c], op.value));
          if (op.code == OpCode::others_clear_handle) set_if(who, handle_fields[op.a][c], object(0));
          if (op.code == OpCode::await_others) set_if(who, await_fields[op.a][me][c], bits_of(1, 1));
        }
        break;
      default: break;
    }
  }

  // Picks are parameters of every step; a step looks at those that it needs.
  [[nodiscard]] std::string pick_parameters() const {
    std::string text;
    for (std::ptrdiff_t n = 0; n < picks_; ++n) text += fmt::format(" (pick.{} Name)", n);
    return text;
  }

  void command(const Command& c, std::uint32_t me) {
    if (c.violation && c.violation->kind == step::Kind::bound) return;
    line("; {}", comment(remark(c)));
    if (c.violation) line(";   {}: {}", step::to_string(c.violation->kind), comment(c.violation->message));
    Smt2Change s(layout);
    std::vector<std::string> all = {is(s, position_fields[me], positions[c.from])};
    std::string before, behind;  // what encloses the rest
    std::ptrdiff_t pick = 0;
    for (const Op& op : c.ops) {
      if (step::is_guard(op.code)) {
        all.push_back(guard(s, op, me));
      } else if (!c.violation && op.code == OpCode::fresh) {
        if (s.changed()) {  // what may be had depends on the state so far
          before += fmt::format("(and {} (let ((s {})) ", smt_and(std::move(all)), s.text());
          behind += "))";
          all.clear();
          s = Smt2Change(layout);
        }
        allocate(s, op, me, pick++, all);
      } else if (!c.violation) {
        effect(s, op, me);
      }
    }
    const std::string name = unique(fmt::format("step_{}_{}", c.span.line, me));
    if (c.violation) {
      violations_.push_back(fmt::format("({} s)", name));
      return line("(define-fun {} ((s State)) Bool {})", name, smt_and(std::move(all)));
    }
    if (c.to != c.from) s.set(position_fields[me], positions[c.to]);
    all.push_back(fmt::format("(= t {})", s.text()));
    steps_.push_back(name);
    line("(define-fun {} ((s State) (t State){}) Bool {}{}{})", name, pick_parameters(), before,
         smt_and(std::move(all)), behind);
  }

  void allocate(Smt2Change& s, const Op& op, std::uint32_t me, std::ptrdiff_t pick, std::vector<std::string>& all) {
    const Id type = program_.handles[op.a].type;
    const std::string name = fmt::format("pick.{}", pick);
    all.push_back(fmt::format("(may_get.{} s {})", type, name));
    for (std::uint32_t n = 1; n <= pool; ++n) {
      const auto become = [&](Field f, const std::string& to) {
        s.set(f, fmt::format("(ite (= {} {}) {} {})", name, object(n), to, s.get(f)));
      };
      for (const Field f : bit_fields[n - 1]) become(f, bits_of(0, 1));
      if (several_types()) become(kind_fields[n - 1], bits_of(type, layout.fields()[kind_fields[n - 1]].width));
    }
    s.set(handle_fields[op.a][me], name);
  }

  void acknowledgements(std::uint32_t me) {
    for (std::size_t kind = 0; kind < awaits.size(); ++kind) {
      std::vector<std::string> can;
      for (std::size_t pc = 0; pc < positions.size(); ++pc)
        if (program_.locations[pc].line == line_of[me] && !program_.locations[pc].can_acknowledge(kind))
          can.push_back(smt_not(is(Smt2Change(layout), position_fields[me], positions[pc])));
      for (std::uint32_t sender = 0; sender < cpus; ++sender) {
        if (sender == me) continue;
        Smt2Change s(layout);
        std::vector<std::string> all = can;
        all.push_back(is_set(s, await_fields[kind][sender][me]));
        for (const Id h : program_.awaits[kind].clears_handles) s.set(handle_fields[h][me], object(0));
        for (const Id l : program_.awaits[kind].clears_locals)
          s.set(local_fields[l][me], constant(local_fields[l][me], 0));
        s.set(await_fields[kind][sender][me], bits_of(0, 1));
        all.push_back(fmt::format("(= t {})", s.text()));
        steps_.push_back(unique(fmt::format("acknowledge_{}_{}_{}", awaits[kind], sender, me)));
        line("; CPU {} acknowledges {} of CPU {}", me, comment(program_.awaits[kind].name), sender);
        line("(define-fun {} ((s State) (t State){}) Bool {})", steps_.back(), pick_parameters(),
             smt_and(std::move(all)));
      }
    }
  }

  // --- the whole ---

  void whole() {
    std::string picked;
    for (std::ptrdiff_t n = 0; n < picks_; ++n) picked += fmt::format(" pick.{}", n);
    std::vector<std::string> some;
    for (const std::string& name : steps_) some.push_back(fmt::format("({} s t{})", name, picked));
    line("\n(define-fun Step ((s State) (t State){}) Bool\n  {})", pick_parameters(), smt_or(std::move(some)));
    line("(define-fun Violates ((s State)) Bool {})", smt_or(violations_));
    std::vector<std::string> broken;
    for (const step::Invariant& i : program_.invariants) {
      line("; {}: invariant {}", i.span.line, comment(i.name));
      broken.push_back(smt_not(condition(Smt2Change(layout), i.e, 0, 0)));
    }
    line("(define-fun Broken ((s State)) Bool {})", smt_or(std::move(broken)));
  }

  // s0 is as at the start; r3 is what a step of s2 leads to, and s3 what remains of it; wait3: no step yet.
  void unroll() {
    line("\n(declare-const s0 State)\n(assert (Init s0))");
    for (std::uint32_t n = 1; n <= options_.depth; ++n) {
      std::string picked;
      for (std::ptrdiff_t p = 0; p < picks_; ++p) {
        picked += fmt::format(" pick{}.{}", n, p);
        line("(declare-const pick{}.{} Name)", n, p);
      }
      line("(declare-const wait{} Bool)\n(declare-const r{} State)", n, n);
      if (n > 1) line("(assert (=> wait{} wait{}))", n, n - 1);
      const std::string next = fmt::format("(ite wait{0} (= r{0} s{1}) (Step s{1} r{0}{2}))", n, n - 1, picked);
      const std::string state = fmt::format("(define-fun s{0} () State {1})", n,
                                            pool > 0 ? fmt::format("(forget r{})", n) : fmt::format("r{}", n));
      if (n < options_.depth) {
        line("(assert {})\n{}", next, state);
      } else {  // a violation is the last step, or what it leads to
        line("{}\n(assert (or (Violates s{}) (and {} (Broken s{}))))", state, n - 1, next, n);
      }
    }
    line("(check-sat)");
  }

  static std::string comment(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }

  const step::Program& program_;
  const ExportOptions& options_;
  std::ptrdiff_t picks_ = 0;  // most allocations of one step
  std::vector<std::string> steps_, violations_;
  std::string text_;
};

}  // namespace

std::string to_smt2(const step::Program& program, const ExportOptions& options) {
  const step::Program ready = exported_form(program);
  return Writer(ready, options).run();
}

}  // namespace faultline::codegen
