#include "cli/run.hpp"

// Read by jemalloc, where the program is linked with it: tables in huge pages (a third less time: each small page that
// is touched first is a fault), and one arena, since few threads allocate and memory is limited for the process as a
// whole.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "thp:always,narenas:1";
}

int main(int argc, char** argv) {
  faultline::cli::Streams streams = faultline::cli::standard_streams();
  return faultline::cli::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), streams);
}
