#include "dsl/parse_tokens.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/parse_brackets.hpp"

namespace faultline::dsl {
namespace {

// ---------------------------------------------------------------- 1. tokens that no model can have

std::string printable(std::string_view text) {
  if (text.size() == 1 && (static_cast<unsigned char>(text[0]) < 0x20U || text[0] == 0x7F)) {
    return fmt::format("\\x{:02x}", static_cast<unsigned>(text[0]));
  }
  return std::string(text);
}

Diagnostic unknown_character(const Lexeme& lexeme, const Span& span) {
  Diagnostic d{Severity::error, "FL0110", span, fmt::format("unknown character `{}`", printable(lexeme.text))};
  if (lexeme.text == "“" || lexeme.text == "”") d.helps.push_back("use plain quotes: `\"`");
  if (lexeme.text == "‘" || lexeme.text == "’" || lexeme.text == "'")
    d.helps.push_back("names and states need no quotes");
  if (lexeme.text == "–" || lexeme.text == "—" || lexeme.text == "−") d.helps.push_back("use a plain `-`");
  if (lexeme.text == "→") d.helps.push_back("an arrow is written `->`");
  if (lexeme.text == "\u00a0") d.notes.push_back("it is a no-break space: it looks like a blank, but is none");
  return d;
}

Diagnostic unknown_operator(const Lexeme& lexeme, const Span& span) {
  Diagnostic d{Severity::error, "FL0123", span, fmt::format("`{}` is not part of the language", lexeme.text)};
  if (lexeme.text == "#") {
    d.message = "there is no preprocessor";
    d.helps.push_back("name constants with `enum { LOW, HIGH = 3 };`");
  } else if (lexeme.text == "...") {
    d.notes.push_back("nothing may be left out of a model");
  } else {
    d.notes.push_back("operators: ! * & - + < <= > >= == != | && || ?: implies");
    if (lexeme.text.back() == '=' && lexeme.text.size() > 1) d.notes.push_back("assignments: = += -= ++ --");
    d.helps.push_back(
        "entries are tables of states: ask with a predicate, `pmd_none(*pmd)`, instead of taking bits apart");
  }
  return d;
}

std::vector<Lexeme> report_bad(std::vector<Lexeme> lexemes, const SourceFile& source, Diagnostics& diagnostics) {
  std::vector<Lexeme> out;
  out.reserve(lexemes.size());
  bool damaged = false;
  bool last_unknown = false;
  for (Lexeme& lexeme : lexemes) {
    const Span span = source.span(lexeme.begin, lexeme.end);
    const bool follows_unknown = last_unknown && lexeme.kind == LexemeKind::unknown;
    last_unknown = lexeme.kind == LexemeKind::unknown;
    switch (lexeme.kind) {
      case LexemeKind::unknown:
        if (!follows_unknown) diagnostics.add(unknown_character(lexeme, span));  // one report for a run of them
        damaged = true;
        continue;
      case LexemeKind::c_operator:
        diagnostics.add(unknown_operator(lexeme, span));
        damaged = true;
        continue;
      case LexemeKind::bad_number:
        diagnostics.add({Severity::error,
                         "FL0124",
                         span,
                         fmt::format("`{}` is neither a number nor a name", lexeme.text),
                         {},
                         {"numbers are written 12 or 0x1f; a name does not begin with a digit"}});
        lexeme.kind = LexemeKind::integer;
        lexeme.text = "0";
        lexeme.damaged = true;
        break;
      case LexemeKind::open_string:
        diagnostics.add({Severity::error,
                         "FL0108",
                         source.span(lexeme.end, lexeme.end),
                         "this string is not closed",
                         {{source.span(lexeme.begin, lexeme.begin + 1), "opened here"}},
                         {"a string ends on the line where it begins"},
                         {"close it with `\"`"}});
        lexeme.kind = LexemeKind::string;
        lexeme.damaged = true;
        break;
      default: break;
    }
    lexeme.damaged = lexeme.damaged || damaged;
    damaged = false;
    out.push_back(lexeme);
  }
  if (damaged && !out.empty()) out.back().damaged = true;
  return out;
}

// ---------------------------------------------------------------- 3. signs of patch lines

// Reads one hunk, from behind its `{` to before its `}`; out gets what is kept.
class HunkReader {
 public:
  HunkReader(const std::vector<Lexeme>& in, const SourceFile& source, Diagnostics& diagnostics)
      : in_(in), source_(source), diagnostics_(diagnostics) {}

  void read(std::size_t begin, std::size_t end, std::vector<Lexeme>& out) {
    for (std::size_t i = begin; i < end; ++i) {
      const Lexeme& now = in_[i];
      const bool is_sign = now.text == "-" || now.text == "+";
      if (at_start(i, end)) {
        first_ = i;
        sign_ = is_sign ? now.text.front() : ' ';
      } else if (is_sign && now.leads && !continues(i, out)) {
        continue;  // dropped: reported, or the same sign again on a later line of the statement
      }
      if (now.text == "{" || now.text == "(" || now.text == "[") ++depth_;
      if (now.text == "}" || now.text == ")" || now.text == "]") --depth_;
      out.push_back(now);
      done_ = depth_ == 0 && (now.text == ";" || now.text == "}");
    }
  }

 private:
  [[nodiscard]] bool at_start(std::size_t i, std::size_t end) const {
    if (!done_) return false;
    const bool is_sign = in_[i].text == "-" || in_[i].text == "+";
    const std::size_t word = is_sign && i + 1 < end ? i + 1 : i;
    const bool same_sign = is_sign && first_ && in_[i].text.front() == sign_;
    if (in_[word].text == "else" && (same_sign || word == i)) return false;
    return true;
  }

  // A sign at the start of a line, in the middle of a statement. True: it is an operator after all.
  bool continues(std::size_t i, std::vector<Lexeme>& out) {
    const char sign = in_[i].text.front();
    if (sign == sign_) return false;
    const std::size_t head = sign_ == ' ' ? *first_ : *first_ + 1;
    const std::string_view word = in_[std::min(head, i - 1)].text;
    const Lexeme& last = out.back();
    const bool compound =
        word == "if" || word == "while" || word == "for" || word == "do" || word == "switch" || word == "else";
    if (depth_ == 0 && !compound && (last.text == ")" || last.kind != LexemeKind::literal || is_word(last))) {
      diagnostics_.add(
          {Severity::error, "FL0115", source_.span(last.end, last.end), "missing `;` after this statement"});
      Lexeme semicolon = last;
      semicolon.kind = LexemeKind::literal;
      semicolon.text = ";";
      semicolon.begin = semicolon.end;
      semicolon.synthetic = true;
      semicolon.damaged = true;
      out.push_back(semicolon);
      out.push_back(in_[i]);
      first_ = i;
      sign_ = sign;
      done_ = false;
      return false;
    }
    if (!reported_) {
      diagnostics_.add(
          {Severity::error,
           "FL0603",
           source_.span(in_[i].begin, in_[i].end),
           fmt::format("a `{}` in the middle of a statement", sign),
           {{source_.span(in_[*first_].begin, in_[std::min(head, i - 1)].end), "the statement begins here"}},
           {"a patch replaces whole statements: the body of an `if` belongs to it"},
           {"write the old statement in full behind `-`, then the new one in full behind `+`"}});
    }
    reported_ = true;
    out.back().damaged = true;
    return false;
  }

  const std::vector<Lexeme>& in_;
  const SourceFile& source_;
  Diagnostics& diagnostics_;
  std::optional<std::size_t> first_;
  char sign_ = ' ';
  int depth_ = 0;
  bool done_ = true;
  bool reported_ = false;
};

std::size_t closer_of(const std::vector<Lexeme>& lexemes, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < lexemes.size(); ++i) {
    if (lexemes[i].text == "{") ++depth;
    if (lexemes[i].text == "}" && --depth == 0) return i;
  }
  return lexemes.size();
}

// ---------------------------------------------------------------- 3 and 4: one walk over the items

bool is_qualifier(std::string_view word) {
  return word == "static" || word == "inline" || word == "const" || word == "extern" || word == "volatile" ||
         word == "register";
}

// Whether a soft keyword stands as the result type of a function: `entry make(`.
bool is_function(const std::vector<Lexeme>& in, std::size_t i) {
  if (in[i].kind != LexemeKind::literal || !is_word(in[i]) || is_c_keyword(in[i].text) || in[i].text == "handler")
    return false;
  std::size_t name = i + 1;
  while (name < in.size() && in[name].text == "*") ++name;
  return name + 1 < in.size() && is_word(in[name]) && !is_c_keyword(in[name].text) && in[name + 1].text == "(";
}

std::vector<Lexeme> settle_items(const std::vector<Lexeme>& in, const SourceFile& source, Diagnostics& diagnostics) {
  std::vector<Lexeme> out;
  out.reserve(in.size());
  bool item_begins = true;
  bool in_patch = false;
  bool after_qualifier = false;
  int depth = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    Lexeme lexeme = in[i];
    if (depth == 0 && item_begins && !(in_patch && lexeme.text == "in")) in_patch = lexeme.text == "patch";
    if (depth == 0 && (item_begins || after_qualifier) && is_function(in, i)) {
      lexeme.kind = LexemeKind::identifier;
      in_patch = false;
    }
    after_qualifier = depth == 0 && (item_begins || after_qualifier) && is_qualifier(lexeme.text);
    item_begins = false;
    const bool is_hunk = in_patch && depth == 0 && lexeme.text == "{" && i >= 2 && in[i - 2].text == "in";
    if (is_hunk) {
      const std::size_t close = closer_of(in, i);
      out.push_back(lexeme);
      HunkReader(in, source, diagnostics).read(i + 1, close, out);
      i = close - 1;
      ++depth;
      continue;
    }
    if (lexeme.text == "{" || lexeme.text == "(" || lexeme.text == "[") ++depth;
    if (lexeme.text == "}" || lexeme.text == ")" || lexeme.text == "]") --depth;
    item_begins = depth == 0 && (lexeme.text == ";" || lexeme.text == "}");
    out.push_back(lexeme);
  }
  return out;
}

}  // namespace

bool is_word(const Lexeme& lexeme) {
  if (lexeme.kind == LexemeKind::identifier) return true;
  if (lexeme.kind != LexemeKind::literal || lexeme.text.empty()) return false;
  const char c = lexeme.text.front();
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::optional<std::size_t> unclosed_comment(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      while (++i < text.size() && text[i] != '"' && text[i] != '\n' && text[i] != '\r') {
        if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] != '\n' && text[i + 1] != '\r') ++i;
      }
    } else if (text[i] == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      i = std::min(text.find_first_of("\r\n", i), text.size());
    } else if (text[i] == '/' && i + 1 < text.size() && text[i + 1] == '*') {
      const std::size_t close = text.find("*/", i + 2);
      if (close == std::string_view::npos) return i;
      i = close + 1;
    }
  }
  return {};
}

std::optional<std::vector<Lexeme>> prepare(std::vector<Lexeme> lexemes, const SourceFile& source,
                                           Diagnostics& diagnostics) {
  lexemes = report_bad(std::move(lexemes), source, diagnostics);
  std::optional<std::vector<Lexeme>> balanced = balance(std::move(lexemes), source, diagnostics);
  if (!balanced) return {};
  return settle_items(*balanced, source, diagnostics);
}

const std::vector<std::string>& item_keywords() {
  static const std::vector<std::string> words = {
      "model", "memory", "spinlock", "mutex",   "rwsem", "seqcount",  "rcu",      "opaque", "resource", "enum",
      "entry", "shared", "tlb",      "handler", "run",   "invariant", "progress", "cost",   "patch",    "expect"};
  return words;
}

const std::vector<std::string>& statement_keywords() {
  static const std::vector<std::string> words = {"if",   "else",    "while",  "do",   "for",   "switch",
                                                 "case", "default", "return", "goto", "break", "continue"};
  return words;
}

bool is_c_keyword(std::string_view word) {
  static constexpr std::string_view types[] = {"auto",   "char",   "const",    "double", "enum",     "extern",
                                               "float",  "inline", "int",      "long",   "register", "restrict",
                                               "short",  "signed", "sizeof",   "static", "struct",   "typedef",
                                               "typeof", "union",  "unsigned", "void",   "volatile"};
  return is_statement_keyword(word) || std::find(std::begin(types), std::end(types), word) != std::end(types);
}

bool is_item_keyword(std::string_view word) {
  return std::find(item_keywords().begin(), item_keywords().end(), word) != item_keywords().end();
}

bool is_statement_keyword(std::string_view word) {
  return std::find(statement_keywords().begin(), statement_keywords().end(), word) != statement_keywords().end();
}

}  // namespace faultline::dsl
