// The judges: code that accepts or rejects a view set and shares nothing with the search that found it. They read the
// Program (the lowering) and use the reference interpreter of step/, nothing of checker/search.
#pragma once
#include <filesystem>

#include "checker/views.hpp"

namespace faultline::check {

struct Judgement {
  bool accepted = false;
  std::string obligation;  // of a rejection: "initial", "own step", "interference", "safety", "symmetry", "file"
  std::string detail;      // which command or view
  bool undecided = false;  // not accepted for want of time or memory, not because something is wrong
  double seconds = 0;
};

// Glue by position, step, look up: no work list.
[[nodiscard]] Judgement own_check(const step::Program& program, const ViewSet& set, const Limits& limits = {});

// One SMT-LIB2 script, to be unsat.
struct Query {
  std::string name;  // "initial", "symmetry", "safety", "own_step", "interference" (and numbered parts of them)
  std::string text;
};
// Plain SMT-LIB2, deterministic, independent of the order of set.views. Every query must be unsat. Throws OverLimit.
[[nodiscard]] std::vector<Query> queries(const step::Program& program, const ViewSet& set, const Limits& limits = {});

// Runs the queries through Z3.
[[nodiscard]] Judgement z3_check(const step::Program& program, const ViewSet& set, const Limits& limits = {});

// What `--certificate DIR` writes beside views and queries.
struct CertificateHead {
  std::string tool;     // "faultline 0.1.0"
  std::string source;   // file name of the model
  std::string patched;  // its text, patched
  std::string variant;
  std::vector<std::string> properties;
  Scope scope;
};
// Writes DIR: model.fl, certificate.json (head, k, number of views, SHA-256 of model.fl and views.txt), views.txt (one
// readable line a view), NAME.smt2, README. All of it appears at once, whatever happens meanwhile: it is written beside
// DIR, shown to `judge` there, which may throw, and moved. Throws std::runtime_error with a message for the user,
// or OverLimit.
void write_certificate(const std::filesystem::path& dir, const CertificateHead& head, const step::Program& program,
                       const ViewSet& set, const std::function<void(const std::filesystem::path& draft)>& judge = {},
                       const Limits& limits = {});
// Reads it back. Throws std::runtime_error naming the file and the line.
[[nodiscard]] CertificateHead read_head(const std::filesystem::path& dir);
[[nodiscard]] ViewSet read_views(const std::filesystem::path& dir, const step::Program& program);
// Re-checks DIR against `program` (the lowering of DIR/model.fl): hashes, own_check, regenerated queries equal the
// files, Z3 on the files' text. Limits are of each of the three.
[[nodiscard]] Judgement certify(const std::filesystem::path& dir, const step::Program& program, bool z3,
                                const Limits& limits = {});

}  // namespace faultline::check
