#include "checker/search/crew.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace faultline::check::search {
namespace {

constexpr std::size_t chunks_ahead = 8;  // for each thread: what is kept until it is its turn
constexpr std::size_t prefetched = 16;   // states

}  // namespace

Crew::Crew(Job job) : job_(std::move(job)), seen_(job_.program) {
  job_.threads = std::max(job_.threads, 1U);
  make_room_for(1);
  words_ = closed().words();
}

// One thread inserts a chunk as soon as it has looked at it.
void Crew::make_room_for(std::size_t threads) {
  while (workers_.size() < threads)
    workers_.push_back(std::make_unique<Worker>(job_.program, job_.cpus_per_line, job_.merge, job_.deadlock));
  const std::size_t outcomes = threads > 1 ? threads * chunks_ahead : 1;
  while (ring_.size() < outcomes) ring_.push_back(std::make_unique<Outcome>(job_.program));
}

bool Crew::expand(StateSet& states, StateSet::Index first, StateSet::Index last, std::uint32_t level, bool only_look,
                  const MayGoOn& may_go_on) {
  divide(states, first, last);
  begun_ = inserted_ = 0;
  over_ = false;
  for (const auto& outcome : ring_) outcome->ready = false;
  const Level work_of{states, level, only_look, may_go_on};
  const std::size_t threads = threads_for(last - first);
  make_room_for(threads);
  const auto start = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < threads; ++t) others.emplace_back([&, t] { work(*workers_[t], work_of); });
    work(*workers_.front(), work_of);
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  seconds_a_state_ = taken.count() * static_cast<double>(threads) / (last - first);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  return !over_;
}

// How long a level takes decides how many threads look at it, and nothing else.
std::size_t Crew::threads_for(StateSet::Index states) const {
  const double most = seconds_a_state_ * states / std::max(job_.worth_a_thread, 1e-9);
  return most < job_.threads ? std::max<std::size_t>(static_cast<std::size_t>(most), 1) : job_.threads;
}

// A chunk lies within one block of the set, so nobody needs the set itself to find its states.
void Crew::divide(const StateSet& states, StateSet::Index first, StateSet::Index last) {
  chunks_.clear();
  for (StateSet::Index at = first; at < last;) {
    const StateSet::Index count = std::min({job_.chunk, last - at, states.together(at)});
    chunks_.push_back({states[at], count});
    at += count;
  }
}

void Crew::work(Worker& worker, const Level& level) {
  std::unique_lock lock(mutex_);
  while (!over_ && inserted_ < chunks_.size()) {
    if (!inserting_ && outcome(inserted_).ready) {
      inserting_ = true;
      Outcome& next = outcome(inserted_);
      lock.unlock();
      const bool goes_on = insert(level, next);
      lock.lock();
      next.ready = false;
      inserting_ = false;
      ++inserted_;
      over_ = !goes_on;
    } else if (begun_ < chunks_.size() && begun_ - inserted_ < ring_.size()) {
      const std::size_t chunk = begun_++;
      lock.unlock();
      look(worker, level, chunks_[chunk], outcome(chunk));
      lock.lock();
      outcome(chunk).ready = true;
    } else {
      ++waiting_;
      changed_.wait(lock);
      --waiting_;
      continue;
    }
    // To wake a thread takes as long as to look at many states. It is needed at the end, and when there is enough to do
    // again. Who has looked at a chunk inserts it, or is followed by who is inserting: somebody is always awake.
    const bool room = begun_ < chunks_.size() && begun_ - inserted_ <= ring_.size() / 2;
    if (waiting_ > 0 && (room || over_ || inserted_ == chunks_.size())) changed_.notify_all();
  }
}

void Crew::look(Worker& worker, const Level& level, const Chunk& chunk, Outcome& outcome) const {
  outcome.seen.clear();
  outcome.hashes.clear();
  outcome.error = nullptr;
  std::size_t used = 0;
  const auto make_room = [&] {
    if (outcome.keys.size() < used + words_) outcome.keys.resize(2 * outcome.keys.size() + words_);
    worker.write_to(outcome.keys.data() + used);
  };
  make_room();
  try {
    for (StateSet::Index i = 0; i < chunk.count; ++i) {
      worker.expand(chunk.states + std::size_t{i} * words_, level.number, level.only_look, outcome.seen, [&] {
        outcome.hashes.push_back(level.states.hash(outcome.keys.data() + used));
        used += words_;
        make_room();
      });
    }
  } catch (...) {
    outcome.error = std::current_exception();
  }
}

bool Crew::insert(const Level& level, Outcome& outcome) {
  const std::size_t count = outcome.hashes.size();
  try {
    if (!level.may_go_on(count)) return false;
    // States are looked up in small batches, so that the table's memory is on its way when it is needed.
    for (std::size_t i = 0; i < std::min(prefetched, count); ++i) level.states.prefetch(outcome.hashes[i]);
    for (std::size_t i = 0; i < count; ++i) {
      if (i + prefetched < count) level.states.prefetch(outcome.hashes[i + prefetched]);
      level.states.insert(outcome.keys.data() + i * words_, outcome.hashes[i]);
    }
    seen_.add(outcome.seen);
    if (outcome.error) std::rethrow_exception(outcome.error);
  } catch (...) {
    error_ = std::current_exception();
    return false;
  }
  return true;
}

}  // namespace faultline::check::search
