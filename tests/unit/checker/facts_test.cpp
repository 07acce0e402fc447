// Facts and explanations against the views they come from, and against states that are really reached.
#include "checker/facts.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "checker/explain.hpp"
#include "checker/views.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/states.hpp"

namespace faultline::check {
namespace {

using step::Id;

// The value of a field in a state whose CPUs `me` and `other` are looked at; only fields without objects.
std::optional<std::uint16_t> value_of(const Field& field, const step::State& s, std::size_t me, std::size_t other) {
  const step::CpuState& cpu = s.cpu[field.i == 0 ? me : other];
  switch (field.what) {
    case Field::What::global: return s.globals[field.a];
    case Field::What::position: return cpu.pc;
    case Field::What::local: return cpu.locals[field.a];
    default: return std::nullopt;
  }
}

TEST(Facts, HoldInEveryReachableState) {
  const step::Program program = testing::pmd_race({});
  const ViewsResult result = views(program, {});
  ASSERT_TRUE(result.proved);
  const Facts facts = facts_of(table_of(program, result.set));
  ASSERT_GT(facts.facts.size(), 50u);
  std::size_t looked = 0;
  testing::for_each_reachable(program, testing::sanitized ? 2 : 3, [&](const step::State& s) {
    for (std::size_t i = 0; i < s.cpus; ++i) {
      for (std::size_t j = 0; j < s.cpus; ++j) {
        for (const Fact& fact : facts.facts) {
          if (i == j || s.cpu[i].pc != fact.position) continue;
          const auto value = value_of(facts.fields[fact.field], s, i, j);
          if (!value) continue;
          ++looked;
          ASSERT_TRUE(std::binary_search(fact.values.begin(), fact.values.end(), *value));
        }
      }
    }
  });
  EXPECT_GT(looked, 1000u);
}

std::vector<std::string> facts_at(const std::vector<Known>& known, std::uint32_t line) {
  std::vector<std::string> all;
  for (const Known& k : known)
    if (k.span.line == line) all.insert(all.end(), k.facts.begin(), k.facts.end());
  return all;
}

TEST(Explain, SaysWhatLocksExclude) {
  testing::ProgramBuilder b("lock");
  const Id held = b.global("l"), data = b.global("data");
  const Id lock = b.lock("l", held);
  const Id line = b.line("any", 0), handler = b.handler("h");
  const Id inside = b.at(line, handler, {{lock, step::LockMode::write}});
  const Id written = b.at(line, handler, {{lock, step::LockMode::write}});
  b.location(inside).span.line = 10;
  b.location(written).span.line = 11;
  b.command(b.idle(line), inside, "lock").assume(b.global_is(held, 0)).set_global(held, 1);
  b.command(inside, written, "data = 1").set_global(data, 1);
  b.command(written, b.idle(line), "data = 0, unlock").set_global(data, 0).set_global(held, 0);
  const step::Program program = b.finish();
  const ViewsResult result = views(program, {});
  ASSERT_TRUE(result.proved);
  const std::vector<Known> known = explain(program, result.set);
  EXPECT_THAT(facts_at(known, 10), ::testing::ElementsAre("data is 0", "l is held", "no other CPU holds l"));
  EXPECT_THAT(facts_at(known, 11), ::testing::ElementsAre("data is 1", "l is held", "no other CPU holds l"));
}

TEST(Explain, SaysNothingThatIsAlwaysSo) {
  testing::ProgramBuilder b("no lock");
  const Id data = b.global("data");
  const Id line = b.line("any", 0), handler = b.handler("h");
  const Id inside = b.at(line, handler);
  b.location(inside).span.line = 10;
  b.command(b.idle(line), inside, "data = 1").set_global(data, 1);
  b.command(inside, b.idle(line), "data = 0").set_global(data, 0);
  const step::Program program = b.finish();
  const ViewsResult result = views(program, {});
  ASSERT_TRUE(result.proved);
  EXPECT_THAT(facts_at(explain(program, result.set), 10), ::testing::IsEmpty());
}

}  // namespace
}  // namespace faultline::check
