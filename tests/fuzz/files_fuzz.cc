// Any bytes as a file that people write or other systems leave: heartbeat.json, standing orders,
// another scheduler's jobs, times and hours in words. Each is read or refused with a message.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/day_hours.h"
#include "proactive/heartbeat_file.h"
#include "proactive/standing_orders.h"
#include "schedule/import/legacy_import.h"
#include "schedule/said_time.h"
#include "session/workspaces.h"

namespace rouse {
namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

template <class T>
void is_read_or_refused(const Result<T>& result) {
  if (!result) demand(!result.error().message.empty());
}

void check(std::string_view bytes) {
  const WallTime now{.unix_ms = 1'790'000'000'000};
  is_read_or_refused(read_heartbeat_file(bytes));
  (void)parse_standing_orders(bytes);
  is_read_or_refused(read_foreign_jobs(Workspaces::default_id(), bytes, now));
  is_read_or_refused(parse_said_time(bytes, "Europe/Berlin"));
  const auto length = parse_said_length(bytes);
  if (length) demand(*length > millis(0));
  is_read_or_refused(length);
  is_read_or_refused(parse_day_hours(bytes));
}

}  // namespace
}  // namespace rouse

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rouse::check(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
