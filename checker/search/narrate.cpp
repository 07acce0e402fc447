#include "checker/search/narrate.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace faultline::check::search {
namespace {

using step::Id;
using step::no_id;

// One letter for each type of object: "pgtable_t" is t, "page_t" is p, "vma_t" is v; where two want the same letter,
// the later one takes the next of its name that is free.
std::vector<char> letters(const step::Program& program) {
  std::vector<char> result;
  for (const step::ObjectType& type : program.types) {
    std::string name = type.name;
    if (name.size() > 2 && name.ends_with("_t")) name.resize(name.size() - 2);
    if (name.ends_with("table")) name = "t" + name;
    name += "abcdefghijklmnopqrstuvwxyz";
    const auto free = [&](char c) {
      return c >= 'a' && c <= 'z' && std::find(result.begin(), result.end(), c) == result.end();
    };
    const auto letter = std::find_if(name.begin(), name.end(), free);
    result.push_back(letter == name.end() ? 'o' : *letter);
  }
  return result;
}

// What is shared, in words. Objects are named when they first appear.
class Shared {
 public:
  explicit Shared(const Closed& closed)
      : program_(closed.program()), layout_(closed.layout()), letters_(letters(program_)) {
    numbers_.resize(program_.types.size());
    of_entry_.resize(program_.globals.size());
    of_lock_.resize(program_.globals.size());
    place_shown_.resize(program_.places.size());
    for (const step::EntryInfo& entry : program_.entries) {
      of_entry_[entry.global] = true;
      for (const Id place : entry.places) place_shown_[place] = true;
    }
    for (const step::Lock& lock : program_.locks) of_lock_[lock.global] = true;
  }

  // `names`: of each object of s, its name in the trace so far; filled in for those printed the first time.
  std::vector<SharedValue> values(const Byte* s, std::vector<std::string>& names) {
    std::vector<SharedValue> result;
    for (const step::EntryInfo& entry : program_.entries) {
      const Byte state = s[Layout::global_at + entry.global];
      std::string value = state < entry.states.size() ? entry.states[state].name : std::to_string(state);
      if (state < entry.states.size() && !entry.states[state].places.empty()) {
        value += '(';
        for (const Id place : entry.states[state].places) {
          if (value.back() != '(') value += ", ";
          value += object(s, s[layout_.place_at + place], names);
        }
        value += ')';
      }
      result.push_back({entry.name, std::move(value)});
    }
    for (std::size_t g = 0; g < program_.globals.size(); ++g) {
      const step::Variable& variable = program_.globals[g];
      if (!variable.shown || of_entry_[g] || of_lock_[g]) continue;
      const Byte v = s[Layout::global_at + g];
      result.push_back({variable.name, v < variable.names.size() ? variable.names[v] : std::to_string(v)});
    }
    for (std::size_t p = 0; p < program_.places.size(); ++p) {
      if (!place_shown_[p]) result.push_back({program_.places[p].name, object(s, s[layout_.place_at + p], names)});
    }
    return result;
  }

  std::vector<SharedValue> locks(const Byte* s) const {
    std::vector<SharedValue> result;
    for (const step::Lock& lock : program_.locks) {
      result.push_back({lock.name, s[Layout::global_at + lock.global] != 0 ? "held" : "free"});
    }
    return result;
  }

 private:
  std::string object(const Byte* s, Byte object, std::vector<std::string>& names) {
    if (object == 0) return "null";
    if (names[object].empty()) {
      const std::uint32_t type = layout_.type(s[layout_.object_at + object]);
      names[object] = letters_[type] + std::to_string(++numbers_[type]);
    }
    return names[object];
  }

  const step::Program& program_;
  const Layout& layout_;
  std::vector<char> letters_;
  std::vector<std::uint32_t> numbers_;
  std::vector<bool> of_entry_, of_lock_, place_shown_;
};

std::vector<SharedValue> difference(const std::vector<SharedValue>& before, const std::vector<SharedValue>& after) {
  std::vector<SharedValue> result;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (before[i].value != after[i].value) result.push_back(after[i]);
  }
  return result;
}

}  // namespace

std::vector<TraceStep> narrate(Closed& closed, const Path& path) {
  const step::Program& program = closed.program();
  const Layout& layout = closed.layout();
  std::vector<Byte> s(layout.size()), next(layout.size());
  Order identity{};
  std::iota(identity.begin(), identity.end(), Byte{0});
  std::vector<std::uint32_t> numbers(closed.cpus(), no_command);
  std::uint32_t numbered = 0;

  Shared shared(closed);
  std::vector<std::string> names(step::max_objects + 1);
  closed.decode(path.states.front().data(), s.data());
  std::vector<SharedValue> values = shared.values(s.data(), names), locks = shared.locks(s.data());

  std::vector<TraceStep> steps;
  std::vector<std::uint64_t> packed(closed.words());
  for (std::size_t i = 0; i < path.moves.size(); ++i) {
    const Move& move = path.moves[i];
    TraceStep step;
    std::uint32_t& number = numbers[move.cpu()];
    if (number == no_command) number = numbered++;
    step.cpu = number;
    step.index = move.cpu();
    const Id handler = program.locations[layout.pc(s.data(), move.cpu())].handler;
    if (move.code != nullptr) {
      const step::Command& command = program.commands[move.code->index];
      step.command = move.code->index;
      const Id runs = command.handler != no_id ? command.handler : handler;
      if (runs != no_id) step.handler = program.handlers[runs];
      step.starts = command.starts;
      step.ends = command.ends;
      step.span = command.span;
      step.notes = command.notes;
    } else {
      if (handler != no_id) step.handler = program.handlers[handler];
      step.notes.push_back({{}, "acknowledge " + program.awaits[move.ack.kind].name, ""});
    }

    // Take the same step again to see which object became which. Names of objects in `s` are those of the packed form.
    ObjectMap map{};
    bool found = false;
    const bool last = i + 1 == path.states.size();
    closed.moves(s.data(), move.cpu(), [&](const Move& other, const Byte* to) {
      const bool same =
          other.code == move.code &&
          (move.code != nullptr || (other.ack.sender == move.ack.sender && other.ack.kind == move.ack.kind));
      if (found || !same) return;
      closed.encode_plain(to, packed.data());
      if (!last && packed != path.states[i + 1]) return;
      found = true;
      if (closed.merge() == Merge::nothing) {
        closed.decode(packed.data(), next.data());
        const std::uint64_t kept = closed.machine().named(next.data());
        for (std::uint32_t n = 1; n <= layout.objects; ++n)
          map[n] = (kept >> n & 1) != 0 ? static_cast<Byte>(n) : Byte{0};
      } else {
        Canonical(program, layout).name_objects(to, identity, closed.cpus(), next.data(), &map);
      }
    });
    if (!found) throw std::logic_error("a trace of the search does not run");
    const Byte old_count = s[1];
    std::vector<std::string> carried(names.size());
    for (std::uint32_t n = 1; n <= old_count; ++n) {
      if (map[n] != 0) carried[map[n]] = names[n];
    }
    names = std::move(carried);
    s = next;

    step.state = shared.values(s.data(), names);
    std::vector<SharedValue> locks_after = shared.locks(s.data());
    step.changed = difference(values, step.state);
    for (SharedValue& lock : difference(locks, locks_after)) step.changed.push_back(std::move(lock));
    values = step.state;
    locks = std::move(locks_after);
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<Byte> last_state(const Closed& closed, const Path& path) {
  std::vector<Byte> s(closed.layout().size());
  closed.decode(path.states.back().data(), s.data());
  return s;
}

step::Violation describe_deadlock(Closed& closed, const Path& path) {
  const step::Program& program = closed.program();
  std::vector<std::uint32_t> numbers(closed.cpus(), no_command);
  std::uint32_t numbered = 0;
  for (const Move& move : path.moves) {
    if (numbers[move.cpu()] == no_command) numbers[move.cpu()] = numbered++;
  }
  const std::vector<Byte> s = last_state(closed, path);
  step::Violation violation;
  violation.kind = step::Kind::deadlock;
  std::vector<std::string> waits(closed.cpus());
  for (std::uint32_t i = 0; i < closed.cpus(); ++i) {
    const step::Location& location = program.locations[closed.layout().pc(s.data(), i)];
    if (location.handler == no_id) continue;
    if (!violation.span.known() || dsl::before(location.span, violation.span)) violation.span = location.span;
    std::string& text = waits.at(numbers[i]);
    text = "cpu " + std::to_string(numbers[i]) + " ";
    using Wait = step::Location::Wait;
    if (location.wait == Wait::lock && location.waits_lock != no_id) {
      text += "waits for " + program.locks[location.waits_lock].name;
    } else if (location.wait == Wait::event) {
      text += "waits for an event";
    } else if (location.wait == Wait::others) {
      text += "waits for " + program.awaits[location.waits_await].name;
    } else {
      text += "cannot move";
    }
    if (location.span.known()) text += " at line " + std::to_string(location.span.line);
  }
  violation.message = "nobody inside a handler can move";
  const char* separator = ": ";
  for (const std::string& text : waits) {
    if (text.empty()) continue;
    violation.message += separator + text;
    separator = ", ";
  }
  return violation;
}

}  // namespace faultline::check::search
