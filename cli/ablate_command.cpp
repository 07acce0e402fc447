#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <stdexcept>

#include "checker/ablation.hpp"
#include "checker/static_verdict.hpp"
#include "cli/ablate_report.hpp"
#include "cli/commands.hpp"
#include "cli/loading.hpp"
#include "cli/report_json.hpp"
#include "cli/run.hpp"

namespace faultline::cli {
namespace {

int refuse(const std::string& message, Streams& streams) {
  streams.err << painted("faultline: ", Ink::red, streams.err_colour) << message << "\n";
  return exit_invalid;
}

std::string names_of(const step::Loaded& loaded) {
  std::string names;
  for (const step::Variant& variant : loaded.variants) names += (names.empty() ? "" : ", ") + variant.name;
  return names;
}

TextOptions text_options(const Settings& settings, const Streams& streams) {
  TextOptions text;
  text.full = settings.full;
  text.colour = streams.out_colour;
  text.timing = settings.timing;
  return text;
}

// Synchronisation that does not do its work cannot be told from synchronisation that is not needed.
int not_proved(const check::Verdict& verdict, const ReportContext& context, const Settings& settings,
               Streams& streams) {
  if (settings.format == Format::json)
    streams.out << report_json(verdict, context, settings.timing) << "\n";
  else
    streams.out << report_text(verdict, context, text_options(settings, streams));
  streams.err << fmt::format("faultline: {} [{}] is not proved as it stands, so there is nothing to take out\n",
                             verdict.model, verdict.variant);
  return verdict.answer == check::Answer::violated ? exit_violated : exit_unknown;
}

int ablate(const step::Loaded& loaded, const step::Variant& variant, const Settings& settings, Streams& streams) {
  check::CheckOptions options = checker_options(settings);
  options.memory = variant.model.memory;
  options.z3 = settings.z3.value_or(false);  // the own judge of certificates is enough for a table
  Progress progress(streams.err, streams.progress);
  const ReportContext context = context_of(loaded, variant);
  const check::Verdict proved = run_checker(variant.program, options, progress, "the variant as it stands");
  if (proved.answer != check::Answer::proved) return not_proved(proved, context, settings, streams);
  options.progress = proved.violations.empty();  // a progress line that fails already says nothing about a removal
  const auto results =
      check::judge_ablations(variant, proved, [&](const step::Program& program, const std::string& doing) {
        try {
          return run_checker(program, options, progress, doing);
        } catch (const std::logic_error& error) {  // a check of Faultline on itself: say which removal led to it
          throw std::logic_error(fmt::format("without {}: {}", doing, error.what()));
        }
      });
  progress.finish();
  if (settings.format == Format::json) {
    streams.out << ablation_json(proved, results, context, settings.trace, settings.timing) << "\n";
  } else {
    const TextOptions text = text_options(settings, streams);
    TextOptions wide = text;
    wide.width = 120;  // a row has five columns
    streams.out << ablation_table(proved, results, wide);
    if (settings.trace) streams.out << ablation_traces(results, context, text);
  }
  const bool unknown = std::any_of(results.begin(), results.end(), [](const check::AblationResult& result) {
    return result.answer == check::AblationAnswer::unknown;
  });
  return unknown ? exit_unknown : exit_fine;
}

}  // namespace

int ablate_command(const Settings& settings, Streams& streams) {
  const std::string& path = settings.operands.front();
  const step::Loaded loaded = step::load(path, settings.variants);
  if (!report_file(path, loaded, settings.format, streams)) return exit_invalid;
  if (loaded.variants.size() != 1)
    return refuse(fmt::format("one variant at a time; --variant is one of {}", names_of(loaded)), streams);
  const step::Variant& variant = loaded.variants.front();
  switch (health(variant)) {
    case Health::invalid: report_invalid(path, loaded, variant, settings.format, streams); return exit_invalid;
    case Health::wrong: {
      const int code = not_proved(check::static_verdict(variant), context_of(loaded, variant), settings, streams);
      if (settings.format == Format::text) streams.out << "\n" << rendered_errors(variant, loaded, streams.out_colour);
      return code;
    }
    case Health::sound: break;
  }
  return ablate(loaded, variant, settings, streams);
}

}  // namespace faultline::cli
