#include "cli/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "checker/engine.hpp"
#include "step/state.hpp"

namespace faultline::cli {
namespace {

// A whole number in [low, high], or nothing.
std::optional<std::uint64_t> number(const std::string& text, std::uint64_t low, std::uint64_t high) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || value < low || value > high) return std::nullopt;
  return value;
}

std::string set_cpu_number(Settings& settings, const std::string& text) {
  const auto value = number(text, 1, step::max_cpus);
  if (!value) return "a number from 1 to " + std::to_string(step::max_cpus);
  settings.cpus = static_cast<std::uint32_t>(*value);
  return {};
}

std::string set_cpus(Settings& settings, const std::string& text) {
  if (text == "any") {
    settings.cpus.reset();
    return {};
  }
  const std::string expected = set_cpu_number(settings, text);
  return expected.empty() ? expected : expected + ", or `any`";
}

std::string set_memory(Settings& settings, const std::string& text) {
  if (text != "sc" && text != "tso") return "sc or tso";
  settings.memory = text;
  settings.memory_given = true;
  return {};
}

std::string set_engine(Settings& settings, const std::string& text) {
  if (text != "auto" && text != "all" && check::find_engine(text) == nullptr) {
    std::string expected = "auto";
    for (const check::Engine& engine : check::engines()) expected += ", " + engine.name;
    return expected + " or all";
  }
  settings.engine = text;
  return {};
}

std::string set_timeout(Settings& settings, const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value) || value <= 0) return "seconds, more than 0";
  settings.timeout = value;
  return {};
}

std::string set_memory_limit(Settings& settings, const std::string& text) {
  const auto value = number(text, 1, 1U << 24U);
  if (!value) return "MiB, a whole number of at least 1";
  settings.memory_limit = *value;
  return {};
}

std::string set_threads(Settings& settings, const std::string& text) {
  if (text == "all") {
    settings.threads = 0;
    return {};
  }
  const auto value = number(text, 1, 1024);
  if (!value) return "a number of threads from 1 to 1024, or `all`";
  settings.threads = static_cast<unsigned>(*value);
  return {};
}

std::string set_target(Settings& settings, const std::string& text) {
  if (text == "promela") {
    settings.to = ExportTo::promela;
  } else if (text == "murphi") {
    settings.to = ExportTo::murphi;
  } else if (text == "smt2") {
    settings.to = ExportTo::smt2;
  } else if (text == "dot") {
    settings.to = ExportTo::dot;
  } else {
    return "promela, murphi, smt2 or dot";
  }
  return {};
}

std::string set_depth(Settings& settings, const std::string& text) {
  const auto value = number(text, 1, 1000);
  if (!value) return "steps, a number from 1 to 1000";
  settings.depth = static_cast<std::uint32_t>(*value);
  return {};
}

std::string set_format(Settings& settings, const std::string& text) {
  if (text == "text") {
    settings.format = Format::text;
  } else if (text == "json") {
    settings.format = Format::json;
  } else {
    return "text or json";
  }
  return {};
}

}  // namespace

const std::vector<CommandRow>& commands() {
  static const std::vector<CommandRow> table = {
      {Command::check, "check", "MODEL…", 1, SIZE_MAX,
       "a proof of race safety, or the shortest interleaving that breaks it",
       "Checks every variant of each model, or those named by --variant. Without --cpus it looks for a counterexample "
       "with "
       "few CPUs and then for a proof that holds for any number of them.",
       "faultline check thp_fault.fl                      # every variant\n"
       "faultline check thp_fault.fl --variant unstable   # one of them\n"
       "faultline check thp_fault.fl --cpus 3 --full      # three CPUs, every step of a trace\n"
       "faultline check thp_fault.fl --format json        # one JSON object a line",
       false, "fl"},
      {Command::cost, "cost", "MODEL…", 1, SIZE_MAX, "what one fault takes: allocations, locks, IPIs, by start state",
       "Counts one undisturbed run of a handler for each `cost` line of the model, and shows in which states each "
       "variant "
       "passes the guards that its patch changed. A model counts cost per fault, not faults per workload.",
       "faultline cost thp_fault.fl                       # all variants side by side\n"
       "faultline cost thp_fault.fl --variant base --variant guard_none",
       false, "fl"},
      {Command::ablate, "ablate", "MODEL", 1, 1, "which lock, check, flush or barrier matters: each is taken out once",
       "Takes each lock pair, check, wait, flush and barrier out of one proved variant, one at a time, checks what is "
       "left, and says which removal breaks the proof, and how, and which keeps it. Where only a declared rule is "
       "broken (`under lock`, `after flush`), the rule is struck and the removal judged again. Exit 0: the table was "
       "made; 3: some removal is unknown; and as `check` where the variant itself is not proved.",
       "faultline ablate thp_fault.fl --variant unstable          # the table\n"
       "faultline ablate thp_fault.fl --variant unstable --trace  # and the shortest trace of each removal\n"
       "faultline ablate thp_fault.fl --variant unstable --cpus 2 # two CPUs only: quicker, and says less",
       false, "fl"},
      {Command::test, "test", "PATH…", 1, SIZE_MAX, "models against their own `expect` lines; folders are searched",
       "Searches folders for *.fl, checks each variant that an `expect` line names, and compares. Statements, states "
       "and arrows that "
       "nothing reaches fail the test unless the model marks them `unreachable`. Exit 0: everything is as expected.",
       "faultline test models/                            # the whole corpus\n"
       "faultline test thp_fault.fl --timeout 60",
       false, "fl"},
      {Command::certify, "certify", "DIR…", 1, SIZE_MAX, "judge a certificate again, from its files alone",
       "Reads what `check --certificate DIR` wrote: hashes, the view set against the lowered model, and the SMT-LIB "
       "queries, "
       "which are made anew, compared, and given to Z3. Exit 1 names the obligation that fails.",
       "faultline certify proof                           # after: check thp_fault.fl --variant unstable --certificate "
       "proof",
       false, "dir"},
      {Command::export_model, "export", "MODEL", 1, 1, "the model in the language of Spin, Rumur, Z3 or Graphviz",
       "Prints one variant for another tool. Promela (Spin) and Murphi (Rumur) have the same steps and the same plain "
       "states for "
       "N CPUs on each `any` line. SMT-LIB asks a solver for a violation within so many steps. Progress and deadlock "
       "stay "
       "here. dot draws the states and arrows of the entries.",
       "faultline export thp_fault.fl --variant unstable --cpus 2 --to promela > unstable.pml\n"
       "faultline export thp_fault.fl --variant base --to smt2 --depth 19 > base.smt2\n"
       "faultline export thp_fault.fl --to dot | dot -Tsvg > pmd.svg",
       false, "fl"},
      {Command::explain, "explain", "CODE", 1, 1, "what a diagnostic code such as FL0301 means, with an example",
       "Prints the page of one diagnostic: what is wrong, why it matters, and the same lines repaired.",
       "faultline explain FL0301", false, "code"},
      {Command::version, "version", "", 0, 0, "the version of Faultline", "Prints the version.", "faultline version",
       false, ""},
      {Command::completions, "completions", "SHELL", 1, 1, "completions for bash, zsh or fish",
       "Prints the completion script of a shell.", "faultline completions bash", true, "bash zsh fish"},
  };
  return table;
}

const std::vector<OptionRow>& options() {
  using enum Command;
  static const std::vector<OptionRow> table = {
      {"--variant",
       "NAME",
       "all",
       "only this variant; may be given again",
       true,
       {check, cost, test, export_model},
       [](Settings& s, const std::string& text) {
         s.variants.push_back(text);
         return std::string();
       }},
      {"--variant",
       "NAME",
       "",
       "the variant; needed where the model has several",
       false,
       {ablate},
       [](Settings& s, const std::string& text) {
         s.variants.push_back(text);
         return std::string();
       }},
      {"--cpus", "N|any", "any", "CPUs on each `on any cpus` line", false, {check, ablate}, set_cpus},
      {"--cpus", "N", "2", "CPUs on each `on any cpus` line", false, {export_model}, set_cpu_number},
      {"--to", "promela|murphi|smt2|dot", "", "the language; needed", false, {export_model}, set_target},
      {"--depth", "D", "20", "steps that --to smt2 looks ahead", false, {export_model}, set_depth},
      {"--memory",
       "sc|tso",
       "as the model",
       "memory order; only sc is built, tso gives `unknown`",
       false,
       {check},
       set_memory},
      {"--engine",
       "NAME",
       "auto",
       "explicit, bmc, kinduction, views, datalog or backward; all: each, held against the others",
       false,
       {check},
       set_engine},
      {"--z3",
       "",
       "",
       "have Z3 judge the certificate, however large it is",
       false,
       {check, ablate},
       [](Settings& s, const std::string&) {
         s.z3 = true;
         return std::string();
       }},
      {"--no-z3",
       "",
       "",
       "leave Z3 out: the checker of our own judges alone",
       false,
       {check, test, certify},
       [](Settings& s, const std::string&) {
         s.z3 = false;
         return std::string();
       }},
      {"--timeout", "S", "none", "seconds for each variant or removal", false, {check, ablate, test}, set_timeout},
      {"--memory-limit",
       "MIB",
       "none",
       "memory for each variant or removal",
       false,
       {check, ablate, test},
       set_memory_limit},
      {"--threads", "T", "all", "threads of the explicit search", false, {check, ablate, test}, set_threads},
      {"--no-reduction",
       "",
       "",
       "count plain states: CPUs and objects kept apart (with --cpus N)",
       false,
       {check},
       [](Settings& s, const std::string&) {
         s.reduction = false;
         return std::string();
       }},
      {"--explain-proof",
       "",
       "",
       "what a proof for any number of CPUs knows at each line",
       false,
       {check},
       [](Settings& s, const std::string&) {
         s.explain = true;
         return std::string();
       }},
      {"--full",
       "",
       "",
       "every step of a counterexample",
       false,
       {check, ablate, test},
       [](Settings& s, const std::string&) {
         s.full = true;
         return std::string();
       }},
      {"--trace",
       "",
       "",
       "the shortest trace of each removal that breaks the proof",
       false,
       {ablate},
       [](Settings& s, const std::string&) {
         s.trace = true;
         return std::string();
       }},
      {"--no-timing",
       "",
       "",
       "leave seconds out: equal runs print equal bytes",
       false,
       {check, ablate, test},
       [](Settings& s, const std::string&) {
         s.timing = false;
         return std::string();
       }},
      {"--certificate",
       "DIR",
       "",
       "write the proof there, for `faultline certify` and any SMT solver",
       false,
       {check},
       [](Settings& s, const std::string& text) {
         s.certificate = text;
         return std::string();
       }},
      {"--format", "text|json", "text", "what is printed", false, {check, cost, ablate}, set_format},
  };
  return table;
}

const CommandRow& row(Command command) {
  return *std::find_if(commands().begin(), commands().end(), [&](const CommandRow& r) { return r.id == command; });
}

const CommandRow* find_command(std::string_view name) {
  const auto found =
      std::find_if(commands().begin(), commands().end(), [&](const CommandRow& r) { return r.name == name; });
  return found == commands().end() ? nullptr : &*found;
}

std::vector<const OptionRow*> options_of(Command command) {
  std::vector<const OptionRow*> result;
  for (const OptionRow& option : options()) {
    if (std::find(option.commands.begin(), option.commands.end(), command) != option.commands.end()) {
      result.push_back(&option);
    }
  }
  return result;
}

}  // namespace faultline::cli
