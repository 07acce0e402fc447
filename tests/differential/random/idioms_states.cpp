#include "tests/differential/random/idioms.hpp"

namespace faultline::differential {

namespace {

// Two different states without a payload: stores between them move no object.
std::pair<std::size_t, std::size_t> two_plain(World& world, const Entry& entry) {
  const std::vector<std::size_t> plain = entry.with_payload(false);
  if (plain.size() < 2) return {0, 0};
  const std::size_t at = world.draw().chance(50) ? 0 : world.draw().below(plain.size());
  return {plain[at], plain[(at + 1) % plain.size()]};
}

std::string store(const Entry& entry, std::size_t state) {
  return entry.look() + " = " + entry.states[state].name + ";";
}

}  // namespace

Body advance(World& world, const Entry& entry) {
  Draw& draw = world.draw();
  const auto two = two_plain(world, entry);
  const std::size_t from = two.first, to = two.second;
  const bool early_look = draw.chance(50), checks = draw.chance(40);
  if (from == to) return reader(world, entry);
  const Lock::Mode mode = draw.chance(40) ? Lock::Mode::write : Lock::Mode::read;
  const std::string look = entry.is(from, entry.look());
  return world.outer_section(entry, mode, [&]() -> Body {
    Body body = world.section(entry.inner, [&] {
      world.arrows(entry, {from}, to);
      Body stored = {line(store(entry, to))};
      if (checks) stored.push_back(line("assert(" + entry.is(to, entry.look()) + ");"));
      return Body{guard(world.new_choice(), look, std::move(stored))};
    });
    if (early_look) return {when(look, std::move(body))};
    return body;
  });
}

// Whoever makes the entry busy has it to itself until it makes it ready, without a lock.
Body claim(World& world, const Entry& entry) {
  Draw& draw = world.draw();
  const auto two = two_plain(world, entry);
  const std::size_t from = two.first, busy = two.second;
  const bool works = draw.chance(60);
  if (from == busy) return reader(world, entry);
  return world.outer_section(entry, Lock::Mode::read, [&]() -> Body {
    Body body = {line("bool mine = false;")};
    append(body, world.section(entry.inner, [&] {
      world.arrows(entry, {from}, busy);
      return Body{
          guard(world.new_choice(), entry.is(from, entry.look()), {line(store(entry, busy)), line("mine = true;")})};
    }));
    Body work;
    if (works) work.push_back(line("assert(" + entry.is(busy, entry.look()) + ");"));
    append(work, world.section(entry.inner, [&] {
      world.arrows(entry, {busy}, from);
      return Body{line(store(entry, from))};
    }));
    body.push_back(when("mine", std::move(work)));
    return body;
  });
}

Body reader(World& world, const Entry& entry) {
  Draw& draw = world.draw();
  const std::size_t state = draw.below(entry.states.size());
  const bool copies = draw.chance(40), outside = !entry.outer.empty() && draw.chance(40);
  const bool inside_out = !entry.outer.empty() && entry.inner.sleeps() && draw.chance(15);
  Lock lock = entry.inner;
  if (outside) lock = {Lock::Mode::read, entry.outer};
  if (lock.mode == Lock::Mode::write) lock.mode = Lock::Mode::read;
  const auto look = [&]() -> Body {
    if (!copies) return {when(entry.is(state, entry.look()), {line("assert(" + entry.is(state, entry.look()) + ");")})};
    return {line(entry.type + " seen = " + entry.look() + ";"),
            when(entry.is(state, "seen"), {line("assert(" + entry.look() + " == seen);")})};
  };
  if (!inside_out) return world.section(lock, look);
  lock = entry.inner;  // the others take the outer one first
  return world.section(lock, [&] { return world.outer_section(entry, Lock::Mode::read, look); });
}

Body writer(World& world, const Entry& entry) {
  Draw& draw = world.draw();
  const auto two = two_plain(world, entry);
  const std::size_t from = two.first, to = two.second;
  const bool downgrades = draw.chance(40), stores = from != to && draw.chance(80);
  const std::size_t seen = draw.below(entry.states.size());
  if (entry.outer.empty() && entry.inner.mode != Lock::Mode::write) return advance(world, entry);
  const Lock lock = {Lock::Mode::write, entry.outer.empty() ? entry.inner.name : entry.outer};
  const auto inside = [&]() -> Body {
    if (!stores) return {when(entry.is(seen, entry.look()), {line("assert(" + entry.is(seen, entry.look()) + ");")})};
    world.arrows(entry, {from}, to);
    return {when(entry.is(from, entry.look()),
                 {line(store(entry, to)), line("assert(" + entry.is(to, entry.look()) + ");")})};
  };
  Body body = world.section(lock, inside);
  const bool plain = body.size() > 1 && body.back().kind == Node::Kind::choice;  // not the trylock form
  if (downgrades && plain) {
    const std::size_t which = body.back().which;
    body.back() =
        choice(which, {line("downgrade_write(" + lock.name + ");"),
                       when(entry.is(seen, entry.look()), {line("assert(" + entry.is(seen, entry.look()) + ");")}),
                       line("up_read(" + lock.name + ");")});
  }
  return body;
}

Body critical(World& world) {
  Draw& draw = world.draw();
  world.declare("shared bool *busy;");
  const std::size_t form = draw.below(4);
  const Body inside = {line("*busy = false;")};
  if (form == 0) {  // the flag is the lock
    world.declare("shared bool *inside;");
    const std::size_t which = world.new_choice();
    Body work = {line("assert(!*inside);"), line("*inside = true;"), line("*inside = false;")};
    append(work, inside);
    return {guard(which, "cmpxchg(busy, false, true) == false", std::move(work))};
  }
  const bool rwsem = form == 1;
  world.declare(rwsem ? "rwsem file_sem;" : "mutex page_lock;");
  const Lock lock = {rwsem ? Lock::Mode::write : Lock::Mode::mutex, rwsem ? "file_sem" : "page_lock"};
  if (draw.chance(60))
    world.invariant((rwsem ? "*busy implies write_locked(" : "*busy implies locked(") + lock.name + ")");
  return world.section(lock, [&] {
    Body work = {line("assert(!*busy);"), line("*busy = true;")};
    append(work, inside);
    return work;
  });
}

Body wait_for(World& world) {
  Draw& draw = world.draw();
  world.declare("shared bool *busy;");
  const std::size_t form = draw.below(3);
  if (form == 0) return {line("wait_event(!*busy);")};
  if (form == 1) {  // never blocks while the mutex does its work
    world.declare("mutex page_lock;");
    return world.section({Lock::Mode::mutex, "page_lock"}, [&] { return Body{line("wait_event(!*busy);")}; });
  }
  world.declare("rwsem file_sem;");
  return world.section({Lock::Mode::read, "file_sem"}, [&] { return Body{line("assert(!*busy);")}; });
}

}  // namespace faultline::differential
