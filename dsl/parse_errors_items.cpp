// Mistakes in items: the head of the file, words that begin none, entries, runs, expectations.
#include <algorithm>

#include "dsl/parse_place.hpp"

namespace faultline::dsl {
namespace {

// Kernel types at the place of a declaration, and what declares such a thing here.
std::string_view lock_keyword(std::string_view type) {
  if (type == "spinlock_t" || type == "raw_spinlock_t" || type == "rwlock_t") return "spinlock";
  if (type == "seqcount_t" || type == "seqlock_t") return "seqcount";
  if (type == "rw_semaphore") return "rwsem";
  return {};
}

}  // namespace

Answer no_header(const Place& p) {
  if (p.outer() != "header" || p.first() == "model") return {};
  std::string name = p.source().name();
  name = name.substr(name.find_last_of('/') + 1);
  name = name.substr(0, name.find('.'));
  for (char& c : name) {
    if (c == '-' || c == ' ') c = '_';
  }
  const bool usable = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  if (!usable || (name[0] >= '0' && name[0] <= '9')) name = "thp_fault";
  Diagnostic d =
      make("FL0113", p.here(), "a file begins with `model NAME;`", {}, {fmt::format("put `model {};` in front", name)});
  const std::string near = p.word(p.at()) ? did_you_mean(p.now(), {"model"}) : std::string{};
  if (!near.empty()) d.notes.push_back(meant(near));
  return d;
}

Answer outside_of_patch(const Place& p) {
  const bool item_level = p.outer() == "item" || p.outer() == "file";
  if ((p.first() != "-" && p.first() != "+") || (!p.inside("statement") && p.rule() != "block" && !item_level))
    return {};
  Diagnostic d = signed_line(p.first().front(), p.inside("hunk"));
  d.span = p.span(p.unit());
  return d;
}

Answer no_body(const Place& p) {
  if (p.inside("statement") || !p.expects("{") || (!p.inside("handlerItem") && !p.inside("functionItem"))) return {};
  if (p.now() == ";") {
    return make("FL0133", p.here(), "a function without a body",
                {"functions may stand in any order: they are not declared ahead"});
  }
  return make("FL0133", p.behind(), "the body of a function is missing", {},
              {"it stands in braces, even when it is one statement: `{ step; }`"});
}

Answer item_in_body(const Place& p) {
  if (!p.inside("statement") || p.is_first() || !p.word(p.unit() + 1) || !is_item_keyword(p.first())) return {};
  if (p.first() == "enum" && p.now() != "{") return {};
  return make("FL0138", p.span(p.unit()),
              fmt::format("`{}` begins an item, which cannot stand in a function", p.first()), {},
              {"declare it outside; perhaps a `}` is missing before it"});
}

Answer unknown_item(const Place& p) {
  const bool item_level =
      p.outer() == "item" || p.outer() == "file" || p.outer() == "functionItem" || p.outer() == "resultType";
  if (!item_level || (is_item_keyword(p.first()) && p.first() != "enum")) return {};
  const std::string_view first = p.first();
  const std::string_view second = p.text(p.unit() + 1);
  const Span span = p.unit() < p.at() || !p.at_end() ? p.span(std::min(p.unit(), p.at())) : p.here();
  if (first == "init" || first == "ghost" || first == "const" || (first == "struct" && p.text(p.unit() + 2) == "{")) {
    return make("FL0313", span, fmt::format("`{}` is not supported yet", first));
  }
  if (is_statement_keyword(first) || first == "*" ||
      (p.word(p.unit()) &&
       (second == ";" || second == "." || second == "=" || second == "->" || second == "++" || second == "--")) ||
      (p.word(p.unit()) && second == "(")) {
    Diagnostic d = make("FL0132", span, "a statement outside of a function");
    d.notes.push_back("perhaps a `}` before it is one too many");
    return d;
  }
  if (!p.word(p.unit())) {
    return make("FL0116", span, fmt::format("unexpected `{}`", first),
                {"expected an item: entry, shared, handler, run, …"});
  }
  const std::string_view type = first == "struct" ? second : first;
  const std::string_view lock = lock_keyword(type);
  if (!lock.empty() || (first == "struct" && second == "mutex")) {
    const std::string_view keyword = lock.empty() ? "mutex" : lock;
    return make("FL0114", span, fmt::format("`{}` begins no item", first), {},
                {fmt::format("a lock is declared with `{} NAME;`", keyword)});
  }
  if (p.outer() == "functionItem" && (p.now() == ";" || p.now() == "=" || p.now() == ",") && !p.expects("{")) {
    const std::string near = is_c_keyword(first) ? std::string{} : did_you_mean(first, item_keywords());
    Diagnostic d = make("FL0114", span, fmt::format("`{}` begins no item", first));
    if (!near.empty()) d.notes.push_back(meant(near));
    if (near.empty())
      d.helps.push_back(
          fmt::format("a variable that handlers share is declared with a star: `shared {} *NAME = VALUE;`", first));
    return d;
  }
  if (is_c_keyword(first)) return {};
  Diagnostic d = make("FL0114", span, fmt::format("`{}` begins no item", first));
  const std::string near = did_you_mean(first, item_keywords());
  if (!near.empty()) {
    d.notes.push_back(meant(near));
  } else {
    std::string list;
    for (const std::string& word : item_keywords()) list += (list.empty() ? "" : ", ") + word;
    d.notes.push_back("items: " + list);
    d.notes.push_back("a function begins with its result type: `bool f() { … }`");
  }
  return d;
}

Answer state_line(const Place& p) {
  if (p.outer() == "stateLine" && p.expects("{")) {
    const std::string head = p.quote(p.unit(), p.at());
    return make("FL0120", p.behind(), "a state needs braces",
                {"they hold the predicates that are true in it; `{ }` when there are none"},
                {fmt::format("`{} {{ }}`", head.empty() ? "state NAME" : head)});
  }
  if (p.outer() == "arrowLine" && p.expects("->")) {
    Diagnostic d = make("FL0116", p.here(), fmt::format("expected `->`, not `{}`", p.now()));
    const std::string near = did_you_mean(p.first(), {"state"});
    if (!near.empty())
      return make("FL0114", p.span(p.unit()), fmt::format("unknown word `{}` in an entry", p.first()), {meant(near)});
    d.notes.push_back("a line of an entry is `state NAME { … }` or an arrow, `a -> b under lock;`");
    return d;
  }
  if ((p.outer() == "arrowLine" || p.outer() == "underClause") && p.word(p.at())) {
    const std::string near = did_you_mean(p.now(), {"under", "after", "unreachable"});
    if (!near.empty()) return make("FL0116", p.here(), fmt::format("unexpected `{}`", p.now()), {meant(near)});
    if (p.now() == "under" || p.now() == "after" || p.now() == "unreachable") {
      return make("FL0116", p.here(), fmt::format("`{}` comes too late", p.now()),
                  {"the order is `a -> b under lock after flush unreachable;`"});
    }
  }
  return {};
}

Answer run_line(const Place& p) {
  if (p.outer() != "runItem") return {};
  const bool number = p.at() > 0 && p.at() <= p.unit() + 1000 && p.expects("cpu");
  if (!number && !p.expects("on") && !p.expects("any") && !p.expects("cpus")) return {};
  std::string head = p.quote(p.unit(), p.at());
  if (head.empty()) head = "run HANDLER";
  Diagnostic d = make("FL0121", p.expects("on") || p.at_end() || p.now() == ";" ? p.behind() : p.here(),
                      "a `run` line says on how many CPUs");
  if (number) {
    d.helps.push_back(fmt::format("`{} {};`", head, p.last() == "1" ? "cpu" : "cpus"));
  } else if (p.expects("on")) {
    d.helps.push_back(fmt::format("`{} on any cpus;` or `{} on 1 cpu;`", head, head));
  } else if (p.expects("any")) {
    d.helps.push_back(fmt::format("`{} any cpus;` or `{} 1 cpu;`", head, head));
  } else {
    d.helps.push_back(fmt::format("`{} cpus;`", head));
  }
  return d;
}

Answer missing_colon(const Place& p) {
  const std::string_view rule = p.outer();
  if (!p.expects(":") || (rule != "expectItem" && rule != "invariantItem" && rule != "progressItem")) return {};
  const std::string_view rest = rule == "expectItem"      ? "safe"
                                : rule == "invariantItem" ? "CONDITION"
                                                          : "CONDITION ~> CONDITION";
  const std::string head = p.quote(p.unit(), p.at());
  return make("FL0130", p.behind(),
              fmt::format("missing `:` after the name of {}", rule == "expectItem"      ? "the variant"
                                                              : rule == "invariantItem" ? "the invariant"
                                                                                        : "the property"),
              {}, {fmt::format("`{} : {};`", head.empty() ? std::string(p.first()) + " NAME" : head, rest)});
}

Answer verdict(const Place& p) {
  if (p.inside("clause") && p.outer() == "kindName" && !p.expects("(")) {
    return make("FL0135", p.here(), "`violates` needs a kind of violation",
                {"kinds: assert, leak, stale_tlb, deadlock, …, or the name of an invariant"}, {"`violates assert`"});
  }
  if ((p.outer() != "clause" && p.outer() != "expectItem") || !p.expects("violates")) return {};
  Diagnostic d =
      make("FL0135", p.here(), p.at_end() ? "a verdict is missing" : fmt::format("`{}` is no verdict", p.now()));
  const std::string near =
      p.word(p.at()) ? did_you_mean(p.now(), {"safe", "violates", "fewer", "more", "same"}) : std::string{};
  if (!near.empty()) {
    d.notes.push_back(meant(near));
  } else {
    d.notes.push_back(
        "verdicts: `safe`, `safe on 3 cpus`, `violates KIND`, `fewer allocs than VARIANT` (or `more`, `same`)");
  }
  return d;
}

Answer shared_star(const Place& p) {
  if (p.outer() != "sharedItem" || !p.expects("*") || !p.word(p.at())) return {};
  const std::string rest = p.quote(p.at(), p.line_end(p.at()));
  return make("FL0136", p.here(), "a shared place is declared with a star", {"each `*` in a body is one access to it"},
              rest.empty() ? Strings{} : Strings{fmt::format("`{} *{}`", p.quote(p.unit(), p.at()), rest)});
}

Answer item_word(const Place& p) {
  const auto need = [&p](std::string_view rule, std::string_view word) { return p.outer() == rule && p.expects(word); };
  if (need("tlbItem", "in"))
    return make("FL0116", p.here(), "expected `in` and the states that the hardware may cache", {},
                {"`tlb pmd in huge, splitting;`"});
  if (need("costItem", "from"))
    return make("FL0116", p.here(), "expected `from` and the states to start in", {},
                {"`cost page_fault from table;`"});
  if (need("progressItem", "~>"))
    return make("FL0116", p.here(), "expected `~>` and what must follow", {}, {"`progress NAME : P ~> Q;`"});
  if ((need("patchItem", "in") || need("hunk", "in")) && p.last() != "}") {
    return make("FL0116", p.here(), "expected `in` and the function to patch", {},
                {fmt::format("`patch {} in FUNCTION {{ … }}`", p.text(p.unit() + 1))});
  }
  if (p.outer() == "clause" && p.expects("than"))
    return make("FL0116", p.here(), "expected `than` and a variant", {}, {"`fewer allocs than base`"});
  return {};
}

}  // namespace faultline::dsl
