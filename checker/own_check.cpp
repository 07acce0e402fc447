// Judges a view set without searching. With V the set, k CPUs to a view, it accepts iff
//   initial       k CPUs of any lines (as many as a line has), all idle, are in V;
//   safety        no violation command is enabled and every invariant holds, in V; in all pictures of k + 1 CPUs as
//   well
//                 if it takes more than k CPUs to see it, and beyond k + 1 it is refused;
//   own step      whatever one CPU of a view of V does leads to a view of V;
//   interference  a picture of k + 1 CPUs all of whose k-subsets are in V: whatever one CPU does there leaves the
//   others in
//                 a view of V.
// By induction over the steps of a system of any number of CPUs, each k of its CPUs look like a view of V: of the k
// looked at, either one moves (own step) or another CPU does, and that one makes a picture of k + 1 with them
// (interference). A step seen with fewer CPUs is a step too: `none` holds all the more, and `some` is taken to hold
// (World::open).
//
// Pictures are found by gluing at equal positions: V is kept as tuples of name-free parts (certificate_shapes.hpp), one
// for each order of the CPUs, and two views are glued iff they agree in all the parts they share.
#include <algorithm>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "checker/certificate.hpp"
#include "checker/certificate_shapes.hpp"
#include "checker/own_check_tuples.hpp"
#include "step/interpreter.hpp"

namespace faultline::check {
namespace {

using own::absent;
using own::Key;
using own::max_k;
using own::PartHash;
using own::Tuples;
using step::Command;
using step::OpCode;
using step::Program;
using step::State;
using step::World;

// Thrown to the top when an obligation fails.
struct Refusal {
  std::string obligation;
  std::string detail;
};

std::string named(const Command& command) {
  std::string text = "line " + std::to_string(command.span.line);
  if (!command.notes.empty()) text += ": " + command.notes.front().text;
  if (command.violation) text += " [" + std::string(to_string(command.violation->kind)) + "]";
  return text;
}

bool touches_others(const Command& command) {
  return std::any_of(command.ops.begin(), command.ops.end(), [](const step::Op& op) {
    switch (op.code) {
      case OpCode::set_global:
      case OpCode::fresh:  // may clear the bits of an object that others know
      case OpCode::clear_place:
      case OpCode::place_from_handle:
      case OpCode::set_object_bit:
      case OpCode::others_set_local:
      case OpCode::others_clear_handle: return true;
      default: return false;
    }
  });
}

// The most CPUs it takes to see one violation: the actor and a witness for each `some`; a witness for each any_cpu.
std::size_t witnesses(const Command& command) {
  const auto some = [](const step::Op& op) { return op.code == OpCode::some; };
  return 1 + static_cast<std::size_t>(std::count_if(command.ops.begin(), command.ops.end(), some));
}

void find_any_cpu(const Program& program, step::ExprId id, std::unordered_set<step::ExprId>& found) {
  const step::Expr& e = program.expr(id);
  if (e.op == step::ExprOp::any_cpu) found.insert(id);
  for (unsigned i = 0; i < step::operand_count(e.op); ++i) find_any_cpu(program, e.operand(i), found);
}

std::size_t witnesses(const Program& program, const step::Invariant& invariant) {
  std::unordered_set<step::ExprId> found;
  find_any_cpu(program, invariant.e, found);
  return found.size();
}

class OwnCheck {
 public:
  OwnCheck(const Program& program, const ViewSet& set, const Limits& limits)
      : program_(program), views_(set.views), k_(set.k), tuples_(program, set.k), watch_(limits) {
    if (k_ < 2 || k_ > max_k) throw Refusal{"file", "views of " + std::to_string(k_) + " CPUs are not judged"};
    for (const Command& command : program.commands) {
      if (program.locations[command.from].line == program.locations[command.to].line) continue;
      throw Refusal{"file", named(command) + " leads from one run line to another"};
    }
    for (const State& view : views_) {
      watch_.tick();
      if (!well_formed(program_, view, k_)) throw Refusal{"file", "a view is no state of this model"};
      keys_.push_back(tuples_.add(view));
    }
  }

  void check() {
    check_initial();
    check_witnesses();
    for (const State& view : views_) check_own_steps(view);
    find_disturbances();
    for (std::size_t v = 0; v < views_.size(); ++v) check_interference(views_[v], keys_[v]);
  }

 private:
  // --- initial ---

  void check_initial() const {
    std::vector<std::uint32_t> counts(program_.lines.size(), 0);
    if (!initial_from(counts, 0, k_))
      throw Refusal{"initial", "the model has fewer than " + std::to_string(k_) + " CPUs"};
  }

  // All ways to take `left` more CPUs from line l on. False when there is none.
  bool initial_from(std::vector<std::uint32_t>& counts, std::size_t l, std::uint32_t left) const {
    if (l == counts.size()) {
      if (left != 0) return false;
      if (!tuples_.contains(step::initial_state(program_, counts)))
        throw Refusal{"initial", "an initial view is missing"};
      return true;
    }
    const std::uint32_t most = program_.lines[l].cpus == 0 ? left : std::min(left, program_.lines[l].cpus);
    bool any = false;
    for (std::uint32_t n = 0; n <= most; ++n) {
      counts[l] = n;
      any = initial_from(counts, l + 1, left - n) || any;
    }
    counts[l] = 0;
    return any;
  }

  // --- safety ---

  void check_witnesses() {
    std::size_t most = 0;
    std::string what;
    const auto note = [&](std::size_t n, const std::string& name) {
      if (n > most) what = name;
      most = std::max(most, n);
    };
    for (const Command& command : program_.commands) {
      if (command.violation) note(witnesses(command), named(command));
    }
    for (const step::Invariant& invariant : program_.invariants) {
      note(witnesses(program_, invariant), "invariant " + invariant.name);
    }
    if (most > k_ + 1) throw Refusal{"safety", what + " speaks of more CPUs than a picture has"};
    judge_pictures_ = most > k_;
  }

  void check_safety(const State& picture) const {
    for (const step::Invariant& invariant : program_.invariants) {
      if (!holds(program_, picture, invariant)) throw Refusal{"safety", "invariant " + invariant.name};
    }
    for (std::size_t i = 0; i < picture.cpus; ++i) {
      for (const Command& command : commands_at(picture.cpu[i].pc)) {
        if (!command.violation) continue;
        run(program_, picture, i, command, World::open, [&command](const State&) {
          throw Refusal{"safety", named(command)};
        });
      }
    }
  }

  // --- own step ---

  void check_own_steps(const State& view) const {
    watch_.tick();
    check_safety(view);
    for (std::size_t i = 0; i < k_; ++i) {
      for (const Command& command : commands_at(view.cpu[i].pc)) {
        if (command.violation) continue;
        run(program_, view, i, command, World::open, [this, &command](const State& next) {
          if (!tuples_.contains(next)) throw Refusal{"own step", named(command)};
        });
      }
      for (std::size_t kind = 0; kind < program_.awaits.size(); ++kind) {
        for (std::size_t sender = 0; sender < k_; ++sender) {
          if (!can_acknowledge(program_, view, i, sender, kind)) continue;
          if (!tuples_.contains(acknowledge(program_, view, i, sender, kind))) {
            throw Refusal{"own step", "acknowledgement of " + program_.awaits[kind].name};
          }
        }
      }
    }
  }

  // --- interference ---

  // What a CPU may do that others notice, as far as its own shape and the shared part tell.
  struct Disturbance {
    std::vector<const Command*> commands;
  };

  // Numbers the CPUs that may disturb others: by a command, or by awaiting an acknowledgement.
  void find_disturbances() {
    std::unordered_map<std::array<std::uint32_t, 2>, std::uint32_t, PartHash> numbers;
    const auto look_at = [&](std::uint32_t shared, std::uint32_t shape, const State& view, std::size_t i) {
      const auto [place, is_new] = numbers.try_emplace({shared, shape}, absent);
      if (!is_new && place->second != absent) return;
      Disturbance disturbance;
      if (is_new) disturbance = disturbance_by(view, i);
      const auto& awaits = view.cpu[i].awaits;
      const bool waits = std::any_of(awaits.begin(), awaits.end(), [](std::uint16_t others) { return others != 0; });
      if (disturbance.commands.empty() && !waits && !judge_pictures_) return;
      place->second = static_cast<std::uint32_t>(disturbances_.size());
      disturbances_.push_back(std::move(disturbance));
    };
    for (std::size_t v = 0; v < views_.size(); ++v) {
      for (std::size_t i = 0; i < k_; ++i) look_at(keys_[v][0], keys_[v][1 + i], views_[v], i);
    }
    tuples_.extend_only([&](std::uint32_t shared, std::uint32_t shape) { return numbers.at({shared, shape}); });
  }

  // Commands that CPU i can run as far as nobody else hinders it.
  [[nodiscard]] Disturbance disturbance_by(const State& view, std::size_t i) const {
    State alone = view;
    alone.cpus = 1;
    alone.cpu[0] = view.cpu[i];
    Disturbance disturbance;
    for (const Command& command : commands_at(alone.cpu[0].pc)) {
      if (command.violation || !touches_others(command)) continue;
      bool enabled = false;
      run(program_, alone, 0, command, World::open, [&enabled](const State&) { enabled = true; });
      if (enabled) disturbance.commands.push_back(&command);
    }
    return disturbance;
  }

  void check_interference(const State& view, const Key& key) const {
    State picture = view;
    std::vector<Crossing> crossings(k_);
    tuples_.glue(key, [&](const Tuples::Extension& e, const std::array<std::uint32_t, max_k>& with_d) {
      const Disturbance& disturbance = disturbances_[e.who];
      watch_.tick();
      bool waits = false;
      for (std::size_t i = 0; i < k_; ++i) {
        crossings[i] = tuples_.crossings[with_d[i]];
        waits = waits || crossings[i].awaits >> 4 != 0;
      }
      if (disturbance.commands.empty() && !waits && !judge_pictures_) return;
      picture.cpus = view.cpus;
      picture.objects = view.objects;
      if (has_room(view, e.shape) && add_cpu(program_, picture, tuples_.shapes[e.shape], crossings)) {
        check_picture(view, picture, disturbance);
      }
    });
  }

  // Does the line of this CPU have one more?
  [[nodiscard]] bool has_room(const State& view, std::uint32_t shape) const {
    const auto& bytes = tuples_.shapes[shape].bytes;
    const step::Id line = program_.locations[static_cast<std::size_t>(bytes[0] | bytes[1] << 8)].line;
    const std::uint32_t room = program_.lines[line].cpus;
    if (room == 0) return true;
    std::uint32_t taken = 1;
    for (std::size_t i = 0; i < k_; ++i) taken += program_.locations[view.cpu[i].pc].line == line ? 1u : 0u;
    return taken <= room;
  }

  void check_picture(const State& view, const State& picture, const Disturbance& disturbance) const {
    if (judge_pictures_) check_safety(picture);
    for (const Command* command : disturbance.commands) {
      run(program_, picture, k_, *command, World::open, [this, &view, command](const State& next) {
        if (!same_for_view(view, next) && !tuples_.contains(next)) throw Refusal{"interference", named(*command)};
      });
    }
    for (std::size_t kind = 0; kind < program_.awaits.size(); ++kind) {
      for (std::size_t i = 0; i < k_; ++i) {
        if (!can_acknowledge(program_, picture, i, k_, kind)) continue;
        if (!tuples_.contains(acknowledge(program_, picture, i, k_, kind))) {
          throw Refusal{"interference", "acknowledgement of " + program_.awaits[kind].name};
        }
      }
    }
  }

  // Nothing that the first k CPUs can see has changed: a quick yes before the look-up.
  [[nodiscard]] bool same_for_view(const State& view, const State& next) const {
    if (view.globals != next.globals || view.places != next.places) return false;
    for (std::size_t n = 1; n <= view.objects; ++n) {
      if (view.bits[n] != next.bits[n]) return false;
    }
    for (std::size_t i = 0; i < k_; ++i) {
      if (view.cpu[i].locals != next.cpu[i].locals || view.cpu[i].handles != next.cpu[i].handles) return false;
    }
    return true;
  }

  struct Span {
    const Command* begin_;
    const Command* end_;
    [[nodiscard]] const Command* begin() const { return begin_; }
    [[nodiscard]] const Command* end() const { return end_; }
  };
  [[nodiscard]] Span commands_at(std::size_t pc) const {
    const Command* all = program_.commands.data();
    return {all + program_.first[pc], all + program_.first[pc + 1]};
  }

  const Program& program_;
  const std::vector<State>& views_;
  std::uint32_t k_;
  Tuples tuples_;
  std::vector<Key> keys_;  // of views_
  bool judge_pictures_ = false;
  std::vector<Disturbance> disturbances_;
  Watch watch_;
};

}  // namespace

Judgement own_check(const Program& program, const ViewSet& set, const Limits& limits) {
  const auto start = std::chrono::steady_clock::now();
  Judgement judgement;
  try {
    OwnCheck(program, set, limits).check();
    judgement.accepted = true;
  } catch (const OverLimit& limit) {
    judgement.undecided = true;
    judgement.detail = limit.what();
  } catch (const Refusal& refusal) {
    judgement.obligation = refusal.obligation;
    judgement.detail = refusal.detail;
  } catch (const std::length_error& error) {
    judgement.obligation = "file";
    judgement.detail = error.what();
  }
  judgement.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return judgement;
}

}  // namespace faultline::check
