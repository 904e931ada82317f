#include "gateway/server_status.h"

namespace rouse {

HealthView ServerStatus::view() const {
  HealthView out;
  const StoreHealth store = database_.health();
  out.problems = board_.problems();
  if (!store.problem.empty()) out.problems.push_back(store.problem);
  out.store = store.ok ? "ok" : "error";
  out.config = board_.problem("config").empty() ? "ok" : "invalid";
  out.status = out.problems.empty() && store.ok ? "ok" : "degraded";
  out.version = version_;
  out.boot_id = boot_id_;
  out.uptime_ms = uptime().count;
  out.connections = static_cast<std::int64_t>(network().connections);
  out.at = to_iso(clock_.wall_now());
  return out;
}

}  // namespace rouse
