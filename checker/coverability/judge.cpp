#include "checker/coverability/judge.hpp"

#include <algorithm>

#include "checker/coverability/gluing.hpp"
#include "step/interpreter.hpp"

namespace faultline::check::coverability {
namespace {

using step::State;

class Judge {
 public:
  Judge(const step::Program& program, const ViewSet& set, const Limits& limits)
      : program_(program),
        set_(set),
        watch_(limits),
        forms_(program, set.k + 1),
        within_(program, set, forms_),
        gluing_(program, within_, forms_, [this] { watch_.tick(); }) {}

  Judgement run() {
    Judgement judgement;
    try {
      judgement.obligation = failing();
      judgement.accepted = judgement.obligation.empty();
    } catch (const OverLimit& limit) {
      judgement.undecided = true;
      judgement.detail = limit.what();
    }
    return judgement;
  }

 private:
  std::string failing() {
    std::vector<std::uint32_t> counts(program_.lines.size());
    if (!initial(counts, 0, set_.k)) return "initial";
    for (State view : set_.views) {
      watch_.tick();
      if (!closed(view)) return "own step";
      tidy(program_, view);
      bool fine = true;
      gluing_.with_each(view, [&](const State& picture) { fine = fine && closed(picture); });
      if (!fine) return "interference";
    }
    return {};
  }

  // `left` more CPUs, of the lines from this one on.
  bool initial(std::vector<std::uint32_t>& counts, std::size_t line, std::uint32_t left) {
    if (line == counts.size()) return left > 0 || within_.allows(step::initial_state(program_, counts));
    const std::uint32_t cpus = program_.lines[line].cpus;
    bool fine = true;
    for (std::uint32_t n = 0; n <= (cpus == 0 ? left : std::min(left, cpus)); ++n) {
      counts[line] = n;
      fine = fine && initial(counts, line + 1, left - n);
    }
    counts[line] = 0;
    return fine;
  }

  // Whatever one of these CPUs does: do all k of them look like a view after it?
  bool closed(const State& picture) {
    bool fine = true;
    const auto look_at = [&](const State& next) {
      State after = next;
      tidy(program_, after);
      fine = fine && within_.allows(after);
    };
    for (std::size_t me = 0; fine && me < picture.cpus; ++me) {
      const step::Id pc = picture.cpu[me].pc;
      for (std::uint32_t c = program_.first[pc]; c < program_.first[pc + 1U]; ++c) {
        if (!program_.commands[c].violation)
          step::run(program_, picture, me, program_.commands[c], step::World::open, look_at);
      }
      for (std::size_t kind = 0; kind < program_.awaits.size(); ++kind) {
        for (std::size_t sender = 0; sender < picture.cpus; ++sender) {
          if (step::can_acknowledge(program_, picture, me, sender, kind))
            look_at(step::acknowledge(program_, picture, me, sender, kind));
        }
      }
    }
    return fine;
  }

  const step::Program& program_;
  const ViewSet& set_;
  Watch watch_;
  Forms forms_;
  Within within_;
  Gluing gluing_;
};

}  // namespace

Judgement judge_closed(const step::Program& program, const ViewSet& set, const Limits& limits) {
  return Judge(program, set, limits).run();
}

}  // namespace faultline::check::coverability
