#include <fmt/format.h>

#include <ostream>
#include <stdexcept>

#include "checker/engine.hpp"
#include "checker/static_verdict.hpp"
#include "cli/bug_report.hpp"
#include "cli/commands.hpp"
#include "cli/loading.hpp"
#include "cli/report_json.hpp"
#include "cli/run.hpp"
#include "cli/writing.hpp"

namespace faultline::cli {
namespace {

int exit_code(check::Answer answer) {
  switch (answer) {
    case check::Answer::proved: return exit_fine;
    case check::Answer::violated: return exit_violated;
    case check::Answer::unknown: return exit_unknown;
  }
  return exit_internal;
}

// One run of `faultline check`: prints as it goes, and keeps what the last lines need.
class Run {
 public:
  Run(const Settings& settings, Streams& streams) : settings_(settings), streams_(streams) {
    text_.full = settings.full;
    text_.colour = streams.out_colour;
    text_.timing = settings.timing;
  }

  void model(const std::string& path) {
    const step::Loaded loaded = step::load(path, settings_.variants);
    if (!report_file(path, loaded, settings_.format, streams_)) {
      code_ = worse(code_, exit_invalid);
      return;
    }
    for (const step::Variant& one : loaded.variants) {
      try {
        variant(path, loaded, one);
      } catch (const std::logic_error& error) {  // a check of Faultline on itself: never a verdict
        code_ = worse(code_, report_fault({error.what(), loaded, one, nullptr, settings_.command_line}, streams_));
      }
    }
  }

  int finish() {
    if (settings_.format == Format::text && verdicts_.size() > 1)
      streams_.out << "\n" << summary_line(verdicts_, streams_.out_colour);
    return code_;
  }

 private:
  void variant(const std::string& path, const step::Loaded& loaded, const step::Variant& one) {
    switch (health(one)) {
      case Health::invalid:
        report_invalid(path, loaded, one, settings_.format, streams_);
        code_ = worse(code_, exit_invalid);
        return;
      case Health::wrong:
        print(check::static_verdict(one), loaded, one);
        if (settings_.format == Format::text) streams_.out << "\n" << rendered_errors(one, loaded, streams_.out_colour);
        return;
      case Health::sound: break;
    }
    check::CheckOptions options = checker_options(settings_);
    if (!settings_.memory_given) options.memory = one.model.memory;
    const check::Verdict verdict = run_checker(one.program, options, streams_);
    if (!verdict.contradictions.empty()) {
      const std::string what = fmt::format("{}", fmt::join(verdict.contradictions, "\n"));
      code_ = worse(code_, report_fault({what, loaded, one, &verdict, settings_.command_line}, streams_));
      return;
    }
    print(verdict, loaded, one);
    if (!settings_.certificate.empty()) certificate(verdict, loaded, one);
  }

  void print(const check::Verdict& verdict, const step::Loaded& loaded, const step::Variant& one) {
    if (settings_.format == Format::json) {
      streams_.out << report_json(verdict, context_of(loaded, one), settings_.timing) << std::endl;
    } else {
      if (!verdicts_.empty()) streams_.out << "\n";
      streams_.out << report_text(verdict, context_of(loaded, one), text_) << std::flush;
    }
    code_ = worse(code_, exit_code(verdict.answer));
    verdicts_.push_back(verdict);
  }

  void certificate(const check::Verdict& verdict, const step::Loaded& loaded, const step::Variant& one) {
    if (!verdict.certificate) {
      streams_.err << fmt::format("faultline: no certificate of {}: it has no proof for any number of CPUs\n",
                                  one.name);
      return;
    }
    // One proof goes to DIR itself; of several, each has a folder of its own in there.
    const bool alone = settings_.operands.size() == 1 && loaded.variants.size() == 1;
    std::filesystem::path dir = settings_.certificate;
    if (!alone) dir /= verdict.model + "-" + one.name;
    try {
      streams_.err << write_proof(dir, loaded, one, verdict, settings_) << "\n";
    } catch (const check::OverLimit& limit) {
      streams_.err << fmt::format("faultline: no certificate of {}: {}\n", one.name, limit.what());
      code_ = worse(code_, exit_unknown);
    } catch (const std::runtime_error& error) {
      streams_.err << "faultline: " << error.what() << "\n";
      code_ = worse(code_, exit_invalid);
    }
  }

  const Settings& settings_;
  Streams& streams_;
  TextOptions text_;
  int code_ = exit_fine;
  std::vector<check::Verdict> verdicts_;
};

}  // namespace

int check_command(const Settings& settings, Streams& streams) {
  const check::Engine* engine = check::find_engine(settings.engine);
  if (engine != nullptr && engine->any && settings.cpus) {
    streams.err << fmt::format("faultline: `--engine {}` proves for any number of CPUs; leave `--cpus` out\n",
                               engine->name);
    return exit_invalid;
  }
  if (engine != nullptr && !engine->any && engine->name != "explicit" && !settings.cpus) {
    streams.err << fmt::format("faultline: `--engine {}` looks at a fixed number of CPUs; give `--cpus N`\n",
                               engine->name);
    return exit_invalid;
  }
  if (settings.cpus && !settings.certificate.empty()) {
    streams.err << "faultline: a certificate is a proof for any number of CPUs; leave `--cpus` out\n";
    return exit_invalid;
  }
  Run run(settings, streams);
  for (const std::string& path : settings.operands) run.model(path);
  return run.finish();
}

}  // namespace faultline::cli
