// Reading a file and refusing what no model can be: each refusal says what is wrong with the file, and where when it
// has a place.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "dsl/parse.hpp"
#include "dsl/parse_tokens.hpp"

namespace faultline::dsl {
namespace {

constexpr std::size_t largest_file = std::size_t{4} << 20U;

// Bytes that are no UTF-8 cannot be shown as they are: the line with a `?` for each.
std::string without_bad_bytes(std::string text) {
  for (std::size_t bad = first_bad_byte(text); bad != std::string::npos;) {
    text[bad] = '?';
    const std::size_t next = first_bad_byte(std::string_view(text).substr(bad));
    bad = next == std::string_view::npos ? next : bad + next;
  }
  return text;
}

}  // namespace

// 10FFFF).
std::size_t first_bad_byte(std::string_view text) {
  const auto at = [&text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto tail = [&at](std::size_t i) { return (at(i) & 0xC0U) == 0x80U; };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned lead = at(i);
    const unsigned next = at(i + 1);
    if (lead < 0x80U) {
      i += 1;
    } else if (lead >= 0xC2U && lead <= 0xDFU && tail(i + 1)) {
      i += 2;
    } else if (lead >= 0xE0U && lead <= 0xEFU && tail(i + 1) && tail(i + 2) && (lead != 0xE0U || next >= 0xA0U) &&
               (lead != 0xEDU || next < 0xA0U)) {
      i += 3;
    } else if (lead >= 0xF0U && lead <= 0xF4U && tail(i + 1) && tail(i + 2) && tail(i + 3) &&
               (lead != 0xF0U || next >= 0x90U) && (lead != 0xF4U || next < 0x90U)) {
      i += 4;
    } else {
      return i;
    }
  }
  return std::string_view::npos;
}

bool read_source(const std::string& path, Sources& sources, Diagnostics& diagnostics) {
  namespace fs = std::filesystem;
  const auto id = static_cast<std::uint32_t>(sources.size());
  const auto refuse = [&](std::string code, std::string message, std::vector<std::string> notes = {}) {
    if (sources.size() == id) sources.emplace_back(id, path, "");
    Span nowhere;
    nowhere.file = id;
    diagnostics.add({Severity::error, std::move(code), nowhere, std::move(message), {}, std::move(notes)});
    return false;
  };
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status))
    return refuse("FL0101", error && error != std::errc::no_such_file_or_directory
                                ? "cannot read this file: " + error.message()
                                : "there is no such file");
  if (fs::is_directory(status))
    return refuse("FL0102", "this is a directory, not a model",
                  {"`faultline test DIR` runs all models of a directory"});
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return refuse("FL0101", "cannot read this file: " + std::generic_category().message(errno));
  std::string text;
  char buffer[65536];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, count);
    if (text.size() > largest_file)
      return refuse("FL0103", "this file is too large for a model", {"at most 4 MiB are read"});
  }
  if (std::ferror(file.get()) != 0)
    return refuse("FL0101", "cannot read this file: " + std::generic_category().message(errno));
  if (text.empty()) return refuse("FL0104", "this file is empty", {"a model begins with `model NAME;`"});
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return refuse("FL0105", "this file is UTF-16, not UTF-8", {"save it as UTF-8"});
  }
  if (const std::size_t nul = text.find('\0'); nul != std::string::npos) {
    return refuse("FL0106", "this is a binary file, not a model", {fmt::format("byte {} is 0", nul)});
  }
  if (const std::size_t bad = first_bad_byte(text); bad != std::string::npos) {
    const unsigned byte = static_cast<unsigned char>(text[bad]);
    sources.emplace_back(id, path, without_bad_bytes(std::move(text)));
    diagnostics.add({Severity::error,
                     "FL0105",
                     sources[id].span(bad, bad + 1),
                     fmt::format("byte 0x{:02x} is not UTF-8", byte),
                     {},
                     {"models are UTF-8 text; an editor of today saves them so"}});
    return false;
  }
  sources.emplace_back(id, path, std::move(text));
  return true;
}

}  // namespace faultline::dsl
