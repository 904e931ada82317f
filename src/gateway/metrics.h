// The numbers of the server as Prometheus text.
#pragma once

#include <string>

#include "gateway/route.h"
#include "gateway/server_status.h"

namespace rouse {

std::string prometheus_text(const RouteTable& table, const ServerStatus& status,
                            std::size_t live_pages);

}  // namespace rouse
