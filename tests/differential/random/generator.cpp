#include "tests/differential/random/generator.hpp"

#include <utility>

#include "tests/differential/random/idioms.hpp"

namespace faultline::differential {

namespace {

struct Handler {
  std::string name;
  std::string function;  // that the handler does nothing but call; empty: the body is its own
  Body body;
};

struct Patch {
  std::string name;
  std::string after;
  std::string hunks;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : draw_(seed), world_(draw_) {}

  RandomModel run(Family family) {
    if (family == Family::vmas) {
      vma_handlers();
    } else {
      new_entry();
      if (draw_.chance(12)) new_entry();
      handlers();
    }
    drop();
    patches();
    run_lines(family == Family::vmas && draw_.chance(25));
    RandomModel model;
    model.text = text(world_.setting()) + patch_text();
    for (std::size_t c = 0; c < world_.setting().size(); ++c) {
      Setting less = world_.setting();
      if (!less[c]) continue;
      less[c] = false;
      model.without.push_back(text(less));
    }
    return model;
  }

 private:
  void new_entry() {
    const bool first = world_.entries().empty();
    Entry entry;
    entry.type = first ? "pte_t" : "pmd_t";
    entry.place = first ? "pte" : "pmd";
    const std::vector<std::string> names = first ? std::vector<std::string>{"none", "present", "protnone", "swapped"}
                                                 : std::vector<std::string>{"clear", "huge", "splitting", "table"};
    const bool objects = draw_.chance(70);
    const std::size_t states = 2 + draw_.below(3);
    for (std::size_t s = 0; s < states; ++s) {
      const bool payload = objects && s > 0 && (s == 1 || draw_.chance(50));
      entry.states.push_back({names[s], entry.place + "_" + names[s], payload});
    }
    if (objects) {
      entry.any_payload = entry.place + "_mapped";
      entry.two = draw_.chance(10);
      entry.tlb = draw_.chance(60);
      world_.declare("resource page_t { alloc alloc_page; free put_page; }");
      if (entry.two) world_.declare("resource pgtable_t { alloc pte_alloc_one; free pte_free; }");
      for (const std::size_t s : entry.with_payload(true))
        if (entry.cached.empty() || draw_.chance(60)) entry.cached.push_back(s);
    }
    entry.strict = draw_.chance(35);
    locks(entry, first);
    world_.entries().push_back(std::move(entry));
  }

  void locks(Entry& entry, bool first) {
    const std::size_t kind = draw_.below(100);
    if (kind < 55) {
      const bool irq = draw_.chance(10);
      entry.inner = {irq ? Lock::Mode::irq : Lock::Mode::spin, first ? "ptl" : "pmd_lock"};
      world_.declare("spinlock " + entry.inner.name + ";");
    } else if (kind < 75) {
      entry.inner = {Lock::Mode::mutex, first ? "page_mutex" : "pmd_mutex"};
      world_.declare("mutex " + entry.inner.name + ";");
    } else {
      entry.inner = {Lock::Mode::write, first ? "anon_sem" : "pmd_sem"};
      world_.declare("rwsem " + entry.inner.name + ";");
    }
    if (draw_.chance(50)) {
      entry.outer = "mmap_sem";
      world_.declare("rwsem mmap_sem;");
    }
  }

  void handlers() {
    const std::size_t count = draw_.chance(15) ? 1 : draw_.chance(55) ? 2 : 3;
    for (std::size_t h = 0; h < count; ++h) {
      const Entry& entry = draw_.pick(world_.entries());
      Handler handler;
      handler.name = "handler" + std::to_string(h + 1);
      if (draw_.chance(15)) handler.function = "work" + std::to_string(h + 1);
      handler.body = idiom(entry, h == 0);
      if (draw_.chance(12)) two_ways(handler.body, idiom(entry, false));
      handlers_.push_back(std::move(handler));
      if (entry.tlb && h + 1 == count && draw_.chance(70)) touch(entry);
    }
  }

  void vma_handlers() {
    const Vma vma = new_vma(world_);
    handlers_.push_back({"mmap", "", vma_insert(world_, vma)});
    handlers_.push_back({"munmap", "", vma_remove(world_, vma)});
    if (draw_.chance(85)) handlers_.push_back({"fault", "", vma_lookup(world_, vma)});
    if (draw_.chance(vma.pair ? 85 : 25)) handlers_.push_back({"mprotect", "", vma_rewrite(world_, vma)});
  }

  void touch(const Entry& entry) { handlers_.push_back({"user_access", "", {line("touch(" + entry.place + ");")}}); }

  // One of two idioms, as an oracle or chance will have it.
  void two_ways(Body& body, Body other) {
    std::string condition = "maybe";
    if (draw_.chance(50)) {
      world_.declare("opaque vma;");
      condition = "transparent_hugepage_enabled(vma)";
    }
    body = {when(condition, std::move(body), std::move(other))};
  }

  Body idiom(const Entry& entry, bool first) {
    const std::size_t which = draw_.below(100);
    const bool objects = !entry.any_payload.empty();
    if (first) return objects ? populate(world_, entry) : advance(world_, entry);
    if (objects) {
      if (which < 35) return zap(world_, entry);
      if (which < 45) return populate(world_, entry);
      if (which < 58) return entry.with_payload(true).size() > 1 ? move(world_, entry) : zap(world_, entry);
      if (which < 68) return split(world_, entry);
    } else {
      if (which < 20) return advance(world_, entry);
      if (which < 40) return claim(world_, entry);
      if (which < 46) return slot_put(world_);
      if (which < 55) return slot_take(world_);
    }
    if (which < 76) return reader(world_, entry);
    if (which < 86) return writer(world_, entry);
    return which < 96 ? critical(world_) : wait_for(world_);
  }

  void drop() {
    const std::size_t how = draw_.below(100);
    const std::size_t choices = world_.setting().size();
    if (choices == 0 || how < 58) return;
    if (how < 85) return world_.drop(draw_.below(choices));
    for (std::size_t c = 0; c < choices; ++c)
      if (draw_.chance(30)) world_.drop(c);
  }

  void patches() {
    Setting setting = world_.setting();
    const std::size_t count = draw_.chance(45) ? 0 : draw_.chance(75) ? 1 : 2;
    std::string after;
    for (std::size_t p = 0; p < count && !setting.empty(); ++p) {
      Setting patched = setting;
      const std::size_t toggled = draw_.below(setting.size());
      patched[toggled] = !patched[toggled];
      const std::string hunks = difference(setting, patched);
      if (hunks.empty()) continue;
      patches_.push_back({"patch" + std::to_string(p + 1), after, hunks});
      after = patches_.back().name;
      setting = patched;
    }
  }

  // Empty if there is none, or none that can be written.
  std::string difference(const Setting& before, const Setting& after) const {
    std::string text;
    for (const Handler& h : handlers_) {
      const Body old_body = resolve(h.body, before), new_body = resolve(h.body, after);
      if (print(old_body, 0) == print(new_body, 0)) continue;
      const auto lines = hunk(old_body, new_body);
      if (!lines) return {};
      text += " in " + (h.function.empty() ? h.name : h.function) + " {\n" + *lines + "}";
    }
    return text;
  }

  void run_lines(bool once) {
    const bool apart = handlers_.size() > 1 && draw_.chance(20);
    std::string names;
    for (std::size_t h = 0; h < handlers_.size(); ++h)
      if (!apart || h != 1) names += (names.empty() ? "" : ", ") + handlers_[h].name;
    run_ = "run " + names + " on any cpus;\n";
    if (apart) run_ += "run " + handlers_[1].name + (once ? " on 1 cpu once;\n" : " on 1 cpu;\n");
  }

  // Declarations are those of the base: an arrow goes on to name a lock that is dropped.
  std::string text(const Setting& setting) const {
    std::string all = "model random;\n" + world_.declarations();
    for (const Handler& h : handlers_) {
      const std::string body = "()\n{\n" + print(resolve(h.body, setting), 1) + "}\n";
      if (h.function.empty()) {
        all += "handler " + h.name + body;
      } else {
        all += "void " + h.function + body;
        all += "handler " + h.name + "()\n{\n    " + h.function + "();\n}\n";
      }
    }
    return all + world_.invariants() + run_;
  }

  std::string patch_text() const {
    std::string all;
    for (const Patch& p : patches_)
      all += "patch " + p.name + (p.after.empty() ? "" : " after " + p.after) + p.hunks + "\n";
    return all;
  }

  Draw draw_;
  World world_;
  std::vector<Handler> handlers_;
  std::vector<Patch> patches_;
  std::string run_;
};

}  // namespace

RandomModel random_model(std::uint64_t seed, Family family) { return Generator(seed).run(family); }

std::vector<std::string> features(const std::string& text) {
  static const std::vector<std::pair<std::string, std::vector<std::string>>> table = {
      {"objects", {"alloc_page()"}},
      {"reference count", {" int refs;"}},
      {"seqcount", {"read_seqcount_retry("}},
      {"RCU section", {"rcu_read_lock("}},
      {"irq section", {"local_irq_disable("}},
      {"grace period", {"synchronize_rcu("}},
      {"fields", {"v->"}},
      {"once", {"once;"}},
      {"tlb", {"touch("}},
      {"flush", {"flush_tlb("}},
      {"after flush", {"after flush"}},
      {"spinlock", {"spin_lock(", "spin_trylock("}},
      {"interrupts off", {"spin_lock_irq("}},
      {"mutex", {"mutex_lock(", "mutex_trylock("}},
      {"rwsem, read", {"down_read(", "down_read_trylock("}},
      {"rwsem, write", {"down_write(", "down_write_trylock("}},
      {"downgrade", {"downgrade_write("}},
      {"trylock", {"trylock("}},
      {"wait_event", {"wait_event("}},
      {"cmpxchg", {"cmpxchg("}},
      {"assertion", {"assert("}},
      {"invariant", {"\ninvariant "}},
      {"oracle", {"(vma)"}},
      {"maybe", {"(maybe)"}},
      {"function", {"\nvoid "}},
      {"two entries", {"\nentry pmd_t"}},
      {"locks of arrows", {" under "}},
      {"1-CPU line", {"on 1 cpu"}},
      {"patch", {"\npatch "}},
  };
  std::vector<std::string> found;
  for (const auto& [name, words] : table)
    for (const std::string& word : words)
      if (text.find(word) != std::string::npos) {
        found.push_back(name);
        break;
      }
  return found;
}

}  // namespace faultline::differential
