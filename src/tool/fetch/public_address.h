// Which addresses a fetch may reach: those of the public internet (SC-7). Everything that leads to
// this machine, to its neighbours or to a cloud's metadata service is not public, in whatever
// spelling: IPv4 inside of IPv6 (mapped, compatible, 6to4, NAT64) counts as the IPv4 it stands for,
// or is refused.
#pragma once

#include <string_view>

#include "net/url.h"

namespace rouse {

// For a resolved address. What can't be read as one is not public.
bool is_public_address(std::string_view address);

// Whether the host is written as programs agree on: a name, or an address in its usual form.
// Numbers like 2130706433, 0x7f.1, 0177.0.0.1 or 127.1 are addresses to some and names to others.
bool is_plain_host(const Url& url);

}  // namespace rouse
