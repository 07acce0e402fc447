// Text of the input files and places in it. Every later stage speaks of places through Span.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::dsl {

// A half-open range of bytes [begin, end) of one file. line and column are those of `begin`, counted from 1;
// the column counts code points, as editors do. line 0 means "no place" (built in).
struct Span {
  std::uint32_t file = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  [[nodiscard]] bool known() const { return line != 0; }
  [[nodiscard]] Span to(const Span& last) const;  // from the start of this to the end of `last`
  friend bool operator==(const Span&, const Span&) = default;
};

// Source order: file, then position.
[[nodiscard]] bool before(const Span& a, const Span& b);

// One input file held in memory, with its line table.
class SourceFile {
 public:
  SourceFile(std::uint32_t id, std::string name, std::string text);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::uint32_t id() const { return id_; }
  [[nodiscard]] std::size_t lines() const { return starts_.size(); }
  // The text of a line without its line end; `line` counts from 1; empty when there is no such line.
  [[nodiscard]] std::string_view line(std::uint32_t line) const;
  // A span for bytes [begin, end), line and column filled in.
  [[nodiscard]] Span span(std::size_t begin, std::size_t end) const;

 private:
  std::uint32_t id_;
  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> points_;  // code points before each 1024th byte; empty for plain ASCII

  [[nodiscard]] std::size_t code_points_before(std::size_t byte) const;
};

}  // namespace faultline::dsl
