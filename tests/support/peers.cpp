#include "tests/support/peers.hpp"

#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "fmt/format.h"

namespace faultline::testing {
namespace {

constexpr std::size_t kept_output = 20'000;

// Runs the recipe on the text; `states` finds the numbers of states in what is printed, of which the last counts.
PeerAnswer ask(const std::string& text, const std::string& recipe, const PeerLimits& limits, const char* states,
               const char* errors) {
  const Folder folder;
  std::ofstream(folder.path() / "FILE") << text;
  std::string command = fmt::format("cd '{}'", folder.path().string());
  if (limits.memory_bytes > 0) command += fmt::format("; ulimit -v {}", limits.memory_bytes >> 10U);
  if (limits.cpu_seconds > 0) command += fmt::format("; ulimit -t {:.0f}", limits.cpu_seconds);
  std::ofstream(folder.path() / "recipe") << recipe << "\n";
  command += fmt::format("; sh recipe 2>&1 | tail -c {} >out", kept_output);
  const auto start = std::chrono::steady_clock::now();
  if (std::system(command.c_str()) == -1) throw std::runtime_error("no shell");
  PeerAnswer answer;
  answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::ostringstream output;
  output << std::ifstream(folder.path() / "out").rdbuf();
  answer.output = output.str();
  const std::regex number(states);
  for (std::sregex_iterator at(answer.output.begin(), answer.output.end(), number), end; at != end; ++at)
    for (std::size_t group = 1; group < at->size(); ++group)
      if ((*at)[group].matched) answer.states = static_cast<std::uint64_t>(std::stod((*at)[group]));
  answer.errors = std::regex_search(answer.output, std::regex(errors));
  return answer;
}

bool says(const PeerAnswer& answer, const char* pattern) {
  return std::regex_search(answer.output, std::regex(pattern));
}

}  // namespace

bool installed(const std::string& tool) {
  return std::system(fmt::format("command -v {} >/dev/null", tool).c_str()) == 0;
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "faultline-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for temporary files");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

PeerAnswer ask_spin(const std::string& text, const std::string& recipe, const PeerLimits& limits) {
  PeerAnswer answer =
      ask(text, recipe, limits, R"((?:States=\s*([0-9.e+]+))|(?:([0-9.e+]+) states, stored))", R"(errors: [1-9])");
  answer.finished = says(answer, "states, stored") &&
                    !says(answer, "max search depth too small|out of memory|not completed|memory limit");
  return answer;
}

PeerAnswer ask_rumur(const std::string& text, const std::string& recipe, const PeerLimits& limits) {
  PeerAnswer answer = ask(text, recipe, limits, R"((\d+) states, \d+ rules fired)", R"([1-9]\d* error\(s\) found)");
  answer.finished =
      says(answer, R"(Status:\s+No error found|error\(s\) found)") && says(answer, R"(\d+ states, \d+ rules fired in)");
  return answer;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error(fmt::format("no `{}` in: {}", from, text));
  return text.replace(at, from.size(), to);
}

}  // namespace faultline::testing
