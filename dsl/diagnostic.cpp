// Rendering: everything is measured in display columns, so that carets stand under what they mean even behind tabs,
// accents and wide characters.
#include "dsl/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace faultline::dsl {
namespace {

// ---------------------------------------------------------------- display width

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
};

// Decodes one code point; a byte that starts none counts as itself (files are checked, messages need not be).
CodePoint decode(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = lead < 0x80U ? 1 : lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : lead >= 0xC0U ? 2 : 1;
  if (length == 1 || at + length > text.size()) return {lead, 1};
  char32_t value = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) value = value << 6U | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  return {value, length};
}

struct Range {
  char32_t first, last;
};

bool in(char32_t c, const Range* begin, const Range* end) {
  return std::any_of(begin, end, [c](const Range& range) { return c >= range.first && c <= range.last; });
}

// Columns a terminal gives to a character: 0 for combining marks, 2 for East Asian wide ones and emoji.
std::size_t width(char32_t c) {
  static constexpr Range combining[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},
                                        {0x064B, 0x065F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},
                                        {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
  static constexpr Range wide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xAC00, 0xD7A3},
                                   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
                                   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
  if (in(c, std::begin(combining), std::end(combining))) return 0;
  return in(c, std::begin(wide), std::end(wide)) ? 2 : 1;
}

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

// The columns of `text`, starting in column `column` (from 0): tabs go to the next multiple of 8.
std::size_t columns(std::string_view text, std::size_t column) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode(text, at);
    column = text[at] == '\t' ? (column / 8 + 1) * 8 : column + (is_control(point.value) ? 1 : width(point.value));
    at += point.bytes;
  }
  return column;
}

// The line as it is shown: tabs become spaces, other control characters `?`, so that a file cannot steer the terminal.
std::string shown(std::string_view text) {
  std::string out;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode(text, at);
    const std::string_view piece = text.substr(at, point.bytes);
    const std::size_t next = columns(piece, column);
    if (piece == "\t") {
      out.append(next - column, ' ');
    } else {
      out += is_control(point.value) ? std::string("?") : std::string(piece);
    }
    column = next;
    at += point.bytes;
  }
  return out;
}

// ---------------------------------------------------------------- layout

constexpr std::size_t widest_line = 160;  // a longer source line is cut to a window around its place

struct Paint {
  bool on;
  [[nodiscard]] std::string operator()(std::string_view text, std::string_view code) const {
    return on && !text.empty() ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
  }
};

struct Excerpt {
  std::string line;
  std::size_t from = 0, to = 0;  // columns of the mark
};

std::size_t round_down(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
  return at;
}

Excerpt excerpt(const Span& span, const SourceFile& source) {
  std::string_view line = source.line(span.line);
  const auto line_begin = static_cast<std::size_t>(line.data() - source.text().data());
  std::size_t begin = std::min<std::size_t>(span.begin > line_begin ? span.begin - line_begin : 0, line.size());
  std::size_t end = std::clamp<std::size_t>(span.end > line_begin ? span.end - line_begin : 0, begin, line.size());
  std::string lead, tail;
  if (line.size() > widest_line) {
    const std::size_t from = round_down(line, begin > widest_line / 2 ? begin - widest_line / 2 : 0);
    const std::size_t to = round_down(line, std::min(line.size(), from + widest_line));
    if (from > 0) lead = "... ";
    if (to < line.size()) tail = " ...";
    line = line.substr(from, to - from);
    begin -= from;
    end = std::min(end - from, line.size());
  }
  // A mark must not end in blanks: a span may reach to the start of the next token.
  while (end > begin + 1 && (line[end - 1] == ' ' || line[end - 1] == '\t')) --end;
  const std::size_t from = columns(line.substr(0, begin), 0);
  const std::size_t to = columns(line.substr(0, end), 0);
  return {lead + shown(line) + tail, lead.size() + from, lead.size() + std::max(to, from + 1)};
}

}  // namespace

bool is_protocol(const Diagnostic& diagnostic) { return diagnostic.code.starts_with("FL04"); }

void Diagnostics::add(Diagnostic diagnostic) { list_.push_back(std::move(diagnostic)); }

bool Diagnostics::has_errors() const {
  return std::any_of(list_.begin(), list_.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
}

bool Diagnostics::has_invalid() const {
  return std::any_of(list_.begin(), list_.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::error && !is_protocol(d); });
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<Diagnostic> all = list_;
  std::stable_sort(all.begin(), all.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.span.file, a.span.begin) < std::tie(b.span.file, b.span.begin);
  });
  std::vector<Diagnostic> out;
  for (Diagnostic& d : all) {
    bool seen = false;  // a duplicate has the same place, so it is among the last ones
    for (auto o = out.rbegin();
         o != out.rend() && o->span.file == d.span.file && o->span.begin == d.span.begin && !seen; ++o) {
      seen = o->code == d.code && o->span == d.span && o->message == d.message;
    }
    if (!seen) out.push_back(std::move(d));
  }
  return out;
}

std::string render(const Diagnostic& diagnostic, const Sources& sources, bool colour) {
  const Paint paint{colour};
  const bool is_error = diagnostic.severity == Severity::error;
  const std::string_view strong = is_error ? "1;31" : "1;35";
  const Span& span = diagnostic.span;
  const bool has_file = span.file < sources.size() && !sources[span.file].name().empty();
  std::string out;
  if (has_file) {
    const std::string& name = sources[span.file].name();
    out += paint(span.known() ? fmt::format("{}:{}:{}:", name, span.line, span.column) : name + ":", "1") + " ";
  }
  out += paint(is_error ? "error:" : "warning:", strong) + " " + paint(diagnostic.message, "1");
  out += fmt::format(" [{}]\n", diagnostic.code);

  std::uint32_t shown_file = 0;
  std::uint32_t shown_line = 0;
  const auto mark = [&](const Span& place, char first, char rest, std::string_view style, std::string_view text) {
    if (!place.known() || place.file >= sources.size()) {
      if (!text.empty()) out += fmt::format("      = {}\n", text);
      return;
    }
    const SourceFile& source = sources[place.file];
    const bool again = shown_file == place.file && shown_line == place.line &&  // a second mark under the same line
                       source.line(place.line).size() <= widest_line;
    shown_file = place.file;
    shown_line = place.line;
    if (place.file != span.file && !again) out += fmt::format("  in {}:\n", source.name());
    const Excerpt part = excerpt(place, source);
    if (!again) out += fmt::format("{} {}\n", paint(fmt::format("{:>5} |", place.line), "34"), part.line);
    std::string under(part.to - part.from, rest);
    under.front() = first;
    out += fmt::format("{} {}{}", paint("      |", "34"), std::string(part.from, ' '), paint(under, style));
    out += text.empty() ? std::string("\n") : fmt::format(" {}\n", text);
  };
  if (span.known()) mark(span, '^', '~', strong, {});
  for (const Related& related : diagnostic.related) mark(related.span, '-', '-', "36", related.text);
  for (const std::string& note : diagnostic.notes) out += fmt::format("      = {}\n", note);
  for (const std::string& help : diagnostic.helps) out += fmt::format("      = {} {}\n", paint("help:", "1;32"), help);
  return out;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::size_t limit = std::max<std::size_t>(1, name.size() / 3);
  std::string best;
  std::size_t best_distance = limit + 1;
  for (const std::string& candidate : candidates) {
    if (candidate == name || candidate.size() > name.size() + limit || name.size() > candidate.size() + limit) continue;
    // Edit distance with swaps of neighbours: three rows of the usual table.
    std::vector<std::size_t> before_last, last(candidate.size() + 1), row(candidate.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= name.size(); ++i) {
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const bool same = name[i - 1] == candidate[j - 1];
        row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
        const bool swapped = i > 1 && j > 1 && name[i - 1] == candidate[j - 2] && name[i - 2] == candidate[j - 1];
        if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
      before_last = last;
      std::swap(last, row);
    }
    const std::size_t distance = last[candidate.size()];
    if (distance >= name.size()) continue;  // nothing of it left
    if (distance < best_distance || (distance == best_distance && candidate < best)) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace faultline::dsl
