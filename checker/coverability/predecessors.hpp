// Predecessors of pictures. The steps that lead into a picture are those of its own CPUs, and those of one CPU more
// that changes something that the picture shows; a `some` may ask for further CPUs. Nothing is inverted: a state before
// the step is a guess, one for each way that the views leave open, that is run forward by the reference interpreter and
// kept if the picture comes out.
#pragma once
#include <functional>

#include "checker/coverability/gluing.hpp"
#include "step/interpreter.hpp"
#include "step/replay.hpp"

namespace faultline::check::coverability {

class Predecessors {
 public:
  // `tick` is called now and then, and may throw to end it.
  Predecessors(const step::Program& program, const Within& within, Forms& forms, const Gluing& gluing,
               std::function<void()> tick);

  // Calls found(before, step) for each, possibly more than once. In `before` the CPUs of the picture keep their places,
  // further ones come last. Together they stand for every state within the views from which one step leads into the
  // picture (those it stands for already are left out).
  using Found = std::function<void(const step::State&, const step::ReplayStep&)>;
  void of(const step::State& picture, const Found& found);

 private:
  // What a command may overwrite.
  struct Effects {
    std::uint32_t places = 0, handles = 0;  // masks; of places, of the actor's handles
    bool bits = false, fresh = false;       // of objects
    bool noticed = false;                   // others may notice; or else only if globals change
    std::uint32_t witnesses = 0;            // number of `some`
    std::vector<std::size_t> kinds;         // of await bits
    std::vector<step::Op> others;           // others_set_local, others_clear_handle
  };
  struct Transition {
    std::uint32_t view = 0, command = 0;
  };
  // A state before a step in the making.
  struct Guess {
    const step::State& after;
    const step::Command& command;
    const Effects& effects;
    std::size_t actor;
    step::State before;
    const Found& found;
  };

  [[nodiscard]] static Effects effects_of(const step::Command& command);
  void file(search::StateSet& keys, std::vector<std::vector<Transition>>& lists, const std::uint64_t* key,
            Transition transition) const;

  void command_step(const step::State& after, std::size_t actor, Transition transition, const Found& found);
  void reused(Guess& guess, std::uint64_t candidates);
  void others(Guess& guess, std::size_t cpu, std::size_t op);
  void relate(Guess& guess);
  void verify(const Guess& guess);
  [[nodiscard]] bool leads(const Guess& guess, const step::State& before, step::World world) const;
  void with_witnesses(const Guess& guess, const step::State& before, std::uint32_t more);

  void acknowledgements(const step::State& after, const Found& found);
  void acknowledge(const step::State& after, std::size_t me, std::size_t kind, const step::State& one,
                   const Found& found);
  void verify(const step::State& before, const step::State& after, std::size_t me, std::size_t sender, std::size_t kind,
              const Found& found) const;

  const step::Program& program_;
  const Within& within_;
  Forms& forms_;
  const Gluing& gluing_;
  std::function<void()> tick_;
  std::vector<Effects> effects_;  // per command
  // Steps of one CPU alone, by what it looks like after them, and by what is shared after them (those that others may
  // notice).
  search::StateSet after_forms_, after_shared_;
  std::vector<std::vector<Transition>> by_after_, by_shared_;
};

}  // namespace faultline::check::coverability
