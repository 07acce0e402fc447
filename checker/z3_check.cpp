// Z3 judges the very text of the queries, two at a time unless they are small: the hardest are the last ones, so they
// are begun first.
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "checker/certificate.hpp"
#include "checker/certificate_solve.hpp"
#include "checker/smt/solver.hpp"

namespace faultline::check {
namespace {

using Clock = std::chrono::steady_clock;

// Below this many bytes of queries, starting Z3 twice takes longer than it saves.
constexpr std::size_t worth_a_thread = 200'000;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

Judgement solve_all(const std::vector<Query>& queries, double seconds) {
  const auto start = Clock::now();
  Judgement judgement;
  judgement.accepted = true;
  std::mutex mutex;
  std::atomic<std::size_t> begun = 0;
  std::atomic<bool> over = false;
  const auto work = [&]() {
    smt::Solver solver;
    for (std::size_t n = 0; !over && (n = begun++) < queries.size();) {
      const Query& query = queries[queries.size() - 1 - n];
      const double rest = seconds <= 0 ? 0 : seconds - since(start);
      const smt::Result result =
          seconds > 0 && rest <= 0 ? smt::Result{smt::Answer::unknown, "timeout"} : solver.solve(query.text, rest);
      if (result.answer == smt::Answer::unsat) continue;
      const std::lock_guard lock(mutex);
      over = true;
      const bool definite = result.answer == smt::Answer::sat;
      if (!judgement.accepted && !definite) continue;  // "does not hold" says more than "do not know"
      judgement.accepted = false;
      judgement.obligation = query.name;
      judgement.undecided = !definite;
      judgement.detail = definite ? "it does not hold: Z3 says sat" : "Z3 gives no answer: " + result.reason;
    }
  };
  std::size_t size = 0;
  for (const Query& query : queries) size += query.text.size();
  if (size < worth_a_thread) {
    work();
  } else {
    std::thread second(work);
    work();
    second.join();
  }
  judgement.seconds = since(start);
  return judgement;
}

Judgement z3_check(const step::Program& program, const ViewSet& set, double seconds) {
  const auto start = Clock::now();
  const std::vector<Query> all = queries(program, set);
  const double rest = seconds <= 0 ? 0 : seconds - since(start);
  Judgement judgement;
  if (seconds > 0 && rest <= 0) {
    judgement.obligation = "file";
    judgement.detail = "no time left for Z3";
    judgement.undecided = true;
  } else {
    judgement = solve_all(all, rest);
  }
  judgement.seconds = since(start);
  return judgement;
}

}  // namespace faultline::check
