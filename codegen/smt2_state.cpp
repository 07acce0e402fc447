#include "codegen/smt2_state.hpp"

#include <algorithm>
#include <bit>

#include "fmt/format.h"

namespace faultline::codegen {
namespace {

std::string joined(std::vector<std::string> parts, const char* word, const std::string& neutral,
                   const std::string& strong) {
  std::erase(parts, neutral);
  if (std::find(parts.begin(), parts.end(), strong) != parts.end()) return strong;
  if (parts.empty()) return neutral;
  if (parts.size() == 1) return parts.front();
  return fmt::format("({} {})", word, fmt::join(parts, " "));
}

}  // namespace

std::string bits_of(std::uint64_t value, std::uint32_t width) { return fmt::format("(_ bv{} {})", value, width); }

std::uint32_t width_for(std::uint64_t max) { return std::max(1U, static_cast<std::uint32_t>(std::bit_width(max))); }

std::string smt_and(std::vector<std::string> parts) { return joined(std::move(parts), "and", "true", "false"); }
std::string smt_or(std::vector<std::string> parts) { return joined(std::move(parts), "or", "false", "true"); }

std::string smt_not(const std::string& part) {
  if (part == "true") return "false";
  if (part == "false") return "true";
  return "(not " + part + ")";
}

Smt2Layout::Index Smt2Layout::add(const std::string& name, std::uint32_t width) {
  fields_.push_back({name, width, width_});
  width_ += width;
  return fields_.size() - 1;
}

std::string Smt2Change::text() const {
  if (!changed_) return "s";
  std::vector<std::string> parts;  // highest bits first, as `concat` has it; what is unchanged in one piece
  for (std::size_t f = terms_.size(); f-- > 0;) {
    if (!terms_[f].empty()) {
      parts.push_back(terms_[f]);
      continue;
    }
    const std::uint32_t high = layout_->fields()[f].at + layout_->fields()[f].width - 1;
    while (f > 0 && terms_[f - 1].empty()) --f;
    parts.push_back(fmt::format("((_ extract {} {}) s)", high, layout_->fields()[f].at));
  }
  return parts.size() == 1 ? parts.front() : fmt::format("(concat {})", fmt::join(parts, " "));
}

}  // namespace faultline::codegen
