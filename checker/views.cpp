// Proof rule. Let V be a set of pictures of k CPUs that
//   - contains the initial ones,
//   - is closed under every step of a CPU of a picture, guards on other CPUs read on those seen (`none` holds if nobody
//   seen
//     objects; `some` holds, for somebody unseen may do), and
//   - is closed under every step of a further CPU, in every picture of k + 1 CPUs of which all pictures of k are in V.
// Then, by induction over the steps, every k CPUs of every reachable state of every system with at least k CPUs look
// like a member of V. If no member shows a violation, there is none.
//
// V is the least such set. A picture of k + 1 is looked at when the youngest of its k-pictures is taken from the queue.
// In it only steps that others can see matter, and only what they do to the others: the rest follows from pictures of
// k. (Acknowledgements: what the acknowledging CPU looks like to the CPUs other than the sender.)
#include "checker/views.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>

#include "checker/search/pictures.hpp"
#include "checker/search/state_set.hpp"

namespace faultline::check {
namespace {

using search::Acknowledgement;
using search::Byte;
using search::Code;
using search::Order;
using search::StateSet;
using Clock = std::chrono::steady_clock;

std::uint32_t count_any(const step::Program& program, step::ExprId id) {
  const step::Expr& e = program.exprs[id];
  if (e.op == step::ExprOp::any_cpu) return 1;
  std::uint32_t count = 0;
  for (unsigned i = 0; i < step::operand_count(e.op); ++i) count += count_any(program, e.operand(i));
  return count;
}

std::uint32_t words(std::uint32_t bytes) { return (bytes + 7) / 8; }

class Engine {
 public:
  Engine(const step::Program& program, const ViewsOptions& options)
      : program_(program),
        options_(options),
        k_(options.k),
        machine_(program, k_ + 1),
        layout_(machine_.layout()),
        canonical_(program, layout_),
        extensions_(layout_),
        may_await_(search::may_await(program)),
        views_(words(layout_.size(k_))),
        parts_(words(layout_.size(k_ - 1))) {
    machine_.set_witnesses(k_);
    view_.resize(words(layout_.size()));
    part_.resize(words(layout_.size()));
    base_.resize(layout_.size());
    picture_.resize(layout_.size());
    trial_.resize(layout_.size());
    next_.resize(layout_.size());
    extension_.resize(extensions_.size());
    result_.fired.resize(program.commands.size());
    std::iota(identity_.begin(), identity_.end(), Byte{0});
    find_joint_positions();
  }

  ViewsResult run() {
    try {
      result_.closed = check_shapes() && start() && close();
      result_.proved = result_.closed && result_.reason.empty();
      keep_views();
    } catch (const search::TooManyObjects& e) {
      result_.reason = e.what();
    } catch (const OverLimit& e) {
      result_.proved = false;
      result_.reason = e.what();
    }
    result_.set.k = k_;
    return std::move(result_);
  }

 private:
  void keep_views() {
    watch_.check(views_.size() * sizeof(step::State));
    result_.set.views.reserve(views_.size());
    for (StateSet::Index v = 0; v < views_.size(); ++v) result_.set.views.push_back(layout_.to_state(bytes(views_[v])));
  }

  static const Byte* bytes(const std::uint64_t* p) { return reinterpret_cast<const Byte*>(p); }
  static Byte* bytes(std::uint64_t* p) { return reinterpret_cast<Byte*>(p); }

  // What a k-picture can show: a broken invariant needs a witness for each `any_cpu`.
  bool check_shapes() {
    for (const step::Invariant& invariant : program_.invariants) {
      if (count_any(program_, invariant.e) > k_) {
        if (!go_on_past("invariant " + invariant.name + " speaks of more CPUs than a view shows")) return false;
      }
    }
    return true;
  }

  // A position is joint if a step from there matters in a picture of k + 1 CPUs.
  void find_joint_positions() {
    joint_.resize(program_.locations.size());
    may_await_any_.resize(program_.locations.size());
    for (std::uint32_t pc = 0; pc < joint_.size(); ++pc) {
      for (const Code* code = machine_.begin(pc); code != machine_.end(pc); ++code) {
        if (is_joint(*code)) joint_[pc] = 1;
      }
      for (const auto& may : may_await_) may_await_any_[pc] |= may[pc];
    }
  }
  [[nodiscard]] bool is_joint(const Code& code) const {
    return code.violation ? code.witnesses >= k_ : code.changes_shared;
  }

  [[nodiscard]] std::uint32_t capacity(step::Id line) const {
    const std::uint32_t cpus = program_.lines[line].cpus;
    return cpus == 0 ? k_ + 1 : cpus;
  }

  bool start() {
    std::vector<std::uint32_t> counts(program_.lines.size());
    if (!start_with(0, k_, counts)) return false;
    if (views_.size() > 0) return true;
    result_.reason = "fewer than " + std::to_string(k_) + " CPUs in all";
    return false;
  }
  bool start_with(std::size_t line, std::uint32_t left, std::vector<std::uint32_t>& counts) {
    if (line == counts.size()) {
      if (left > 0) return true;
      layout_.from_state(step::initial_state(program_, counts), picture_.data());
      return add(picture_.data(), identity_);
    }
    for (std::uint32_t n = 0; n <= std::min(left, capacity(static_cast<step::Id>(line))); ++n) {
      counts[line] = n;
      if (!start_with(line + 1, left - n, counts)) return false;
    }
    counts[line] = 0;
    return true;
  }

  // Notes why there is no proof. False: that ends it.
  bool go_on_past(const std::string& reason) {
    if (result_.reason.empty()) result_.reason = reason;
    return options_.all;
  }

  // Adds the k CPUs of s listed in `order`. False: they show a broken invariant, and that ends it.
  bool add(const Byte* s, Order order) {
    canonical_.sort(s, order, k_, bytes(view_.data()));
    const auto [index, is_new] = views_.insert(view_.data());
    if (!is_new) return true;
    for (const step::Invariant& invariant : program_.invariants) {
      if (machine_.holds(bytes(view_.data()), invariant)) continue;
      if (!go_on_past("cannot exclude: invariant " + invariant.name)) return false;
    }
    return true;
  }

  // In V and already taken from the queue (or being so).
  bool has(const Byte* s, Order order) {
    canonical_.sort(s, order, k_, bytes(view_.data()));
    return views_.find(view_.data()) <= head_;
  }

  bool close() {
    for (head_ = 0; head_ < views_.size(); ++head_) {
      if ((head_ & 63) == 0 && over_limit()) return false;
      std::memcpy(base_.data(), bytes(views_[head_]), layout_.size(k_));
      if (!own_steps() || !joins()) return false;
    }
    return true;
  }

  bool go_on_past(const Code& code) {
    const step::Violation& violation = *program_.commands[code.index].violation;
    std::string reason = std::string("cannot exclude: ") + step::to_string(violation.kind) + ": " + violation.message;
    if (violation.span.known()) reason += " at line " + std::to_string(violation.span.line);
    return go_on_past(reason);
  }

  bool own_steps() {
    bool fine = true;
    canonical_.twins(base_.data(), twin_);
    for (std::uint32_t me = 0; me < k_ && fine; ++me) {
      if (twin_[me] != me) continue;
      const std::uint32_t pc = layout_.pc(base_.data(), me);
      for (const Code* code = machine_.begin(pc); code != machine_.end(pc) && fine; ++code) {
        machine_.run(*code, base_.data(), me, search::World::open, [&](const Byte* next) {
          result_.fired[code->index] = true;
          // an enabled violation has no successor
          fine = fine && (code->violation ? go_on_past(*code) : add(next, identity_));
        });
      }
      machine_.acknowledgements(base_.data(), me, [&](const Acknowledgement& ack) {
        std::memcpy(next_.data(), base_.data(), layout_.size(k_));
        machine_.acknowledge(next_.data(), ack);
        fine = fine && add(next_.data(), identity_);
      });
    }
    return fine;
  }

  // Takes the view apart in each way, files the extensions, and glues along the shared part that has the fewest.
  bool joins() {
    StateSet::Index best = StateSet::none;
    Order best_order{};
    std::uint32_t best_removed = 0;
    for (std::uint32_t removed = 0; removed < k_; ++removed) {
      if (twin_[removed] != removed) continue;
      Order order{};
      for (std::uint32_t i = 0, n = 0; i < k_; ++i) {
        if (i != removed) order[n++] = static_cast<Byte>(i);
      }
      canonical_.orders(base_.data(), order, k_ - 1, orders_);
      canonical_.name_objects(base_.data(), orders_.front(), k_ - 1, bytes(part_.data()));
      const StateSet::Index part = parts_.insert(part_.data()).index;
      if (part == extensions_of_.size()) extensions_of_.emplace_back();
      std::vector<Byte>& list = extensions_of_[part];
      for (const Order& o : orders_) {
        extensions_.extract(base_.data(), removed, o, k_ - 1, extension_.data());
        list.insert(list.end(), extension_.begin(), extension_.end());
        filed_ += extension_.size();
      }
      if (best == StateSet::none || list.size() < extensions_of_[best].size()) {
        best = part;
        best_order = orders_.front();
        best_removed = removed;
      }
    }
    extensions_.extract(base_.data(), best_removed, best_order, k_ - 1, extension_.data());
    return glue_all(best);
  }

  // Glues `extension_` with every other extension of the shared part.
  bool glue_all(StateSet::Index part) {
    std::memcpy(base_.data(), bytes(parts_[part]), layout_.size(k_ - 1));
    shared_objects_ = base_[1];
    std::array<Byte, step::max_handles> names{};
    for (std::uint32_t i = 0; i < names.size(); ++i) names[i] = static_cast<Byte>(shared_objects_ + 1 + i);
    extensions_.append(base_.data(), extension_.data(), k_ - 1, shared_objects_, names.data());

    std::vector<std::uint32_t> counts(program_.lines.size());
    bool interesting = extensions_.awaits_any(extension_.data());
    for (std::uint32_t i = 0; i < k_; ++i) {
      const std::uint32_t pc = layout_.pc(base_.data(), i);
      ++counts[program_.locations[pc].line];
      interesting = interesting || joint_[pc] != 0 || may_await_any_[pc] != 0;
    }
    const std::vector<Byte>& list = extensions_of_[part];
    for (std::size_t at = 0; at < list.size(); at += extensions_.size()) {
      const Byte* other = list.data() + at;
      const std::uint32_t pc = extensions_.pc(other);
      const step::Id line = program_.locations[pc].line;
      if (counts[line] + 1 > capacity(line)) continue;
      if (!interesting && joint_[pc] == 0 && may_await_any_[pc] == 0 && !extensions_.awaits_any(other)) continue;
      if (!identify(other, 0, 0)) return false;
    }
    return true;
  }

  // Own object i of the other CPU and those after it: each is new here, or one that the CPU being glued has for itself.
  bool identify(const Byte* other, std::uint32_t i, std::uint32_t taken) {
    if (i == extensions_.own_objects(other)) return relate(other);
    for (std::uint32_t j = 0; j < extensions_.own_objects(extension_.data()); ++j) {
      if ((taken >> j & 1) != 0 || extensions_.own_object(extension_.data(), j) != extensions_.own_object(other, i))
        continue;
      glued_names_[i] = static_cast<Byte>(shared_objects_ + 1 + j);
      if (!identify(other, i + 1, taken | 1U << j)) return false;
    }
    const std::uint32_t fresh = shared_objects_ + extensions_.own_objects(extension_.data()) + 1 + i;
    if (fresh > layout_.objects) throw search::TooManyObjects();
    glued_names_[i] = static_cast<Byte>(fresh);
    return identify(other, i + 1, taken);
  }

  // The two glued CPUs may await each other where their positions allow it.
  bool relate(const Byte* other) {
    std::memcpy(picture_.data(), base_.data(), layout_.size(k_));
    std::memset(layout_.cpu(picture_.data(), k_), 0, layout_.stride);
    extensions_.append(picture_.data(), other, k_ - 1, shared_objects_, glued_names_.data());
    struct Bit {
      std::uint32_t of, to, kind;
    };
    std::array<Bit, 2 * step::max_awaits> bits{};
    std::uint32_t count = 0;
    for (std::uint32_t kind = 0; kind < layout_.awaits; ++kind) {
      if (may_await_[kind][layout_.pc(picture_.data(), k_)] != 0) bits[count++] = {k_, k_ - 1, kind};
      if (may_await_[kind][layout_.pc(picture_.data(), k_ - 1)] != 0) bits[count++] = {k_ - 1, k_, kind};
    }
    for (std::uint32_t choice = 0; choice < 1U << count; ++choice) {
      std::memcpy(trial_.data(), picture_.data(), layout_.size());
      for (std::uint32_t b = 0; b < count; ++b) {
        if ((choice >> b & 1) == 0) continue;
        const std::uint32_t mask = layout_.await(trial_.data(), bits[b].of, bits[b].kind) | 1U << bits[b].to;
        layout_.set_await(trial_.data(), bits[b].of, bits[b].kind, mask);
      }
      if (!fire(trial_.data())) return false;
    }
    return true;
  }

  static Order all_but(std::uint32_t cpu, std::uint32_t n) {
    Order order{};
    for (std::uint32_t i = 0, at = 0; i < n; ++i) {
      if (i != cpu) order[at++] = static_cast<Byte>(i);
    }
    return order;
  }

  bool fire(const Byte* s) {
    for (std::uint32_t z = 0; z + 1 < k_; ++z) {
      if (!has(s, all_but(z, k_ + 1))) return true;
    }
    ++result_.joins;
    if (watch_.due()) watch_.check(soon());
    bool fine = true;
    for (std::uint32_t me = 0; me <= k_ && fine; ++me) {
      const std::uint32_t pc = layout_.pc(s, me);
      if (joint_[pc] != 0) {
        const Order rest = all_but(me, k_ + 1);
        for (const Code* code = machine_.begin(pc); code != machine_.end(pc) && fine; ++code) {
          if (!is_joint(*code)) continue;
          machine_.run(*code, s, me, search::World::open, [&](const Byte* next) {
            if (code->violation) {
              result_.fired[code->index] = true;
              fine = fine && go_on_past(*code);
            } else if (others_differ(s, next, me)) {
              fine = fine && add(next, rest);
            }
          });
        }
      }
      machine_.acknowledgements(s, me, [&](const Acknowledgement& ack) {
        std::memcpy(next_.data(), s, layout_.size());
        machine_.acknowledge(next_.data(), ack);
        fine = fine && add(next_.data(), all_but(ack.sender, k_ + 1));
      });
    }
    return fine;
  }

  [[nodiscard]] bool others_differ(const Byte* s, const Byte* next, std::uint32_t me) const {
    const Byte *before = layout_.cpu(s, me), *after = layout_.cpu(next, me);
    return std::memcmp(s, next, layout_.cpu_at) != 0 ||
           std::memcmp(s + layout_.cpu_at, next + layout_.cpu_at, me * layout_.stride) != 0 ||
           std::memcmp(before + layout_.stride, after + layout_.stride, (k_ - me) * layout_.stride) != 0;
  }

  bool over_limit() {
    const Limits& limits = options_.limits;
    const auto now = Clock::now();
    if (limits.progress && now - reported_ > std::chrono::milliseconds(500)) {
      reported_ = now;
      limits.progress(views_.size(), k_);
    }
    if (const char* reason = watch_.over(soon(), views_.bytes() + parts_.bytes() + filed_); reason != nullptr) {
      result_.reason = reason;
    } else if (views_.size() > options_.max_views) {
      result_.reason = "more than " + std::to_string(options_.max_views) + " views";
    } else {
      return false;
    }
    return true;
  }

  // Bytes that may be taken before the next look.
  [[nodiscard]] std::uint64_t soon() const {
    constexpr std::size_t more = 4096;
    return views_.growth(more) + parts_.growth(more) + growth(extensions_of_, more);
  }

  const step::Program& program_;
  const ViewsOptions& options_;
  std::uint32_t k_;
  search::Machine machine_;
  const search::Layout& layout_;
  search::Canonical canonical_;
  search::Extensions extensions_;
  std::vector<std::vector<Byte>> may_await_;
  std::vector<Byte> joint_, may_await_any_;  // per position
  StateSet views_;                           // flat, in canonical form
  StateSet parts_;                           // pictures of k - 1 CPUs
  std::vector<std::vector<Byte>> extensions_of_;
  StateSet::Index head_ = 0;
  Order identity_{}, twin_{};
  std::uint32_t shared_objects_ = 0;
  std::array<Byte, step::max_handles> glued_names_{};
  std::vector<std::uint64_t> view_, part_;
  std::vector<Byte> base_, picture_, trial_, next_, extension_;
  std::vector<Order> orders_;
  std::uint64_t filed_ = 0;
  Watch watch_{options_.limits};
  Clock::time_point reported_ = Clock::now();
  ViewsResult result_;
};

}  // namespace

ViewsResult views(const step::Program& program, const ViewsOptions& options) {
  if (options.k == 0 || options.k + 1 > step::max_cpus) {
    ViewsResult result;
    result.reason = "no views of " + std::to_string(options.k) + " CPUs";
    result.fired.resize(program.commands.size());
    return result;
  }
  return Engine(program, options).run();
}

}  // namespace faultline::check
