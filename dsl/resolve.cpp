// Declarations: names are unique and known. Here: places, functions and what runs; types and locks in
// resolve_types.cpp.
#include <algorithm>
#include <set>

#include "dsl/resolve_build.hpp"
#include "dsl/vocabulary.hpp"
#include "fmt/format.h"

namespace faultline::dsl {

void Resolver::run() {
  collect_names();
  for (const Item& item : model_.file.items)
    if (item.entry) entry(*item.entry);
  for (const Item& item : model_.file.items)
    if (item.resource) fields(*item.resource);
  for (const Item& item : model_.file.items) {
    if (item.shared) shared(*item.shared);
    if (item.function) function(*item.function);
  }
  for (const Item& item : model_.file.items) {
    if (item.tlb) tlb(*item.tlb);
    if (item.run) run_line(*item.run, item.span);
    if (item.invariant) {
      declare(item.invariant->name, "an invariant", invariant_names_);
      model_.invariants.push_back({item.invariant->name, item.invariant->expr});
    }
    if (item.progress) {
      declare(item.progress->name, "a progress property", invariant_names_);
      model_.progress.push_back({item.progress->name, item.progress->from, item.progress->to});
    }
    if (item.cost) cost(*item.cost, item.span);
    if (item.memory) memory(*item.memory);
  }
  if (model_.runs.empty())
    error("FL0208", model_.file.model.span, "this model runs nothing", {},
          {fmt::format("add a line such as `run {} on any cpus;`", a_handler())});
}

std::string Resolver::a_handler() const {
  for (const auto& f : model_.functions)
    if (f.item->is_handler) return f.item->name.text;
  return "my_handler";
}

void Resolver::shared(const SharedItem& item) {
  declare(item.name, "a shared place");
  const auto type = model_.find_type(item.type);
  if (!type || type->kind == TypeKind::none) {
    unknown("FL0203", {item.type.text, item.type.span}, "type", type_names(), "types");
    model_.broken.push_back(item.name.text);
    return;
  }
  SharedDecl decl{item.name, *type, 0, {}};
  no_low_range(item.type, *type);
  if (item.init) initial(decl, *item.init);
  model_.shared.push_back(std::move(decl));
}

void Resolver::initial(SharedDecl& decl, const Expr& expr) {
  if (expr.kind == ExprKind::paren) return initial(decl, *expr.kids[0]);
  const std::string name = expr.kind == ExprKind::name ? expr.text : "";
  if (decl.type.kind == TypeKind::entry) {
    const EntryDecl& entry = model_.entries[decl.type.which];
    const Index state = entry.state(name);
    if (state != nothing) {
      if (!entry.states[state].payload.empty())
        error("FL0302", expr.span,
              fmt::format("`{}` starts in state `{}`, which needs a payload", decl.name.text, name),
              {"initial objects come with `init { }`, a later stage"});
      decl.init = static_cast<std::uint8_t>(state);
      return;
    }
    std::vector<std::string> known;
    for (const auto& s : entry.states) known.push_back(s.name.text);
    unknown("FL0204", {name.empty() ? "…" : name, expr.span}, "state", known, "states of " + entry.name.text);
    return;
  }
  if (decl.type.kind == TypeKind::resource) {
    if (name != "NULL")
      error("FL0302", expr.span, "a shared pointer to an object starts as NULL",
            {"initial objects come with `init { }`, a later stage"}, {"write `= NULL`, or nothing"});
    return;
  }
  std::optional<std::int64_t> value;
  if (expr.kind == ExprKind::integer) value = expr.value;
  if (name == "true") value = 1;
  if (name == "false") value = 0;
  if (const auto constant = model_.find_constant(name)) value = constant->value;
  if (!value)
    error("FL0302", expr.span, fmt::format("the initial value of `{}` must be a constant", decl.name.text),
          {"constants are numbers, true, false and the names in an enum"});
  else if (*value < 0 || *value > decl.type.high)
    error("FL0306", expr.span, fmt::format("{} is not in 0..{}", *value, decl.type.high),
          {fmt::format("that is the range of `{}`", decl.name.text)}, {"widen it, or start with a smaller value"});
  else
    decl.init = static_cast<std::uint8_t>(*value);
}

void Resolver::function(const FunctionItem& item) {
  declare(item.name, item.is_handler ? "a handler" : "a function");
  FunctionDecl decl{&item, {}};
  if (!item.is_handler) {
    const auto type = model_.find_type(item.result);
    if (!type) {
      unknown("FL0203", {item.result.text, item.result.span}, "type", type_names(), "types");
      model_.broken.push_back(item.name.text);
    } else
      decl.result = *type;
  } else if (!item.params.empty()) {
    for (const Param& param : item.params)
      if (!model_.is_opaque(param.name.text))
        error("FL0205", param.span, fmt::format("a handler has no parameters, but `{}` is not opaque", param.name.text),
              {}, {fmt::format("add `opaque {};` if the model does not track it", param.name.text)});
  }
  model_.functions.push_back(decl);
}

void Resolver::tlb(const TlbItem& item) {
  const Index index = model_.find_shared(item.place.text);
  if (index == nothing || model_.shared[index].type.kind != TypeKind::entry) {
    std::vector<std::string> known;
    for (const auto& s : model_.shared)
      if (s.type.kind == TypeKind::entry) known.push_back(s.name.text);
    unknown("FL0201", item.place, "shared entry", known, "shared entries");
    return;
  }
  SharedDecl& place = model_.shared[index];
  const EntryDecl& entry = model_.entries[place.type.which];
  if (place.tlb)
    error("FL0202", item.place.span, fmt::format("`{}` has two tlb lines", item.place.text), {},
          {"put all states into one line"}, {{place.tlb->span, "the first one"}});
  TlbDecl decl;
  decl.span = item.place.span;
  std::vector<std::string> known;
  for (const auto& s : entry.states) known.push_back(s.name.text);
  for (const Ident& name : item.states) {
    const Index state = entry.state(name.text);
    if (state == nothing)
      unknown("FL0204", name, "state", known, "states of " + entry.name.text);
    else
      decl.states |= std::uint64_t{1} << state;
  }
  std::set<Index> common;  // payload slots that all cacheable states have
  for (Index s = 0; s < entry.slots.size(); ++s)
    if ((decl.states & ~entry.with_slot(s)) == 0) common.insert(s);
  if (item.caches) {
    for (const Index s : common)
      if (entry.slots[s].name == item.caches->text) decl.slot = s;
    if (decl.slot == nothing) {
      std::vector<std::string> without;
      for (std::size_t s = 0; s < entry.states.size(); ++s) {
        const auto& payload = entry.states[s].payload;
        const bool has = std::any_of(payload.begin(), payload.end(),
                                     [&](Index p) { return entry.slots[p].name == item.caches->text; });
        if (((decl.states >> s) & 1U) != 0 && !has) without.push_back(entry.states[s].name.text);
      }
      error("FL0310", item.caches->span, fmt::format("not every cacheable state has a payload `{}`", item.caches->text),
            {fmt::format("it is missing in: {}", fmt::join(without, ", "))},
            {"leave these states out, or name a payload that all have"});
    }
  } else if (common.size() == 1) {
    decl.slot = *common.begin();
  } else if (common.size() > 1) {
    std::vector<std::string> names;
    for (const Index s : common) names.push_back(entry.slots[s].name);
    std::vector<std::string> states;
    for (const Ident& name : item.states) states.push_back(name.text);
    error(
        "FL0315", item.place.span, "the TLB caches one payload, but these states have several",
        {fmt::format("they have: {}", fmt::join(names, ", "))},
        {fmt::format("say which: `tlb {} caches {} in {};`", item.place.text, names.front(), fmt::join(states, ", "))});
  }
  place.tlb = decl;
}

Index Resolver::handler(const Ident& name) {
  const Index index = model_.find_function(name.text);
  if (index != nothing && model_.functions[index].item->is_handler) return index;
  if (index != nothing) {
    error("FL0205", name.span, fmt::format("`{}` is a function, not a handler", name.text), {},
          {fmt::format("declare it as `handler {}() {{ … }}`", name.text)},
          {{model_.functions[index].item->name.span, "declared here"}});
    return nothing;
  }
  std::vector<std::string> known;
  for (const auto& f : model_.functions)
    if (f.item->is_handler) known.push_back(f.item->name.text);
  unknown("FL0201", name, "handler", known, "handlers");
  return nothing;
}

void Resolver::run_line(const RunItem& item, Span span) {
  RunDecl decl;
  decl.span = span;
  for (const Ident& name : item.handlers)
    if (const Index index = handler(name); index != nothing) decl.handlers.push_back(index);
  if (item.cpus) {
    if (*item.cpus < 1 || *item.cpus > 12)
      error("FL0306", span, fmt::format("a run line has 1 to 12 CPUs, or any; not {}", *item.cpus), {},
            {"write `on any cpus`"});
    decl.cpus = static_cast<std::uint32_t>(std::clamp<std::int64_t>(*item.cpus, 1, 12));
  }
  decl.once = item.once;
  model_.runs.push_back(std::move(decl));
}

void Resolver::cost(const CostItem& item, Span span) {
  CostDecl decl;
  decl.span = span;
  decl.function = handler(item.handler);
  for (const Ident& name : item.states) {
    bool found = false;
    for (std::size_t s = 0; s < model_.shared.size() && !found; ++s) {
      if (model_.shared[s].type.kind != TypeKind::entry) continue;
      if (decl.shared != nothing && decl.shared != s) continue;
      const Index state = model_.entries[model_.shared[s].type.which].state(name.text);
      if (state == nothing) continue;
      decl.shared = static_cast<Index>(s);
      decl.states.push_back(static_cast<std::uint8_t>(state));
      found = true;
    }
    if (!found) {
      std::vector<std::string> known;
      for (const auto& e : model_.entries)
        for (const auto& s : e.states) known.push_back(s.name.text);
      unknown("FL0204", name, "state", known, "states");
    }
  }
  if (decl.function != nothing && decl.shared != nothing) model_.costs.push_back(std::move(decl));
}

void Resolver::memory(const MemoryItem& item) {
  if (item.model.text != "sc" && item.model.text != "tso" && item.model.text != "weak")
    unknown("FL0201", item.model, "memory model", {"sc", "tso", "weak"}, "memory models");
  model_.memory = item.model.text;
}

void Resolver::error(std::string code, Span span, std::string message, std::vector<std::string> notes,
                     std::vector<std::string> helps, std::vector<Related> related) {
  diagnostics_.add({Severity::error, std::move(code), span, std::move(message), std::move(related), std::move(notes),
                    std::move(helps)});
}

void Resolver::unknown(std::string code, const Ident& name, const std::string& what,
                       const std::vector<std::string>& known, const std::string& list_title) {
  std::vector<std::string> notes;
  if (const auto guess = did_you_mean(name.text, known); !guess.empty())
    notes.push_back("did you mean `" + guess + "`?");
  if (!known.empty()) notes.push_back(list_title + ": " + fmt::format("{}", fmt::join(known, ", ")));
  error(std::move(code), name.span, fmt::format("no {} `{}`", what, name.text), notes);
}

void Resolver::declare(const Ident& name, const std::string& what,
                       std::map<std::string, std::pair<Span, std::string>>& scope) {
  const auto [it, fresh] = scope.emplace(name.text, std::pair{name.span, what});
  if (!fresh)
    error("FL0202", name.span, fmt::format("`{}` is defined twice", name.text), {},
          {"give one of the two another name"}, {{it->second.first, "first defined here, as " + it->second.second}});
}

void Resolver::declare(const Ident& name, const std::string& what) {
  declare(name, what, names_);
  if (const Word* word = find_word(name.text); word != nullptr)
    error("FL0202", name.span, fmt::format("`{}` is built in and cannot be defined again", name.text), {},
          {"remove it, or give it another name"});
}

std::vector<std::string> Resolver::type_names() const {
  std::vector<std::string> known = {"bool", "int"};
  for (const auto& e : model_.entries) known.push_back(e.name.text);
  for (const auto& r : model_.resources) known.push_back(r.name.text);
  for (const auto& e : model_.enums)
    if (!e.name.empty()) known.push_back(e.name);
  return known;
}

void Resolver::no_low_range(const TypeName& name, const Type& type) {
  if (type.kind == TypeKind::integer && name.low.value_or(0) != 0)
    error("FL0313", name.span, "a range that does not start at 0 is not supported yet", {},
          {"shift the values so that the lowest is 0"});
}

Model resolve(File file, const std::string& variant, Diagnostics& diagnostics) {
  Model model;
  model.name = file.model.text;
  model.variant = variant;
  model.file = std::move(file);
  Resolver(model, diagnostics).run();
  return model;
}

}  // namespace faultline::dsl
