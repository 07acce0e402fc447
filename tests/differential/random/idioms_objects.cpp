#include "tests/differential/random/idioms.hpp"

namespace faultline::differential {

namespace {

std::string store(const Entry& entry, std::size_t state, const std::string& payload) {
  return entry.look() + " = " + entry.states[state].name + (payload.empty() ? ";" : "(" + payload + ");");
}

std::string payload_of(const Entry& entry, const std::string& copy) {
  return entry.two ? copy + ".page, " + copy + ".pt" : copy + ".page";
}

Body free_payload(const Entry& entry, const std::string& copy) {
  Body body = {line("put_page(" + copy + ".page);")};
  if (entry.two) body.push_back(line("pte_free(" + copy + ".pt);"));
  return body;
}

Node flush(World& world, const Entry& entry) {
  const std::size_t which = world.new_choice();
  return choice(which, {line("flush_tlb(" + entry.place + ");")});
}

// A state from which an object can be published: one without a payload.
std::size_t empty_state(World& world, const Entry& entry) {
  const std::vector<std::size_t> states = entry.with_payload(false);
  return world.draw().chance(75) ? states.front() : world.draw().pick(states);
}

std::size_t full_state(World& world, const Entry& entry) { return world.draw().pick(entry.with_payload(true)); }

}  // namespace

Body populate(World& world, const Entry& entry) {
  Draw& draw = world.draw();
  const std::size_t from = empty_state(world, entry), to = full_state(world, entry);
  const bool look_first = draw.chance(60), use = draw.chance(30), touches = entry.tlb && draw.chance(40);
  const std::string look_again = entry.is(from, entry.look());
  return world.outer_section(entry, Lock::Mode::read, [&] {
    Body publish = world.section(entry.inner, [&] {
      world.arrows(entry, {from}, to);
      Body stored = {line(store(entry, to, entry.two ? "page, pt" : "page")), line("page = NULL;")};
      if (entry.two) stored.push_back(line("pt = NULL;"));
      return Body{guard(world.new_choice(), look_again, std::move(stored))};
    });
    const std::size_t unused = world.new_choice();
    publish.push_back(choice(unused, {when("page", {line("put_page(page);")})}));
    if (entry.two) publish.push_back(when("pt", {line("pte_free(pt);")}));
    Body body = {line("page_t page = alloc_page();")};
    if (entry.two) {
      Body with_both = {line("pgtable_t pt = pte_alloc_one();"),
                        when("pt", std::move(publish), {line("put_page(page);")})};
      body.push_back(when("page", std::move(with_both)));
    } else {
      body.push_back(when("page", std::move(publish)));
    }
    if (look_first) body = {when(look_again, std::move(body))};
    if (touches) body.push_back(line("touch(" + entry.place + ");"));
    if (use) {
      const std::string copy = entry.place + "_used";
      body.push_back(line(entry.type + " " + copy + " = " + entry.look() + ";"));
      body.push_back(when("!" + entry.is(from, copy), {line("assert(!" + entry.is(from, entry.look()) + ");")}));
    }
    return body;
  });
}

// Three orders: all in one section; an early look, then a section with a second look; the free behind the section.
Body zap(World& world, const Entry& entry) {
  Draw& draw = world.draw();
  const std::size_t order = draw.below(3);
  const std::vector<std::size_t> full = entry.with_payload(true);
  const bool all = full.size() == 1 || draw.chance(50);
  const std::size_t one = draw.pick(full), to = empty_state(world, entry);
  const std::vector<std::size_t> from = all ? full : std::vector<std::size_t>{one};
  const auto wanted = [&](const std::string& of) { return all ? entry.has_payload(of) : entry.is(one, of); };
  const Lock::Mode mode = draw.chance(50) ? Lock::Mode::write : Lock::Mode::read;
  const bool early_free = entry.tlb && draw.chance(8);
  const Node copy = line(entry.type + " old = " + entry.look() + ";");
  const auto release = [&] {  // what is no longer reachable: flush, then free
    Body body = free_payload(entry, "old");
    if (!entry.tlb) return body;
    if (early_free) {
      body.push_back(flush(world, entry));
      return body;
    }
    Body flushed = {flush(world, entry)};
    append(flushed, std::move(body));
    return flushed;
  };
  return world.outer_section(entry, mode, [&]() -> Body {
    if (order == 0)
      return world.section(entry.inner, [&] {
        world.arrows(entry, from, to);
        Body body = {line(store(entry, to, ""))};
        append(body, release());
        return Body{copy, when(wanted("old"), std::move(body))};
      });
    if (order == 1) {
      Body inside = world.section(entry.inner, [&] {
        world.arrows(entry, from, to);
        Body body = {line(store(entry, to, ""))};
        append(body, release());
        const bool weak = draw.chance(10);  // the same state may hold another object by now
        return Body{guard(world.new_choice(), weak ? wanted(entry.look()) : entry.look() + " == old", std::move(body))};
      });
      return {copy, when(wanted("old"), std::move(inside))};
    }
    Body body = {line("bool taken = false;"), line(entry.type + " old = " + entry.states.front().name + ";")};
    append(body, world.section(entry.inner, [&] {
      world.arrows(entry, from, to);
      return Body{line("old = " + entry.look() + ";"),
                  when(wanted("old"), {line(store(entry, to, "")), line("taken = true;")})};
    }));
    body.push_back(when("taken && " + wanted("old"), release()));
    return body;
  });
}

Body move(World& world, const Entry& entry) {
  Draw& draw = world.draw();
  const std::vector<std::size_t> full = entry.with_payload(true);
  const std::size_t at = draw.below(full.size());
  const std::size_t from = full[at], to = full[(at + 1) % full.size()];
  const bool early_look = draw.chance(40), after_flush = entry.tlb && draw.chance(30);
  const Node copy = line(entry.type + " old = " + entry.look() + ";");
  return world.outer_section(entry, Lock::Mode::read, [&]() -> Body {
    const auto stored = [&] {
      world.arrows(entry, {from}, to, after_flush);
      Body body;
      if (after_flush) body.push_back(flush(world, entry));
      body.push_back(line(store(entry, to, payload_of(entry, "old"))));
      return body;
    };
    if (!early_look)
      return world.section(entry.inner, [&] { return Body{copy, when(entry.is(from, "old"), stored())}; });
    Body inside = world.section(entry.inner, [&] {
      Body body = stored();
      return Body{guard(world.new_choice(), entry.look() + " == old", std::move(body))};
    });
    return {copy, when(entry.is(from, "old"), std::move(inside))};
  });
}

// The second section trusts a mutex around both, or looks again.
Body split(World& world, const Entry& entry) {
  Draw& draw = world.draw();
  const std::vector<std::size_t> full = entry.with_payload(true);
  if (full.size() < 2) return move(world, entry);
  const std::size_t from = full[0], middle = full[1], to = full.back() == middle ? from : full.back();
  const bool looks = draw.chance(60), flushes = entry.tlb && draw.chance(50);
  world.declare("mutex split_lock;");
  return world.section({Lock::Mode::mutex, "split_lock"}, [&] {
    Body body = {line("bool mine = false;"), line(entry.type + " old = " + entry.states.front().name + ";")};
    append(body, world.section(entry.inner, [&] {
      world.arrows(entry, {from}, middle);
      return Body{
          line("old = " + entry.look() + ";"),
          when(entry.is(from, "old"), {line(store(entry, middle, payload_of(entry, "old"))), line("mine = true;")})};
    }));
    Body second;
    if (flushes) second.push_back(flush(world, entry));
    append(second, world.section(entry.inner, [&]() -> Body {
      world.arrows(entry, {middle}, to, flushes);
      Body stored = {line(store(entry, to, payload_of(entry, "old")))};
      if (!looks) return stored;
      const std::string unchanged =
          entry.look() + " == " + entry.states[middle].name + "(" + payload_of(entry, "old") + ")";
      return {guard(world.new_choice(), unchanged, std::move(stored))};
    }));
    body.push_back(when("mine && " + entry.is(from, "old"), std::move(second)));
    return body;
  });
}

namespace {

Lock slot_lock(World& world) {
  world.declare("resource page_t { alloc alloc_page; free put_page; }");
  world.declare("shared page_t *slot;");
  world.declare("spinlock slot_lock;");
  return {Lock::Mode::spin, "slot_lock"};
}

}  // namespace

Body slot_put(World& world) {
  const Lock lock = slot_lock(world);
  Body publish = world.section(lock, [&] {
    return Body{guard(world.new_choice(), "*slot == NULL", {line("*slot = kept;"), line("kept = NULL;")})};
  });
  publish.push_back(when("kept", {line("put_page(kept);")}));
  return {line("page_t kept = alloc_page();"), when("kept", std::move(publish))};
}

Body slot_take(World& world) {
  const Lock lock = slot_lock(world);
  return world.section(lock, [&] {
    return Body{line("page_t gone = *slot;"), when("gone", {line("*slot = NULL;"), line("put_page(gone);")})};
  });
}

}  // namespace faultline::differential
