// What a check answers. One Verdict per model variant.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "step/program.hpp"

namespace faultline::check {

enum class Answer : std::uint8_t { proved, violated, unknown };

// Number of CPUs a statement covers. any: every number; else exactly `cpus` on each `any` line.
struct Scope {
  bool any = false;
  std::uint32_t cpus = 0;
  std::vector<std::uint32_t> per_line;  // CPUs of each run line for a fixed number: shown as "2+1 CPUs"
  std::string memory = "sc";
  std::vector<std::string> bounds;
};

// One property, or one group of the same engine and scope.
struct PropertyResult {
  std::string name;
  Answer answer = Answer::unknown;
  Scope scope;
  std::string engine;
  std::string reason;  // for unknown, or how it was shown ("lock order is acyclic")
};

// The state of everything shared after a step, as the report prints it.
struct SharedValue {
  std::string name;   // "pmd", "page_table_lock"
  std::string value;  // "huge(t1)"
};

// One step of a counterexample. An acknowledgement of a flush has command == no_command.
inline constexpr std::uint32_t no_command = 0xffffffff;
struct TraceStep {
  std::uint32_t cpu = 0;  // numbered by first appearance
  std::uint32_t command = no_command;
  std::string handler;
  bool starts = false;
  bool ends = false;
  step::Span span;
  std::vector<step::Note> notes;
  std::vector<SharedValue> state;    // after the step, all that is shown
  std::vector<SharedValue> changed;  // what this step changed
  std::uint32_t index = 0;           // of this CPU in the initial state, for step::replay
};

struct Counterexample {
  step::Violation violation;
  Scope scope;
  std::vector<TraceStep> steps;
  std::optional<std::size_t> loop;  // progress: the steps from here on repeat for ever
  bool is_static = false;           // found by the front end; no trace
};

struct CertificateInfo {
  std::string kind = "views";
  std::uint32_t k = 2;
  std::size_t size = 0;
  std::vector<std::string> checked_by;  // "own", "z3"
  std::string z3_note;                  // why z3 is missing, if it is
};

// What a proof says of one line of a handler, before the CPU takes the step there, in any system that the proof covers.
struct Known {
  std::string handler;
  step::Span span;
  std::vector<std::string> facts;  // "pmd is table or huge", "no other CPU holds page_table_lock"
};

// What one engine of --engine all says.
struct EngineAnswer {
  std::string engine;
  Scope scope;
  bool asked = true;  // false: it does not take the question, `reason` says why
  Answer answer = Answer::unknown;
  std::string reason;  // of unknown: why; of proved: on what it rests
  std::uint64_t size = 0;
  std::string unit;         // of size: "states", "views"
  std::uint32_t steps = 0;  // violated: of its trace
  double seconds = 0;
};

struct Verdict {
  std::string model;
  std::string variant;
  Answer answer = Answer::unknown;
  Scope scope;
  std::string engine;
  std::string reason;  // for unknown
  double seconds = 0;
  std::uint64_t states = 0;
  std::optional<CertificateInfo> certificate;
  std::vector<Counterexample> violations;  // the first one decides; more only when all kinds were asked for
  std::vector<PropertyResult> properties;
  std::vector<step::Coverage> unreached;  // vacuity: with at most `unreached_cpus` CPUs per any line
  std::uint32_t unreached_cpus = 0;
  std::vector<EngineAnswer> engines;        // --engine all: one for each engine and number of CPUs
  std::vector<std::string> contradictions;  // between two of them: a fault of Faultline
  std::vector<Known> known;                 // of a proof for any number of CPUs, when it was asked to explain itself
};

}  // namespace faultline::check
