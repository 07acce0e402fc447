// One function for each kind of mistake: it looks at the place and answers, or leaves the place to the next. The last
// answer says what was expected, in words of the language.
#include "dsl/parse_errors.hpp"

#include <algorithm>

#include "dsl/parse_place.hpp"

namespace faultline::dsl {
namespace {

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
