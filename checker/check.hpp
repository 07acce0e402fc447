// The checker: one Program in, one backed Verdict out.
//
// `proved` for any number of CPUs needs a view set that own_check (and Z3, where it is asked) accepted, exhaustive
// search below the view size, and an acyclic waits-for graph; `proved` for N CPUs an exhaustive search; `violated` a
// trace that the reference interpreter replayed. Everything else is `unknown`, with the reason.
#pragma once
#include <optional>

#include "checker/verdict.hpp"
#include "checker/views.hpp"

namespace faultline::check {

struct CheckOptions {
  std::optional<std::uint32_t> cpus;  // of each `any` line; absent: any number
  std::string memory = "sc";
  std::string engine = "auto";  // or the name of an engine; or "all": as auto, and every engine is asked as well
  std::optional<bool> z3;       // absent: for certificates of up to z3_limit views
  bool reduction = true;
  bool all_kinds = false;          // go on past the first violation: every kind that N CPUs can reach
  bool progress = true;            // check progress lines too
  bool explain = false;            // fill Verdict::known of a proof for any number of CPUs
  double timeout = 0;              // seconds for the whole check; 0: none
  std::uint64_t memory_bytes = 0;  // of the whole process; 0: none
  unsigned threads = 0;            // of the explicit search; 0: as many as the machine has
  // What is being done, for a line on a terminal: phase ("2 CPUs", "views", "z3"), states so far, depth.
  std::function<void(const std::string& phase, std::uint64_t states, std::uint32_t depth)> report{};
};

// Views up to which Z3 judges a certificate unasked.
inline constexpr std::size_t z3_limit = 20'000;

// `keep`, if given, gets the view set of a proof (for --certificate).
[[nodiscard]] Verdict check(const step::Program& program, const CheckOptions& options, ViewSet* keep = nullptr);

// A verdict for a model that the front end proved wrong (FL04xx): violated, static, no trace.
[[nodiscard]] Verdict static_violation(const std::string& model, const std::string& variant,
                                       const step::Violation& violation);

}  // namespace faultline::check
