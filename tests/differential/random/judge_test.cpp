// A judge that is wrong must be noticed.
#include "tests/differential/random/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/differential/random/generator.hpp"

namespace faultline::differential {
namespace {

using check::Answer;
using ::testing::Contains;
using ::testing::IsEmpty;

std::string applies(const step::Program&, const Question&) { return {}; }

Engine planted(const std::string& name, const Finding& finding) {
  return {name, 1, applies, [finding](const step::Program&, const Question&) { return finding; }};
}

Finding proves(std::uint32_t cpus) {
  Finding finding;
  finding.answer = Answer::proved;
  finding.cpus = cpus;
  return finding;
}
Finding violates(const std::string& violation, std::uint32_t cpus) {
  Finding finding;
  finding.answer = Answer::violated;
  finding.cpus = cpus;
  finding.violation = violation;
  return finding;
}

constexpr const char* unsafe_with_two = R"(model m;
shared bool *busy;
handler h() { assert(!*busy); *busy = true; *busy = false; }
run h on any cpus;
)";
constexpr const char* safe = R"(model m;
shared bool *busy;
spinlock l;
handler h() { spin_lock(l); assert(!*busy); *busy = true; *busy = false; spin_unlock(l); }
run h on any cpus;
)";
constexpr const char* deadlocks = R"(model m;
mutex a, b;
handler h() { mutex_lock(a); mutex_lock(b); mutex_unlock(b); mutex_unlock(a); }
handler i() { mutex_lock(b); mutex_lock(a); mutex_unlock(a); mutex_unlock(b); }
run h, i on any cpus;
)";

std::vector<std::string> complaints(const std::string& text, std::vector<Engine> all, std::uint32_t max_cpus = 3) {
  std::vector<std::string> found;
  const Judges judges{std::move(all), max_cpus, 200'000, {}, 0};
  for (const Judged& judged : judge(text, judges))
    for (const Disagreement& d : judged.disagreements) found.push_back(d.what);
  return found;
}

TEST(Judge, TheEnginesThemselvesAgree) {
  EXPECT_THAT(complaints(unsafe_with_two, engines()), IsEmpty());
  EXPECT_THAT(complaints(safe, engines()), IsEmpty());
  EXPECT_THAT(complaints(deadlocks, engines()), IsEmpty());
}

TEST(Judge, AProofOfWhatIsViolated) {
  EXPECT_THAT(complaints(unsafe_with_two, {planted("liar", proves(1))}), Contains("liar proves what is violated"));
  EXPECT_THAT(complaints(unsafe_with_two, {planted("liar", proves(4))}), IsEmpty()) << "says nothing about three CPUs";
}

TEST(Judge, ADeadlockSpeaksAgainstProofsOfDeadlockOnly) {
  EXPECT_THAT(complaints(deadlocks, {planted("views", proves(2))}), IsEmpty());
  Finding all = proves(1);
  all.deadlock = true;
  EXPECT_THAT(complaints(deadlocks, {planted("liar", all)}), Contains("liar proves what is violated"));
}

TEST(Judge, AViolationThatIsNone) {
  EXPECT_THAT(complaints(safe, {planted("liar", violates("assert", 2))}),
              Contains("liar finds a violation that is none"));
  EXPECT_THAT(complaints(unsafe_with_two, {planted("liar", violates("leak", 2))}),
              Contains("liar finds a violation that is none"));
  EXPECT_THAT(complaints(unsafe_with_two, {planted("right", violates("assert", 2))}), IsEmpty());
}

TEST(Judge, AViolationWithMoreCpusThanItTakes) {
  Finding finding = violates("assert", 3);
  EXPECT_THAT(complaints(unsafe_with_two, {planted("any", finding)}), IsEmpty());
  finding.fewest = true;
  EXPECT_THAT(complaints(unsafe_with_two, {planted("slow", finding)}),
              Contains("slow needs more CPUs than a violation takes"));
}

TEST(Judge, AProofForOneNumberOfCpus) {
  Finding finding = proves(1);
  finding.exactly = true;
  EXPECT_THAT(complaints(unsafe_with_two, {planted("right", finding)}), IsEmpty());
  finding.cpus = 2;
  EXPECT_THAT(complaints(unsafe_with_two, {planted("liar", finding)}), Contains("liar proves what is violated"));
}

TEST(Judge, StepsThatAreSaidToBeSafe) {
  Finding finding;  // CPU 0 looks, raises the flag, CPU 1 looks
  finding.cpus = 2;
  finding.safe_steps = 2;
  EXPECT_THAT(complaints(unsafe_with_two, {planted("right", finding)}), IsEmpty());
  finding.safe_steps = 3;
  EXPECT_THAT(complaints(unsafe_with_two, {planted("liar", finding)}),
              Contains("liar has no violation within the steps of one"));
}

TEST(Judge, TwoEnginesBeyondTheSearch) {
  const std::vector<Engine> both = {planted("prover", proves(2)), planted("finder", violates("assert", 7))};
  EXPECT_THAT(complaints(safe, both), Contains("prover proves what finder violates"));
}

TEST(Judge, AnExceptionIsADisagreement) {
  const Engine throws = {"broken", 1, applies,
                         [](const step::Program&, const Question&) -> Finding { throw std::logic_error("no"); }};
  EXPECT_THAT(complaints(safe, {throws}), Contains("broken fails"));
}

TEST(Judge, AModelThatDoesNotLoad) {
  EXPECT_THAT(complaints("model m;\nrun h on any cpus;\n", engines()), Contains("the model does not load"));
}

}  // namespace
}  // namespace faultline::differential
