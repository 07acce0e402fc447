#include "cli/command_line.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli/completions.hpp"
#include "cli/help.hpp"
#include "cli/progress.hpp"
#include "cli/run.hpp"
#include "cli/words.hpp"

namespace faultline::testing {
namespace {

using cli::Command;

cli::Invocation accepted(const std::vector<std::string>& words) {
  const auto read = cli::read_command_line(words);
  const auto* error = std::get_if<cli::UsageError>(&read);
  EXPECT_EQ(error, nullptr) << (error == nullptr ? "" : error->message);
  const auto* invocation = std::get_if<cli::Invocation>(&read);
  return invocation == nullptr ? cli::Invocation{} : *invocation;
}

std::string refused(const std::vector<std::string>& words) {
  const auto read = cli::read_command_line(words);
  const auto* error = std::get_if<cli::UsageError>(&read);
  return error == nullptr ? "accepted" : error->message;
}

TEST(CommandLine, ReadsEveryOptionOfCheck) {
  const auto read = accepted({"check",         "a.fl",
                              "--variant",     "x",
                              "--variant=y",   "b.fl",
                              "--cpus",        "3",
                              "--memory",      "tso",
                              "--engine",      "views",
                              "--no-z3",       "--timeout",
                              "1.5",           "--memory-limit",
                              "300",           "--no-reduction",
                              "--threads",     "2",
                              "--full",        "--no-timing",
                              "--certificate", "dir",
                              "--format",      "json"});
  EXPECT_EQ(read.command, Command::check);
  const cli::Settings& s = read.settings;
  EXPECT_EQ(s.operands, (std::vector<std::string>{"a.fl", "b.fl"}));
  EXPECT_EQ(s.variants, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(s.cpus, 3U);
  EXPECT_EQ(s.memory, "tso");
  EXPECT_EQ(s.engine, "views");
  EXPECT_EQ(s.z3, false);
  EXPECT_EQ(s.timeout, 1.5);
  EXPECT_EQ(s.memory_limit, 300U);
  EXPECT_EQ(s.threads, 2U);
  EXPECT_FALSE(s.reduction);
  EXPECT_TRUE(s.full);
  EXPECT_FALSE(s.timing);
  EXPECT_EQ(s.certificate, "dir");
  EXPECT_EQ(s.format, cli::Format::json);
}

TEST(CommandLine, DefaultsAskForAnyNumberOfCpus) {
  const cli::Settings s = accepted({"check", "a.fl"}).settings;
  EXPECT_FALSE(s.cpus);
  EXPECT_FALSE(s.z3);
  EXPECT_TRUE(s.reduction && s.timing && !s.full);
  EXPECT_FALSE(accepted({"check", "--cpus", "any", "a.fl"}).settings.cpus);
}

TEST(CommandLine, WordsBehindTwoDashesAreOperands) {
  EXPECT_EQ(accepted({"check", "--", "--full"}).settings.operands, std::vector<std::string>{"--full"});
  EXPECT_EQ(accepted({"check", "--", "--help"}).settings.operands, std::vector<std::string>{"--help"});
}

TEST(CommandLine, ErrorsAreInOurWords) {
  EXPECT_EQ(refused({"chekc", "a.fl"}), "there is no subcommand `chekc`\ndid you mean `check`?");
  EXPECT_EQ(refused({"frobnicate"}), "there is no subcommand `frobnicate`\n`faultline --help` lists the subcommands");
  EXPECT_EQ(refused({"check", "a.fl", "--cpu", "2"}),
            "`faultline check` has no option `--cpu`\ndid you mean `--cpus`?");
  EXPECT_EQ(refused({"check", "a.fl", "--colour=no"}),
            "`faultline check` has no option `--colour`\n`faultline check --help` lists the options");
  EXPECT_EQ(refused({"certify", "dir", "--cpus", "2"}),
            "`--cpus` is not an option of `faultline certify`\n`faultline certify --help` lists the options");
  EXPECT_EQ(refused({"check", "a.fl", "--cpus"}), "`--cpus` needs an argument");
  EXPECT_EQ(refused({"check", "a.fl", "--cpus="}), "`--cpus` needs an argument");
  EXPECT_EQ(refused({"check", "a.fl", "--cpus", "--full"}), "--cpus --full: expected a number from 1 to 16, or `any`");
  EXPECT_EQ(refused({"check", "a.fl", "--full=yes"}), "`--full` takes no argument");
  EXPECT_EQ(refused({"check", "a.fl", "--cpus", "2", "--cpus", "3"}), "`--cpus` is given 2 times");
  EXPECT_EQ(refused({"check"}), "`faultline check` needs MODEL…\n`faultline check --help` has examples");
  EXPECT_EQ(refused({"explain", "FL0101", "FL0102"}), "`faultline explain` takes CODE; `FL0102` is one too many");
  EXPECT_EQ(refused({"version", "now"}), "`faultline version` takes nothing else; `now` is one too many");
  EXPECT_EQ(refused({"--full", "check"}), "`--full` stands before a subcommand; write `faultline check MODEL --full`");
}

TEST(CommandLine, ArgumentsOutOfRangeAreRefused) {
  for (const char* cpus : {"0", "17", "-1", "two", "2x", "4294967297"}) {
    EXPECT_EQ(refused({"check", "a.fl", std::string("--cpus=") + cpus}).substr(0, 7), "--cpus ") << cpus;
  }
  for (const char* seconds : {"0", "-3", "nan", "inf", "1s"}) {
    EXPECT_EQ(refused({"check", "a.fl", std::string("--timeout=") + seconds}).substr(0, 10), "--timeout ") << seconds;
  }
  EXPECT_EQ(refused({"check", "a.fl", "--format", "xml"}), "--format xml: expected text or json");
  EXPECT_EQ(refused({"check", "a.fl", "--engine", "spin"}),
            "--engine spin: expected auto, explicit, bmc, kinduction, views, datalog, backward or all");
  EXPECT_EQ(refused({"export", "a.fl", "--to", "dot", "--cpus", "any"}), "--cpus any: expected a number from 1 to 16");
  EXPECT_EQ(refused({"export", "a.fl", "--to", "pomela"}), "--to pomela: expected promela, murphi, smt2 or dot");
  EXPECT_EQ(refused({"export", "a.fl", "--to", "smt2", "--depth", "0"}),
            "--depth 0: expected steps, a number from 1 to 1000");
  EXPECT_EQ(refused({"check", "a.fl", "--memory", "weak"}), "--memory weak: expected sc or tso");
}

TEST(Help, FitsAScreen) {
  std::istringstream lines(cli::program_help());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(cli::columns(line), 80U) << line;
  EXPECT_LE(count, 24);
}

TEST(Help, EachSubcommandHasExamplesAndItsOptions) {
  for (const cli::CommandRow& command : cli::commands()) {
    const std::string help = cli::command_help(command);
    EXPECT_NE(help.find("examples:\n  faultline " + std::string(command.name)), std::string::npos) << help;
    for (const cli::OptionRow* option : cli::options_of(command.id)) {
      EXPECT_NE(help.find(option->name), std::string::npos) << option->name;
    }
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(cli::columns(line), 120U) << line;
  }
}

TEST(Help, IsAskedForInSeveralWays) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{},
                                             {"--help"},
                                             {"-h"},
                                             {"help"},
                                             {"help", "check"},
                                             {"check", "--help"},
                                             {"check", "a.fl", "--cpus", "2", "-h"}}) {
    EXPECT_TRUE(std::holds_alternative<cli::HelpWanted>(cli::read_command_line(words)));
  }
}

TEST(Completions, NameEveryOptionAndNoHiddenCommand) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = cli::completions(shell);
    for (const cli::OptionRow& option : cli::options()) {
      const std::string name(option.name.substr(shell == std::string("fish") ? 2 : 0));
      EXPECT_NE(script.find(name), std::string::npos) << shell << " " << name;
    }
    EXPECT_EQ(script.find("'completions"), std::string::npos);
  }
  EXPECT_EQ(cli::completions("tcsh"), "");
}

TEST(ManPage, NamesEveryOptionAndCommand) {
  std::ifstream file(std::string(FAULTLINE_SOURCE_DIR) + "/docs/faultline.1");
  std::stringstream all;
  all << file.rdbuf();
  std::string page = all.str();
  for (std::size_t at = page.find("\\-"); at != std::string::npos; at = page.find("\\-")) page.erase(at, 1);
  for (const cli::OptionRow& option : cli::options()) {
    EXPECT_NE(page.find(option.name), std::string::npos) << option.name;
  }
  for (const cli::CommandRow& command : cli::commands()) {
    const bool named = page.find("faultline " + std::string(command.name)) != std::string::npos;
    EXPECT_EQ(named, !command.hidden) << command.name;
  }
}

TEST(ExitCodes, TheMoreTellingOneWins) {
  EXPECT_EQ(cli::worse(0, 3), 3);
  EXPECT_EQ(cli::worse(3, 1), 1);
  EXPECT_EQ(cli::worse(2, 1), 2);
  EXPECT_EQ(cli::worse(70, 2), 70);
  EXPECT_EQ(cli::worse(0, 0), 0);
}

struct Ran {
  int code;
  std::string out;
  std::string err;
};

Ran ran(const std::vector<std::string>& words) {
  std::ostringstream out;
  std::ostringstream err;
  cli::Streams streams{out, err};
  const int code = cli::run(words, streams);
  return {code, out.str(), err.str()};
}

TEST(Run, UsageErrorsGoToStderrAndExitTwo) {
  const Ran unknown = ran({"chekc"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.out, "");
  EXPECT_EQ(unknown.err, "faultline: there is no subcommand `chekc`\ndid you mean `check`?\n");
  EXPECT_EQ(ran({"completions", "tcsh"}).code, 2);
}

TEST(Run, ExplainPrintsAPage) {
  const Ran page = ran({"explain", "fl0301"});
  EXPECT_EQ(page.code, 0);
  EXPECT_EQ(page.out.substr(0, 8), "FL0301: ");
  const Ran none = ran({"explain", "FL9999"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("there is no diagnostic `FL9999`"), std::string::npos);
}

TEST(Progress, IsSilentWhenPipedAndInTheFirstSecond) {
  using namespace std::chrono_literals;
  const auto start = cli::Progress::Clock::now();
  std::ostringstream piped;
  std::ostringstream terminal;
  {
    cli::Progress silent(piped, false, start);
    silent.update("2 CPUs", 100, 5, start + 5s);
    cli::Progress shown(terminal, true, start);
    shown.update("2 CPUs", 0, 0, start);
    shown.update("2 CPUs", 100, 5, start + 500ms);
    EXPECT_EQ(terminal.str(), "");
    shown.update("2 CPUs", 3000, 17, start + 2s);
    shown.update("z3", 2822, 0, start + 3s);
  }
  EXPECT_EQ(piped.str(), "");
  EXPECT_EQ(terminal.str(),
            "\r2 CPUs: 3,000 states, depth 17, 1,500/s, 2 s\x1b[K\rz3: 2,822 states, 3 s\x1b[K\r\x1b[K");
}

}  // namespace
}  // namespace faultline::testing
