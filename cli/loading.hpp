// Reads models for the commands and says what is wrong with them.
#pragma once
#include <string>
#include <vector>

#include "cli/report_text.hpp"
#include "cli/settings.hpp"
#include "cli/terminal.hpp"
#include "step/load.hpp"

namespace faultline::cli {

// What became of a variant: usable, shown wrong by the front end (FL04xx), or not understood.
enum class Health : std::uint8_t { sound, wrong, invalid };
[[nodiscard]] Health health(const step::Variant& variant);

// Prints what is wrong with the file as a whole, and the warnings of its variants, each once. Text goes to `err`; as
// JSON an invalid file is an object on `out`. True: the variants can be worked on.
[[nodiscard]] bool report_file(const std::string& path, const step::Loaded& loaded, Format format, Streams& streams);
// The same for one variant whose health is `invalid`.
void report_invalid(const std::string& path, const step::Loaded& loaded, const step::Variant& variant, Format format,
                    Streams& streams);

// Of a variant whose health is `wrong`: its diagnostics as text, with carets.
[[nodiscard]] std::string rendered_errors(const step::Variant& variant, const step::Loaded& loaded, bool colour);

[[nodiscard]] ReportContext context_of(const step::Loaded& loaded, const step::Variant& variant);

}  // namespace faultline::cli
