#include "tests/support/random_program.hpp"

#include <random>

#include "tests/support/programs.hpp"

namespace faultline::testing {
namespace {

using step::ExprOp;
using step::Kind;

class Maker {
 public:
  Maker(std::uint64_t seed, const RandomShape& shape)
      : seed_(seed), random_(seed), shape_(shape), b_("random", std::to_string(seed)) {}

  step::Program make() {
    for (int g = 0, n = 1 + below(2); g < n; ++g) {
      global_max_.push_back(1 + below(2));
      globals_.push_back(b_.global("g" + std::to_string(g), global_max_.back()));
    }
    for (int l = 0, n = below(3); l < n; ++l) {
      local_max_.push_back(1 + below(2));
      locals_.push_back(b_.local("l" + std::to_string(l), local_max_.back()));
    }
    if (shape_.objects) {
      std::vector<std::string> bits = {"freed", "m1", "m2", "m3", "m4", "m5"};
      bits.resize(2 + seed_ % 5);
      mark_ = static_cast<int>(bits.size()) - 1;
      const Id type = b_.type("object_t", bits);
      for (int p = 0, n = 1 + below(2); p < n; ++p) places_.push_back(b_.place("p" + std::to_string(p), type));
      for (int h = 0, n = 1 + below(2); h < n; ++h) handles_.push_back(b_.handle("h" + std::to_string(h), type));
    }
    if (shape_.awaits) {
      for (int a = 0, n = 1 + below(2); a < n; ++a) {
        std::vector<Id> clears, clears_locals;
        if (!handles_.empty() && chance(2)) clears.push_back(handles_.back());
        if (!locals_.empty() && chance(3)) clears_locals.push_back(locals_.back());
        awaits_.push_back(b_.await("a" + std::to_string(a), clears, clears_locals));
      }
    }
    const int lines = shape_.several_lines ? 2 : 1;
    for (int line = 0; line < lines; ++line) {
      const Id id = b_.line("line" + std::to_string(line), line);  // the first: any number
      b_.once(id, seed_ % 3 == 0 && line == 1);
      const Id handler = b_.handler("h" + std::to_string(line));
      pcs_.emplace_back(std::vector<Id>{b_.idle(id)});
      for (int i = 0, n = 2 + below(3); i < n; ++i) {
        pcs_.back().push_back(b_.at(id, handler));
        if (chance(6)) b_.location(pcs_.back().back()).acknowledges = static_cast<std::uint8_t>(below(4));
      }
    }
    for (const auto& pcs : pcs_) {
      std::vector<Id> some;
      for (const auto& all : pcs_) {
        for (const Id pc : all) {
          if (chance(2)) some.push_back(pc);
        }
      }
      sets_.push_back(b_.pc_set(some));
      for (std::size_t i = 0; i < pcs.size(); ++i) {
        // One way on, so that handlers come round; and some more.
        step(pcs[i], pcs[(i + 1) % pcs.size()]);
        for (int n = below(3); n > 0; --n)
          step(pcs[i], pcs[static_cast<std::size_t>(below(static_cast<int>(pcs.size())))]);
        if (chance(3)) violation(pcs[i]);
      }
    }
    if (chance(3)) {
      const ExprId both = b_.land(b_.op(ExprOp::any_cpu, about_other(false)), about_shared());
      b_.invariant("i", b_.lnot(b_.land(both, about_shared())));
    }
    return b_.finish();
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool chance(int n) { return below(n) == 0; }
  int some_bit() { return below(2) * mark_; }
  Id pick(const std::vector<Id>& ids) { return ids[static_cast<std::size_t>(below(static_cast<int>(ids.size())))]; }

  ExprId about_shared() {
    if (!places_.empty() && chance(3)) {
      switch (below(3)) {
        case 0: return b_.op(ExprOp::place_null, pick(places_));
        case 1: return b_.op(ExprOp::places_equal, pick(places_), pick(places_));
        default: return b_.op(ExprOp::place_bit, pick(places_), static_cast<ExprId>(some_bit()));
      }
    }
    const Id g = pick(globals_);
    const ExprId global = b_.op(ExprOp::global, g);
    switch (below(4)) {
      case 0: return b_.op(ExprOp::le, global, b_.constant(below(2)));
      case 1: return b_.op(ExprOp::lt, b_.constant(0), global);
      case 2: return b_.op(ExprOp::in, global, 0, 0, static_cast<std::uint64_t>(1 + below(6)));
      default: return b_.global_is(g, below(global_max_[g] + 1));
    }
  }
  ExprId about_me() {
    if (!handles_.empty() && chance(2)) {
      switch (below(4)) {
        case 0: return b_.op(ExprOp::handle_null, pick(handles_));
        case 1: return b_.op(ExprOp::handle_is_place, pick(handles_), pick(places_));
        case 2: return b_.op(ExprOp::handles_equal, pick(handles_), pick(handles_));
        default: return b_.op(ExprOp::object_bit, pick(handles_), static_cast<ExprId>(some_bit()));
      }
    }
    if (locals_.empty()) return b_.op(ExprOp::pc_in, pick(sets_or_first()));
    return b_.local_is(pick(locals_), below(2));
  }
  // Without me, for invariants.
  ExprId about_other(bool me = true) {
    if (!handles_.empty() && chance(2)) {
      switch (below(me ? 3 : 2)) {
        case 0: return b_.lnot(b_.op(ExprOp::other_null, pick(handles_)));
        case 2: return b_.op(ExprOp::other_is_mine, pick(handles_), pick(handles_));
        default: return b_.op(ExprOp::other_is_place, pick(handles_), pick(places_));
      }
    }
    if (!locals_.empty() && chance(2)) {
      return b_.op(ExprOp::eq, b_.op(ExprOp::other_local, pick(locals_)), b_.constant(below(2)));
    }
    return b_.op(ExprOp::other_pc_in, pick(sets_or_first()));
  }
  const std::vector<Id>& sets_or_first() {
    if (sets_.empty()) sets_.push_back(b_.pc_set({pcs_.front().back()}));
    return sets_;
  }
  ExprId condition() {
    const ExprId e = chance(2) ? about_shared() : about_me();
    switch (below(5)) {
      case 0: return b_.lnot(e);
      case 1: return b_.lor(e, about_me());
      case 2: return b_.land(e, about_shared());
      default: return e;
    }
  }

  void effect(CommandBuilder& c) {
    switch (below(shape_.objects ? 10 : 3)) {
      case 0: {
        const Id g = pick(globals_);
        if (chance(4)) {
          c.set_global(g, b_.op(ExprOp::ite, condition(), b_.constant(0), b_.constant(global_max_[g])));
        } else {
          c.set_global(g, below(global_max_[g] + 1));
        }
        return;
      }
      case 1:
        if (locals_.empty()) return;
        if (chance(2)) {
          c.others_set_local(pick(locals_), below(2), about_other());
        } else {
          c.set_local(pick(locals_), below(2));
        }
        return;
      case 2:
        if (!awaits_.empty()) c.await_others(pick(awaits_), chance(2) ? b_.always() : about_other());
        return;
      case 3:
      case 4: c.fresh(pick(handles_)); return;
      case 5: c.handle_from_place(pick(handles_), pick(places_)); return;
      case 6: c.place_from_handle(pick(places_), pick(handles_)); return;
      case 7: c.set_bit(pick(handles_), static_cast<Id>(some_bit()), !chance(4)); return;
      case 8:
        if (chance(2)) {
          c.clear_place(pick(places_));
        } else {
          c.clear_handle(pick(handles_));
        }
        return;
      default:
        if (chance(2)) {
          c.others_clear_handle(pick(handles_), about_other());
        } else {
          c.handle_from_handle(pick(handles_), pick(handles_));
        }
    }
  }
  void guard(CommandBuilder& c) {
    switch (below(6)) {
      case 0: c.none(about_other()); return;
      case 1:
        if (chance(2)) c.some(about_other());
        return;
      case 2:
        if (!awaits_.empty()) c.none(b_.op(ExprOp::i_await_other, pick(awaits_)));
        return;
      default: c.assume(condition());
    }
  }
  void step(Id from, Id to) {
    CommandBuilder c = b_.command(from, to, "step");
    if (!chance(3)) guard(c);
    for (int n = below(3); n > 0; --n) {
      effect(c);
      if (chance(8)) guard(c);  // a guard that sees what was done before it
    }
    if (chance(4)) c.may_block();
  }
  void violation(Id from) {
    const Kind kinds[] = {Kind::assertion, Kind::leak, Kind::stale_tlb};
    CommandBuilder c = b_.violation(from, kinds[below(3)], "wrong");
    c.assume(condition()).assume(about_shared());
    if (chance(2)) c.some(about_other());
    if (chance(3)) c.none(about_other());
  }

  std::uint64_t seed_;
  int mark_ = 1;  // the bit of objects that is used beside "freed"
  std::mt19937_64 random_;
  RandomShape shape_;
  ProgramBuilder b_;
  std::vector<Id> globals_, locals_, places_, handles_, awaits_, sets_;
  std::vector<int> global_max_, local_max_;
  std::vector<std::vector<Id>> pcs_;
};

}  // namespace

step::Program random_program(std::uint64_t seed, const RandomShape& shape) { return Maker(seed, shape).make(); }

}  // namespace faultline::testing
