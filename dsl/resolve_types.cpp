// Declarations of types and locks: entries are tables of at most 64 states, arrows name states and locks, the fields of
// a resource are numbers.
#include <algorithm>

#include "dsl/resolve_build.hpp"
#include "fmt/format.h"

namespace faultline::dsl {

void Resolver::collect_names() {
  for (const Item& item : model_.file.items) {
    if (item.opaque)
      for (const Ident& name : item.opaque->names) {
        model_.opaque.push_back(name.text);
        if (item.opaque->is_volatile) model_.volatile_opaque.push_back(name.text);
      }
    if (item.lock) lock(*item.lock);
    if (item.resource) resource(*item.resource);
    if (item.enumeration) enumeration(*item.enumeration, item.span);
    if (item.entry) {
      declare(item.entry->name, "an entry type");
      EntryDecl decl;
      decl.name = item.entry->name;
      model_.entries.push_back(std::move(decl));
    }
  }
}

void Resolver::lock(const LockItem& item) {
  const std::string& kind = item.kind.text;
  if (kind == "rcu") {
    for (const Ident& name : item.names) {
      declare(name, "an RCU domain");
      model_.rcu.push_back(name);
    }
    if (model_.rcu.size() > 1)
      error("FL0313", model_.rcu.back().span, "several RCU domains are not supported yet",
            {"readers of one are readers of all"}, {"use one name, or none: `rcu_read_lock();`"},
            {{model_.rcu.front().span, "the first one"}});
    return;
  }
  if (kind == "seqcount") {
    for (const Ident& name : item.names) {
      declare(name, "a seqcount");
      model_.shared.push_back({name, {TypeKind::sequence, nothing, 1}, 0, {}});
    }
    return;
  }
  for (const Ident& name : item.names) {
    declare(name, "a " + kind);
    model_.locks.push_back({name, kind == "mutex"   ? LockKind::mutex
                                  : kind == "rwsem" ? LockKind::rwsem
                                                    : LockKind::spinlock});
  }
}

void Resolver::resource(const ResourceItem& item) {
  declare(item.name, "a resource");
  ResourceDecl decl{item.name, "", "", item.nofail, {}};
  if (item.alloc) {
    declare(*item.alloc, "an allocator");
    decl.alloc = item.alloc->text;
  }
  if (item.free) {
    declare(*item.free, "a free function");
    decl.free = item.free->text;
  }
  if (item.type_stable) model_.broken.push_back(item.name.text);
  if (item.type_stable)
    error("FL0313", item.name.span, "`type_stable` resources are not supported yet",
          {"they come with the stage \"Numbers, TLBs and objects\""});
  model_.resources.push_back(std::move(decl));
}

void Resolver::fields(const ResourceItem& item) {
  ResourceDecl& decl = *std::find_if(model_.resources.begin(), model_.resources.end(),
                                     [&](const ResourceDecl& d) { return d.name.span == item.name.span; });
  std::map<std::string, std::pair<Span, std::string>> names;
  for (const auto& field : item.fields) {
    declare(field.name, "a field", names);
    const auto type = model_.find_type(field.type);
    if (!type || type->kind == TypeKind::none) {
      unknown("FL0203", {field.type.text, field.type.span}, "type", type_names(), "types");
      model_.broken.push_back(item.name.text);
    } else if (!type->numeric()) {
      error("FL0313", field.name.span, "a field that is no number is not supported yet",
            {"it comes with the stage \"Numbers, TLBs and objects\""});
      model_.broken.push_back(item.name.text);
    } else {
      no_low_range(field.type, *type);
      // without a range nobody counts to the end of it: references
      const bool references = type->kind == TypeKind::integer && !field.type.high;
      decl.fields.push_back({field.name, references ? Type{TypeKind::references, nothing, 3} : *type});
    }
  }
}

void Resolver::enumeration(const EnumItem& item, Span span) {
  EnumDecl decl;
  decl.span = span;
  if (item.name) {
    declare(*item.name, "an enum");
    decl.name = item.name->text;
  }
  std::int64_t next = 0;
  for (const auto& constant : item.constants) {
    declare(constant.name, "an enum constant");
    if (constant.value) next = *constant.value;
    const bool fits = next >= 0 && next <= 255;
    if (!fits)
      error("FL0306", constant.name.span,
            fmt::format("the value {} of `{}` is not in 0..255", next, constant.name.text), {},
            {"the number itself does not matter to the model: leave it out"});
    decl.constants.emplace_back(constant.name.text, static_cast<std::uint8_t>(next & 0xff));
    next = fits ? next + 1 : 0;  // said once, not of those that follow too
  }
  model_.enums.push_back(std::move(decl));
}

void Resolver::entry(const EntryItem& item) {
  const auto found = std::find_if(model_.entries.begin(), model_.entries.end(),
                                  [&](const EntryDecl& d) { return d.name.span == item.name.span; });
  EntryDecl& decl = *found;
  if (item.states.size() > 64)
    error("FL0314", item.name.span, "an entry has at most 64 states",
          {fmt::format("{} has {}", item.name.text, item.states.size())}, {"leave out what the race does not need"});
  std::map<std::string, std::pair<Span, std::string>> state_names;
  for (const StateDecl& state : item.states) {
    if (decl.states.size() == 64) break;
    declare(state.name, "a state", state_names);
    EntryDecl::State s{state.name, {}, state.unreachable, state.span};
    for (const Param& param : state.payload) {
      if (const auto type = param.type ? model_.find_type(*param.type) : std::nullopt;
          !type || type->kind != TypeKind::resource)
        model_.broken.push_back(state.name.text);
      if (!param.type) {
        error("FL0203", param.span, fmt::format("payload `{}` has no type", param.name.text), {},
              {"write the resource type before the name: `pgtable_t pt`"});
        continue;
      }
      const auto type = model_.find_type(*param.type);
      if (!type || type->kind != TypeKind::resource) {
        std::vector<std::string> known;
        for (const auto& r : model_.resources) known.push_back(r.name.text);
        unknown("FL0203", {param.type->text, param.type->span}, "resource type", known, "resource types");
        continue;
      }
      s.payload.push_back(slot(decl, param.name, type->which, s));
    }
    const auto bit = std::uint64_t{1} << decl.states.size();
    for (const Ident& predicate : state.predicates) {
      auto it = std::find_if(decl.predicates.begin(), decl.predicates.end(),
                             [&](const auto& p) { return p.first == predicate.text; });
      if (it == decl.predicates.end()) it = decl.predicates.insert(it, {predicate.text, 0});
      it->second |= bit;
    }
    decl.states.push_back(std::move(s));
  }
  for (const Arrow& arrow : item.arrows) arrows(decl, arrow);
}

Index Resolver::slot(EntryDecl& decl, const Ident& name, Index resource, const EntryDecl::State& state) {
  for (std::size_t i = 0; i < decl.slots.size(); ++i)
    if (decl.slots[i].name == name.text && decl.slots[i].resource == resource) {
      if (std::count(state.payload.begin(), state.payload.end(), static_cast<Index>(i)) != 0)
        error("FL0202", name.span, fmt::format("state `{}` has the payload `{}` twice", state.name.text, name.text), {},
              {"give one of the two another name"});
      return static_cast<Index>(i);
    }
  decl.slots.push_back({name.text, resource});
  return static_cast<Index>(decl.slots.size() - 1);
}

void Resolver::arrows(EntryDecl& decl, const Arrow& arrow) {
  std::vector<LockNeed> needs;
  for (const LockUse& use : arrow.locks) {
    const Index index = model_.find_lock(use.lock.text);
    if (index == nothing && std::find(model_.broken.begin(), model_.broken.end(), use.lock.text) != model_.broken.end())
      continue;
    if (index == nothing) {
      unknown_lock(use.lock);
      continue;
    }
    LockNeed need{index, LockMode::any};
    if (use.mode) {
      need.mode = use.mode->text == "read" ? LockMode::read : LockMode::write;
      if (model_.locks[index].kind != LockKind::rwsem)
        error("FL0205", use.span,
              fmt::format("`{}` is not a rwsem, so it has no {} mode", use.lock.text, use.mode->text), {},
              {fmt::format("write `under {}`", use.lock.text)}, {{model_.locks[index].name.span, "declared here"}});
    }
    needs.push_back(need);
  }
  std::vector<std::string> known;
  for (const auto& s : decl.states) known.push_back(s.name.text);
  for (const Ident& from : arrow.from)
    for (const Ident& to : arrow.to) {
      const Index f = decl.state(from.text);
      const Index t = decl.state(to.text);
      if (f == nothing) unknown("FL0204", from, "state", known, "states of " + decl.name.text);
      if (t == nothing) unknown("FL0204", to, "state", known, "states of " + decl.name.text);
      if (f == nothing || t == nothing) continue;
      if (const ArrowDecl* other = decl.arrow(f, t); other != nullptr) {
        error("FL0202", arrow.span, fmt::format("the arrow `{} -> {}` is given twice", from.text, to.text), {},
              {"remove one of the two"}, {{other->span, "first given here"}});
        continue;
      }
      decl.arrows.push_back(
          {f, t, needs, arrow.after_flush, arrow.unreachable, arrow.span, arrow.under_span, arrow.flush_span});
    }
}

void Resolver::unknown_lock(const Ident& name) {
  std::vector<std::string> known;
  for (const auto& l : model_.locks) known.push_back(l.name.text);
  unknown("FL0201", name, "lock", known, "locks");
}

}  // namespace faultline::dsl
