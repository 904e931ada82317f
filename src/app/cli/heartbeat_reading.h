// What the server says about heartbeats, for people to read.
#pragma once

#include <string>

#include <boost/json/value.hpp>

#include "base/time.h"

namespace rouse::cli {

// All of them, or the one of this name.
std::string heartbeat_status(const boost::json::value& answer, const std::string& name,
                             WallTime now);
// What one beat came to.
std::string beat_text(const boost::json::value& beat);
std::string heartbeat_history(const boost::json::value& page, WallTime now);

}  // namespace rouse::cli
