// Small random Programs that use every op and expression of the IR, to hold the engines and the reference interpreter
// together.
#pragma once
#include "step/program.hpp"

namespace faultline::testing {

struct RandomShape {
  bool objects = true;         // places, handles, object bits
  bool awaits = true;          // await sets
  bool several_lines = false;  // a second line with one CPU
};

[[nodiscard]] step::Program random_program(std::uint64_t seed, const RandomShape& shape = {});

}  // namespace faultline::testing
