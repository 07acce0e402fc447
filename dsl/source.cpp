// Line table and columns. A column counts code points, so a line of non-ASCII text needs counting: the code points
// before every 1024th byte are remembered, and a look-up counts at most that much however long the line is.
#include "dsl/source.hpp"

#include <algorithm>
#include <tuple>

namespace faultline::dsl {
namespace {

constexpr std::size_t stride = 1024;

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

}  // namespace

Span Span::to(const Span& last) const {
  Span joined = *this;
  if (last.known() && last.file == file) joined.end = std::max(end, last.end);
  return joined;
}

bool before(const Span& a, const Span& b) {
  return std::tie(a.file, a.begin, a.end) < std::tie(b.file, b.begin, b.end);
}

SourceFile::SourceFile(std::uint32_t id, std::string name, std::string text)
    : id_(id), name_(std::move(name)), text_(std::move(text)) {
  starts_.push_back(0);
  bool ascii = true;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n' && i + 1 < text_.size()) starts_.push_back(static_cast<std::uint32_t>(i + 1));
    if (static_cast<unsigned char>(text_[i]) >= 0x80U) ascii = false;
  }
  if (ascii) return;
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (i % stride == 0) points_.push_back(count);
    if (starts_code_point(text_[i])) ++count;
  }
}

std::size_t SourceFile::code_points_before(std::size_t byte) const {
  if (points_.empty()) return byte;
  const std::size_t block = std::min(byte / stride, points_.size() - 1);
  std::size_t count = points_[block];
  for (std::size_t i = block * stride; i < byte; ++i) {
    if (starts_code_point(text_[i])) ++count;
  }
  return count;
}

std::string_view SourceFile::line(std::uint32_t line) const {
  if (line == 0 || line > starts_.size()) return {};
  const std::size_t begin = starts_[line - 1];
  std::size_t end = line < starts_.size() ? starts_[line] : text_.size();
  while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
  return std::string_view(text_).substr(begin, end - begin);
}

Span SourceFile::span(std::size_t begin, std::size_t end) const {
  begin = std::min(begin, text_.size());
  end = std::clamp(end, begin, text_.size());
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), begin);
  const auto line = static_cast<std::size_t>(next - starts_.begin());
  Span span;
  span.file = id_;
  span.begin = static_cast<std::uint32_t>(begin);
  span.end = static_cast<std::uint32_t>(end);
  span.line = static_cast<std::uint32_t>(line);
  span.column = static_cast<std::uint32_t>(code_points_before(begin) - code_points_before(starts_[line - 1]) + 1);
  return span;
}

}  // namespace faultline::dsl
