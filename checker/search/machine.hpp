// Runs the commands of a Program on flat states. Guards on a single variable become masks; everything else is walked as
// the expression tree it is. Means the same as step/interpreter.hpp; a test holds the two together.
#pragma once
#include <bit>
#include <stdexcept>
#include <utility>

#include "checker/search/layout.hpp"

namespace faultline::check::search {

// closed: the CPUs of the state are all there are. open: others may exist; see step::World. alone: the actor is looked
// at without the others; guards on them that come before the first change count as true.
enum class World : std::uint8_t { closed, open, alone };

// One command, made quick. Its leading guards are `tests` and read the state before the step.
struct Code {
  std::uint32_t index = 0;  // of the command in the program
  std::uint16_t to = 0;
  bool violation = false;
  bool bound = false;
  bool changes_shared = false;  // other CPUs may see the step: globals, places, objects, others_*
  bool sets_others_locals = false;
  bool changes_names = false;   // what CPUs and places name, what objects are, or who awaits whom
  std::uint32_t witnesses = 0;  // number of `some` guards
  std::uint32_t first_test = 0, last_test = 0;
  std::uint32_t first_op = 0, last_op = 0;
};

// One acknowledgement that may happen: CPU `me` acknowledges kind `kind` of CPU `sender`.
struct Acknowledgement {
  std::uint32_t me = 0, sender = 0, kind = 0;
};

struct TooManyObjects : std::length_error {
  TooManyObjects() : std::length_error("more than 63 objects in one state") {}
};

class Machine {
 public:
  Machine(const step::Program& program, std::uint32_t max_cpus);

  [[nodiscard]] const step::Program& program() const { return program_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] const Code* code(std::uint32_t command) const { return &codes_[command]; }
  // Commands of a position, as [first, last) of codes().
  [[nodiscard]] const Code* begin(std::uint32_t pc) const { return codes_.data() + program_.first[pc]; }
  [[nodiscard]] const Code* end(std::uint32_t pc) const { return codes_.data() + program_.first[pc + 1]; }

  // A violation command's `some` guards beyond this many count as true in the open world. (A picture with n CPUs can
  // show witnesses for n - 1 of them.)
  void set_witnesses(std::uint32_t count) { witnesses_ = count; }

  // Calls found(const Byte*) for each outcome; a violation command that is enabled has one, and `found` sees the state
  // at the violation. Objects keep their names; unnamed ones are left for the canonical form to drop. The pointer is
  // valid during the call only, and `found` must not call run().
  template <class Found>
  void run(const Code& code, const Byte* s, std::uint32_t me, World world, Found&& found);

  // Only the guards before the first change: cheap and, where no guard follows a change, exact.
  [[nodiscard]] bool passes(const Code& code, const Byte* s, std::uint32_t me, World world) const;

  [[nodiscard]] bool can_acknowledge(const Byte* s, const Acknowledgement& ack) const {
    return (layout_.await(s, ack.sender, ack.kind) >> ack.me & 1) != 0 &&
           (acknowledges_[layout_.pc(s, ack.me)] >> ack.kind & 1) != 0;
  }
  void acknowledge(Byte* s, const Acknowledgement& ack) const;
  // Calls found(Acknowledgement) for each that CPU `me` can make.
  template <class Found>
  void acknowledgements(const Byte* s, std::uint32_t me, Found&& found) const;

  [[nodiscard]] std::uint32_t evaluate(const Byte* s, std::uint32_t me, std::uint32_t other, step::ExprId e) const;
  [[nodiscard]] bool truth(const Byte* s, std::uint32_t me, std::uint32_t other, step::ExprId e) const;
  [[nodiscard]] bool holds(const Byte* s, const step::Invariant& invariant) const {
    return truth(s, 0, 0, invariant.e);
  }

  // Objects named by a place or a handle; bit 0 may be set and means nothing.
  [[nodiscard]] std::uint64_t named(const Byte* s) const;

 private:
  // A Boolean expression that reads one variable with values 0..63 only.
  struct Mask {
    enum class Of : std::uint8_t { nothing, global, local, other_local } of = Of::nothing;
    std::uint16_t index = 0;
    std::uint64_t values = 0;
  };
  struct Test {
    enum class Kind : std::uint8_t { global, local, truth, none, some } kind = Kind::truth;
    std::uint16_t index = 0;
    std::uint32_t witness = 0;  // of a `some` guard: which of the command
    std::uint64_t values = 0;
    step::ExprId e = 0;
  };

  void find_masks();
  void compile(std::uint32_t index);
  void add_tests(const step::Op& op, std::uint32_t& witnesses);
  [[nodiscard]] bool test(const Test& t, const Byte* s, std::uint32_t me, bool violation, World world) const;
  [[nodiscard]] bool any_other(const Byte* s, std::uint32_t me, step::ExprId e) const;
  void apply(Byte* s, std::uint32_t me, const step::Op& op) const;
  template <class Found>
  bool go_on(const Code& code, std::uint32_t level, std::uint32_t op, std::uint32_t me, World world, Found& found);
  [[nodiscard]] Byte* scratch(std::uint32_t level) { return scratch_.data() + level * layout_.size(); }

  const step::Program& program_;
  Layout layout_;
  std::vector<Mask> masks_;  // per expression
  std::vector<Code> codes_;
  std::vector<Test> tests_;
  std::vector<step::Op> ops_;
  std::vector<std::vector<Byte>> pc_sets_;
  std::vector<Byte> acknowledges_;  // per position: bit k
  std::vector<Byte> scratch_;
  std::uint32_t witnesses_ = 0xffffffff;
};

template <class Found>
void Machine::run(const Code& code, const Byte* s, std::uint32_t me, World world, Found&& found) {
  if (!passes(code, s, me, world)) return;
  std::memcpy(scratch(0), s, layout_.size(s[0]));
  go_on(code, 0, code.first_op, me, world, found);
}

// Returns false to stop (a violation is reported once).
template <class Found>
bool Machine::go_on(const Code& code, std::uint32_t level, std::uint32_t op, std::uint32_t me, World world,
                    Found& found) {
  Byte* s = scratch(level);
  for (; op < code.last_op; ++op) {
    const step::Op& o = ops_[op];
    if (o.code == step::OpCode::fresh) {
      const std::uint64_t names = named(s) | 1;
      const std::uint32_t type = program_.handles[o.a].type;
      for (std::uint32_t n = 1; program_.has_alloc_reuse && n <= s[1]; ++n) {
        const Byte object = s[layout_.object_at + n];
        if ((names >> n & 1) == 0 || layout_.type(object) != type || (object & 1) == 0) continue;
        Byte* reused = scratch(level + 1);
        std::memcpy(reused, s, layout_.size(s[0]));
        reused[layout_.object_at + n] = layout_.object(type, 0);
        layout_.handle(reused, me, o.a) = static_cast<Byte>(n);
        if (!go_on(code, level + 1, op + 1, me, world, found)) return false;
      }
      const auto name = static_cast<std::uint32_t>(std::countr_one(names));
      if (name > layout_.objects) throw TooManyObjects();
      if (s[1] < name) s[1] = static_cast<Byte>(name);
      s[layout_.object_at + name] = layout_.object(type, 0);
      layout_.handle(s, me, o.a) = static_cast<Byte>(name);
    } else if (o.code == step::OpCode::assume) {
      if (!truth(s, me, me, o.e)) return true;
    } else if (o.code == step::OpCode::none) {
      if (any_other(s, me, o.e)) return true;
    } else if (o.code == step::OpCode::some) {
      const bool free = world == World::open && (!code.violation || o.value >= witnesses_);
      if (!free && !any_other(s, me, o.e)) return true;
    } else {
      apply(s, me, o);
    }
  }
  if (!code.violation) layout_.set_pc(s, me, code.to);
  found(static_cast<const Byte*>(s));
  return !code.violation;
}

template <class Found>
void Machine::acknowledgements(const Byte* s, std::uint32_t me, Found&& found) const {
  if (layout_.awaits == 0) return;
  const Byte may = acknowledges_[layout_.pc(s, me)];
  for (std::uint32_t sender = 0; sender < s[0]; ++sender) {
    for (std::uint32_t kind = 0; kind < layout_.awaits; ++kind) {
      if ((may >> kind & 1) != 0 && (layout_.await(s, sender, kind) >> me & 1) != 0)
        found(Acknowledgement{me, sender, kind});
    }
  }
}

}  // namespace faultline::check::search
