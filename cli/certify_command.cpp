#include <fmt/format.h>

#include <filesystem>
#include <ostream>
#include <stdexcept>

#include "checker/certificate.hpp"
#include "cli/commands.hpp"
#include "cli/loading.hpp"
#include "cli/run.hpp"
#include "cli/words.hpp"

namespace faultline::cli {
namespace {

int rejected(const std::string& dir, const std::string& why, Streams& streams) {
  streams.out << painted("rejected", Ink::red, streams.out_colour) << ": " << dir << ": " << why << "\n";
  return exit_violated;
}

int certify_one(const std::string& dir, const Settings& settings, Streams& streams) {
  const std::filesystem::path path(dir);
  if (!std::filesystem::exists(path / "certificate.json")) {
    streams.err << fmt::format("faultline: {} is no certificate: it holds no certificate.json\n", dir);
    return exit_invalid;
  }
  try {
    const check::CertificateHead head = check::read_head(path);
    step::Loaded loaded = step::load((path / "model.fl").string(), {"base"});
    if (loaded.diagnostics.has_errors() || loaded.variants.empty() ||
        loaded.variants.front().diagnostics.has_errors()) {
      return rejected(dir, "file: model.fl cannot be read as a model", streams);
    }
    step::Program& program = loaded.variants.front().program;
    program.variant = head.variant;  // the file holds that variant, patches applied
    const check::Judgement judgement = check::certify(path, program, settings.z3.value_or(true));
    if (judgement.undecided) {
      streams.out << painted("unknown", Ink::yellow, streams.out_colour) << ": " << dir << ": " << judgement.detail
                  << "\n";
      return exit_unknown;
    }
    if (!judgement.accepted) {
      return rejected(dir, fmt::format("{}: {}", judgement.obligation, judgement.detail), streams);
    }
    streams.out << painted("accepted", Ink::green, streams.out_colour)
                << fmt::format(": {}: {} [{}] for {}, memory {}; judged by Faultline's own checker{}\n", dir,
                               head.source, head.variant, cpus_text(head.scope), head.scope.memory,
                               settings.z3.value_or(true) ? " and by Z3" : "");
    return exit_fine;
  } catch (const std::runtime_error& error) {
    return rejected(dir, error.what(), streams);
  }
}

}  // namespace

int certify_command(const Settings& settings, Streams& streams) {
  int code = exit_fine;
  for (const std::string& dir : settings.operands) code = worse(code, certify_one(dir, settings, streams));
  return code;
}

}  // namespace faultline::cli
