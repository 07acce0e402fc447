#include <algorithm>
#include <map>

#include "dsl/model.hpp"
#include "dsl/patch.hpp"
#include "fmt/format.h"

namespace faultline::dsl {

void check_expectations(const File& file, Diagnostics& diagnostics) {
  static const std::vector<std::string> kinds = {
      "assert",        "invariant",    "transition", "lock_missing", "lock_unbalanced", "lock_recursion",
      "lock_order",    "sleep_atomic", "leak",       "double_free",  "use_after_free",  "stale_tlb",
      "flush_missing", "mixed_size",   "ensures",    "deadlock",     "progress"};
  static const std::vector<std::string> measures = {"allocs", "locks", "ipis", "flushes", "frees"};
  std::vector<std::string> properties = kinds;  // names of invariants and progress lines stand for their kind
  for (const Item& item : file.items) {
    if (item.invariant) properties.push_back(item.invariant->name.text);
    if (item.progress) properties.push_back(item.progress->name.text);
  }
  const auto names = variants(file);
  const auto unknown = [&](const char* code, const Ident& name, const char* what,
                           const std::vector<std::string>& known) {
    std::vector<std::string> notes;
    if (const auto guess = did_you_mean(name.text, known); !guess.empty())
      notes.push_back("did you mean `" + guess + "`?");
    notes.push_back(fmt::format("{}s: {}", what, fmt::join(known, ", ")));
    diagnostics.add({Severity::error, code, name.span, fmt::format("no {} `{}`", what, name.text), {}, notes, {}});
  };
  std::map<std::string, Span> patches;
  for (const Item& item : file.items) {
    if (!item.patch) continue;
    const Ident& name = item.patch->name;
    const auto [first, fresh] = patches.emplace(name.text, name.span);
    if (!fresh)
      diagnostics.add({Severity::error,
                       "FL0202",
                       name.span,
                       fmt::format("patch `{}` is defined twice", name.text),
                       {{first->second, "first defined here"}},
                       {},
                       {"give one of the two another name; a patch of several functions has several `in` parts"}});
    else if (name.text == "base")
      diagnostics.add({Severity::error,
                       "FL0202",
                       name.span,
                       "no patch can be named `base`",
                       {},
                       {"that is the file without patches"},
                       {"give it another name"}});
  }
  const auto has = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const Item& item : file.items) {
    if (!item.expect) continue;
    if (!has(names, item.expect->variant.text)) unknown("FL0610", item.expect->variant, "variant", names);
    for (const ExpectClause& clause : item.expect->clauses) {
      for (const Ident& kind : clause.kinds) {
        // invariant(x) names x
        const auto open = kind.text.find('(');
        Ident inner = kind;
        if (open != std::string::npos && kind.text.ends_with(")"))
          inner.text = kind.text.substr(open + 1, kind.text.size() - open - 2);
        if (!has(properties, inner.text)) unknown("FL0611", inner, "violation kind", properties);
      }
      if (clause.what == ExpectClause::What::compare) {
        if (!has(measures, clause.measure.text)) unknown("FL0612", clause.measure, "measure", measures);
        if (!has(names, clause.than.text)) unknown("FL0610", clause.than, "variant", names);
      }
    }
  }
}

}  // namespace faultline::dsl
