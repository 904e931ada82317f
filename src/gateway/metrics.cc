#include "gateway/metrics.h"

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"

namespace rouse {
namespace {

void family(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void single(std::string& out, std::string_view name, std::string_view type, std::string_view help,
            std::uint64_t value) {
  family(out, name, type, help);
  out += fmt::format("{} {}\n", name, value);
}

// Resident memory in bytes; the second number of /proc/self/statm is pages.
std::uint64_t resident_bytes() {
  const auto text = read_file("/proc/self/statm", 4096);
  if (!text) return 0;
  const auto parts = split(*text, ' ');
  return parts.size() < 2 ? 0 : std::strtoull(std::string(parts[1]).c_str(), nullptr, 10) * 4096;
}

void http_requests(std::string& out, const RouteTable& table) {
  family(out, "rouse_http_requests_total", "counter",
         "Requests answered, by route and status class.");
  for (const Route* route : table.all()) {
    for (int c = 1; c < 6; ++c) {
      const std::uint64_t count = route->stats.by_class[c];
      if (count == 0) continue;
      out += fmt::format(
          "rouse_http_requests_total{{method=\"{}\",route=\"{}\",status=\"{}xx\"}} {}\n",
          route->info.method, route->info.pattern, c, count);
    }
  }
}

}  // namespace

std::string prometheus_text(const RouteTable& table, const ServerStatus& status,
                            std::size_t live_pages) {
  std::string out;
  family(out, "rouse_build_info", "gauge", "The running version, always 1.");
  out += fmt::format("rouse_build_info{{version=\"{}\"}} 1\n", status.version());
  family(out, "rouse_uptime_seconds", "gauge", "Seconds since the start.");
  out += fmt::format("rouse_uptime_seconds {:.3f}\n",
                     static_cast<double>(status.uptime().count) / 1000);
  single(out, "rouse_resident_memory_bytes", "gauge", "Memory that is in RAM.", resident_bytes());
  single(out, "rouse_healthy", "gauge", "1 when nothing needs attention.",
         status.view().status == "ok");

  const ServerStats net = status.network();
  single(out, "rouse_connections", "gauge", "Connections that are open.", net.connections);
  single(out, "rouse_websockets", "gauge", "WebSockets that are open.", net.websockets);
  single(out, "rouse_live_pages", "gauge", "Pages of the web app that are connected.", live_pages);
  single(out, "rouse_connections_accepted_total", "counter", "Connections accepted.", net.accepted);
  single(out, "rouse_connections_refused_total", "counter", "Connections refused over the limit.",
         net.refused);
  single(out, "rouse_bad_requests_total", "counter", "Requests that broke the protocol or a limit.",
         net.bad_requests);
  single(out, "rouse_slow_clients_dropped_total", "counter", "Clients dropped for being slow.",
         net.slow_dropped);
  http_requests(out, table);

  const StoreHealth store = status.store();
  single(out, "rouse_store_writes_total", "counter", "Writes made durable.", store.writes);
  single(out, "rouse_store_commits_total", "counter", "Transactions, each with one sync to disk.",
         store.commits);
  single(out, "rouse_store_queued_writes", "gauge", "Writes that wait for the disk.",
         static_cast<std::uint64_t>(store.queued_writes));
  single(out, "rouse_store_wal_bytes", "gauge", "Size of the write-ahead log.",
         static_cast<std::uint64_t>(store.wal_bytes));
  return out;
}

}  // namespace rouse
