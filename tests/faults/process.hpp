// Runs the program `faultline` as a user does, and measures or kills it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace faultline::faults {

struct Outcome {
  int code = -1;  // exit code, or -1 if it was killed
  double seconds = 0, cpu_seconds = 0;
  std::uint64_t peak_bytes = 0;  // of memory
  std::string out, err;
};

struct How {
  std::optional<double> kill_after{};                              // SIGKILL after so many seconds
  std::vector<std::pair<std::string, std::string>> environment{};  // set beside what is there
};

class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments, const How& how = {});
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();
  [[nodiscard]] Outcome wait();

 private:
  int id_ = -1;
  int out_ = -1, err_ = -1;  // files without a name
  double started_ = 0;
  How how_;
};

[[nodiscard]] inline Outcome run(const std::vector<std::string>& arguments, const How& how = {}) {
  return Process(arguments, how).wait();
}

// "models/thp/thp_fault.fl" and so on.
[[nodiscard]] std::string model(const std::string& path);

}  // namespace faultline::faults
