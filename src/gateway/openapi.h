// The OpenAPI 3.1 document of everything in the route table.
#pragma once

#include <string>

#include "gateway/route.h"

namespace rouse {

std::string openapi_document(const RouteTable& table, std::string_view version,
                             std::string_view server_url);

}  // namespace rouse
