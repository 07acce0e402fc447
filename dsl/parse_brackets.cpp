#include "dsl/parse_brackets.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace faultline::dsl {
namespace {

bool opens(const Lexeme& l) {
  return l.kind == LexemeKind::literal && (l.text == "{" || l.text == "(" || l.text == "[");
}
bool closes(const Lexeme& l) {
  return l.kind == LexemeKind::literal && (l.text == "}" || l.text == ")" || l.text == "]");
}

std::string_view partner(std::string_view open) { return open == "{" ? "}" : open == "(" ? ")" : "]"; }

// The index of a bracket that nests too deeply; `in_order` says whether each has its partner.
std::optional<std::size_t> too_deep(const std::vector<Lexeme>& lexemes, bool& in_order) {
  std::vector<std::string_view> stack;
  in_order = true;
  for (std::size_t i = 0; i < lexemes.size(); ++i) {
    if (opens(lexemes[i])) {
      stack.push_back(partner(lexemes[i].text));
      if (stack.size() > deepest_nesting) return i;
    } else if (closes(lexemes[i])) {
      if (stack.empty() || stack.back() != lexemes[i].text) {
        in_order = false;
        if (stack.empty()) continue;
      }
      stack.pop_back();
    }
  }
  if (!stack.empty()) in_order = false;
  return {};
}

class Balancer {
 public:
  Balancer(const std::vector<Lexeme>& in, const SourceFile& source, Diagnostics& diagnostics)
      : in_(in), source_(source), diagnostics_(diagnostics) {
    out_.reserve(in.size() + 8);
  }

  std::vector<Lexeme> run() {
    for (std::size_t i = 0; i < in_.size(); ++i) {
      const Lexeme& now = in_[i];
      if (!stack_.empty() && begins_item(i)) close_all(now);
      if (in_parentheses() && ends_parentheses(now)) close_parentheses();
      if (now.text != "{" && brace_is_missing(now)) put_opener(now);
      if (opens(now)) {
        const bool is_for = now.text == "(" && i > 0 && in_[i - 1].text == "for";
        stack_.push_back({now, now.indent, is_for ? 2 : 0, out_.size()});
      } else if (closes(now)) {
        if (!close(now)) {
          damage_ = true;
          continue;
        }
      } else if (now.text == ";" && in_parentheses()) {
        --stack_.back().semicolons;
      }
      emit(now);
    }
    if (!stack_.empty()) {
      Lexeme end = in_.empty() ? Lexeme{} : in_.back();
      end.begin = end.end;
      end.text = {};
      close_all(end);
    }
    if (damage_ && !out_.empty()) out_.back().damaged = true;
    return std::move(out_);
  }

 private:
  struct Open {
    Lexeme lexeme;
    std::uint32_t indent;  // of its line
    int semicolons;        // that may still come: two in `for (;;)`
    std::size_t out;       // its place in the output
  };

  [[nodiscard]] bool in_parentheses() const { return !stack_.empty() && stack_.back().lexeme.text != "{"; }

  // Whether the `{` of an entry, a resource, a function, a hunk or a state should stand before `now`.
  [[nodiscard]] bool brace_is_missing(const Lexeme& now) const {
    if (out_.size() < 2 || (!is_word(now) && now.text != "}" && now.text != "*" && now.text != "-" && now.text != "+"))
      return false;
    const std::string_view head = out_[out_.size() - 2].text;
    const std::string_view first = out_[std::min(item_, out_.size() - 1)].text;
    const bool named = is_word(out_.back());
    if (stack_.empty()) {
      if (named && item_ + 2 == out_.size() && (head == "entry" || head == "resource")) return true;
      if (named && head == "in" && first == "patch") return true;
      return head_end_ == out_.size() && (first == "handler" || !is_item_keyword(first));
    }
    if (switch_end_ == out_.size() && (now.text == "case" || now.text == "default")) return true;
    if (stack_.size() != 1 || first != "entry" || now.text == "unreachable") return false;
    const bool payload = head_end_ == out_.size() && state_head_;
    return (named && head == "state" && now.text != "under" && now.line == out_.back().line) || payload;
  }

  void put_opener(const Lexeme& before) {
    diagnostics_.add(
        {Severity::error, "FL0140", source_.span(here(), here()), "`{` is missing", {}, {}, {"put `{` here"}});
    put("{");
    Lexeme opener = out_.back();
    opener.leads = false;
    // A block that begins at the end of a line is closed by a `}` under the start of that line.
    opener.indent = before.leads ? out_[out_.size() - 2].indent : before.indent;
    stack_.push_back({opener, opener.indent, 0, out_.size() - 1});
  }

  // A line in column 1 that reads like the start of an item: no body has such a line.
  [[nodiscard]] bool begins_item(std::size_t i) const {
    const Lexeme& now = in_[i];
    if (!now.leads || now.indent != 0 || i + 2 >= in_.size() || !is_word(now) || !is_word(in_[i + 1])) return false;
    const std::string_view third = in_[i + 2].text;
    if (is_statement_keyword(now.text) || is_statement_keyword(in_[i + 1].text)) return false;
    if (third == "(") return true;  // bool f(
    if (!is_item_keyword(now.text)) return false;
    return third == "{" || third == ":" || is_word(in_[i + 2]) || third == "*" || now.text == "run" ||
           now.text == "opaque";
  }

  [[nodiscard]] bool ends_parentheses(const Lexeme& now) const {
    if (now.kind != LexemeKind::literal) return false;
    if (now.text == "{" || now.text == "}" || is_statement_keyword(now.text)) return true;
    return now.text == ";" && stack_.back().semicolons == 0;
  }

  void report(const Lexeme& open, std::size_t at, std::string_view where) {
    // What follows from something reported before (an open string swallows brackets) is not worth a message.
    for (auto lexeme = out_.rbegin(); lexeme != out_.rend() && lexeme->begin >= open.begin; ++lexeme) {
      if (lexeme->damaged && !lexeme->synthetic) return;
    }
    diagnostics_.add({Severity::error,
                      "FL0111",
                      source_.span(at, at),
                      fmt::format("`{}` is not closed{}", open.text, where),
                      {{source_.span(open.begin, open.end), "opened here"}},
                      {},
                      {fmt::format("put `{}` here", partner(open.text))}});
  }

  void emit(Lexeme lexeme) {
    lexeme.damaged = lexeme.damaged || damage_;
    damage_ = false;
    const bool ended = stack_.empty() && (out_.empty() || out_.back().text == ";" || out_.back().text == "}");
    if (ended && lexeme.text != "in") item_ = out_.size();
    out_.push_back(lexeme);
  }

  // Puts in a closing bracket at the end of what was read so far.
  void put(std::string_view text) {
    Lexeme closer = out_.back();
    closer.kind = LexemeKind::literal;
    closer.text = text;
    closer.begin = closer.end;
    closer.synthetic = true;
    closer.damaged = true;
    closer.leads = false;
    out_.push_back(closer);
  }

  void put_closer() {
    put(partner(stack_.back().lexeme.text));
    stack_.pop_back();
  }

  [[nodiscard]] std::size_t here() const { return out_.empty() ? 0 : out_.back().end; }

  void close_all(const Lexeme& before) {
    // Everything still open ends here; the innermost is the one to look at.
    const Lexeme open = stack_.back().lexeme;
    std::string where = " at the end of the file";
    if (!before.text.empty()) where = fmt::format(" before `{}` on line {}", before.text, before.line);
    report(open, here(), where);
    while (!stack_.empty()) put_closer();
  }

  // Whether a line may break between the two without ending an expression.
  static bool goes_on(const Lexeme& last, const Lexeme& next) {
    static constexpr std::string_view behind[] = {",", "(", "[",  "&&", "||", "&", "|", "+", "-", "==", "!=",
                                                  "<", ">", "<=", ">=", "!",  "*", "?", ":", ".", "->", "implies"};
    static constexpr std::string_view ahead[] = {"&&", "||", "&", "|",  ")",  "]", ",", "+", "-",  "==",
                                                 "!=", "<",  ">", "<=", ">=", "?", ":", ".", "->", "implies"};
    return std::find(std::begin(behind), std::end(behind), last.text) != std::end(behind) ||
           std::find(std::begin(ahead), std::end(ahead), next.text) != std::end(ahead);
  }

  // A parenthesis that must end before what comes now; at the end of an earlier line, when that line could end there.
  void close_parentheses() {
    std::size_t bottom = stack_.size() - 1;
    while (bottom > 0 && stack_[bottom - 1].lexeme.text != "{") --bottom;
    std::vector<Lexeme> tail;
    for (std::size_t k = stack_[bottom].out + 1; k < out_.size(); ++k) {
      if (!out_[k].leads || goes_on(out_[k - 1], out_[k])) continue;
      tail.assign(out_.begin() + static_cast<std::ptrdiff_t>(k), out_.end());
      out_.resize(k);
      while (stack_.back().out >= k) stack_.pop_back();
      break;
    }
    if (in_parentheses()) report(stack_.back().lexeme, here(), {});
    while (in_parentheses()) put_closer();
    // What was read ahead comes again; brackets that it leaves open belong to the same mistake.
    std::vector<std::string_view> open;
    for (const Lexeme& lexeme : tail) {
      if (opens(lexeme)) open.push_back(partner(lexeme.text));
      if (closes(lexeme)) {
        if (open.empty() || open.back() != lexeme.text) continue;
        open.pop_back();
      }
      emit(lexeme);
    }
    for (; !open.empty(); open.pop_back()) put(open.back());
  }

  // False: `now` closes nothing and is dropped.
  bool close(const Lexeme& now) {
    const auto same = [&now](const Open& open) { return partner(open.lexeme.text) == now.text; };
    if (stack_.empty() && now.text == "}" && ended_early(now)) return true;
    if (stack_.empty() || std::none_of(stack_.begin(), stack_.end(), same) || (now.text != "}" && !in_parentheses())) {
      diagnostics_.add({Severity::error,
                        "FL0112",
                        source_.span(now.begin, now.end),
                        fmt::format("stray `{}`", now.text),
                        {},
                        {fmt::format("no `{}` is open here", now.text == "}"   ? "{"
                                                             : now.text == ")" ? "("
                                                                               : "[")}});
      return false;
    }
    bool reported = false;
    while (!same(stack_.back())) {
      if (!reported) report(stack_.back().lexeme, here(), fmt::format(" before `{}`", now.text));
      reported = true;
      put_closer();
    }
    if (now.text == "}" && now.leads) {
      // Further left than its partner's line, and there is an outer block that fits: that one is meant.
      const auto fits = [&now](const Open& open) { return open.lexeme.text == "{" && open.indent == now.indent; };
      while (stack_.back().indent > now.indent && std::any_of(stack_.begin(), stack_.end() - 1, fits)) {
        if (!reported) report(stack_.back().lexeme, here(), fmt::format(" before the `}}` on line {}", now.line));
        reported = true;
        put_closer();
      }
    }
    const std::size_t open = stack_.back().out;
    stack_.pop_back();
    if (stack_.empty() && now.text == "}" && reads_as_item(item_)) last_end_ = out_.size();
    // `TYPE NAME (…)`: the head of a function, or of a state with a payload.
    const auto word = [this](std::size_t i) { return i < out_.size() && (is_word(out_[i]) || out_[i].text == "*"); };
    if (now.text == ")" && open >= 2 && word(open - 1) && word(open - 2)) {
      head_end_ = out_.size() + 1;
      state_head_ = out_[open - 2].text == "state";
    }
    if (now.text == ")" && open >= 1 && out_[open - 1].text == "switch") switch_end_ = out_.size() + 1;
    return true;
  }

  // Whether the tokens from out_[i] on begin like an item, and not like a statement.
  [[nodiscard]] bool reads_as_item(std::size_t i) const {
    if (i + 1 >= out_.size() || !is_word(out_[i])) return false;
    if (is_item_keyword(out_[i].text) && (is_word(out_[i + 1]) || out_[i + 1].text == "{")) return true;
    if (is_statement_keyword(out_[i].text) || !(is_word(out_[i + 1]) || out_[i + 1].text == "*")) return false;
    return is_c_keyword(out_[i].text) || (i + 2 < out_.size() && (out_[i + 2].text == "(" || is_word(out_[i + 2])));
  }

  // A `}` too many that ended a function early: statements follow it, and here is the real end, with nothing left to
  // close.
  bool ended_early(const Lexeme& now) {
    if (!last_end_ || *last_end_ + 1 >= out_.size()) return false;
    const std::size_t next = *last_end_ + 1;
    if (reads_as_item(next) || out_[next].text == ";") return false;
    const Lexeme early = out_[*last_end_];
    diagnostics_.add({Severity::error,
                      "FL0112",
                      source_.span(early.begin, early.end),
                      "stray `}`",
                      {{source_.span(now.begin, now.end), "the function ends here"}},
                      {"statements follow it, so it cannot be the end of the function: it is one too many, or a `{` "
                       "before it is missing"}});
    out_.erase(out_.begin() + static_cast<std::ptrdiff_t>(*last_end_));
    out_[*last_end_].damaged = true;
    last_end_ = out_.size();
    return true;
  }

  const std::vector<Lexeme>& in_;
  const SourceFile& source_;
  Diagnostics& diagnostics_;
  std::vector<Lexeme> out_;
  std::vector<Open> stack_;
  std::optional<std::size_t> last_end_;  // the place in the output of the last `}` that closed everything
  std::size_t item_ = 0;                 // the place in the output where the item at hand begins
  std::size_t head_end_ = 0;             // behind the `)` of the last head
  std::size_t switch_end_ = 0;           // behind the `)` of the last `switch`
  bool state_head_ = false;
  bool damage_ = false;
};

}  // namespace

std::optional<std::vector<Lexeme>> balance(std::vector<Lexeme> lexemes, const SourceFile& source,
                                           Diagnostics& diagnostics) {
  bool in_order = true;
  if (const std::optional<std::size_t> at = too_deep(lexemes, in_order)) {
    const Lexeme& bracket = lexemes[*at];
    diagnostics.add({Severity::error,
                     "FL0109",
                     source.span(bracket.begin, bracket.end),
                     "this is nested too deeply",
                     {},
                     {fmt::format("brackets may nest {} deep", deepest_nesting)}});
    return {};
  }
  if (in_order) return lexemes;
  return Balancer(lexemes, source, diagnostics).run();
}

}  // namespace faultline::dsl
