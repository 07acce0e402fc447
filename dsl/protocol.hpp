// Static analysis of the protocol on the handlers' graphs: what all paths show to be wrong (FL04xx). Everything else is
// checked at run time.
#pragma once
#include "dsl/flow.hpp"

namespace faultline::dsl {

// FL0310 (a payload that the state does not have) and FL04xx.
void check_protocol(const Model& model, const Flows& flows, Diagnostics& diagnostics);

}  // namespace faultline::dsl
