// The threads of the explicit search. They look at chunks of a level's states and keep what those lead to; it is put
// into the set in the order of the chunks, by whoever has time. So states have the numbers that one thread would give
// them, and counts, verdicts and traces do not depend on how many threads there are or which was faster.
#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>

#include "checker/search/worker.hpp"

namespace faultline::check::search {

class Crew {
 public:
  struct Job {
    const step::Program& program;
    std::vector<std::uint32_t> cpus_per_line;
    Merge merge = Merge::cpus;
    bool deadlock = true;
    unsigned threads = 1;
    StateSet::Index chunk = 512;  // states that a worker looks at in one go
    double worth_a_thread = 0;    // seconds that a level will take one thread, for each
  };
  // Asked before up to so many states are inserted, by one thread at a time; false ends the level.
  using MayGoOn = std::function<bool(std::size_t more)>;

  explicit Crew(Job job);

  [[nodiscard]] Closed& closed() { return workers_.front()->closed(); }
  // Looks at the states first .. last - 1, which `level` steps reach, and inserts what they lead to unless `only_look`.
  // False: may_go_on() was. Throws what looking throws, once all before it is inserted.
  [[nodiscard]] bool expand(StateSet& states, StateSet::Index first, StateSet::Index last, std::uint32_t level,
                            bool only_look, const MayGoOn& may_go_on);
  // Of the chunks that were inserted.
  [[nodiscard]] const Seen& seen() const { return seen_; }
  // The most threads that a level had so far.
  [[nodiscard]] std::size_t threads() const { return workers_.size(); }

 private:
  struct Chunk {
    const std::uint64_t* states = nullptr;
    StateSet::Index count = 0;
  };
  // Of one chunk. Kept for further ones.
  struct Outcome {
    explicit Outcome(const step::Program& program) : seen(program) {}
    std::vector<std::uint64_t> keys, hashes;
    Seen seen;
    std::exception_ptr error;
    bool ready = false;
  };
  struct Level {
    StateSet& states;
    std::uint32_t number = 0;
    bool only_look = false;
    const MayGoOn& may_go_on;
  };

  void make_room_for(std::size_t threads);
  [[nodiscard]] std::size_t threads_for(StateSet::Index states) const;
  void divide(const StateSet& states, StateSet::Index first, StateSet::Index last);
  void work(Worker& worker, const Level& level);
  void look(Worker& worker, const Level& level, const Chunk& chunk, Outcome& outcome) const;
  bool insert(const Level& level, Outcome& outcome);
  [[nodiscard]] Outcome& outcome(std::size_t chunk) { return *ring_[chunk % ring_.size()]; }

  Job job_;
  std::uint32_t words_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Outcome>> ring_;
  std::vector<Chunk> chunks_;
  Seen seen_;
  double seconds_a_state_ = 0;  // that one thread took at the last level

  std::mutex mutex_;  // guards what follows, and who has which outcome
  std::condition_variable changed_;
  std::size_t begun_ = 0, inserted_ = 0;  // chunks
  unsigned waiting_ = 0;
  bool inserting_ = false, over_ = false;
  std::exception_ptr error_;
};

}  // namespace faultline::check::search
