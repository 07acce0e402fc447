// Proof rule. V is a set of views of k CPUs that over-approximates what is reachable (views.hpp). Let B be a set of
// pictures such that
//   - every state within V in which a violation command is enabled or an invariant fails contains a picture of B,
//   - every state within V from which one step leads to a state that contains a picture of B, contains one itself, and
//   - no initial state contains a picture of B.
// Then no state that contains one is reachable, for any number of CPUs (at least k): a run that reached one would be
// within V all along, so by induction backwards its first state would contain one.
//
// B is built from the violations backwards: what is contained in states is closed upwards under further CPUs, so each
// predecessor is a picture again (predecessors.hpp), and one that contains an older picture is left out. `none` is read
// on the CPUs of a picture, `some` is taken to hold: B may contain more than it must, never less. (P. Abdulla, K.
// Cerans, B. Jonsson, Y. Tsay, "General decidability theorems for infinite-state systems", LICS 1996; the reading of
// `none` is monotonic abstraction.)
//
// When an initial state turns up, the steps that lead from it to the violation are known; whether they run is for the
// reference interpreter to say. Where they do not, the search goes on: another path may.
#include "checker/backward.hpp"

#include <algorithm>
#include <chrono>
#include <deque>

#include "checker/coverability/predecessors.hpp"
#include "checker/trace_of.hpp"
#include "fmt/format.h"
#include "step/interpreter.hpp"

namespace faultline::check {
namespace {

using coverability::all_of;
using coverability::Forms;
using coverability::Gluing;
using coverability::Mask;
using coverability::Predecessors;
using coverability::Within;
using search::Order;
using search::StateSet;
using step::State;
using Index = StateSet::Index;
using Clock = std::chrono::steady_clock;

struct Limit {
  std::string reason;
};

// The number of any_cpu in an expression.
std::uint32_t count_any(const step::Program& program, step::ExprId id) {
  const step::Expr& e = program.expr(id);
  std::uint32_t count = e.op == step::ExprOp::any_cpu ? 1 : 0;
  for (unsigned i = 0; i < step::operand_count(e.op); ++i) count += count_any(program, e.operand(i));
  return count;
}

// The most `some` in one command.
std::uint32_t most_witnesses(const step::Program& program) {
  std::uint32_t most = 0;
  for (const step::Command& command : program.commands) {
    const auto some = std::count_if(command.ops.begin(), command.ops.end(),
                                    [](const step::Op& op) { return op.code == step::OpCode::some; });
    most = std::max(most, static_cast<std::uint32_t>(some));
  }
  return most;
}

class Backward {
 public:
  Backward(const step::Program& program, const ViewSet& within, const BackwardOptions& options)
      : program_(program),
        options_(options),
        forms_(program, std::min<std::uint32_t>(step::max_cpus, options.max_cpus + 1 + most_witnesses(program))),
        within_(program, within, forms_),
        gluing_(program, within_, forms_, [this] { tick(); }),
        predecessors_(program, within_, forms_, gluing_, [this] { tick(); }),
        basis_(forms_.words()),
        work_(options.max_cpus + 1) {}

  BackwardResult run() {
    try {
      start();
      while (!result_.example && step()) {
      }
      if (!result_.example && covered_ == 0) result_.proved = true;
      if (!result_.example && covered_ > 0) result_.reason = why_not();
    } catch (const Limit& limit) {
      result_.reason = limit.reason;
      if (covered_ > 0) result_.reason += "; " + why_not();
    } catch (const std::length_error& error) {
      result_.reason = error.what();
    }
    result_.pictures = basis_.size();
    return std::move(result_);
  }

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  // How a picture came about: by this step, it leads to the picture `to`; or it shows a violation.
  struct Origin {
    Index to = StateSet::none;
    step::ReplayStep step;           // of its CPUs as `order` has them; of a violation: the command
    std::uint32_t invariant = none;  // that fails
    Order order{};                   // CPU order[i] of the step is CPU i of the picture
  };

  // --- pictures that show a violation ---

  void start() {
    for (std::uint32_t i = 0; i < program_.invariants.size(); ++i) {
      const std::uint32_t most = count_any(program_, program_.invariants[i].e);
      for (const State& shared : within_.shared()) broken_invariant(shared, i, most);
    }
    for (std::uint32_t c = 0; c < program_.commands.size(); ++c) {
      const step::Command& command = program_.commands[c];
      if (!command.violation) continue;
      step::Command with_witnesses = command;  // as if all that `some` asks for were there
      with_witnesses.violation.reset();
      const auto some = std::count_if(command.ops.begin(), command.ops.end(),
                                      [](const step::Op& op) { return op.code == step::OpCode::some; });
      for (const State& one : within_.ones()) violating(one, c, with_witnesses, static_cast<std::uint32_t>(some) + 1);
    }
  }

  // An invariant fails because of what is shared, and of at most one witness for each any_cpu in it.
  void broken_invariant(const State& picture, std::uint32_t index, std::uint32_t most) {
    if (!step::holds(program_, picture, program_.invariants[index])) {
      Origin origin;
      origin.invariant = index;
      return add(picture, origin);
    }
    if (picture.cpus < most)
      gluing_.with_each(picture, [&](const State& more) { broken_invariant(more, index, most); });
  }

  void violating(const State& picture, std::uint32_t command, const step::Command& with_witnesses, std::uint32_t most) {
    bool enabled = false, may_be = false;
    step::run(program_, picture, 0, program_.commands[command], step::World::open,
              [&](const State&) { enabled = true; });
    if (enabled) {
      Origin origin;
      origin.step = {0, command};
      return add(picture, origin);
    }
    if (picture.cpus == most) return;
    step::run(program_, picture, 0, with_witnesses, step::World::open, [&](const State&) { may_be = true; });
    if (may_be) gluing_.with_each(picture, [&](const State& more) { violating(more, command, with_witnesses, most); });
  }

  // --- the basis ---

  // Takes a picture of fewest CPUs from the work list. False: there is none.
  bool step() {
    for (std::deque<Index>& list : work_) {
      if (list.empty()) continue;
      const Index index = list.front();
      list.pop_front();
      const State picture = forms_.picture(basis_[index]);
      forms_.load(picture);
      if (contains_older(picture, all_of(picture))) return true;
      predecessors_.of(picture, [&](const State& before, const step::ReplayStep& by) {
        if (result_.example) return;
        Origin origin;
        origin.to = index;
        origin.step = by;
        add(before, origin);
      });
      return true;
    }
    return false;
  }

  // Is a part of the picture loaded in the basis? Parts smaller than `all`, which is left out.
  bool contains_older(const State& picture, Mask all) {
    for (Mask mask = 0; mask <= all_of(picture); ++mask) {
      if (mask != all && basis_.find(forms_.form(mask)) != StateSet::none) return true;
    }
    return false;
  }

  void add(State picture, Origin& origin) {
    coverability::tidy(program_, picture);
    if (initial(picture)) return try_path(picture, origin);
    forms_.load(picture);
    if (contains_older(picture, none)) return;
    if (picture.cpus > options_.max_cpus) throw Limit{fmt::format("pictures of more than {} CPUs", options_.max_cpus)};
    const Index index = basis_.insert(forms_.form(all_of(picture), &origin.order)).index;
    origins_.push_back(origin);
    work_[picture.cpus].push_back(index);
    result_.widest = std::max(result_.widest, std::uint32_t{picture.cpus});
  }

  // --- paths from the start ---

  bool initial(const State& picture) const {
    for (std::size_t g = 0; g < program_.globals.size(); ++g) {
      if (picture.globals[g] != program_.globals[g].init) return false;
    }
    if (picture.objects > 0) return false;
    for (std::size_t i = 0; i < picture.cpus; ++i) {
      step::CpuState idle;
      idle.pc = program_.lines[program_.locations[picture.cpu[i].pc].line].idle;
      if (!(picture.cpu[i] == idle)) return false;
    }
    return true;
  }

  // The steps from this initial picture on: do they run in a system of just these CPUs?
  void try_path(const State& picture, const Origin& first) {
    ++covered_;
    std::vector<std::uint32_t> used(program_.lines.size());
    for (std::size_t i = 0; i < picture.cpus; ++i) ++used[program_.locations[picture.cpu[i].pc].line];
    cpus_ = 1;
    for (std::size_t l = 0; l < used.size(); ++l) {
      if (program_.lines[l].cpus == 0) cpus_ = std::max(cpus_, used[l]);
    }
    std::vector<std::uint32_t> at(program_.lines.size());  // of the next CPU of the line in the initial state
    const std::vector<std::uint32_t> per_line = step::cpus_per_line(program_, cpus_);
    for (std::size_t l = 1; l < at.size(); ++l) at[l] = at[l - 1] + per_line[l - 1];
    std::vector<std::uint32_t> place;  // of each CPU of the picture, as its step names it
    for (std::size_t i = 0; i < picture.cpus; ++i) place.push_back(at[program_.locations[picture.cpu[i].pc].line]++);

    std::vector<step::ReplayStep> steps;
    step::ReplayEnd end;
    for (const Origin* origin = &first;;) {
      if (origin->invariant != none) {
        end.what = step::ReplayEnd::What::invariant;
        end.index = origin->invariant;
        break;
      }
      steps.push_back({place[origin->step.cpu], origin->step.command});
      if (origin->to == StateSet::none) break;
      const State next = forms_.picture(basis_[origin->to]);
      origin = &origins_[origin->to];
      std::vector<std::uint32_t> before(next.cpus);
      for (std::size_t i = 0; i < next.cpus; ++i) before[origin->order[i]] = place[i];
      place = std::move(before);
    }
    const bool is_bound = end.what == step::ReplayEnd::What::violation &&
                          program_.commands[steps.back().command].violation->kind == step::Kind::bound;
    bound_ = bound_ || is_bound;
    std::optional<std::size_t> invariant;
    if (end.what == step::ReplayEnd::What::invariant) invariant = end.index;
    if (!is_bound) result_.example = counterexample_of(program_, cpus_, steps, invariant);
  }

  [[nodiscard]] std::string why_not() const {
    if (bound_) return "a value may leave its declared range";
    return fmt::format(
        "a path backwards does not run with {} CPUs: what a guard asks of all others was "
        "over-approximated",
        cpus_);
  }

  // --- limits ---

  void tick() {
    if ((++ticks_ & 255) != 0) return;
    const Limits& limits = options_.limits;
    const auto now = Clock::now();
    if (limits.progress && now - reported_ > std::chrono::milliseconds(500)) {
      reported_ = now;
      limits.progress(basis_.size(), result_.widest);
    }
    if (limits.seconds > 0 && std::chrono::duration<double>(now - start_).count() > limits.seconds)
      throw Limit{"time limit"};
    if (limits.memory_bytes > 0 && basis_.bytes() + origins_.size() * sizeof(Origin) > limits.memory_bytes)
      throw Limit{"memory limit"};
    if (basis_.size() > options_.max_pictures) throw Limit{fmt::format("more than {} pictures", options_.max_pictures)};
  }

  const step::Program& program_;
  const BackwardOptions& options_;
  std::uint64_t ticks_ = 0;
  Clock::time_point start_ = Clock::now(), reported_ = start_;
  Forms forms_;
  Within within_;
  Gluing gluing_;
  Predecessors predecessors_;
  StateSet basis_;
  std::vector<Origin> origins_;          // of each picture of the basis
  std::vector<std::deque<Index>> work_;  // by number of CPUs
  std::uint64_t covered_ = 0;            // initial states that turned up
  std::uint32_t cpus_ = 0;               // of the last of them
  bool bound_ = false;
  BackwardResult result_;
};

}  // namespace

BackwardResult backward(const step::Program& program, const ViewSet& within, const BackwardOptions& options) {
  return Backward(program, within, options).run();
}

}  // namespace faultline::check
