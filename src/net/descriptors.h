// File descriptors are what a server runs out of first: each connection is one.
#pragma once

#include <cstddef>

namespace rouse {

// Raises RLIMIT_NOFILE to its hard limit and returns how many descriptors the process may now open.
// Called once by the wiring; a failure leaves the limit as it was.
std::size_t raise_descriptor_limit();

}  // namespace rouse
