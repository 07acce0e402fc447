// What the handlers of one random model share: locks, entries, flags, and the choices made of its synchronisation.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tests/differential/random/body.hpp"
#include "tests/differential/random/draw.hpp"

namespace faultline::differential {

struct Lock {
  enum class Mode { spin, irq, mutex, read, write } mode = Mode::spin;
  std::string name;

  [[nodiscard]] std::string take() const;
  [[nodiscard]] std::string give() const;
  [[nodiscard]] std::string try_take() const;   // empty: there is no such form
  [[nodiscard]] std::string as_needed() const;  // in an arrow: write(mmap_sem)
  [[nodiscard]] bool sleeps() const { return mode != Mode::spin && mode != Mode::irq; }
};

struct EntryState {
  std::string name;
  std::string predicate;
  bool payload = false;
};

struct Entry {
  std::string type, place;
  std::vector<EntryState> states;  // the first has no payload: it is the initial one
  std::string any_payload;         // predicate of all states with a payload; empty if there are none
  bool two = false;                // the payload is a page and a page table
  bool tlb = false;
  std::vector<std::size_t> cached;  // states that a TLB may hold
  bool strict = false;              // arrows name the locks that all of their stores hold
  Lock inner;                       // what stores are under
  std::string outer;                // a rwsem around, or empty

  [[nodiscard]] std::string look() const { return "*" + place; }
  [[nodiscard]] std::string is(std::size_t state, const std::string& of) const;
  [[nodiscard]] std::string has_payload(const std::string& of) const { return any_payload + "(" + of + ")"; }
  [[nodiscard]] std::vector<std::size_t> with_payload(bool payload) const;
};

class World {
 public:
  explicit World(Draw& draw) : draw_(draw) {}

  Draw& draw() { return draw_; }
  std::vector<Entry>& entries() { return entries_; }
  void declare(const std::string& line);  // once each, in order of need
  void invariant(const std::string& expression);

  // A new choice whose synchronisation stands; `drop` takes it away.
  std::size_t new_choice();
  [[nodiscard]] const Setting& setting() const { return setting_; }
  void drop(std::size_t choice) { setting_[choice] = false; }

  // The body under a lock, which is a choice. Stores of the body know that it is held.
  Body section(const Lock& lock, const std::function<Body()>& body);
  // The same under the entry's outer rwsem in that mode, if it has one.
  Body outer_section(const Entry& entry, Lock::Mode mode, const std::function<Body()>& body);

  // A store of `to` over any of `from`: the entry gets these arrows.
  void arrows(const Entry& entry, const std::vector<std::size_t>& from, std::size_t to, bool after_flush = false);

  [[nodiscard]] std::string declarations() const;
  [[nodiscard]] std::string invariants() const;

 private:
  struct Held {
    std::size_t choice = 0;
    std::string lock;
  };
  struct Store {
    std::string place;
    std::size_t from = 0, to = 0;
    bool after_flush = false;
    std::vector<Held> held;
  };
  [[nodiscard]] std::string declaration(const Entry& entry) const;
  [[nodiscard]] std::string needed(const Entry& entry, std::size_t from, std::size_t to) const;

  Draw& draw_;
  std::vector<Entry> entries_;
  std::vector<std::string> declared_, invariants_;
  std::vector<Store> stores_;
  std::vector<Held> held_;
  Setting setting_;
};

}  // namespace faultline::differential
