#include "cli/bug_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <ostream>
#include <stdexcept>

#include "cli/engine_table.hpp"
#include "cli/loading.hpp"
#include "cli/report_json.hpp"
#include "cli/run.hpp"

namespace faultline::cli {
namespace {

namespace fs = std::filesystem;

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(fmt::format("{}: cannot write it", path.string()));
}

std::string readme(const BugReport& report) {
  return fmt::format(
      "Faultline {} found itself wrong. No verdict was given.\n\n{}\n\n"
      "model.fl     the model as it was read (variant: {})\n"
      "patched.fl   the same with the variant's patches applied\n"
      "command      how it was run\n{}\n"
      "To see it again: faultline check model.fl --variant {} --engine all\n",
      FAULTLINE_VERSION, report.what, report.variant.name,
      report.verdict == nullptr ? ""
                                : "engines      what each engine answered\nverdict.json the report that was withheld, "
                                  "with its trace if it has one\n",
      report.variant.name);
}

}  // namespace

fs::path write_bug_report(const BugReport& report, const fs::path& parent) {
  const std::string name = fmt::format("faultline-bug-{}-{}", report.loaded.file.model.text, report.variant.name);
  const fs::path unfinished = parent / fmt::format(".{}.{}", name, ::getpid());
  try {
    fs::remove_all(unfinished);
    fs::create_directories(unfinished);
    write_file(unfinished / "README", readme(report));
    write_file(unfinished / "model.fl", std::string(report.loaded.sources.front().text()));
    write_file(unfinished / "patched.fl", dsl::print(report.variant.model.file));
    write_file(unfinished / "command", report.command + "\n");
    if (report.verdict != nullptr) {
      const ReportContext context = context_of(report.loaded, report.variant);
      write_file(unfinished / "engines", engine_table(*report.verdict, TextOptions()));
      write_file(unfinished / "verdict.json", report_json(*report.verdict, context, true) + "\n");
    }
    for (int n = 1;; ++n) {
      const fs::path path = parent / (n == 1 ? name : fmt::format("{}-{}", name, n));
      if (fs::exists(path)) continue;
      fs::rename(unfinished, path);
      return path;
    }
  } catch (const fs::filesystem_error& error) {
    std::error_code ignored;
    fs::remove_all(unfinished, ignored);
    throw std::runtime_error(fmt::format("the bug report cannot be written: {}", error.code().message()));
  }
}

int report_fault(const BugReport& report, Streams& streams) {
  streams.err << fmt::format("faultline: internal error in {} [{}]: {}\n", report.loaded.sources.front().name(),
                             report.variant.name, report.what);
  try {
    const fs::path path = write_bug_report(report, ".");
    streams.err << fmt::format("faultline: no verdict is given; {} has what it takes to see it again\n",
                               path.filename().string());
  } catch (const std::runtime_error& error) {
    streams.err << "faultline: " << error.what() << "\n";
  }
  return exit_internal;
}

}  // namespace faultline::cli
