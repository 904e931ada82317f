// Is this the name of a time zone of the IANA database? Names come from strangers, and the library
// below opens whatever path it is given and remembers every miss, so they are checked first.
#pragma once

#include <string_view>

namespace rouse {

bool is_time_zone(std::string_view name);  // "Europe/Berlin", "UTC"

}  // namespace rouse
