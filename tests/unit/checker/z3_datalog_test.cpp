// Z3's datalog as the rest of the project sees it.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "checker/smt/datalog.hpp"

namespace faultline::check::smt {
namespace {

using Rows = std::vector<std::vector<std::uint32_t>>;

struct Paths {
  Datalog datalog;
  Relation edge = datalog.relation("edge", 2);
  Relation path = datalog.relation("path", 2);

  Paths() {
    datalog.clause({path, {0, 1}}, {{edge, {0, 1}}});
    datalog.clause({path, {0, 2}}, {{path, {0, 1}}, {edge, {1, 2}}});
  }
  void connect(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t row[] = {from, to};
    datalog.fact(edge, row);
  }
  Rows rows(Relation relation) {
    Derived derived = datalog.rows(relation, Watch(Limits()));
    EXPECT_EQ(derived.answer, derived.rows.empty() ? Answer::unsat : Answer::sat) << derived.reason;
    std::sort(derived.rows.begin(), derived.rows.end());
    return derived.rows;
  }
};

TEST(Z3Datalog, DerivesWhatFollows) {
  Paths p;
  EXPECT_EQ(p.rows(p.path), Rows());
  p.connect(1, 2);
  EXPECT_EQ(p.rows(p.path), (Rows{{1, 2}}));
  p.connect(2, 3);
  p.connect(7, 7);
  EXPECT_EQ(p.rows(p.path), (Rows{{1, 2}, {1, 3}, {2, 3}, {7, 7}}));
  EXPECT_EQ(p.rows(p.edge), (Rows{{1, 2}, {2, 3}, {7, 7}}));
}

TEST(Z3Datalog, ForgetsWhatFollowedFromAbsence) {
  Paths p;
  const Relation known = p.datalog.relation("known", 2);
  const Relation news = p.datalog.relation("news", 2);
  p.datalog.clause({news, {0, 1}}, {{p.path, {0, 1}}, {known, {0, 1}, true}});
  p.connect(1, 2);
  EXPECT_EQ(p.rows(news), (Rows{{1, 2}}));
  const std::uint32_t row[] = {1, 2};
  p.datalog.fact(known, row);
  EXPECT_EQ(p.rows(news), Rows());
  p.connect(2, 3);
  EXPECT_EQ(p.rows(news), (Rows{{1, 3}, {2, 3}}));
}

TEST(Z3Datalog, NumbersHaveAnEnd) {
  Paths p;
  p.connect(0, datalog_numbers - 1);
  EXPECT_EQ(p.rows(p.path), (Rows{{0, datalog_numbers - 1}}));
  EXPECT_THROW(p.connect(0, datalog_numbers), std::length_error);
}

void make_large(Paths& p) {
  for (std::uint32_t n = 0; n < 3000; ++n) {
    for (std::uint32_t by = 1; by < 20; ++by) p.connect(n, (n * 7 + by * 13) % 3000);
  }
}

TEST(Z3Datalog, IsInterrupted) {
  Paths late;
  make_large(late);
  const auto start = std::chrono::steady_clock::now();
  Limits time;
  time.seconds = 0.2;
  const Derived derived = late.datalog.rows(late.path, Watch(time));
  EXPECT_EQ(derived.answer, Answer::unknown);
  EXPECT_EQ(derived.reason, "time limit");
  EXPECT_TRUE(derived.rows.empty());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  Paths large;
  make_large(large);
  Limits memory;
  memory.memory_bytes = 1 << 20;
  EXPECT_EQ(large.datalog.rows(large.path, Watch(memory)).reason, "memory limit");
}

}  // namespace
}  // namespace faultline::check::smt
