#include "dsl/protocol.hpp"

namespace faultline::dsl {

void check_protocol(const Model&, const Flows&, Diagnostics&) {}

}  // namespace faultline::dsl
