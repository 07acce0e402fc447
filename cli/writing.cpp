#include "cli/writing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "checker/certificate.hpp"
#include "cli/words.hpp"

namespace faultline::cli {
namespace {

// The model with its patches applied and nothing left that speaks of variants.
std::string patched_text(const step::Variant& variant) {
  dsl::File file = variant.model.file;
  std::erase_if(file.items, [](const dsl::Item& item) { return item.patch != nullptr || item.expect != nullptr; });
  return dsl::print(file);
}

}  // namespace

std::string write_proof(const std::filesystem::path& dir, const step::Loaded& loaded, const step::Variant& variant,
                        const check::Verdict& verdict, const Settings& settings) {
  check::CertificateHead head;
  head.tool = "faultline " FAULTLINE_VERSION;
  head.source = std::filesystem::path(loaded.sources.front().name()).filename().string();
  head.patched = patched_text(variant);
  head.variant = variant.name;
  head.properties = variant.program.properties;
  head.scope = verdict.scope;

  const step::Loaded written = step::load_text("model.fl", head.patched);
  if (written.variants.empty() || written.variants.front().diagnostics.has_errors()) {
    throw std::logic_error("the patched model as printed cannot be read back");
  }
  step::Program program = written.variants.front().program;
  program.variant = variant.name;  // what is written has no patches any more: it is that variant
  check::ViewsOptions options;
  options.k = verdict.certificate->k;
  // The check has used a part of the time.
  if (settings.timeout > 0) options.limits.seconds = std::max(0.001, settings.timeout - verdict.seconds);
  options.limits.process_bytes = settings.memory_limit << 20U;
  const check::Watch watch(options.limits);
  const check::ViewsResult proof = check::views(program, options);
  watch.check();
  if (!proof.proved) throw std::runtime_error("the proof cannot be made again for the certificate: " + proof.reason);

  check::Limits rest = options.limits;
  rest.seconds = watch.left();
  const auto judge = [&](const std::filesystem::path& draft) {
    check::Limits last = options.limits;
    last.seconds = watch.left();
    const check::Judgement judgement = check::certify(draft, program, false, last);
    if (judgement.undecided) throw check::OverLimit(judgement.detail);
    if (!judgement.accepted)
      throw std::logic_error(
          fmt::format("the certificate just written is rejected: {} ({})", judgement.obligation, judgement.detail));
  };
  check::write_certificate(dir, head, program, proof.set, judge, rest);
  return fmt::format("certificate of {}: {}, {}; `faultline certify {}` judges it", variant.name, dir.string(),
                     plural(proof.set.views.size(), "view"), dir.string());
}

}  // namespace faultline::cli
