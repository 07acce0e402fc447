#include "step/state.hpp"

#include <stdexcept>

namespace faultline::step {

State initial_state(const Program& program, const std::vector<std::uint32_t>& cpus_per_line) {
  State state;
  for (std::size_t g = 0; g < program.globals.size(); ++g) state.globals[g] = program.globals[g].init;
  for (std::size_t l = 0; l < program.lines.size(); ++l) {
    for (std::uint32_t n = 0; n < cpus_per_line.at(l); ++n) {
      if (state.cpus == max_cpus) throw std::length_error("more than 16 CPUs in one state");
      state.cpu[state.cpus++].pc = program.lines[l].idle;
    }
  }
  return state;
}

}  // namespace faultline::step
