// Diagnostics: what a user reads when a model is wrong. Collected, sorted by place, printed once.
//
//   file:line:column: error: message [FL0201]
//      45 |     if (pmd_non(*pmd)) {
//         |         ^~~~~~~
//      26 |     related line
//         |     ------------ its text
//         = note
//         = help: a change that would compile
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "dsl/source.hpp"

namespace faultline::dsl {

enum class Severity : std::uint8_t { error, warning };

struct Related {
  Span span;
  std::string text;
};

struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;  // "FL0201"; must stand in the table of dsl/codes.hpp
  Span span;
  std::string message;
  std::vector<Related> related{};
  std::vector<std::string> notes{};
  std::vector<std::string> helps{};
};

// FL04xx: understood, but wrong about the protocol. The verdict is `violated` and not `invalid`.
[[nodiscard]] bool is_protocol(const Diagnostic& diagnostic);

class Diagnostics {
 public:
  void add(Diagnostic diagnostic);
  [[nodiscard]] bool has_errors() const;   // any error
  [[nodiscard]] bool has_invalid() const;  // an error that is not FL04xx
  [[nodiscard]] bool empty() const { return list_.empty(); }
  // In file order, duplicates (same code, place and message) dropped.
  [[nodiscard]] std::vector<Diagnostic> sorted() const;

 private:
  std::vector<Diagnostic> list_;
};

using Sources = std::vector<SourceFile>;

// The text form above. Tabs are shown as spaces up to the next multiple of 8; carets stand under display columns.
[[nodiscard]] std::string render(const Diagnostic& diagnostic, const Sources& sources, bool colour);

// The candidate closest to `name` (edit distance at most a third of its length, at least 1), or empty.
[[nodiscard]] std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace faultline::dsl
