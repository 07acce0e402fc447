// What the command line asked for, checked and typed. Filled from the table in cli/options.cpp.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace faultline::cli {

enum class ExportTo : std::uint8_t { promela, murphi, smt2, dot };
enum class Format : std::uint8_t { text, json };

struct Settings {
  std::string command_line;           // as it was given, for bug reports
  std::vector<std::string> operands;  // models, paths, a code: what the command works on
  std::vector<std::string> variants;  // empty: all of them
  std::optional<std::uint32_t> cpus;  // of each `any` line; absent: any number
  std::string memory = "sc";
  bool memory_given = false;       // else the model's own `memory` line decides
  std::string engine = "auto";     // or the name of one, or "all"
  std::optional<bool> z3;          // absent: the checker decides by the size of the certificate
  unsigned threads = 0;            // of the explicit search; 0: as many as the machine has
  double timeout = 0;              // seconds for each variant; 0: none
  std::uint64_t memory_limit = 0;  // MiB; 0: none
  bool reduction = true;
  bool full = false;
  bool explain = false;
  bool trace = false;
  bool timing = true;
  std::optional<ExportTo> to;
  std::optional<std::uint32_t> depth;  // of an export to smt2, in steps
  std::string certificate;             // folder; empty: none is written
  Format format = Format::text;
};

}  // namespace faultline::cli
