#include "step/lower.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <stdexcept>

#include "fmt/format.h"
#include "step/paths.hpp"
#include "step/properties.hpp"
#include "step/scratch.hpp"
#include "step/value_names.hpp"
#include "step/wellformed.hpp"

namespace faultline::step {

using dsl::Index;
using dsl::nothing;

namespace {

class Lowering {
 public:
  Lowering(const dsl::Model& model, const dsl::Flows& flows, dsl::Diagnostics& diagnostics)
      : model_(model), flows_(flows), diagnostics_(diagnostics), exprs_(program_) {}

  Program run() {
    program_.model = model_.name;
    program_.variant = model_.variant;
    declarations();
    type_limits();
    if (diagnostics_.has_errors()) return std::move(program_);
    slots();
    coverage();
    PathContext context{model_, diagnostics_, program_, exprs_, layout_};
    for (std::size_t i = 0; i < model_.runs.size(); ++i) line(context, model_.runs[i], static_cast<Id>(i));
    if (diagnostics_.has_errors()) return std::move(program_);
    resolve_scratch(program_, exprs_);
    order_commands();
    fill_readers();
    lower_properties(context, [&](Id handler) { return positions_of(handler); });
    costs();
    properties();
    limits();
    if (diagnostics_.has_errors()) return std::move(program_);
    drop_unused_exprs(program_);  // the last: expressions get other numbers
    if (const std::string what = malformed(program_); !what.empty()) throw std::logic_error("lowering: " + what);
    return std::move(program_);
  }

  void check_properties() {
    declarations();
    const std::size_t places = model_.shared.size();
    layout_.tlb_handle.assign(places, no_id);
    layout_.tlb_local.assign(places, 0);
    layout_.await.assign(places, no_id);
    for (const auto& run : model_.runs)
      for (const Index function : run.handlers) program_.handlers.push_back(model_.functions[function].item->name.text);
    PathContext context{model_, diagnostics_, program_, exprs_, layout_};
    lower_properties(context, [&](Id handler) { return positions_of(handler); });
  }

 private:
  static Variable variable(std::string name, std::uint8_t max, std::uint8_t init, std::vector<std::string> names = {},
                           bool shown = true) {
    return {std::move(name), max, init, std::move(names), shown};
  }

  // A field is kept as its binary digits.
  void resource(const dsl::ResourceDecl& decl) {
    ObjectType type{decl.name.text, {"freed"}};
    std::vector<Id> lowest;
    for (const auto& field : decl.fields) {
      lowest.push_back(static_cast<Id>(type.bits.size()));
      const int digits = std::bit_width(field.type.high);
      for (int d = 0; d < digits; ++d)
        type.bits.push_back(digits == 1 ? field.name.text : fmt::format("{}.{}", field.name.text, 1 << d));
    }
    layout_.field_bits.push_back(std::move(lowest));
    program_.types.push_back(std::move(type));
  }

  void declarations() {
    for (const auto& r : model_.resources) resource(r);
    for (const auto& s : model_.shared) {
      Id g = no_id;
      std::vector<Id> places;
      Id info = no_id;
      const auto new_place = [&](std::string name, Index resource) {
        program_.places.push_back({std::move(name), static_cast<Id>(resource)});
        places.push_back(static_cast<Id>(program_.places.size() - 1));
      };
      if (s.type.kind == dsl::TypeKind::resource) {
        new_place(s.name.text, s.type.which);
      } else {
        g = static_cast<Id>(program_.globals.size());
        std::uint8_t max = s.type.high;
        std::vector<std::string> names = value_names(model_, s.type);
        if (s.type.kind == dsl::TypeKind::entry) {
          const auto& entry = model_.entries[s.type.which];
          max = static_cast<std::uint8_t>(entry.states.size() - 1);
          for (const auto& slot : entry.slots) new_place(s.name.text + "." + slot.name, slot.resource);
          EntryInfo e{s.name.text, entry.name.text, g, {}, places};
          for (const auto& state : entry.states) {
            EntryInfo::State st{state.name.text, {}};
            for (const Index slot : state.payload) st.places.push_back(places[slot]);
            e.states.push_back(std::move(st));
          }
          info = static_cast<Id>(program_.entries.size());
          program_.entries.push_back(std::move(e));
        }
        program_.globals.push_back(variable(s.name.text, max, s.init, names));
      }
      layout_.global.push_back(g);
      layout_.places.push_back(places);
      layout_.entry_info.push_back(info);
    }
    for (const auto& l : model_.locks) {
      const Id g = static_cast<Id>(program_.globals.size());
      program_.globals.push_back(variable(l.name.text, 1, 0, {"free", "held"}));
      const LockKind kind = l.kind == dsl::LockKind::spinlock ? LockKind::spinlock
                            : l.kind == dsl::LockKind::mutex  ? LockKind::mutex
                                                              : LockKind::rwsem;
      program_.locks.push_back({l.name.text, kind, g, l.name.span});
      layout_.lock_global.push_back(g);
      Id readers = no_id;
      if (kind == LockKind::rwsem) {
        readers = static_cast<Id>(program_.pc_sets.size());
        program_.pc_sets.emplace_back();
      }
      layout_.readers.push_back(readers);
    }
  }

  void slots() {
    std::set<Index> wanted;
    for (const auto& run : model_.runs) wanted.insert(run.handlers.begin(), run.handlers.end());
    for (const Index function : wanted) {
      const dsl::Flow* flow = flows_.of(function);
      live_[function] = liveness(model_, *flow);
      slots_[function] = assign_slots(*flow, live_[function], pool_);
    }
    for (std::size_t i = 0; i < pool_.local_max.size(); ++i)
      program_.locals.push_back(variable(fmt::format("local{}", i), pool_.local_max[i], 0, {}, false));
    for (std::size_t i = 0; i < pool_.handle_types.size(); ++i)
      program_.handles.push_back({fmt::format("handle{}", i), static_cast<Id>(pool_.handle_types[i])});
    credits(wanted);
    for (const auto& s : model_.shared) {
      Id handle = no_id;
      Id local = no_id;
      Id await = no_id;
      if (s.tlb) {
        AwaitKind kind;
        kind.name = fmt::format("flush_tlb({})", s.name.text);
        if (s.tlb->slot != nothing) {
          handle = static_cast<Id>(program_.handles.size());
          program_.handles.push_back({fmt::format("tlb({})", s.name.text),
                                      static_cast<Id>(model_.entries[s.type.which].slots[s.tlb->slot].resource)});
          kind.clears_handles.push_back(handle);
        } else {
          local = static_cast<Id>(program_.locals.size());
          program_.locals.push_back(variable(fmt::format("tlb({})", s.name.text), 1, 0, {}, false));
          kind.clears_locals.push_back(local);
        }
        await = static_cast<Id>(program_.awaits.size());
        program_.awaits.push_back(std::move(kind));
      }
      layout_.tlb_handle.push_back(handle);
      layout_.tlb_local.push_back(local);
      layout_.await.push_back(await);
    }
    grace_period();
    for (const Index function : wanted) watchers(function);
  }

  // Beside each handle under which references are held: how many. Other CPUs ask for it, so it has one place for all
  // handlers.
  void credits(const std::set<Index>& functions) {
    layout_.credit.assign(program_.handles.size(), no_id);
    for (const Index function : functions) {
      for (const auto& at_node : live_[function].credit) {
        for (std::size_t r = 0; r < at_node.size(); ++r) {
          if (at_node[r].high == 0) continue;
          const Index handle = slots_[function].ref[r];
          if (handle == nothing) continue;
          Id& credit = layout_.credit[handle];
          if (credit == no_id) {
            credit = static_cast<Id>(program_.locals.size());
            program_.locals.push_back(variable(fmt::format("references{}", handle), 1, 0, {}, false));
          }
          program_.locals[credit].max = std::max(program_.locals[credit].max, at_node[r].high);
        }
      }
    }
  }

  void watchers(Index function) {
    const dsl::Flow& flow = *flows_.of(function);
    for (std::size_t v = 0; v < flow.vars.size(); ++v) {
      const dsl::FlowVar& var = flow.vars[v];
      if (!var.sequence.known() || slots_[function].var[v] == nothing) continue;
      Watcher watcher;
      watcher.function = function;
      watcher.var = static_cast<Index>(v);
      watcher.shared = var.sequence.shared;
      if (const Index object = var.sequence.object; object != nothing) {
        watcher.resource = flow.refs[object].resource;
        watcher.field = var.sequence.field;
        watcher.handle = static_cast<Id>(slots_[function].ref[object]);
        same_object_throughout(function, v);
      }
      watcher.local = static_cast<Id>(slots_[function].var[v]);
      watcher.positions = static_cast<Id>(program_.pc_sets.size());
      program_.pc_sets.emplace_back();
      layout_.watchers.push_back(watcher);
    }
  }

  // While what read_seqcount_begin() gave is kept, the reference must go on naming the object.
  void same_object_throughout(Index function, std::size_t v) {
    const dsl::Flow& flow = *flows_.of(function);
    const Index object = flow.vars[v].sequence.object;
    for (const dsl::FlowNode& node : flow.nodes) {
      const bool writes =
          ((node.kind == dsl::NodeKind::set_ref || node.kind == dsl::NodeKind::alloc) && node.ref == object) ||
          (node.kind == dsl::NodeKind::load &&
           std::find(node.refs.begin(), node.refs.end(), object) != node.refs.end());
      const bool kept = std::any_of(node.next.begin(), node.next.end(),
                                    [&](Index next) { return next != nothing && live_[function].vars[next][v]; });
      if (!writes || !kept) continue;
      diagnostics_.add({dsl::Severity::error,
                        "FL0313",
                        node.span,
                        fmt::format("`{}` names another object while `{}` is still to be compared",
                                    flow.refs[object].name, flow.vars[v].name),
                        {},
                        {},
                        {"use another name for the other object"}});
      return;
    }
  }

  void watch(Index function, Index node, Id pc) {
    for (const Watcher& w : layout_.watchers) {
      if (w.function != function || !live_[function].vars[node][w.var]) continue;
      auto& set = program_.pc_sets[w.positions];
      set.resize(std::size_t{pc} + 1, false);
      set[pc] = true;
    }
  }

  void grace_period() {
    const auto waits = [](const dsl::Flow& flow) {
      return std::any_of(flow.nodes.begin(), flow.nodes.end(),
                         [](const dsl::FlowNode& node) { return node.kind == dsl::NodeKind::grace_begin; });
    };
    if (!std::any_of(live_.begin(), live_.end(), [&](const auto& run) { return waits(*flows_.of(run.first)); })) return;
    layout_.grace = static_cast<Id>(program_.awaits.size());
    program_.awaits.push_back({"synchronize_rcu()", {}, {}, true});
    layout_.rcu_readers = static_cast<Id>(program_.pc_sets.size());
    program_.pc_sets.emplace_back();
  }

  void coverage() {
    std::set<Index> used_entries;
    for (const auto& cover : flows_.covers)
      program_.coverage.push_back({Coverage::What::statement, cover.span, "", cover.unreachable});
    for (const auto& s : model_.shared)
      if (s.type.kind == dsl::TypeKind::entry) used_entries.insert(s.type.which);
    for (const Index e : used_entries) {
      const auto& entry = model_.entries[e];
      for (std::size_t i = 0; i < entry.states.size(); ++i) {
        bool initial = false;
        for (const auto& s : model_.shared)
          initial = initial || (s.type.kind == dsl::TypeKind::entry && s.type.which == e && s.init == i);
        layout_.state_cover[{static_cast<Id>(e), static_cast<Id>(i)}] =
            static_cast<std::uint32_t>(program_.coverage.size());
        program_.coverage.push_back({Coverage::What::state, entry.states[i].span, entry.states[i].name.text,
                                     initial || entry.states[i].unreachable});
      }
      for (const auto& arrow : entry.arrows) {
        layout_.arrow_cover[{static_cast<Id>(e), {static_cast<Id>(arrow.from), static_cast<Id>(arrow.to)}}] =
            static_cast<std::uint32_t>(program_.coverage.size());
        program_.coverage.push_back(
            {Coverage::What::arrow, arrow.span,
             fmt::format("{} -> {}", entry.states[arrow.from].name.text, entry.states[arrow.to].name.text),
             arrow.unreachable});
      }
    }
  }

  void line(PathContext& context, const dsl::RunDecl& run, Id line_id) {
    Line l;
    std::vector<std::string> names;
    for (const Index function : run.handlers) names.push_back(model_.functions[function].item->name.text);
    l.name = fmt::format("{}", fmt::join(names, ", "));
    l.cpus = run.cpus;
    l.once = run.once;
    l.idle = static_cast<Id>(program_.locations.size());
    Location idle;
    idle.line = line_id;
    idle.span = run.span;
    program_.locations.push_back(idle);
    program_.lines.push_back(l);
    for (const Index function : run.handlers) {
      const std::string& name = model_.functions[function].item->name.text;
      auto it = std::find(program_.handlers.begin(), program_.handlers.end(), name);
      const Id handler = static_cast<Id>(it - program_.handlers.begin());
      if (it == program_.handlers.end()) program_.handlers.push_back(name);
      const dsl::Flow& flow = *flows_.of(function);
      std::map<std::pair<Index, LockSet>, Id> known;
      std::vector<std::pair<std::pair<Index, LockSet>, Id>> work;
      const auto position = [&](Index node, const LockSet& locks) {
        const auto key = std::pair{node, locks};
        if (const auto found = known.find(key); found != known.end()) return found->second;
        const Id pc = static_cast<Id>(program_.locations.size());
        if (program_.locations.size() >= max_locations) {
          diagnostics_.add({dsl::Severity::error,
                            "FL0314",
                            model_.file.model.span,
                            fmt::format("this model has more than {} positions", max_locations),
                            {},
                            {"each call of a function has positions of its own"},
                            {"leave out what the race does not need"}});
          return Id{0};
        }
        Location location;
        location.line = line_id;
        location.handler = handler;
        location.span = flow.nodes[node].span;
        location.held = locks.held;
        location.acknowledges = acknowledges(locks);
        location.keeps = kept(flow, function, node);
        describe_wait(flow.nodes[node], location);
        program_.locations.push_back(std::move(location));
        watch(function, node, pc);
        known.emplace(key, pc);
        work.emplace_back(key, pc);
        return pc;
      };
      PathBuilder builder(context, flow, live_[function], slots_[function], handler, l.idle, position,
                          [&](Command command) { program_.commands.push_back(std::move(command)); });
      builder.from_idle(run.once ? started(name, line_id) : no_id);
      while (!work.empty() && !diagnostics_.has_errors()) {
        const auto [key, pc] = work.back();
        work.pop_back();
        builder.from(key.first, key.second, pc);
      }
    }
  }

  // A CPU answers no interrupt while they are off, and is in no quiescent state while it reads. Interrupts off count as
  // a read section too (1893afd63409): the lockless page-table walk rests on it, whichever of the two the freeing side
  // waits for.
  [[nodiscard]] std::uint8_t acknowledges(const LockSet& locks) const {
    unsigned kinds = 0xff;
    for (std::size_t k = 0; k < program_.awaits.size(); ++k)
      if (locks.irqs_off > 0 || (k == layout_.grace && locks.rcu > 0)) kinds &= ~(1U << k);
    return static_cast<std::uint8_t>(kinds);
  }

  // Says of a handler that runs once whether it has been started.
  Id started(const std::string& handler, Id line_id) {
    const bool several = std::any_of(program_.globals.begin(), program_.globals.end(),
                                     [&](const Variable& v) { return v.name == handler + " started"; });
    program_.globals.push_back(
        variable(several ? fmt::format("{} started, line {}", handler, line_id + 1) : handler + " started", 1, 0,
                 {"false", "true"}, false));
    return static_cast<Id>(program_.globals.size() - 1);
  }

  // Temporaries have no name that a reader knows.
  [[nodiscard]] std::vector<Kept> kept(const dsl::Flow& flow, Index function, Index node) const {
    const Liveness& live = live_.at(function);
    const Slots& slots = slots_.at(function);
    std::vector<Kept> result;
    for (std::size_t v = 0; v < flow.vars.size(); ++v)
      if (live.vars[node][v] && !flow.vars[v].temporary)
        result.push_back(
            {flow.vars[v].name, false, static_cast<Id>(slots.var[v]), value_names(model_, flow.vars[v].type)});
    for (std::size_t r = 0; r < flow.refs.size(); ++r)
      if (live.refs[node][r] && !flow.refs[r].temporary && live.own[node][r] != Own::null)
        result.push_back({flow.refs[r].name, true, static_cast<Id>(slots.ref[r]), {}});
    return result;
  }

  void describe_wait(const dsl::FlowNode& node, Location& location) const {
    if (node.kind == dsl::NodeKind::lock) {
      location.wait = Location::Wait::lock;
      location.waits_lock = static_cast<Id>(node.lock);
      location.waits_mode = node.mode == dsl::LockMode::read ? LockMode::read : LockMode::write;
    } else if (node.kind == dsl::NodeKind::flush_wait) {
      location.wait = Location::Wait::others;
      location.waits_await = layout_.await[node.shared];
    } else if (node.kind == dsl::NodeKind::grace_end) {
      location.wait = Location::Wait::others;
      location.waits_await = layout_.grace;
    } else if ((node.kind == dsl::NodeKind::atomic_begin && node.waits) || node.kind == dsl::NodeKind::seq_begin) {
      location.wait = Location::Wait::event;
    }
  }

  void order_commands() {
    std::stable_sort(program_.commands.begin(), program_.commands.end(), [](const Command& a, const Command& b) {
      if (a.from != b.from) return a.from < b.from;
      if (dsl::before(a.span, b.span)) return true;
      return false;
    });
    program_.first.assign(program_.locations.size() + 1, 0);
    for (const Command& c : program_.commands) ++program_.first[std::size_t{c.from} + 1];
    for (std::size_t i = 1; i < program_.first.size(); ++i) program_.first[i] += program_.first[i - 1];
  }

  void fill_readers() {
    for (const Watcher& w : layout_.watchers) program_.pc_sets[w.positions].resize(program_.locations.size(), false);
    if (layout_.grace != no_id) {
      auto& set = program_.pc_sets[layout_.rcu_readers];
      for (const Location& location : program_.locations) set.push_back(!location.can_acknowledge(layout_.grace));
    }
    for (std::size_t l = 0; l < program_.locks.size(); ++l) {
      if (layout_.readers[l] == no_id) continue;
      auto& set = program_.pc_sets[layout_.readers[l]];
      set.assign(program_.locations.size(), false);
      for (std::size_t pc = 0; pc < program_.locations.size(); ++pc)
        for (const Held& h : program_.locations[pc].held)
          if (h.lock == l && h.mode == LockMode::read) set[pc] = true;
    }
  }

  Id positions_of(Id handler) {
    std::vector<bool> set(program_.locations.size(), false);
    for (std::size_t pc = 0; pc < program_.locations.size(); ++pc) set[pc] = program_.locations[pc].handler == handler;
    program_.pc_sets.push_back(std::move(set));
    return static_cast<Id>(program_.pc_sets.size() - 1);
  }

  void costs() {
    for (const auto& c : model_.costs)
      program_.costs.push_back(
          {model_.functions[c.function].item->name.text, layout_.entry_info[c.shared], c.states, c.span});
  }

  // What is checked always, and what the model asks for; a kind that no command can raise holds for want of an
  // occasion.
  void properties() {
    using enum Kind;
    for (const Kind kind : {assertion, transition, lock_missing, lock_unbalanced, lock_recursion, sleep_atomic})
      program_.properties.emplace_back(to_string(kind));
    if (!model_.resources.empty())
      for (const Kind kind : {leak, double_free, use_after_free}) program_.properties.emplace_back(to_string(kind));
    if (std::any_of(model_.shared.begin(), model_.shared.end(), [](const auto& s) { return s.tlb.has_value(); }))
      for (const Kind kind : {stale_tlb, flush_missing}) program_.properties.emplace_back(to_string(kind));
    for (const auto& invariant : program_.invariants)
      program_.properties.push_back(fmt::format("invariant({})", invariant.name));
  }

  void limit(std::size_t have, std::size_t most, const char* what) {
    if (have > most)
      diagnostics_.add({dsl::Severity::error,
                        "FL0314",
                        model_.file.model.span,
                        fmt::format("this model needs {} {}, the engines take {}", have, what, most),
                        {},
                        {},
                        {"leave out what the race does not need"}});
  }

  // Before any path is followed: a load tries each value of a field.
  void type_limits() {
    std::size_t bits = 1;
    for (const ObjectType& type : program_.types) bits = std::max(bits, type.bits.size());
    limit(program_.types.size(), bits > 4 ? max_types_large : max_types,
          bits > 4 ? "resources, some with more than three bits of fields," : "resources");
    for (std::size_t r = 0; r < model_.resources.size(); ++r) {
      const std::size_t have = program_.types[r].bits.size() - 1;
      if (have < max_object_bits) continue;
      const dsl::ResourceDecl& decl = model_.resources[r];
      const auto widest = std::max_element(decl.fields.begin(), decl.fields.end(),
                                           [](const auto& a, const auto& b) { return a.type.high < b.type.high; });
      diagnostics_.add(
          {dsl::Severity::error,
           "FL0314",
           widest->name.span,
           fmt::format("the fields of {} need {} bits, the engines take {}", decl.name.text, have, max_object_bits - 1),
           {},
           {fmt::format("`{}` is 0..{}", widest->name.text, widest->type.high)},
           {fmt::format("give it a smaller range: `int(0..3) {};`", widest->name.text)}});
    }
  }

  void limits() {
    limit(program_.globals.size(), max_globals, "shared numbers and locks");
    limit(program_.locals.size(), max_locals, "locals of a CPU");
    limit(program_.places.size(), max_places, "places for objects");
    limit(program_.handles.size(), max_handles, "object references of a CPU");
    limit(program_.awaits.size(), max_awaits, "kinds of waits for others (flushes, grace periods)");
  }

  const dsl::Model& model_;
  const dsl::Flows& flows_;
  dsl::Diagnostics& diagnostics_;
  Program program_;
  Exprs exprs_;
  Layout layout_;
  SlotPool pool_;
  std::map<Index, Liveness> live_;
  std::map<Index, Slots> slots_;
};

}  // namespace

Program lower(const dsl::Model& model, const dsl::Flows& flows, dsl::Diagnostics& diagnostics) {
  return Lowering(model, flows, diagnostics).run();
}

void check_properties(const dsl::Model& model, dsl::Diagnostics& diagnostics) {
  if (!model.broken.empty()) return;  // one of these would only be said again
  const dsl::Flows none;
  Lowering(model, none, diagnostics).check_properties();
}

}  // namespace faultline::step
