#include "cli/run.hpp"

int main(int argc, char** argv) {
  faultline::cli::Streams streams = faultline::cli::standard_streams();
  return faultline::cli::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), streams);
}
