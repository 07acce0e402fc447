// `check --certificate DIR`: writes the proof of a variant, and judges what was written at once.
#pragma once
#include <filesystem>
#include <string>

#include "checker/verdict.hpp"
#include "cli/settings.hpp"
#include "step/load.hpp"

namespace faultline::cli {

// Makes the proof again on the patched model as DIR will hold it (its lines differ from those of the model), writes it
// and has it judged from the files before they get their name. Returns what to tell the user on success. Throws
// std::runtime_error with a message; check::OverLimit when --timeout or --memory-limit ended it.
[[nodiscard]] std::string write_proof(const std::filesystem::path& dir, const step::Loaded& loaded,
                                      const step::Variant& variant, const check::Verdict& verdict,
                                      const Settings& settings);

}  // namespace faultline::cli
