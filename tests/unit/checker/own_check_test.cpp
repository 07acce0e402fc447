// The own judge: accepts what is inductive, and misses no view that is taken out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/checker/certificate_sets.hpp"

namespace faultline::check {
namespace {

using namespace faultline::testing;
using ::testing::AnyOf;
using ::testing::HasSubstr;

void expect_accepted(const step::Program& program, const ViewSet& set) {
  const Judgement judgement = own_check(program, set);
  EXPECT_TRUE(judgement.accepted) << judgement.obligation << ": " << judgement.detail;
}

void expect_rejected(const step::Program& program, const ViewSet& set, const std::string& what) {
  const Judgement judgement = own_check(program, set);
  EXPECT_FALSE(judgement.accepted) << what;
  EXPECT_FALSE(judgement.obligation.empty());
}

TEST(OwnCheck, AcceptsWhatTheSearchProved) {
  expect_accepted(small_flush(), proved_views(small_flush()));
  expect_accepted(small_reuse(), proved_views(small_reuse()));
  expect_accepted(room_for_two(2), proved_views(room_for_two(2)));
  expect_accepted(pmd_race({}), proved_views(pmd_race({})));
  expect_accepted(thp_tables(ThpTables::unstable), proved_views(thp_tables(ThpTables::unstable)));
}

TEST(OwnCheck, AcceptsTheProjectionsOfReachableStates) {
  // Independent of the search; for this model three CPUs show all there is.
  const step::Program program = small_flush();
  const ViewSet set = projected_views(program, 3);
  expect_accepted(program, set);
  EXPECT_EQ(set.views.size(), proved_views(program).views.size());
}

TEST(OwnCheck, RejectsTwoCpusProjectedForMore) {
  const step::Program program = small_flush();
  expect_rejected(program, projected_views(program, 2),
                  "what two CPUs do on their own is not all that two of three look like");
}

TEST(OwnCheck, DoesNotMindTheOrderOfAnything) {
  const step::Program program = thp_tables(ThpTables::unstable);
  expect_accepted(program, shuffled(program, proved_views(program), 7));
}

TEST(OwnCheck, RejectsTheSmallSetWithoutAnyOneOfItsViews) {
  const step::Program program = small_flush();
  const ViewSet set = proved_views(program);
  EXPECT_GT(set.views.size(), 50U);
  for (std::size_t v = 0; v < set.views.size(); ++v) expect_rejected(program, without(set, v), std::to_string(v));
}

TEST(OwnCheck, RejectsLargeSetsWithoutOneView) {
  std::mt19937 random(1);
  for (const step::Program& program : {thp_tables(ThpTables::unstable), pmd_race({}), small_reuse()}) {
    const ViewSet set = proved_views(program);
    for (int n = 0; n < 60; ++n) {
      const std::size_t v = random() % set.views.size();
      expect_rejected(program, without(set, v), std::to_string(v));
    }
  }
}

TEST(OwnCheck, NamesTheObligation) {
  const step::Program program = small_flush();
  const ViewSet set = proved_views(program);
  for (std::size_t v = 0; v < set.views.size(); ++v) {
    const Judgement judgement = own_check(program, without(set, v));
    const step::State& gone = set.views[v];
    const bool is_initial = gone.cpu[0].pc == 0 && gone.cpu[1].pc == 0 && gone.objects == 0 && gone.globals[0] == 0;
    if (is_initial) {
      EXPECT_EQ(judgement.obligation, "initial");
    } else {
      EXPECT_THAT(judgement.obligation, AnyOf("own step", "interference"));
      EXPECT_THAT(judgement.detail, AnyOf(HasSubstr("line "), HasSubstr("acknowledgement")));
    }
  }
  EXPECT_EQ(own_check(program, {2, {}}).obligation, "initial");
}

TEST(OwnCheck, RejectsTheSafeSetForEveryMutant) {
  const ViewSet set = proved_views(thp_tables(ThpTables::unstable));
  for (const int mutant : {1, 2, 3, 4, 5, 7, 8, 9}) {
    expect_rejected(thp_tables(ThpTables::unstable, mutant), set, "mutant " + std::to_string(mutant));
  }
  for (const ThpTables variant : {ThpTables::base, ThpTables::present, ThpTables::none}) {
    expect_rejected(thp_tables(variant), set, "a variant with the race");
  }
}

TEST(OwnCheck, RejectsAllThatAnUnsafeModelReaches) {
  EXPECT_EQ(own_check(small_flush(true), projected_views(small_flush(true), 3)).obligation, "safety");
  const step::Program race = thp_tables(ThpTables::none);
  EXPECT_EQ(own_check(race, projected_views(race, 2)).obligation, "safety") << "the 2011 race";
}

// --- lines with a fixed number of CPUs ---

TEST(OwnCheck, PicturesRespectTheCpusOfALine) {
  const ViewSet set = proved_views(room_for_two(2));
  expect_accepted(room_for_two(2), set);
  const Judgement judgement = own_check(room_for_two(3), set);
  EXPECT_FALSE(judgement.accepted) << "three in a room for two";
  EXPECT_EQ(judgement.obligation, "interference");
  expect_rejected(room_for_two(0), set, "any number in a room for two");
}

TEST(OwnCheck, TheInitialViewsAreThoseThatTheLinesAllow) {
  // Of a one-CPU line no two are together, so these views say nothing about two of them.
  const ViewSet set = proved_views(room_for_two(1));
  expect_accepted(room_for_two(1), set);
  EXPECT_EQ(own_check(room_for_two(2), set).obligation, "initial");
}

TEST(OwnCheck, SaysNothingOfFewerCpusThanAViewHas) {
  ProgramBuilder b("alone");
  b.line("cpu", 1);
  EXPECT_EQ(own_check(b.finish(), {2, {}}).obligation, "initial");
}

// --- more than one witness ---

TEST(OwnCheck, SeesViolationsThatTakeThreeCpus) {
  for (const bool as_invariant : {false, true}) {
    const step::Program program = crowd(3, as_invariant);
    EXPECT_EQ(own_check(program, projected_views(program, 2)).obligation, "safety") << as_invariant;
  }
}

TEST(OwnCheck, RefusesWhatItCannotSee) {
  for (const bool as_invariant : {false, true}) {
    const step::Program program = crowd(4, as_invariant);
    const Judgement judgement = own_check(program, projected_views(program, 3));
    EXPECT_EQ(judgement.obligation, "safety") << as_invariant;
    EXPECT_THAT(judgement.detail, HasSubstr("more CPUs than a picture"));
    EXPECT_EQ(own_check(program, projected_views(program, 3, 3)).obligation, "safety") << "with k = 3 it is seen";
  }
}

// --- three CPUs to a view ---

TEST(OwnCheck, JudgesViewsOfThree) {
  for (const step::Program& program : {small_flush(), room_for_two(2)}) {
    const ViewSet set = proved_views(program, 3);
    expect_accepted(program, set);
    for (std::size_t v = 0; v < set.views.size(); ++v) expect_rejected(program, without(set, v), std::to_string(v));
  }
  const step::Program program = thp_tables(ThpTables::unstable);
  const ViewSet set = proved_views(program, 3);
  expect_accepted(program, set);
  expect_rejected(program, without(set, set.views.size() / 2), "one less");
}

// --- sets that are no view sets ---

TEST(OwnCheck, RefusesWhatIsNoViewSet) {
  const step::Program program = small_flush();
  const ViewSet good = proved_views(program);
  EXPECT_EQ(own_check(program, {1, {}}).obligation, "file");
  EXPECT_EQ(own_check(program, {4, {}}).obligation, "file");
  EXPECT_EQ(own_check(program, {3, good.views}).obligation, "file") << "wrong k";
  const auto spoiled = [&](const auto& spoil) {
    ViewSet set = good;
    spoil(set.views.back());
    return own_check(program, set).obligation;
  };
  EXPECT_EQ(spoiled([](step::State& s) { s.cpu[0].pc = 1000; }), "file");
  EXPECT_EQ(spoiled([](step::State& s) { s.globals[0] = 9; }), "file");
  EXPECT_EQ(spoiled([](step::State& s) { s.places[0] = 60; }), "file");
  EXPECT_EQ(spoiled([](step::State& s) { s.cpu[1].awaits[0] = 1U << 5; }), "file");
  EXPECT_EQ(spoiled([](step::State& s) { s.cpu[1].awaits[0] = 1U << 1; }), "file") << "nobody awaits himself";
}

TEST(OwnCheck, RefusesACommandThatLeavesItsLine) {
  ProgramBuilder b("line_change");
  const Id one = b.line("one", 1);
  const Id two = b.line("two", 0);
  b.command(b.idle(one), b.idle(two), "change");
  EXPECT_EQ(own_check(b.finish(), {2, {}}).obligation, "file");
}

}  // namespace
}  // namespace faultline::check
