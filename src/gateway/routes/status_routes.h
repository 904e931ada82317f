// /health, /kernel/health, /api/health, /metrics, /openapi.json and the row of /ws.
#pragma once

#include "gateway/live_hub.h"
#include "gateway/route.h"
#include "gateway/server_status.h"

namespace rouse {

class StatusRoutes {
 public:
  StatusRoutes(const ServerStatus& status, const LiveHub& hub, const RouteTable& table)
      : status_(status), hub_(hub), table_(table) {}
  void add_to(RouteTable& table);

 private:
  const ServerStatus& status_;
  const LiveHub& hub_;
  const RouteTable& table_;
};

}  // namespace rouse
