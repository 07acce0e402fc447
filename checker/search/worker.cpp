#include "checker/search/worker.hpp"

#include <algorithm>
#include <map>

namespace faultline::check::search {

Groups::Groups(const step::Program& program) {
  std::map<std::pair<step::Kind, std::string>, std::uint32_t> ids;
  const auto id = [&](step::Kind kind, const std::string& name) {
    return ids.emplace(std::pair{kind, name}, static_cast<std::uint32_t>(ids.size())).first->second;
  };
  for (const step::Command& command : program.commands) {
    of_command.push_back(command.violation ? id(command.violation->kind, command.violation->name) : not_found);
  }
  for (const step::Invariant& invariant : program.invariants) {
    of_invariant.push_back(id(step::Kind::invariant, invariant.name));
  }
  deadlock = id(step::Kind::deadlock, "");
  steps.assign(ids.size(), not_found);
}

void Groups::add(const Groups& other) {
  for (std::uint32_t g = 0; g < steps.size(); ++g) found(g, other.steps[g]);
}

void Groups::clear() {
  std::fill(steps.begin(), steps.end(), not_found);
  fewest = not_found;
}

void Seen::add(const Seen& other) {
  groups.add(other.groups);
  for (std::size_t i = 0; i < fired.size(); ++i) fired[i] |= other.fired[i];
  bound_hit = bound_hit || other.bound_hit;
  transitions += other.transitions;
}

void Seen::clear() {
  groups.clear();
  std::fill(fired.begin(), fired.end(), Byte{0});
  bound_hit = false;
  transitions = 0;
}

}  // namespace faultline::check::search
