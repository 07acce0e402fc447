// File → programs: the whole front half in one call. Every command of the CLI starts here.
#pragma once
#include <string>
#include <vector>

#include "dsl/flow.hpp"
#include "dsl/parse.hpp"
#include "dsl/patch.hpp"
#include "step/program.hpp"

namespace faultline::step {

// One variant. `program` is usable only if `diagnostics` has no errors.
struct Variant {
  std::string name;
  dsl::Model model;
  Program program;
  dsl::Diagnostics diagnostics;  // of this variant: names, types, protocol
};

struct Loaded {
  dsl::Sources sources;
  dsl::File file;
  dsl::Diagnostics diagnostics;   // reading and syntax; when it has errors there are no variants
  std::vector<Variant> variants;  // in file order, base first
};

// Loads the variants named in `only`, or all. An unknown name is FL0610.
[[nodiscard]] Loaded load(const std::string& path, const std::vector<std::string>& only = {});
// The same from text (`name` is shown in diagnostics).
[[nodiscard]] Loaded load_text(const std::string& name, std::string text, const std::vector<std::string>& only = {});

// A variant from its file with the patches applied: names, types, protocol, steps. `so_far` is what was said before.
[[nodiscard]] Variant build_variant(dsl::File patched, const std::string& name, dsl::Diagnostics so_far = {});

}  // namespace faultline::step
