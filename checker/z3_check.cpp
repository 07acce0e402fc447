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

// Z3's own limits are kept only now and then, and it has none for what it reads: somebody else looks at the watch, and
// interrupts. A query that is being read takes about so many bytes for each of its text.
constexpr std::uint64_t bytes_read = 12;
// And so many it takes to have a solver at all, its code included.
constexpr std::uint64_t bytes_of_solver = std::uint64_t{20} << 20U;
constexpr auto between_looks = std::chrono::milliseconds(5);

class Solving {
 public:
  Solving(const std::vector<Query>& queries, const Limits& limits)
      : queries_(queries), limited_(limits.seconds > 0 || limits.process_bytes > 0), watch_(limits) {
    judgement_.accepted = true;
    std::size_t size = 0;
    for (const Query& query : queries) size += query.text.size();
    limit_ = watch_.over(bytes_of_solver);
    if (limit_.load() != nullptr) return;
    const bool two = size >= worth_a_thread && watch_.over(2 * bytes_of_solver) == nullptr;
    solvers_ = std::vector<smt::Solver>(two ? 2 : 1);
  }

  Judgement run() {
    if (solvers_.empty()) {
      judgement_.accepted = false;
      judgement_.undecided = true;
      judgement_.detail = std::string("Z3 was not asked: ") + limit_.load();
      return std::move(judgement_);
    }
    const auto start = Clock::now();
    std::thread second, watching;
    if (solvers_.size() > 1) second = std::thread([this] { work(solvers_.back()); });
    if (limited_) watching = std::thread([this] { look(); });
    work(solvers_.front());
    if (second.joinable()) second.join();
    done_ = true;
    if (watching.joinable()) watching.join();
    judgement_.seconds = since(start);
    return std::move(judgement_);
  }

 private:
  void work(smt::Solver& solver) {
    for (std::size_t n = 0; !over_ && (n = begun_++) < queries_.size();) {
      const Query& query = queries_[queries_.size() - 1 - n];
      const char* limit = watch_.over(query.text.size() * bytes_read);
      smt::Result result{smt::Answer::unknown, limit == nullptr ? "" : limit};
      if (limit == nullptr) result = solver.solve(query.text);
      if (result.answer == smt::Answer::unsat) continue;
      const std::lock_guard lock(mutex_);
      over_ = true;
      const bool definite = result.answer == smt::Answer::sat;
      if (!judgement_.accepted && !definite) continue;  // "does not hold" says more than "do not know"
      judgement_.accepted = false;
      judgement_.obligation = query.name;
      judgement_.undecided = !definite;
      const std::string why = limit_.load() != nullptr ? limit_.load() : result.reason;
      judgement_.detail = definite ? "it does not hold: Z3 says sat" : "Z3 gives no answer: " + why;
    }
  }

  void look() {
    while (!done_) {
      if (limit_.load() == nullptr) limit_ = watch_.over();
      if (limit_.load() != nullptr) {  // again and again: one that is about to begin does not notice
        over_ = true;
        for (smt::Solver& solver : solvers_) solver.interrupt();
      }
      std::this_thread::sleep_for(between_looks);
    }
  }

  const std::vector<Query>& queries_;
  bool limited_;
  Watch watch_;
  std::vector<smt::Solver> solvers_;
  std::mutex mutex_;
  Judgement judgement_;
  std::atomic<std::size_t> begun_ = 0;
  std::atomic<bool> over_ = false, done_ = false;
  std::atomic<const char*> limit_ = nullptr;
};

}  // namespace

Judgement solve_all(const std::vector<Query>& queries, const Limits& limits) { return Solving(queries, limits).run(); }

Judgement z3_check(const step::Program& program, const ViewSet& set, const Limits& limits) {
  const auto start = Clock::now();
  const Watch watch(limits);
  Judgement judgement;
  try {
    const std::vector<Query> all = queries(program, set, limits);
    Limits rest = limits;
    rest.seconds = watch.left();
    judgement = solve_all(all, rest);
  } catch (const OverLimit& limit) {
    judgement.obligation = "file";
    judgement.detail = std::string("no queries for Z3: ") + limit.what();
    judgement.undecided = true;
  }
  judgement.seconds = since(start);
  return judgement;
}

}  // namespace faultline::check
