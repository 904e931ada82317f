// What somebody asks for at the terminal, as the API wants to hear it. Pure: the words of the
// command line go in, a request body comes out; what the server knows better (zones, cron) it
// checks itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace rouse::cli {

// "" and none mean: not said.
struct AutomationWords {
  std::string session = {}, name = {}, message = {};
  std::string cron = {}, zone = {}, every = {}, at = {};
  std::string catch_up = {}, timeout = {}, window = {}, gate = {}, key = {};
  std::optional<std::int64_t> catch_up_max = {};
  std::string output_file = {}, output_session = {}, project_path = {};
  std::vector<std::string> tools = {};
  bool isolated = false, notify = false, paused = false;
};

// The body of a creation, which needs to know when.
Result<std::string> creation_body(const AutomationWords& words, WallTime now);
// The body of an edit: only what was said. One that says nothing is refused.
Result<std::string> edit_body(const AutomationWords& words, WallTime now);

}  // namespace rouse::cli
