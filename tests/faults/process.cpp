#include "tests/faults/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace faultline::faults {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

int nameless_file() {
  std::string name = "/tmp/faultline-output-XXXXXX";
  const int file = ::mkstemp(name.data());
  if (file < 0) throw std::runtime_error("no file for the output of a program");
  ::unlink(name.c_str());
  return file;
}

std::string content(int file) {
  std::string text;
  ::lseek(file, 0, SEEK_SET);
  char part[4096];
  for (::ssize_t n = 0; (n = ::read(file, part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(n));
  return text;
}

double seconds(const ::timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; }

}  // namespace

Process::Process(const std::vector<std::string>& arguments, const How& how)
    : out_(nameless_file()), err_(nameless_file()), started_(now()), how_(how) {
  id_ = ::fork();
  if (id_ < 0) throw std::runtime_error("no new process");
  if (id_ > 0) return;
  ::dup2(out_, STDOUT_FILENO);
  ::dup2(err_, STDERR_FILENO);
  for (const auto& [name, value] : how.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words = {const_cast<char*>(FAULTLINE_PROGRAM)};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::execv(FAULTLINE_PROGRAM, words.data());
  ::_exit(127);
}

Process::~Process() {
  if (id_ > 0) {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
  ::close(out_);
  ::close(err_);
}

Outcome Process::wait() {
  if (how_.kill_after) {
    std::this_thread::sleep_for(std::chrono::duration<double>(started_ + *how_.kill_after - now()));
    ::kill(id_, SIGKILL);
  }
  int status = 0;
  ::rusage usage{};
  if (::wait4(id_, &status, 0, &usage) != id_) throw std::runtime_error("the program is lost");
  id_ = -1;
  Outcome outcome;
  outcome.seconds = now() - started_;
  outcome.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  outcome.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) << 10U;
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  outcome.out = content(out_);
  outcome.err = content(err_);
  return outcome;
}

std::string model(const std::string& path) { return FAULTLINE_SOURCE_DIR "/models/" + path; }

}  // namespace faultline::faults
