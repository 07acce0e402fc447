#include "checker/explain.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "checker/certificate_shapes.hpp"
#include "checker/queries_table.hpp"
#include "fmt/format.h"

namespace faultline::check {
namespace {

using step::Held;
using step::Id;
using step::Location;
using Values = std::set<std::uint16_t>;

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

// "12, 14-17"
std::string ranges(const std::set<std::uint32_t>& lines) {
  std::string text;
  for (auto at = lines.begin(); at != lines.end();) {
    auto last = at;
    while (std::next(last) != lines.end() && *std::next(last) == *last + 1) ++last;
    if (!text.empty()) text += ", ";
    text += *at == *last ? fmt::format("{}", *at) : fmt::format("{}-{}", *at, *last);
    at = std::next(last);
  }
  return text;
}

// A line of a handler: its positions, and the rows in which CPU 0 is at one of them.
struct Group {
  std::vector<Id> positions;
  std::vector<const std::vector<std::uint16_t>*> rows;
};

class Explanation {
 public:
  Explanation(const step::Program& program, const ViewSet& set) : program_(program), table_(table_of(program, set)) {
    for (const Field& field : table_.fields) all_.emplace_back(field.values.begin(), field.values.end());
    at_ = field(Field::What::position, 0, 0);
    other_at_ = field(Field::What::position, 0, 1);
  }

  std::vector<Known> run() {
    std::map<std::tuple<std::uint32_t, std::uint32_t, Id>, Group> groups;  // by file, line, handler
    const auto group_of = [&](Id position) -> Group& {
      const Location& location = program_.locations[position];
      return groups[{location.span.file, location.span.line, location.handler}];
    };
    for (std::size_t pc = 0; pc < program_.locations.size(); ++pc)
      if (program_.locations[pc].handler != step::no_id)
        group_of(static_cast<Id>(pc)).positions.push_back(static_cast<Id>(pc));
    for (const auto& row : table_.rows) {
      const Id position = table_.fields[at_].values[row[at_]];
      if (program_.locations[position].handler != step::no_id) group_of(position).rows.push_back(&row);
    }
    std::vector<Known> result;
    for (auto& [key, group] : groups) {
      if (group.rows.empty()) continue;  // nobody gets there
      const Location& location = program_.locations[group.positions.front()];
      result.push_back({program_.handlers[location.handler], location.span, {}});
      facts_ = &result.back().facts;
      shared(group);
      locks(group);
      own(group);
      others(group);
    }
    return result;
  }

 private:
  [[nodiscard]] std::size_t field(Field::What what, Id a, std::size_t i) const {
    const auto found = std::find_if(table_.fields.begin(), table_.fields.end(),
                                    [&](const Field& f) { return f.what == what && f.a == a && f.i == i; });
    return static_cast<std::size_t>(found - table_.fields.begin());
  }

  [[nodiscard]] Values values(const Group& group, std::size_t field) const {
    Values result;
    for (const auto* row : group.rows) result.insert(table_.fields[field].values[(*row)[field]]);
    return result;
  }

  void tell(std::string fact) { facts_->push_back(std::move(fact)); }

  static std::string word(const std::vector<std::string>& names, std::uint16_t value) {
    return value < names.size() && !names[value].empty() ? names[value] : std::to_string(value);
  }

  // "x is a or b", or what it is not where that is shorter.
  void tell_values(const std::string& name, const Values& values, const Values& all,
                   const std::vector<std::string>& names) {
    if (values == all) return;
    std::vector<std::string> is, is_not;
    for (const std::uint16_t v : all) (values.count(v) != 0 ? is : is_not).push_back(word(names, v));
    tell(is.size() > 1 && is_not.size() == 1 ? fmt::format("{} is not {}", name, is_not.front())
                                             : fmt::format("{} is {}", name, listed(is)));
  }

  void shared(const Group& group) {
    for (std::size_t g = 0; g < program_.globals.size(); ++g) {
      const auto is_lock = [&](const step::Lock& lock) { return lock.global == g; };
      if (std::any_of(program_.locks.begin(), program_.locks.end(), is_lock) || !program_.globals[g].shown) continue;
      const std::size_t f = field(Field::What::global, static_cast<Id>(g), 0);
      tell_values(program_.globals[g].name, values(group, f), all_[f], program_.globals[g].names);
    }
  }

  [[nodiscard]] bool holds(Id position, std::size_t lock) const {
    const auto& held = program_.locations[position].held;
    return std::any_of(held.begin(), held.end(), [&](const Held& h) { return h.lock == lock; });
  }

  void locks(const Group& group) {
    for (std::size_t l = 0; l < program_.locks.size(); ++l) {
      const step::Lock& lock = program_.locks[l];
      const auto holding = [&](Id position) { return holds(position, l); };
      const auto count = std::count_if(group.positions.begin(), group.positions.end(), holding);
      if (count == static_cast<std::ptrdiff_t>(group.positions.size())) {
        const auto& held = program_.locations[group.positions.front()].held;
        const auto mine = std::find_if(held.begin(), held.end(), [&](const Held& h) { return h.lock == l; });
        const bool read = lock.kind == step::LockKind::rwsem && mine->mode == step::LockMode::read;
        tell(fmt::format("{} is held{}", lock.name, read ? " for reading" : ""));
        continue;
      }
      const Values taken = values(group, field(Field::What::global, lock.global, 0));
      if (count == 0 && taken == Values{1}) tell(fmt::format("{} is held by another CPU", lock.name));
      if (count == 0 && taken == Values{0})
        tell(fmt::format("nobody holds {}{}", lock.name, lock.kind == step::LockKind::rwsem ? " for writing" : ""));
    }
  }

  // What the looks at an object through one name say of it.
  void tell_looks(const std::string& name, const Values& looks) {
    std::set<std::string> words;
    bool null = false;
    for (const std::uint16_t look : looks) {
      if (look == look_null) {
        null = true;
      } else if (look < look_at_earlier) {
        words.insert(program_.places[look - look_at_place].name);
      } else if (look < look_at_own) {
        words.insert("what another variable names");
      } else {
        words.insert((look - look_at_own) % 2 != 0 ? "a freed object" : "an object in no entry");
      }
    }
    std::vector<std::string> list(words.begin(), words.end());
    if (null) list.emplace_back("NULL");
    tell(fmt::format("{} is {}", name, listed(list)));
  }

  void own(const Group& group) {
    for (const step::Kept& kept : program_.locations[group.positions.front()].keeps) {
      const auto also = [&](Id position) {
        const auto& keeps = program_.locations[position].keeps;
        return std::any_of(keeps.begin(), keeps.end(), [&](const step::Kept& k) {
          return k.name == kept.name && k.handle == kept.handle && k.slot == kept.slot;
        });
      };
      if (!std::all_of(group.positions.begin(), group.positions.end(), also)) continue;
      const std::size_t f = field(kept.handle ? Field::What::handle : Field::What::local, kept.slot, 0);
      const Values found = values(group, f);
      if (kept.handle) {
        tell_looks(kept.name, found);
      } else {
        Values every;
        for (std::size_t v = 0; v < kept.names.size(); ++v) every.insert(static_cast<std::uint16_t>(v));
        tell_values(kept.name, found, every.empty() ? all_[f] : every, kept.names);
      }
    }
    for (const step::AwaitKind& kind : program_.awaits)
      for (const Id handle : kind.clears_handles)
        if (values(group, field(Field::What::handle, handle, 0)) == Values{look_null})
          tell(fmt::format("{} is empty", program_.handles[handle].name));
  }

  void others(const Group& group) {
    const Values there = values(group, other_at_);
    std::set<std::size_t> unheld;
    for (std::size_t l = 0; l < program_.locks.size(); ++l) {
      const auto holding = [&](std::uint16_t position) { return holds(position, l); };
      if (std::any_of(all_[other_at_].begin(), all_[other_at_].end(), holding) &&
          std::none_of(there.begin(), there.end(), holding)) {
        unheld.insert(l);
        tell(fmt::format("no other CPU holds {}", program_.locks[l].name));
      }
    }
    std::set<std::uint32_t> may_be, may_not;
    for (const std::uint16_t position : all_[other_at_]) {
      const Location& location = program_.locations[position];
      if (location.handler == step::no_id) continue;
      const bool locked_out =
          std::any_of(unheld.begin(), unheld.end(), [&](std::size_t lock) { return holds(position, lock); });
      if (!locked_out) (there.count(position) != 0 ? may_be : may_not).insert(location.span.line);
    }
    for (const std::uint32_t line : may_be) may_not.erase(line);
    if (!may_not.empty())
      tell(fmt::format("no other CPU is at line{} {}", may_not.size() == 1 ? "" : "s", ranges(may_not)));
    for (const step::AwaitKind& kind : program_.awaits)
      for (const Id handle : kind.clears_handles)
        if (values(group, field(Field::What::handle, handle, 1)) == Values{look_null})
          tell(fmt::format("{} is empty in every other CPU", program_.handles[handle].name));
  }

  const step::Program& program_;
  Table table_;
  std::vector<Values> all_;  // of each field
  std::size_t at_ = 0, other_at_ = 0;
  std::vector<std::string>* facts_ = nullptr;
};

}  // namespace

std::vector<Known> explain(const step::Program& program, const ViewSet& set) { return Explanation(program, set).run(); }

}  // namespace faultline::check
