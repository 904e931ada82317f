#include "gateway/routes/status_routes.h"

#include <fmt/format.h>

#include "gateway/metrics.h"
#include "gateway/openapi.h"

namespace rouse {
namespace {

struct BareHealth {
  bool ok = true;
  std::string status, version;
};
auto shape(const BareHealth*) {
  return fields(field("ok", &BareHealth::ok, "The server answers"),
                field("status", &BareHealth::status, "Whether something needs attention")
                    .one_of({"ok", "degraded"}),
                field("version", &BareHealth::version, "Of the running server"));
}

struct KernelHealth {
  bool ok = true;
  std::int64_t uptime_ms = 0;
  std::string db, version;
};
auto shape(const KernelHealth*) {
  return fields(field("ok", &KernelHealth::ok, "The server answers"),
                field("uptime_ms", &KernelHealth::uptime_ms, "Since the start"),
                field("db", &KernelHealth::db, "The database").one_of({"ok", "error"}),
                field("version", &KernelHealth::version, "Of the running server"));
}

}  // namespace

void StatusRoutes::add_to(RouteTable& table) {
  table.add(answer<BareHealth>(
      {.pattern = "/health", .access = Access::kPublic, .summary = "Is the server there?"},
      [this](Call&) -> Result<BareHealth> {
        return BareHealth{true, status_.view().status, status_.version()};
      }));
  table.add(answer<KernelHealth>(  // S1-38, S1-C8
      {.pattern = "/kernel/health", .summary = "Health in the kernel's shape", .tag = "kernel"},
      [this](Call&) -> Result<KernelHealth> {
        return KernelHealth{true, status_.uptime().count, status_.store().ok ? "ok" : "error",
                            status_.version()};
      }));
  table.add(answer<HealthView>({.pattern = "/api/health", .summary = "How the server is, in full"},
                               [this](Call&) -> Result<HealthView> { return status_.view(); }));
  table.add(answer<Response>(
      {.pattern = "/metrics",
       .access = Access::kAdmin,
       .summary = "Numbers as Prometheus text",
       .produces = "text/plain"},
      [this](Call&) -> Result<Response> {
        Response response = json_text(200, prometheus_text(table_, status_, hub_.size()));
        response.static_headers = {};
        response.headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"},
                            {"Cache-Control", "no-store"},
                            {"X-Content-Type-Options", "nosniff"}};
        return response;
      }));
  table.add(answer<Response>(
      {.pattern = "/openapi.json", .summary = "This document"},
      [this](Call& call) -> Result<Response> {
        const std::string url = fmt::format("{}://{}", call.client.https ? "https" : "http",
                                            call.head.header("host").value_or("127.0.0.1"));
        return json_text(200, openapi_document(table_, status_.version(), url));
      }));
  table.add(answer<Response>(
      {.pattern = "/ws", .summary = "Live events over WebSocket", .tag = "live", .success = 101},
      [](Call&) -> Result<Response> {
        return error_response(426, "upgrade_required", "WebSocket only");
      }));
}

}  // namespace rouse
