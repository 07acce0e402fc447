// Other model checkers, run on exported text.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace faultline::testing {

[[nodiscard]] bool installed(const std::string& tool);

// A folder of its own, removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct PeerLimits {
  double cpu_seconds = 0;          // of each program, so that a busy machine changes nothing; 0: none
  std::uint64_t memory_bytes = 0;  // 0: none
};

struct PeerAnswer {
  bool finished = false;     // every state was seen
  std::uint64_t states = 0;  // or, not finished, how many of them
  bool errors = false;
  double seconds = 0;  // of the tool and the compiler
  std::string output;  // its end
};

// `recipe` is the shell line of codegen/export.hpp, with FILE for the text.
[[nodiscard]] PeerAnswer ask_spin(const std::string& text, const std::string& recipe, const PeerLimits& limits = {});
[[nodiscard]] PeerAnswer ask_rumur(const std::string& text, const std::string& recipe, const PeerLimits& limits = {});

// The text with one part of it, which must be there, replaced.
[[nodiscard]] std::string replaced(std::string text, const std::string& from, const std::string& to);

}  // namespace faultline::testing
