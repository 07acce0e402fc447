// Objects behind one pointer that are found without its lock: under RCU or with interrupts off, held by a reference,
// read under a sequence count.
#include "tests/differential/random/idioms.hpp"

namespace faultline::differential {

namespace {

// What follows the last name of the object. The grace period is a choice.
Body put(World& world, const Vma& vma, const std::string& name) {
  Body last = {choice(world.new_choice(), {line("synchronize_rcu();")}), line("vm_area_free(" + name + ");")};
  if (!vma.refs) return last;
  return {when("atomic_dec_and_test(" + name + "->refs)", std::move(last))};
}

// What a reader does with an object that cannot go away.
Body use(World& world, const Vma& vma) {
  Draw& draw = world.draw();
  if (vma.pair && draw.chance(70)) {
    if (!vma.seq) return {line("bool first = v->first;"), when("first", {line("step;")})};
    const std::size_t looks = world.new_choice();
    return {line("int seq = read_seqcount_begin(v->seq);"), line("bool first = v->first;"),
            line("bool second = v->second;"),
            guard(looks, "!read_seqcount_retry(v->seq, seq)", {line("assert(first == second, \"half written\");")})};
  }
  if (vma.dead && draw.chance(60)) return {when("!v->dead", {line("v->dead = true;")})};
  if (vma.pair) return {when("v->first", {line("step;")})};
  return {when("v->dead", {line("step;")})};
}

}  // namespace

Vma new_vma(World& world) {
  Draw& draw = world.draw();
  Vma vma;
  vma.refs = draw.chance(60);
  vma.pair = draw.chance(50);
  vma.seq = vma.pair && draw.chance(70);
  vma.dead = !vma.pair || (!vma.refs && draw.chance(50));
  vma.irqs = draw.chance(20);
  const bool spin = draw.chance(40);
  vma.lock = {spin ? Lock::Mode::spin : Lock::Mode::mutex, "tree_lock"};
  std::string fields = vma.refs ? " int refs;" : "";
  if (vma.pair) fields += " bool first; bool second;";
  if (vma.seq) fields += " seqcount seq;";
  if (vma.dead) fields += " bool dead;";
  world.declare((spin ? "spinlock" : "mutex") + std::string(" tree_lock;"));
  world.declare("resource vma_t { alloc vm_area_alloc; free vm_area_free;" + fields + " }");
  world.declare("shared vma_t *slot = NULL;");
  return vma;
}

Body vma_insert(World& world, const Vma& vma) {
  Body body = {line("vma_t v = vm_area_alloc();")};
  Body made;
  if (vma.refs) made.push_back(line("v->refs = 1;"));
  append(made, world.section(vma.lock, [&] {
    return Body{guard(world.new_choice(), "*slot == NULL", {line("*slot = v;"), line("v = NULL;")})};
  }));
  made.push_back(when("v", put(world, vma, "v")));
  body.push_back(when("v", std::move(made)));
  return body;
}

Body vma_remove(World& world, const Vma& vma) {
  const bool marks = vma.dead && world.draw().chance(50), counts = vma.seq && world.draw().chance(60);
  Body body = {line("vma_t v = NULL;")};
  append(body, world.section(vma.lock, [&] {
    Body inside;
    if (counts) inside.push_back(line("write_seqcount_begin(v->seq);"));
    if (marks) inside.push_back(line("v->dead = true;"));
    inside.push_back(line("*slot = NULL;"));
    if (counts) inside.push_back(line("write_seqcount_end(v->seq);"));
    return Body{line("v = *slot;"), when("v", std::move(inside))};
  }));
  body.push_back(when("v", put(world, vma, "v")));
  return body;
}

Body vma_lookup(World& world, const Vma& vma) {
  Draw& draw = world.draw();
  const std::size_t section = world.new_choice();
  const Node begin = choice(section, {line(vma.irqs ? "local_irq_disable();" : "rcu_read_lock();")});
  const Node end = choice(section, {line(vma.irqs ? "local_irq_enable();" : "rcu_read_unlock();")});
  if (!vma.refs) {
    Body body = {begin, line("vma_t v = *slot;"), when("v", use(world, vma)), end};
    return body;
  }
  Body body = {begin, line("vma_t v = *slot;"), line("bool got = false;")};
  const bool sure = draw.chance(85);  // the other one trusts that the count is above 0
  body.push_back(when("v", sure ? Body{line("got = atomic_inc_not_zero(v->refs);")}
                                : Body{line("atomic_inc(v->refs);"), line("got = true;")}));
  body.push_back(end);
  Body held = use(world, vma);
  const bool puts = draw.chance(95);
  if (puts) append(held, put(world, vma, "v"));
  body.push_back(when("got", std::move(held)));
  return body;
}

Body vma_rewrite(World& world, const Vma& vma) {
  const bool value = world.draw().chance(50);
  return world.section(vma.lock, [&] {
    Body inside;
    const std::size_t counted = world.new_choice();
    if (vma.pair) {
      const std::string to = value ? "true" : "false";
      if (vma.seq) inside.push_back(choice(counted, {line("write_seqcount_begin(v->seq);")}));
      inside.push_back(line("v->first = " + to + ";"));
      inside.push_back(line("v->second = " + to + ";"));
      if (vma.seq) inside.push_back(choice(counted, {line("write_seqcount_end(v->seq);")}));
    } else {
      inside.push_back(when("!v->dead", {line("v->dead = true;")}));
    }
    return Body{line("vma_t v = *slot;"), when("v", std::move(inside))};
  });
}

}  // namespace faultline::differential
