#include "dsl/model.hpp"

#include <algorithm>

namespace faultline::dsl {

namespace {

template <class List, class Name>
Index find(const List& list, std::string_view name, Name name_of) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (name_of(list[i]) == name) return static_cast<Index>(i);
  return nothing;
}

}  // namespace

Index ResourceDecl::field(std::string_view field_name) const {
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (fields[f].name.text == field_name) return static_cast<Index>(f);
  return nothing;
}

Index EntryDecl::state(std::string_view state_name) const {
  return find(states, state_name, [](const State& s) -> std::string_view { return s.name.text; });
}

const std::uint64_t* EntryDecl::predicate(std::string_view predicate_name) const {
  for (const auto& [name_, mask] : predicates)
    if (name_ == predicate_name) return &mask;
  return nullptr;
}

const ArrowDecl* EntryDecl::arrow(Index from, Index to) const {
  for (const auto& a : arrows)
    if (a.from == from && a.to == to) return &a;
  return nullptr;
}

std::uint64_t EntryDecl::all() const {
  return states.size() >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << states.size()) - 1;
}

std::uint64_t EntryDecl::with_slot(Index slot) const {
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < states.size(); ++i)
    if (std::count(states[i].payload.begin(), states[i].payload.end(), slot) != 0) mask |= std::uint64_t{1} << i;
  return mask;
}

Index Model::find_lock(std::string_view lock) const {
  return find(locks, lock, [](const LockDecl& d) -> std::string_view { return d.name.text; });
}
Index Model::find_shared(std::string_view place) const {
  return find(shared, place, [](const SharedDecl& d) -> std::string_view { return d.name.text; });
}
Index Model::find_function(std::string_view function) const {
  return find(functions, function, [](const FunctionDecl& d) -> std::string_view { return d.item->name.text; });
}
Index Model::find_alloc(std::string_view function) const {
  return find(resources, function, [](const ResourceDecl& d) -> std::string_view { return d.alloc; });
}
Index Model::find_free(std::string_view function) const {
  return find(resources, function, [](const ResourceDecl& d) -> std::string_view { return d.free; });
}
bool Model::is_opaque(std::string_view word) const {
  return std::find(opaque.begin(), opaque.end(), word) != opaque.end();
}

std::optional<Model::Constant> Model::find_constant(std::string_view constant) const {
  for (std::size_t i = 0; i < enums.size(); ++i)
    for (const auto& [name_, value] : enums[i].constants)
      if (name_ == constant) return Constant{static_cast<Index>(i), value};
  return std::nullopt;
}

std::optional<Type> Model::find_type(const TypeName& type) const {
  const std::string& text = type.text;
  if (text == "void") return Type{};
  if (text == "bool" || text == "_Bool") return Type{TypeKind::boolean, nothing, 1};
  if (text == "int" || text == "vm_fault_t" || text == "unsigned" || text == "unsigned int" || text == "long" ||
      text == "unsigned long" || text == "pid_t" || text == "size_t") {
    const auto high = type.high ? std::clamp<std::int64_t>(*type.high, 0, 255) : 255;
    return Type{TypeKind::integer, nothing, static_cast<std::uint8_t>(high)};
  }
  if (text == "seqcount" || text == "seqcount_t") return Type{TypeKind::sequence, nothing, 1};
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].name.text == text) return Type{TypeKind::entry, static_cast<Index>(i), 0};
  for (std::size_t i = 0; i < resources.size(); ++i)
    if (resources[i].name.text == text) return Type{TypeKind::resource, static_cast<Index>(i), 0};
  for (std::size_t i = 0; i < enums.size(); ++i)
    if (!enums[i].name.empty() && (enums[i].name == text || "enum " + enums[i].name == text)) {
      std::uint8_t high = 0;
      for (const auto& constant : enums[i].constants) high = std::max(high, constant.second);
      return Type{TypeKind::enumeration, static_cast<Index>(i), high};
    }
  return std::nullopt;
}

std::string Model::type_name(const Type& type) const {
  switch (type.kind) {
    case TypeKind::none: return "void";
    case TypeKind::boolean: return "bool";
    case TypeKind::integer: return "int";
    case TypeKind::enumeration: return "enum " + enums[type.which].name;
    case TypeKind::entry: return entries[type.which].name.text;
    case TypeKind::resource: return type.which < resources.size() ? resources[type.which].name.text : "NULL";
    case TypeKind::sequence: return "seqcount";
    case TypeKind::references: return "reference count";
    case TypeKind::opaque: return "opaque value";
  }
  return "?";
}

}  // namespace faultline::dsl
