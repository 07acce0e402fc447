#include "step/load.hpp"

#include <algorithm>

#include "dsl/protocol.hpp"
#include "fmt/format.h"
#include "step/lower.hpp"

namespace faultline::step {

namespace {

void load_variants(Loaded& loaded, const std::vector<std::string>& only) {
  loaded.file = dsl::parse(loaded.sources, 0, loaded.diagnostics);
  if (loaded.diagnostics.has_errors()) return;
  const auto names = dsl::variants(loaded.file);
  dsl::check_expectations(loaded.file, loaded.diagnostics);
  if (loaded.diagnostics.has_errors()) {  // and what else is wrong, in the same run
    const dsl::Model model = dsl::resolve(loaded.file, "base", loaded.diagnostics);
    (void)dsl::build_flows(model, loaded.diagnostics);
    check_properties(model, loaded.diagnostics);
  }
  for (const std::string& wanted : only)
    if (std::find(names.begin(), names.end(), wanted) == names.end()) {
      std::vector<std::string> notes;
      if (const auto guess = dsl::did_you_mean(wanted, names); !guess.empty())
        notes.push_back("did you mean `" + guess + "`?");
      notes.push_back(fmt::format("variants: {}", fmt::join(names, ", ")));
      loaded.diagnostics.add({dsl::Severity::error,
                              "FL0610",
                              loaded.file.model.span,
                              fmt::format("no variant `{}`", wanted),
                              {},
                              notes,
                              {}});
    }
  if (loaded.diagnostics.has_errors()) return;
  for (const std::string& name : names) {
    if (!only.empty() && std::find(only.begin(), only.end(), name) == only.end()) continue;
    dsl::Diagnostics diagnostics;
    dsl::File patched = dsl::apply_variant(loaded.file, name, diagnostics);
    Variant variant;
    if (diagnostics.has_errors()) {
      variant.name = name;
      variant.diagnostics = std::move(diagnostics);
    } else {
      variant = build_variant(std::move(patched), name, std::move(diagnostics));
    }
    loaded.variants.push_back(std::move(variant));
  }
}

}  // namespace

Variant build_variant(dsl::File patched, const std::string& name, dsl::Diagnostics so_far) {
  Variant variant;
  variant.name = name;
  variant.diagnostics = std::move(so_far);
  variant.model = dsl::resolve(std::move(patched), name, variant.diagnostics);
  // what one part gets wrong does not keep the next from being read: all errors of a run
  const dsl::Flows flows = dsl::build_flows(variant.model, variant.diagnostics);
  if (!variant.diagnostics.has_invalid()) dsl::check_protocol(variant.model, flows, variant.diagnostics);
  if (!variant.diagnostics.has_errors())
    variant.program = lower(variant.model, flows, variant.diagnostics);
  else
    check_properties(variant.model, variant.diagnostics);
  return variant;
}

Loaded load(const std::string& path, const std::vector<std::string>& only) {
  Loaded loaded;
  if (dsl::read_source(path, loaded.sources, loaded.diagnostics)) load_variants(loaded, only);
  return loaded;
}

Loaded load_text(const std::string& name, std::string text, const std::vector<std::string>& only) {
  Loaded loaded;
  loaded.sources.emplace_back(0U, name, std::move(text));
  load_variants(loaded, only);
  return loaded;
}

}  // namespace faultline::step
