#include "cli/loading.hpp"

#include <algorithm>
#include <ostream>

#include "cli/report_json.hpp"

namespace faultline::cli {
namespace {

using dsl::Diagnostic;

bool same(const Diagnostic& a, const Diagnostic& b) {
  return a.code == b.code && a.span == b.span && a.message == b.message;
}

void print_text(const std::vector<Diagnostic>& diagnostics, const dsl::Sources& sources, Streams& streams) {
  for (const Diagnostic& diagnostic : diagnostics) streams.err << dsl::render(diagnostic, sources, streams.err_colour);
}

}  // namespace

Health health(const step::Variant& variant) {
  if (variant.diagnostics.has_invalid()) return Health::invalid;
  return variant.diagnostics.has_errors() ? Health::wrong : Health::sound;
}

bool report_file(const std::string& path, const step::Loaded& loaded, Format format, Streams& streams) {
  std::vector<Diagnostic> all = loaded.diagnostics.sorted();
  if (loaded.diagnostics.has_errors()) {
    if (format == Format::json) {
      streams.out << invalid_json(path, "", all, loaded.sources) << "\n";
    } else {
      print_text(all, loaded.sources, streams);
    }
    return false;
  }
  for (const step::Variant& variant : loaded.variants) {
    for (const Diagnostic& diagnostic : variant.diagnostics.sorted()) {
      const bool known =
          std::any_of(all.begin(), all.end(), [&](const Diagnostic& other) { return same(other, diagnostic); });
      if (diagnostic.severity == dsl::Severity::warning && !known) all.push_back(diagnostic);
    }
  }
  print_text(all, loaded.sources, streams);
  return true;
}

void report_invalid(const std::string& path, const step::Loaded& loaded, const step::Variant& variant, Format format,
                    Streams& streams) {
  const std::vector<Diagnostic> all = variant.diagnostics.sorted();
  if (format == Format::json) {
    streams.out << invalid_json(path, variant.name, all, loaded.sources) << "\n";
    return;
  }
  for (const Diagnostic& diagnostic : all) {
    if (diagnostic.severity == dsl::Severity::error) {
      streams.err << dsl::render(diagnostic, loaded.sources, streams.err_colour);
    }
  }
}

std::string rendered_errors(const step::Variant& variant, const step::Loaded& loaded, bool colour) {
  std::string text;
  for (const Diagnostic& diagnostic : variant.diagnostics.sorted()) {
    if (diagnostic.severity == dsl::Severity::error) text += dsl::render(diagnostic, loaded.sources, colour);
  }
  return text;
}

ReportContext context_of(const step::Loaded& loaded, const step::Variant& variant) {
  ReportContext context{loaded.sources, {}};
  for (const step::Lock& lock : variant.program.locks) context.locks.push_back(lock.name);
  return context;
}

}  // namespace faultline::cli
