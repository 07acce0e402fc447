// One function for each kind of mistake: it looks at the place and answers, or leaves the place to the next. The last
// answer says what was expected, in words of the language.
#include "dsl/parse_errors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace faultline::dsl {
namespace {

using Strings = std::vector<std::string>;

// The place of an error, with what the functions below ask about it.
class Place {
 public:
  explicit Place(const SyntaxError& error) : e_(error) {}

  [[nodiscard]] bool at_end() const { return e_.at >= e_.lexemes.size(); }
  [[nodiscard]] std::string_view text(std::size_t i) const {
    return i < e_.lexemes.size() ? e_.lexemes[i].text : std::string_view{};
  }
  [[nodiscard]] std::string_view now() const { return text(e_.at); }
  [[nodiscard]] std::string_view last() const { return e_.at > 0 ? text(e_.at - 1) : std::string_view{}; }
  [[nodiscard]] std::string_view first() const { return text(e_.unit); }
  [[nodiscard]] bool is_first() const { return e_.at == e_.unit; }
  [[nodiscard]] bool word(std::size_t i) const { return i < e_.lexemes.size() && is_word(e_.lexemes[i]); }
  [[nodiscard]] std::size_t at() const { return e_.at; }
  [[nodiscard]] std::size_t unit() const { return e_.unit; }
  [[nodiscard]] const SourceFile& source() const { return e_.source; }

  [[nodiscard]] std::string_view rule() const { return e_.rules.empty() ? std::string_view{} : e_.rules.front(); }
  [[nodiscard]] bool inside(std::string_view rule) const {
    return std::find(e_.rules.begin(), e_.rules.end(), rule) != e_.rules.end();
  }
  // The innermost rule that is not part of an expression or a name.
  [[nodiscard]] std::string_view outer() const {
    static constexpr std::string_view parts[] = {"expr", "name", "names", "plainName", "soft", "clauseWord"};
    for (const std::string_view rule : e_.rules) {
      if (std::find(std::begin(parts), std::end(parts), rule) == std::end(parts)) return rule;
    }
    return {};
  }
  [[nodiscard]] const Strings& expected() const { return e_.expected; }
  [[nodiscard]] bool expects(std::string_view text) const {
    return std::find(e_.expected.begin(), e_.expected.end(), text) != e_.expected.end();
  }

  // Whether the innermost open parenthesis before the place is that of a call.
  [[nodiscard]] bool in_call() const {
    int depth = 0;
    for (std::size_t i = e_.at; i-- > e_.unit;) {
      if (text(i) == ")") ++depth;
      if (text(i) == "(" && depth-- == 0) return i > 0 && word(i - 1) && !is_statement_keyword(text(i - 1));
    }
    return false;
  }

  [[nodiscard]] Span here() const {
    if (!at_end()) return span(e_.at);
    return behind();
  }
  [[nodiscard]] Span span(std::size_t i) const { return e_.source.span(e_.lexemes[i].begin, e_.lexemes[i].end); }
  [[nodiscard]] Span behind() const {  // right behind the last token that fits
    const std::size_t end = e_.at > 0 ? e_.lexemes[std::min(e_.at, e_.lexemes.size()) - 1].end : 0;
    return e_.source.span(end, end);
  }
  // Source text of tokens [from, to), when it is on one line and short.
  [[nodiscard]] std::string quote(std::size_t from, std::size_t to) const {
    if (from >= to || to > e_.lexemes.size() || e_.lexemes[from].line != e_.lexemes[to - 1].line) return {};
    const std::size_t begin = e_.lexemes[from].begin;
    const std::size_t end = e_.lexemes[to - 1].end;
    return end - begin > 70 ? std::string{} : std::string(e_.source.text().substr(begin, end - begin));
  }
  // From token `from` on to the end of its line.
  [[nodiscard]] std::size_t line_end(std::size_t from) const {
    std::size_t i = from;
    while (i < e_.lexemes.size() && e_.lexemes[i].line == e_.lexemes[from].line) ++i;
    return i;
  }

 private:
  const SyntaxError& e_;
};

Diagnostic make(std::string code, const Span& span, std::string message, Strings notes = {}, Strings helps = {}) {
  return {Severity::error, std::move(code), span, std::move(message), {}, std::move(notes), std::move(helps)};
}

using Answer = std::optional<Diagnostic>;

std::string meant(std::string_view near) { return fmt::format("did you mean `{}`?", near); }

// ---------------------------------------------------------------- words

Answer keyword_of_c(const Place& p) {
  if (p.at_end() || !p.word(p.at()) || !is_c_keyword(p.now())) return {};
  static constexpr std::string_view unused[] = {"auto",   "double",  "float",  "restrict",
                                                "sizeof", "typedef", "typeof", "union"};
  if (std::find(std::begin(unused), std::end(unused), p.now()) != std::end(unused)) {
    return make("FL0122", p.here(), fmt::format("`{}` of C is not part of the language", p.now()),
                {"types: bool, int(low..high), enums, entries and resources; `opaque` names stand for what the model "
                 "does not track"});
  }
  if (p.last() == "(" && !is_statement_keyword(p.now()) && p.inside("expr")) {
    return make("FL0139", p.here(), "there are no casts", {"types are never converted: leave the cast out"});
  }
  if (p.expects("name") && !p.expects(";")) {
    return make("FL0122", p.here(), fmt::format("`{}` is a keyword of C and cannot be a name", p.now()), {},
                {fmt::format("call it `{}_`", p.now())});
  }
  return {};
}

Answer assignment_as_value(const Place& p) {
  static constexpr std::string_view signs[] = {"=", "+=", "-=", "++", "--"};
  if (p.at_end() || std::find(std::begin(signs), std::end(signs), p.now()) == std::end(signs)) return {};
  const bool behind_value = p.at() > 0 && (p.word(p.at() - 1) || p.last() == ")" || p.last() == "]");
  if (!behind_value || p.is_first() || (!p.inside("statement") && !p.inside("expr"))) return {};
  const std::string_view outer = p.outer();
  const bool condition =
      p.now() == "=" && (outer == "ifStatement" || outer == "whileStatement" || outer == "doStatement");
  if (condition) {
    Diagnostic d = make("FL0118", p.here(), "an assignment is used as a condition");
    d.helps.push_back("compare with `==`, or assign in a statement of its own before");
    return d;
  }
  return make("FL0118", p.here(), fmt::format("`{}` changes a place: it is a statement, not a value", p.now()), {},
              {"make it a statement of its own"});
}

Answer operator_of_c(const Place& p) {
  if (p.now() != "*" || !p.expects("+")) return {};
  return make("FL0123", p.here(), "`*` between two values: there is no multiplication",
              {"operators: ! * & - + < <= > >= == != | && || ?: implies"});
}

// ---------------------------------------------------------------- ends

std::string_view what_ends(const Place& p) {
  const std::string_view rule = p.outer();
  if (rule == "header") return "the name of the model";
  if (rule == "stateLine" || rule == "arrowLine" || rule == "underClause" || rule == "flushClause" ||
      rule == "resourceLine")
    return "this line";
  if (p.inside("statement")) return "this statement";
  return "this item";
}

Answer missing_semicolon(const Place& p, bool missing) {
  if (!missing || !p.expects(";")) return {};
  Diagnostic d = make("FL0115", p.behind(), fmt::format("missing `;` after {}", what_ends(p)));
  const std::string text = p.quote(p.unit(), p.at());
  // The body of a `for` and the like would be quoted with its head: only plain statements are.
  if (!text.empty() && !is_statement_keyword(p.first())) d.helps.push_back(fmt::format("`{};`", text));
  if (p.first() == "return" && !text.empty()) d.helps.push_back(fmt::format("`{};`", text));
  return d;
}

Answer misspelt_statement(const Place& p) {
  if (!p.inside("statement") || p.is_first() || !p.word(p.unit()) || is_c_keyword(p.first())) return {};
  const std::string near = did_you_mean(p.first(), statement_keywords());
  if (near.empty()) return {};
  // `fi (x) return;` is read as a call, `esle foo();` as a declaration; `retrun` alone as a name.
  const bool call = p.text(p.unit() + 1) == "(" && p.last() == ")";
  const bool declaration = p.word(p.unit() + 1) && p.at() == p.unit() + 2;
  if (!call && !declaration) return {};
  return make("FL0131", p.span(p.unit()), fmt::format("unknown statement `{}`", p.first()), {meant(near)});
}

// ---------------------------------------------------------------- items

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

// Kernel types at the place of a declaration, and what declares such a thing here.
std::string_view lock_keyword(std::string_view type) {
  if (type == "spinlock_t" || type == "raw_spinlock_t" || type == "rwlock_t") return "spinlock";
  if (type == "seqcount_t" || type == "seqlock_t") return "seqcount";
  if (type == "rw_semaphore") return "rwsem";
  return {};
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

// ---------------------------------------------------------------- statements

Answer parentheses(const Place& p) {
  const std::string_view rule = p.outer();
  const bool head = rule == "ifStatement" || rule == "whileStatement" || rule == "forStatement" ||
                    rule == "switchStatement" || rule == "doStatement";
  if (head && p.expects("(") && p.expected().size() == 1) {
    return make("FL0128", p.here(), fmt::format("expected `(` after `{}`", p.last()),
                {fmt::format("what `{}` looks at stands in parentheses", p.last())});
  }
  if (rule == "doStatement" && p.expects("while")) {
    return make("FL0128", p.here(), "a `do` ends with `while (…);`");
  }
  return {};
}

Answer at_start_of_statement(const Place& p) {
  if (!p.is_first() ||
      (p.rule() != "block" && p.rule() != "statement" && p.rule() != "hunk" && p.rule() != "patchLine"))
    return {};
  if (p.now() == "else") {
    return make("FL0137", p.here(), "`else` without `if`",
                {"only one statement may stand between them: put several into `{ }`, and no `;` behind a `}`"});
  }
  if (p.at_end()) return {};
  return make("FL0116", p.here(), fmt::format("a statement cannot begin with `{}`", p.now()));
}

// ---------------------------------------------------------------- what was expected

// The expected tokens in words: whole classes of them get one name.
std::string expectation(const Place& p) {
  Strings left = p.expected();
  const auto has = [&left](std::string_view text) { return std::find(left.begin(), left.end(), text) != left.end(); };
  const auto drop = [&left](const Strings& words) {
    std::erase_if(
        left, [&words](const std::string& word) { return std::find(words.begin(), words.end(), word) != words.end(); });
  };
  Strings said;
  const bool name = has("name");
  if (name) {  // every keyword of ours can be a name
    std::erase_if(left, [](const std::string& word) {
      const char c = word.front();
      const bool is_text = (c >= 'a' && c <= 'z') || c == '_';
      return is_text && word != "number" && word != "string" && word != "name" && word != "end" && !is_c_keyword(word);
    });
  }
  if (has("return") && has("if")) return "a statement";
  if (name && has("!") && has("(")) {
    drop({"name", "number", "string", "!", "(", "*", "&", "-", "+"});
    said.push_back("an expression");
  } else if (name) {
    drop({"name"});
    said.push_back(has("struct") ? "a type or a name" : "a name");
  }
  if (has("struct")) {
    std::erase_if(left, [](const std::string& word) { return is_c_keyword(word); });
    if (!name) said.push_back("a type");
  }
  if (has("&&") && has("==")) {
    drop({"&&", "||", "&", "|", "==", "!=",      "<", "<=", ">",  ">=", "+",
          "-",  "->", ".", "[", "?",  "implies", "=", "+=", "-=", "++", "--"});
    said.push_back("an operator");
  }
  for (const std::string& word : left) {
    said.push_back(word == "number" || word == "string" ? "a " + word
                   : word == "end"                      ? "the end of the file"
                                                        : "`" + word + "`");
  }
  if (left.size() == 1 && left[0] == ")" && p.in_call()) {
    if (p.last() == "(") return "an expression or `)`";
    said.insert(said.begin(), "`,`");
  }
  const std::string_view rule = p.outer();
  const bool list =
      rule == "lockItem" || rule == "opaqueItem" || rule == "tlbItem" || rule == "costItem" || rule == "declaration";
  if (list && left.size() == 1 && left[0] == ";" && p.word(p.at()) && p.at() > 0 && p.word(p.at() - 1))
    said.insert(said.begin(), "`,`");
  if (said.empty() || said.size() > 6) return {};
  std::string text;
  for (std::size_t i = 0; i < said.size(); ++i) text += (i == 0 ? "" : i + 1 == said.size() ? " or " : ", ") + said[i];
  return text;
}

Diagnostic unexpected(const Place& p) {
  const std::string wanted = expectation(p);
  if (p.at_end()) {
    Diagnostic d = make("FL0117", p.behind(), fmt::format("the file ends inside {}", what_ends(p)));
    if (!wanted.empty()) d.notes.push_back("expected " + wanted);
    return d;
  }
  Diagnostic d = make("FL0116", p.here(), fmt::format("unexpected `{}`", p.now()));
  if (!wanted.empty()) {
    d.message = fmt::format("expected {}, not `{}`", wanted, p.now());
  } else if (p.at() > p.unit()) {
    d.message = fmt::format("unexpected `{}` after `{}`", p.now(), p.last());
  }
  return d;
}

}  // namespace

bool semicolon_is_missing(const SyntaxError& error) {
  if (error.at == 0) return false;
  if (error.at >= error.lexemes.size()) return true;
  const Lexeme& now = error.lexemes[error.at];
  const Lexeme& last = error.lexemes[error.at - 1];
  if (now.leads || now.text == "}") return true;
  return is_statement_keyword(now.text) || (last.text == ")" && is_word(now));  // f() g();
}

Diagnostic signed_line(char sign, bool in_hunk) {
  if (in_hunk) {
    return make("FL0119", {}, fmt::format("a `{}` line inside of another statement", sign),
                {"a hunk lists statements of the function, each in full, wherever they stand in it"},
                {"leave out what stands around the changed statement"});
  }
  return make("FL0119", {}, fmt::format("a `{}` line outside of a patch", sign), {},
              {"changes stand in a patch: `patch NAME in FUNCTION { - OLD; + NEW; }`"});
}

Diagnostic explain(const SyntaxError& error) {
  const Place place(error);
  if (Answer answer = no_header(place)) return *answer;
  if (Answer answer = misspelt_statement(place)) return *answer;
  if (Answer answer = missing_semicolon(place, semicolon_is_missing(error))) return *answer;
  static constexpr Answer (*answers[])(const Place&) = {
      outside_of_patch, item_in_body,  no_body,      assignment_as_value, operator_of_c,
      run_line,         missing_colon, verdict,      shared_star,         state_line,
      item_word,        parentheses,   unknown_item, keyword_of_c,        at_start_of_statement};
  for (const auto answer_of : answers) {
    if (Answer answer = answer_of(place)) return *answer;
  }
  return unexpected(place);
}

}  // namespace faultline::dsl
