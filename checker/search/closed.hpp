// A Program with a fixed number of CPUs on each line: the machine, the canonical form and the packing in one, and the
// moves of a state. What the explicit search, the search for the shortest trace and the state graph are built on.
#pragma once
#include "checker/search/canonical.hpp"
#include "checker/search/machine.hpp"
#include "checker/search/packing.hpp"
#include "checker/search/state_set.hpp"

namespace faultline::check::search {

// One step: a command of CPU `ack.me`, or (code == nullptr) the acknowledgement.
struct Move {
  const Code* code = nullptr;
  Acknowledgement ack{};
  [[nodiscard]] std::uint32_t cpu() const { return ack.me; }
};

// Which states are the same to encode() and encode_plain().
enum class Merge : std::uint8_t {
  nothing,  // objects are a pool in which the lowest free name is taken: as exported models and other tools count
  objects,  // names of objects do not matter
  cpus,     // nor does, to encode(), the order of CPUs of one line
};

class Closed {
 public:
  // Throws std::length_error beyond 16 CPUs.
  Closed(const step::Program& program, std::vector<std::uint32_t> cpus_per_line, Merge merge);
  Closed(const Closed&) = delete;
  Closed& operator=(const Closed&) = delete;

  [[nodiscard]] const step::Program& program() const { return program_; }
  [[nodiscard]] const Layout& layout() const { return machine_.layout(); }
  [[nodiscard]] Machine& machine() { return machine_; }
  [[nodiscard]] Canonical& canonical() { return canonical_; }
  [[nodiscard]] const Packing& packing() const { return packing_; }
  [[nodiscard]] Merge merge() const { return merge_; }
  [[nodiscard]] std::uint32_t cpus() const { return cpus_; }
  [[nodiscard]] const std::vector<std::uint32_t>& per_line() const { return per_line_; }
  [[nodiscard]] std::uint32_t words() const { return packing_.words(); }

  [[nodiscard]] std::vector<Byte> initial() const;
  void encode(const Byte* s, std::uint64_t* to);
  // The last part of it: CPUs are signed, and in this order if that is settled.
  void encode_ordered(const Byte* s, Order& order, bool settled, std::uint64_t* to);
  void encode_plain(const Byte* s,
                    std::uint64_t* to);  // CPUs as they stand; objects by first occurrence, or as they stand
  void decode(const std::uint64_t* from, Byte* s) const { packing_.unpack(from, s); }
  // CPU i can do what CPU first[i] can.
  void twins(const Byte* s, Order& first) { canonical_.twins(s, first); }

  [[nodiscard]] bool inside(const Byte* s, std::uint32_t cpu) const { return inside(layout().pc(s, cpu)); }
  [[nodiscard]] bool inside(std::uint32_t pc) const { return inside_[pc] != 0; }
  [[nodiscard]] bool ends_deadlock(std::uint32_t pc) const { return ends_deadlock_[pc] != 0; }
  // Some CPU is inside a handler and none of those can move (semantics.md: idle CPUs do not help, acknowledging does).
  [[nodiscard]] bool deadlocked(const Byte* s);

  // Calls found(Move, const Byte* next) for every step of CPU `me`, violations included (code->violation; `next` is
  // then the state at the violation). `next` is valid during the call.
  template <class Found>
  void moves(const Byte* s, std::uint32_t me, Found&& found) {
    acknowledgements(s, me, found);
    commands(s, me, found);
  }
  template <class Found>
  void acknowledgements(const Byte* s, std::uint32_t me, Found&& found) {
    machine_.acknowledgements(s, me, [&](const Acknowledgement& ack) {
      std::memcpy(next_.data(), s, layout().size());
      machine_.acknowledge(next_.data(), ack);
      found(Move{nullptr, ack}, static_cast<const Byte*>(next_.data()));
    });
  }
  template <class Found>
  void commands(const Byte* s, std::uint32_t me, Found&& found) {
    const std::uint32_t pc = layout().pc(s, me);
    for (const Code* code = machine_.begin(pc); code != machine_.end(pc); ++code) {
      machine_.run(*code, s, me, World::closed, [&](const Byte* next) { found(Move{code, {me, 0, 0}}, next); });
    }
  }

 private:
  void sign_cells(const Byte* s) {
    for (std::uint32_t i = 0; i < cpus_; ++i) canonical_.sign_cell(s, i);
  }

  const step::Program& program_;
  std::vector<std::uint32_t> per_line_;
  std::vector<step::Id> lines_;  // of each CPU
  std::uint32_t cpus_ = 0;
  Merge merge_ = Merge::cpus;
  Machine machine_;
  Canonical canonical_;
  Packing packing_;
  Order identity_{};
  std::vector<Byte> form_, next_;
  std::array<std::uint64_t, step::max_globals> globals_{};
  std::vector<Byte> inside_, ends_deadlock_;  // per position
};

}  // namespace faultline::check::search
