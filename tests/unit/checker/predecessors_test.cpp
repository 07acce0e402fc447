// Predecessors of pictures: none may be missing. Held against the steps that the reference interpreter takes in systems
// of two and three CPUs.
#include "checker/coverability/predecessors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "tests/support/programs.hpp"
#include "tests/support/random_program.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/states.hpp"

namespace faultline::check::coverability {
namespace {

const std::uint64_t random_programs = testing::sanitized ? 20 : 80;

using step::State;
using testing::Form;

class Held {
 public:
  Held(const step::Program& program, std::uint32_t k) : program_(program) {
    ViewsOptions options;
    options.k = k;
    options.all = true;
    options.max_views = 3000;
    const ViewsResult result = views(program, options);
    closed_ = result.closed;
    set_ = result.set;
  }

  // The steps from reachable states of n CPUs into each picture of at most `most` CPUs, until `limit` pictures were
  // seen.
  void check(std::uint32_t n, std::uint32_t most, std::size_t limit) {
    if (!closed_) return;
    struct Enough {};
    Forms forms(program_, step::max_cpus);
    Within within(program_, set_, forms);
    std::size_t ticks = 0;
    const auto tick = [&] {  // it takes too long
      if (++ticks > 1'000'000) throw Enough();
    };
    const Gluing gluing(program_, within, forms, tick);
    Predecessors predecessors(program_, within, forms, gluing, tick);
    std::map<Form, std::set<Form>> before;  // of each picture: its predecessors
    const auto look_at = [&](const State& state) {
      if (before.size() > limit) throw Enough();
      std::set<Form> parts;
      for (std::uint32_t k = 0; k <= state.cpus; ++k) {
        testing::for_each_subset(state, k, [&](const State& part) { parts.insert(form(part)); });
      }
      for (const testing::Successor& successor : testing::successors(program_, state)) {
        if (successor.command != step::acknowledgement && program_.commands[successor.command].violation) continue;
        for (std::uint32_t k = 0; k <= most; ++k) {
          testing::for_each_subset(successor.state, k, [&](State picture) {
            tidy(program_, picture);
            const Form name = form(picture);
            const bool is_new = !before.contains(name);
            std::set<Form>& known = before[name];
            if (is_new) {
              predecessors.of(picture, [&](const State& found, const step::ReplayStep&) { known.insert(form(found)); });
            }
            const bool stays = parts.contains(name);
            const bool found =
                std::any_of(parts.begin(), parts.end(), [&](const Form& part) { return known.contains(part); });
            changed_ += stays ? 0 : 1;
            EXPECT_TRUE(stays || found) << "command " << successor.command << ", picture of " << k << " CPUs";
          });
        }
      }
    };
    try {
      testing::for_each_reachable(program_, n, look_at);
    } catch (const Enough&) {
    }
  }

  [[nodiscard]] std::size_t changed() const { return changed_; }

 private:
  Form form(State picture) const {
    tidy(program_, picture);
    return static_cast<char>(picture.cpus) + testing::form(program_, picture);
  }

  const step::Program& program_;
  bool closed_ = false;
  ViewSet set_;
  std::size_t changed_ = 0;
};

TEST(Predecessors, NoneIsMissingOnRandomPrograms) {
  const bool all = std::getenv("FAULTLINE_FULL") != nullptr;
  std::size_t changed = 0;
  for (std::uint64_t seed = 1; seed <= (all ? 300 : random_programs); ++seed) {
    testing::RandomShape shape;
    shape.objects = seed % 4 != 0;
    shape.awaits = seed % 2 == 0;
    shape.several_lines = seed % 5 == 0;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const step::Program program = testing::random_program(seed, shape);
    Held held(program, seed % 3 == 0 ? 2 : 1);
    held.check(3, 2, all ? 100 : 40);
    changed += held.changed();
  }
  EXPECT_GT(changed, 5 * random_programs);
}

// A handle that another CPU clears named an object that is known still, or one that nobody else knew.
TEST(Predecessors, NoneIsMissingWhereHandlesAreCleared) {
  testing::ProgramBuilder b("cleared");
  const step::Id type = b.type("object_t", {"freed", "mark"});
  const step::Id place = b.place("p", type), first = b.handle("first", type), second = b.handle("second", type);
  const step::Id local = b.local("l", 2), line = b.line("any", 0), handler = b.handler("h");
  const step::Id made = b.at(line, handler), read = b.at(line, handler);
  b.command(b.idle(line), made, "make").fresh(first).set_bit(first, 1, true).set_local(local, 2);
  b.command(made, b.idle(line), "publish").place_from_handle(place, first).handle_from_handle(second, first);
  b.command(b.idle(line), read, "read").handle_from_place(first, place).set_local(local, 1);
  const auto holds = b.lnot(b.op(step::ExprOp::other_null, first));
  b.command(read, b.idle(line), "take").others_clear_handle(first, holds).others_set_local(local, 0, b.always());
  const step::Program program = b.finish();
  for (const std::uint32_t k : {1U, 2U}) {
    Held held(program, k);
    held.check(3, 2, 300);
    EXPECT_GT(held.changed(), 100U);
  }
}

TEST(Predecessors, NoneIsMissingOnThpTables) {
  const step::Program program = testing::thp_tables(testing::ThpTables::unstable);
  Held held(program, 2);
  held.check(2, 2, 2000);
  EXPECT_GT(held.changed(), 1000U);
}

}  // namespace
}  // namespace faultline::check::coverability
