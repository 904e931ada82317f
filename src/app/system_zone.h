// The time zone of this machine by its IANA name: what TZ says, else where /etc/localtime points,
// else UTC.
#pragma once

#include <string>

namespace rouse {

std::string system_zone();

}  // namespace rouse
