#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <stdexcept>

#include "checker/cost.hpp"
#include "checker/expect.hpp"
#include "checker/static_verdict.hpp"
#include "cli/commands.hpp"
#include "cli/loading.hpp"
#include "cli/run.hpp"
#include "cli/words.hpp"

namespace faultline::cli {
namespace {

// The models below a path, sorted; the path itself if it is a file.
std::vector<std::string> models_below(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return {path};
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file() && entry.path().extension() == ".fl") found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

class Tester {
 public:
  Tester(const Settings& settings, Streams& streams) : settings_(settings), streams_(streams) {}

  void model(const std::string& path) {
    streams_.out << painted(path, Ink::bold, streams_.out_colour) << "\n";
    const step::Loaded loaded = step::load(path, {});
    if (!report_file(path, loaded, Format::text, streams_)) {
      result(false, "the file cannot be read as a model", "");
      code_ = worse(code_, exit_invalid);
      return;
    }
    bool any = false;
    for (const dsl::Item& item : loaded.file.items) {
      if (!item.expect || !wanted(item.expect->variant.text)) continue;
      any = true;
      try {
        expectation(path, loaded, *item.expect);
      } catch (const std::logic_error& error) {
        streams_.err << fmt::format("faultline: internal error in {} [{}]: {}\n", path, item.expect->variant.text,
                                    error.what());
        result(false, item.expect->variant.text, "Faultline itself failed");
        code_ = worse(code_, exit_internal);
      }
    }
    if (!any) streams_.out << "  no `expect` line\n";
  }

  int finish() {
    streams_.out << fmt::format("\n{} passed, {} failed\n", passed_, failed_);
    if (passed_ + failed_ == 0) {
      streams_.err << "faultline: nothing was tested\n";
      return worse(code_, exit_invalid);
    }
    return failed_ == 0 ? code_ : worse(code_, exit_violated);
  }

 private:
  [[nodiscard]] bool wanted(const std::string& variant) const {
    const auto& only = settings_.variants;
    return only.empty() || std::find(only.begin(), only.end(), variant) != only.end();
  }

  void result(bool held, const std::string& what, const std::string& why) {
    (held ? passed_ : failed_)++;
    const std::string mark =
        held ? painted("ok  ", Ink::green, streams_.out_colour) : painted("FAIL", Ink::red, streams_.out_colour);
    streams_.out << "  " << mark << "  " << what << (why.empty() ? "" : ": " + why) << std::endl;
  }

  void expectation(const std::string& path, const step::Loaded& loaded, const dsl::ExpectItem& item) {
    const std::string& name = item.variant.text;
    const auto variant = std::find_if(loaded.variants.begin(), loaded.variants.end(),
                                      [&](const step::Variant& v) { return v.name == name; });
    if (variant == loaded.variants.end()) throw std::logic_error("an expect line names a variant that was not loaded");
    if (health(*variant) == Health::invalid) {
      report_invalid(path, loaded, *variant, Format::text, streams_);
      result(false, name, "the variant is invalid");
      code_ = worse(code_, exit_invalid);
      return;
    }
    const check::Verdict verdict = verdict_of(item, *variant);
    const check::CompareCosts compare = [&](const std::string& measure, const std::string& ours,
                                            const std::string& theirs) {
      return relation(loaded, measure, ours, theirs);
    };
    bool all_held = true;
    for (const check::Expectation& one : check::judge(item, verdict, compare)) {
      const std::string time = settings_.timing && one.held ? fmt::format("  ({})", seconds_text(verdict.seconds)) : "";
      result(one.held, fmt::format("{}: {}{}", name, one.text, time), one.held ? "" : one.why);
      all_held = all_held && one.held;
    }
    if (!all_held || settings_.full) {
      TextOptions text;
      text.full = settings_.full;
      text.colour = streams_.out_colour;
      text.timing = settings_.timing;
      streams_.out << "\n" << report_text(verdict, context_of(loaded, *variant), text) << "\n";
    }
    for (const step::Coverage& part : verdict.unreached) {
      result(false, fmt::format("{}: nothing reaches {}", name, place_text(part.span, loaded.sources)),
             fmt::format("{} (mark it `unreachable` if that is meant)", unreached_text(part)));
    }
  }

  check::Verdict verdict_of(const dsl::ExpectItem& item, const step::Variant& variant) {
    if (health(variant) == Health::wrong) return check::static_verdict(variant);
    check::CheckOptions options = checker_options(settings_);
    options.memory = variant.model.memory;
    return run_checker(variant.program, check::options_for(item, options), streams_);
  }

  static std::optional<int> relation(const step::Loaded& loaded, const std::string& measure, const std::string& ours,
                                     const std::string& theirs) {
    const auto costs = [&](const std::string& name) -> std::vector<check::HandlerCost> {
      for (const step::Variant& variant : loaded.variants) {
        if (variant.name == name && health(variant) == Health::sound) return check::handler_costs(variant.program);
      }
      return {};
    };
    switch (check::compare_costs(costs(ours), costs(theirs), measure)) {
      case check::CostRelation::fewer: return -1;
      case check::CostRelation::same: return 0;
      case check::CostRelation::more: return 1;
      case check::CostRelation::nothing:
      case check::CostRelation::mixed: break;
    }
    return std::nullopt;
  }

  const Settings& settings_;
  Streams& streams_;
  int code_ = exit_fine;
  std::size_t passed_ = 0;
  std::size_t failed_ = 0;
};

}  // namespace

int test_command(const Settings& settings, Streams& streams) {
  Tester tester(settings, streams);
  for (const std::string& path : settings.operands) {
    for (const std::string& model : models_below(path)) tester.model(model);
  }
  return tester.finish();
}

}  // namespace faultline::cli
