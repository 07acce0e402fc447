// Verdicts made by hand for tests of the reports, and the comparison with golden files.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "checker/verdict.hpp"
#include "cli/report_text.hpp"

namespace faultline::testing {

inline dsl::Span at(std::uint32_t line, std::uint32_t column = 5) { return {0, 0, 0, line, column}; }

inline dsl::Sources sources() { return {dsl::SourceFile(0, "thp.fl", "model thp_fault;\n")}; }

// Builds a trace step by step; keeps the shared state, so that each step carries all of it.
class TraceMaker {
 public:
  TraceMaker(std::initializer_list<check::SharedValue> initial) : state_(initial) {}

  TraceMaker& start(std::uint32_t cpu, const std::string& handler) {
    handlers_.resize(std::max<std::size_t>(handlers_.size(), cpu + 1));
    handlers_[cpu] = handler;
    starting_ = true;
    return *this;
  }
  TraceMaker& step(std::uint32_t cpu, std::uint32_t line, const std::string& text, const std::string& result = "") {
    check::TraceStep made;
    made.cpu = cpu;
    made.command = 7;
    made.handler = handlers_.at(cpu);
    made.starts = starting_;
    made.span = at(line);
    made.notes = {{at(line), text, result}};
    made.state = state_;
    steps.push_back(made);
    starting_ = false;
    return *this;
  }
  TraceMaker& note(std::uint32_t line, const std::string& text, const std::string& result = "") {
    steps.back().notes.push_back({at(line), text, result});
    return *this;
  }
  TraceMaker& change(const std::string& name, const std::string& value) {
    for (check::SharedValue& entry : state_) {
      if (entry.name == name) entry.value = value;
    }
    steps.back().state = state_;
    steps.back().changed.push_back({name, value});
    return *this;
  }
  TraceMaker& acknowledge(std::uint32_t cpu) {
    step(cpu, 0, "");
    steps.back().command = check::no_command;
    steps.back().notes.clear();
    return *this;
  }

  std::vector<check::TraceStep> steps;

 private:
  std::vector<check::SharedValue> state_;
  std::vector<std::string> handlers_;
  bool starting_ = false;
};

inline check::Scope fixed(std::vector<std::uint32_t> per_line) {
  check::Scope scope;
  scope.cpus = per_line.empty() ? 2 : per_line.front();
  scope.per_line = std::move(per_line);
  return scope;
}

inline check::Scope any_cpus() {
  check::Scope scope;
  scope.any = true;
  return scope;
}

inline check::Verdict violated(step::Kind kind, const std::string& message, std::uint32_t line,
                               const check::Scope& scope, std::vector<check::TraceStep> steps) {
  check::Verdict verdict;
  verdict.model = "thp_fault";
  verdict.variant = "guard_none";
  verdict.answer = check::Answer::violated;
  verdict.scope = scope;
  verdict.engine = "explicit";
  verdict.seconds = 0.0213;
  verdict.states = 4971;
  check::Counterexample example;
  example.violation = {kind, "", message, at(line)};
  example.scope = scope;
  example.steps = std::move(steps);
  verdict.violations.push_back(example);
  return verdict;
}

// Compares with tests/unit/cli/golden/NAME; FAULTLINE_REGENERATE=1 writes the file anew.
inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(FAULTLINE_SOURCE_DIR) + "/tests/unit/cli/golden/" + name;
  if (std::getenv("FAULTLINE_REGENERATE") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  ASSERT_TRUE(file) << "there is no golden file " << name;
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(golden.str(), text) << "differs from golden file " << name;
}

}  // namespace faultline::testing
