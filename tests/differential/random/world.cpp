#include "tests/differential/random/world.hpp"

#include <algorithm>

namespace faultline::differential {

std::string Lock::take() const {
  switch (mode) {
    case Mode::spin: return "spin_lock(" + name + ");";
    case Mode::irq: return "spin_lock_irq(" + name + ");";
    case Mode::mutex: return "mutex_lock(" + name + ");";
    case Mode::read: return "down_read(" + name + ");";
    case Mode::write: break;
  }
  return "down_write(" + name + ");";
}

std::string Lock::give() const {
  switch (mode) {
    case Mode::spin: return "spin_unlock(" + name + ");";
    case Mode::irq: return "spin_unlock_irq(" + name + ");";
    case Mode::mutex: return "mutex_unlock(" + name + ");";
    case Mode::read: return "up_read(" + name + ");";
    case Mode::write: break;
  }
  return "up_write(" + name + ");";
}

std::string Lock::try_take() const {
  switch (mode) {
    case Mode::spin: return "spin_trylock(" + name + ")";
    case Mode::irq: return "";
    case Mode::mutex: return "mutex_trylock(" + name + ")";
    case Mode::read: return "down_read_trylock(" + name + ")";
    case Mode::write: break;
  }
  return "down_write_trylock(" + name + ")";
}

std::string Lock::as_needed() const {
  if (mode == Mode::read) return "read(" + name + ")";
  if (mode == Mode::write) return "write(" + name + ")";
  return name;
}

std::string Entry::is(std::size_t state, const std::string& of) const {
  return states[state].predicate + "(" + of + ")";
}

std::vector<std::size_t> Entry::with_payload(bool payload) const {
  std::vector<std::size_t> found;
  for (std::size_t s = 0; s < states.size(); ++s)
    if (states[s].payload == payload) found.push_back(s);
  return found;
}

void World::declare(const std::string& line) {
  if (std::find(declared_.begin(), declared_.end(), line) == declared_.end()) declared_.push_back(line);
}

void World::invariant(const std::string& expression) {
  if (std::find(invariants_.begin(), invariants_.end(), expression) == invariants_.end())
    invariants_.push_back(expression);
}

std::size_t World::new_choice() {
  setting_.push_back(true);
  return setting_.size() - 1;
}

Body World::section(const Lock& lock, const std::function<Body()>& body) {
  const std::size_t which = new_choice();
  held_.push_back({which, lock.as_needed()});
  Body inside = body();
  held_.pop_back();
  if (const std::string attempt = lock.try_take(); !attempt.empty() && draw_.chance(8)) {
    Body locked = inside;
    locked.push_back(line(lock.give()));
    return {choice(which, {when(attempt, std::move(locked))}, std::move(inside))};
  }
  Body all = {choice(which, {line(lock.take())})};
  append(all, std::move(inside));
  all.push_back(choice(which, {line(lock.give())}));
  return all;
}

Body World::outer_section(const Entry& entry, Lock::Mode mode, const std::function<Body()>& body) {
  return entry.outer.empty() ? body() : section({mode, entry.outer}, body);
}

void World::arrows(const Entry& entry, const std::vector<std::size_t>& from, std::size_t to, bool after_flush) {
  for (const std::size_t f : from) stores_.push_back({entry.place, f, to, after_flush, held_});
}

// The locks that every such store holds, as things stand.
std::string World::needed(const Entry& entry, std::size_t from, std::size_t to) const {
  std::vector<std::string> common;
  bool first = true;
  for (const Store& store : stores_) {
    if (store.place != entry.place || store.from != from || store.to != to) continue;
    std::vector<std::string> here;
    for (const Held& held : store.held)
      if (setting_[held.choice]) here.push_back(held.lock);
    if (first) common = here;
    std::erase_if(common, [&](const std::string& l) { return std::find(here.begin(), here.end(), l) == here.end(); });
    first = false;
  }
  std::string text;
  for (const std::string& lock : common) text += (text.empty() ? " under " : ", ") + lock;
  return text;
}

std::string World::declaration(const Entry& entry) const {
  std::string text = "entry " + entry.type + " {\n";
  const std::string payload = entry.two ? "(page_t page, pgtable_t pt)" : "(page_t page)";
  for (const EntryState& s : entry.states)
    text +=
        "    state " + s.name +
        (s.payload ? payload + " { " + s.predicate + ", " + entry.any_payload + " }\n" : " { " + s.predicate + " }\n");
  std::vector<std::pair<std::size_t, std::size_t>> written;
  for (const Store& store : stores_) {
    const std::pair arrow{store.from, store.to};
    if (store.place != entry.place || std::find(written.begin(), written.end(), arrow) != written.end()) continue;
    written.push_back(arrow);
    const bool flush = std::any_of(stores_.begin(), stores_.end(), [&](const Store& s) {
      return s.place == store.place && s.from == store.from && s.to == store.to && s.after_flush;
    });
    text += "    " + entry.states[store.from].name + " -> " + entry.states[store.to].name +
            (entry.strict ? needed(entry, store.from, store.to) : "") + (flush ? " after flush;\n" : ";\n");
  }
  text += "}\nshared " + entry.type + " *" + entry.place + " = " + entry.states.front().name + ";\n";
  if (entry.tlb) {
    text += "tlb " + entry.place + (entry.two ? " caches page" : "") + " in ";
    for (std::size_t i = 0; i < entry.cached.size(); ++i)
      text += (i == 0 ? "" : ", ") + entry.states[entry.cached[i]].name;
    text += ";\n";
  }
  return text;
}

std::string World::declarations() const {
  std::string text;
  for (const std::string& line : declared_) text += line + "\n";
  for (const Entry& entry : entries_) text += declaration(entry);
  return text;
}

std::string World::invariants() const {
  std::string text;
  for (std::size_t i = 0; i < invariants_.size(); ++i)
    text += "invariant always" + std::to_string(i + 1) + " : " + invariants_[i] + ";\n";
  return text;
}

}  // namespace faultline::differential
