// The obligations of a view set V as SMT-LIB scripts, each to be unsat. V(1, .., k) is a predicate on what k CPUs look
// like; it is written as the combinations that V excludes (queries_cover.hpp), which is V exactly. The rule is that of
// own_check.cpp; what is asked here:
//
//   initial       CPUs 1 .. k are idle and all is as at the start, and not V(1, .., k)
//   symmetry      V(1, .., k), and not V of two of them swapped, or of all of them turned round
//   safety        V of all k-subsets of as many CPUs as a violation has witnesses, and a violation of CPU 1 is enabled
//   or an
//                 invariant does not hold
//   own_step      V(1, .., k), CPU 1 steps or acknowledges, and not V(1, .., k) afterwards
//   interference  V of all k-subsets of 1 .. k + 1, CPU k + 1 steps, or CPU 1 acknowledges it, and not V(1, .., k)
//   afterwards
//
// By symmetry it does not matter which CPU of a view it is that steps.
#include <algorithm>
#include <numeric>
#include <set>

#include "checker/certificate.hpp"
#include "checker/queries_reading.hpp"

namespace faultline::check {
namespace {

using smt::Term;
using step::Program;
using View = std::vector<std::size_t>;  // its CPUs, as indices into a picture

class Obligation {
 public:
  Obligation(const Program& program, const Table& table, const std::vector<Exclusion>& excluded, std::uint32_t k,
             std::size_t cpus, const Watch& watch)
      : program_(program),
        table_(table),
        excluded_(excluded),
        k_(k),
        cpus_(cpus),
        watch_(watch),
        picture_(program, terms_, cpus) {}

  void initial() {
    const SymbolicState& s = picture_.state();
    for (std::size_t g = 0; g < s.globals.size(); ++g) claim(s.globals[g][program_.globals[g].init]);
    for (const Reference& place : s.places) claim(picture_.null(s, place));
    std::vector<bool> idle(program_.locations.size());
    for (const step::Line& line : program_.lines) idle[line.idle] = true;
    for (const SymbolicCpu& cpu : s.cpus) {
      claim(picture_.position_in(cpu.position, idle));
      for (const Number& local : cpu.locals) claim(local[0]);
      for (const Reference& handle : cpu.handles) claim(picture_.null(s, handle));
      for (const auto& kind : cpu.awaits) {
        for (const Term awaits : kind) claim(!awaits);
      }
    }
    claim(outside(s, first_k()));
  }

  void symmetry() {
    const SymbolicState& s = picture_.state();
    claim_all_views();
    View swapped = first_k();
    std::swap(swapped[0], swapped[1]);
    View turned = first_k();
    std::rotate(turned.begin(), turned.begin() + 1, turned.end());
    claim(terms_.either(outside(s, swapped), outside(s, turned)));
  }

  void safety() {
    const SymbolicState& s = picture_.state();
    claim_all_views();
    std::vector<Term> violated;
    for (const step::Command& command : program_.commands) {
      if (command.violation) violated.push_back(picture_.run(0, command).enabled);
    }
    for (const step::Invariant& invariant : program_.invariants)
      violated.push_back(!picture_.truth(s, 0, 0, invariant.e));
    claim(terms_.any(std::move(violated)));
  }

  // CPU `actor` steps, or CPU 0 acknowledges CPU `sender`.
  void steps(std::size_t actor, const std::vector<std::size_t>& senders) {
    claim_all_views();
    std::vector<Term> escapes;
    const auto escape = [&](const SymbolicStep& step) {
      if (!step.enabled.is_false()) escapes.push_back(terms_.both(step.enabled, outside(step.after, first_k())));
    };
    for (const step::Command& command : program_.commands) {
      if (!command.violation) escape(picture_.run(actor, command));
    }
    for (const std::size_t sender : senders) {
      for (std::size_t kind = 0; kind < program_.awaits.size(); ++kind) escape(picture_.acknowledge(0, sender, kind));
    }
    claim(terms_.any(std::move(escapes)));
  }

  std::string text(const std::string& comment) {
    std::vector<Term> all = picture_.axioms();
    all.insert(all.end(), claims_.begin(), claims_.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    all.erase(std::remove(all.begin(), all.end(), smt::yes), all.end());
    return terms_.script(comment, all);
  }

 private:
  [[nodiscard]] View first_k() const {
    View view(k_);
    std::iota(view.begin(), view.end(), std::size_t{0});
    return view;
  }

  void claim(Term term) { claims_.push_back(term); }

  // V of all k-subsets of the picture.
  void claim_all_views() {
    std::vector<bool> chosen(cpus_, false);
    std::fill(chosen.begin(), chosen.begin() + k_, true);
    do {
      View view;
      for (std::size_t i = 0; i < cpus_; ++i) {
        if (chosen[i]) view.push_back(i);
      }
      Reading reading(picture_, terms_, picture_.state(), view, table_.fields);
      for (const Exclusion& exclusion : excluded_) {
        watch_.tick();
        const Term holds = reading.excluded(exclusion);
        claim(!holds);
        excluded_terms_.insert(holds);
      }
      if (!claimed_) claimed_.emplace(std::move(reading));  // of the first k CPUs
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
  }

  // Not V: some exclusion holds. Those that are claimed not to hold anyway are left out.
  Term outside(const SymbolicState& state, const View& view) {
    std::vector<Term> some;
    Reading reading(picture_, terms_, state, view, table_.fields);
    const std::vector<bool> changed = claimed_ ? reading.differs(*claimed_) : std::vector<bool>();
    const auto has_changed = [&](const OneOf& condition) { return changed[condition.field]; };
    for (const Exclusion& exclusion : excluded_) {
      watch_.tick();
      if (claimed_ && std::none_of(exclusion.begin(), exclusion.end(), has_changed)) continue;
      const Term holds = reading.excluded(exclusion);
      if (excluded_terms_.count(holds) == 0) some.push_back(holds);
    }
    return terms_.any(std::move(some));
  }

  const Program& program_;
  const Table& table_;
  const std::vector<Exclusion>& excluded_;
  std::uint32_t k_;
  std::size_t cpus_;
  const Watch& watch_;
  smt::Terms terms_;
  Picture picture_;
  std::vector<Term> claims_;
  std::set<Term> excluded_terms_;
  std::optional<Reading> claimed_;
};

std::size_t count_any_cpu(const Program& program, step::ExprId id) {
  const step::Expr& e = program.expr(id);
  std::size_t count = e.op == step::ExprOp::any_cpu ? 1 : 0;
  for (unsigned i = 0; i < step::operand_count(e.op); ++i) count += count_any_cpu(program, e.operand(i));
  return count;
}

// CPUs it takes to see every violation: the actor and a witness for each `some`, or a witness for each any_cpu.
std::size_t witnesses(const Program& program) {
  std::size_t most = 0;
  for (const step::Command& command : program.commands) {
    if (!command.violation) continue;
    const auto some = [](const step::Op& op) { return op.code == step::OpCode::some; };
    most = std::max(most, 1 + static_cast<std::size_t>(std::count_if(command.ops.begin(), command.ops.end(), some)));
  }
  for (const step::Invariant& invariant : program.invariants)
    most = std::max(most, count_any_cpu(program, invariant.e));
  return most;
}

std::string comment(const Program& program, const std::string& name, const std::string& what) {
  std::string text = "; " + program.model + ", variant " + program.variant + ": " + name + "\n";
  return text + "; unsat: " + what + "\n";
}

}  // namespace

std::vector<Query> queries(const Program& program, const ViewSet& set, const Limits& limits) {
  const Watch watch(limits);
  const Table table = table_of(program, set, watch);
  const std::vector<Exclusion> excluded = exclusions(table, watch);
  const std::uint32_t k = set.k;
  std::vector<Query> result;
  const auto add = [&](const std::string& name, const std::string& what, std::size_t cpus, const auto& build) {
    watch.check();
    Obligation obligation(program, table, excluded, k, cpus, watch);
    build(obligation);
    result.push_back({name, obligation.text(comment(program, name, what))});
  };
  add("initial", "at the start any CPUs look like a view of V", k, [](Obligation& o) { o.initial(); });
  add("symmetry", "the order of the CPUs of a view does not matter", k, [](Obligation& o) { o.symmetry(); });
  add("safety", "nothing in V is a violation", std::max<std::size_t>(k, witnesses(program)),
      [](Obligation& o) { o.safety(); });
  add("own_step", "what a CPU of a view does leads to a view of V", k, [&](Obligation& o) {
    std::vector<std::size_t> others(k - 1);
    std::iota(others.begin(), others.end(), std::size_t{1});
    o.steps(0, others);
  });
  add("interference", "what a further CPU does leaves the CPUs of a view in a view of V", k + 1,
      [&](Obligation& o) { o.steps(k, {k}); });
  return result;
}

}  // namespace faultline::check
