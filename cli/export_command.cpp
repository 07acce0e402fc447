#include <fmt/format.h>

#include <ostream>
#include <stdexcept>

#include "cli/commands.hpp"
#include "cli/loading.hpp"
#include "cli/run.hpp"
#include "codegen/export.hpp"
#include "codegen/export_dot.hpp"

namespace faultline::cli {
namespace {

int refuse(const std::string& message, Streams& streams) {
  streams.err << painted("faultline: ", Ink::red, streams.err_colour) << message << "\n";
  return exit_invalid;
}

std::string names_of(const step::Loaded& loaded) {
  std::string names;
  for (const step::Variant& variant : loaded.variants) names += (names.empty() ? "" : ", ") + variant.name;
  return names;
}

}  // namespace

int export_command(const Settings& settings, Streams& streams) {
  if (!settings.to) return refuse("`faultline export` needs --to promela, --to murphi, --to smt2 or --to dot", streams);
  if (settings.depth && *settings.to != ExportTo::smt2) return refuse("`--depth` goes with --to smt2", streams);
  const std::string& path = settings.operands.front();
  const step::Loaded loaded = step::load(path, settings.variants);
  if (!report_file(path, loaded, settings.format, streams)) return exit_invalid;
  // The entries are the same in all variants.
  if (loaded.variants.size() != 1 && (*settings.to != ExportTo::dot || !settings.variants.empty()))
    return refuse(fmt::format("one variant at a time; --variant is one of {}", names_of(loaded)), streams);
  const step::Variant& variant = loaded.variants.front();
  switch (health(variant)) {
    case Health::invalid: report_invalid(path, loaded, variant, settings.format, streams); return exit_invalid;
    case Health::wrong: streams.err << rendered_errors(variant, loaded, streams.err_colour); return exit_violated;
    case Health::sound: break;
  }
  codegen::ExportOptions options;
  options.cpus = settings.cpus.value_or(2);
  options.source = path;
  if (settings.depth) options.depth = *settings.depth;
  try {
    switch (*settings.to) {
      case ExportTo::promela: streams.out << codegen::to_promela(variant.program, options); break;
      case ExportTo::murphi: streams.out << codegen::to_murphi(variant.program, options); break;
      case ExportTo::smt2: streams.out << codegen::to_smt2(variant.program, options); break;
      case ExportTo::dot: streams.out << codegen::to_dot(variant.model); break;
    }
  } catch (const std::domain_error& outside) {
    return refuse(fmt::format("{} [{}] cannot be exported: {}", path, variant.name, outside.what()), streams);
  }
  return exit_fine;
}

}  // namespace faultline::cli
