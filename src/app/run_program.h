// A short program as a child of its own: with arguments, no shell, bounded in time and output.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/blocking_pool.h"
#include "base/clock.h"

namespace rouse {

// What it said if it was no success, else "".
Task<Result<std::string>> run_program(Loop& loop, Clock& clock, BlockingPool& pool,
                                      std::vector<std::string> command,
                                      std::vector<std::string> environment, std::stop_token stop);

}  // namespace rouse
