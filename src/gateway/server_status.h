// What the server says about itself: to load balancers (bare), to signed-in people (in full), and
// to every live page.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "gateway/health.h"
#include "net/http_server.h"
#include "store/database.h"

namespace rouse {

struct HealthView {
  bool ok = true;
  std::string status;  // "ok", "degraded"
  std::string version, boot_id;
  std::int64_t uptime_ms = 0;
  std::string store;   // "ok", "error"
  std::string config;  // "ok", "invalid"
  std::vector<std::string> problems;
  std::int64_t connections = 0;
  std::string at;
};
inline auto shape(const HealthView*) {
  return fields(
      field("ok", &HealthView::ok, "The server answers"),
      field("status", &HealthView::status, "Whether something needs attention")
          .one_of({"ok", "degraded"}),
      field("version", &HealthView::version, "Of the running server"),
      field("boot_id", &HealthView::boot_id, "Changes with each start"),
      field("uptime_ms", &HealthView::uptime_ms, "Since the start"),
      field("store", &HealthView::store, "The database").one_of({"ok", "error"}),
      field("config", &HealthView::config, "rouse.yaml and settings").one_of({"ok", "invalid"}),
      field("problems", &HealthView::problems, "What needs attention, in words"),
      field("connections", &HealthView::connections, "Open now, this one included"),
      field("at", &HealthView::at, "Time of this report"));
}

class ServerStatus {
 public:
  ServerStatus(Clock& clock, Database& database, const HealthBoard& board, std::string version,
               std::string boot_id)
      : clock_(clock),
        database_(database),
        board_(board),
        version_(std::move(version)),
        boot_id_(std::move(boot_id)),
        started_(clock.mono_now()) {}

  void set_server(const HttpServer* server) { server_ = server; }
  [[nodiscard]] HealthView view() const;
  [[nodiscard]] ServerStats network() const {
    return server_ != nullptr ? server_->stats() : ServerStats{};
  }
  [[nodiscard]] StoreHealth store() const { return database_.health(); }
  [[nodiscard]] Millis uptime() const { return clock_.mono_now() - started_; }
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] const std::string& boot_id() const { return boot_id_; }

 private:
  Clock& clock_;
  Database& database_;
  const HealthBoard& board_;
  std::string version_, boot_id_;
  MonoTime started_;
  const HttpServer* server_ = nullptr;
};

}  // namespace rouse
