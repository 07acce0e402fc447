#include "cli/loading.hpp"

#include <algorithm>
#include <array>
#include <ostream>

#include "checker/check.hpp"
#include "cli/report_json.hpp"

namespace faultline::cli {
namespace {

using dsl::Diagnostic;

// Which kind of violation a protocol error shows.
step::Kind kind_of(const std::string& code) {
  constexpr std::array<std::pair<std::string_view, step::Kind>, 9> kinds = {{
      {"FL0410", step::Kind::lock_missing},
      {"FL0411", step::Kind::transition},
      {"FL0412", step::Kind::flush_missing},
      {"FL0420", step::Kind::lock_unbalanced},
      {"FL0421", step::Kind::sleep_atomic},
      {"FL0422", step::Kind::lock_unbalanced},
      {"FL0423", step::Kind::lock_recursion},
      {"FL0430", step::Kind::double_free},
      {"FL0431", step::Kind::leak},
  }};
  const auto* found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& row) { return row.first == code; });
  return found == kinds.end() ? step::Kind::assertion : found->second;
}

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

check::Verdict static_verdict(const step::Variant& variant) {
  check::Verdict verdict;
  for (const Diagnostic& diagnostic : variant.diagnostics.sorted()) {
    if (diagnostic.severity != dsl::Severity::error) continue;
    const step::Violation violation{kind_of(diagnostic.code), "", diagnostic.message, diagnostic.span};
    check::Verdict one = check::static_violation(variant.model.name, variant.name, violation);
    if (verdict.violations.empty()) {
      verdict = std::move(one);
    } else {
      verdict.violations.push_back(std::move(one.violations.front()));
    }
  }
  return verdict;
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
