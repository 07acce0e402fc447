#include <fmt/format.h>

#include <ostream>

#include "cli/commands.hpp"
#include "cli/run.hpp"

namespace faultline::cli {

int version_command(Streams& streams) {
  streams.out << "faultline " FAULTLINE_VERSION "\n";
  return exit_fine;
}

}  // namespace faultline::cli
