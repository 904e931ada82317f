// Any bytes as a cron expression, in some zone, from any instant: an expression is refused with the
// column, or it has a next due instant that is later, a whole second, and the same when asked from
// just before it. What is accepted has words, too.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "base/text.h"
#include "schedule/time/schedule.h"

namespace rouse {
namespace {

constexpr std::array<std::string_view, 8> kZones{
    "UTC",          "America/New_York",  "Australia/Lord_Howe", "America/Santiago",
    "Pacific/Apia", "Africa/Casablanca", "Asia/Kolkata",        "Antarctica/Troll"};

void demand(bool holds) {
  if (!holds) std::abort();
}

void check_due(const Schedule& schedule, WallTime after) {
  const auto due = next_due(schedule, after);
  if (!due) return;
  demand(*due > after && due->unix_ms % 1000 == 0);
  demand(next_due(schedule, *due - millis(1)) == due);
  const auto second = next_due(schedule, *due);
  demand(!second || *second > *due);
}

// One byte for the zone, eight for the instant, the rest is the expression.
void check(std::string_view bytes) {
  if (bytes.size() < 9) return;
  WallTime after;
  std::memcpy(&after.unix_ms, bytes.data() + 1, sizeof after.unix_ms);
  const auto zone = static_cast<unsigned char>(bytes[0]) % kZones.size();
  const Schedule schedule{.kind = ScheduleKind::kCron,
                          .expr = std::string(bytes.substr(9)),
                          .zone = std::string(kZones.at(zone))};
  const WallTime now{1'790'000'000'000};
  const auto checked = check_schedule(schedule, now);
  if (!checked) {
    const std::string& message = checked.error().message;
    demand(message.contains("column ") || message.contains("never due"));
    demand(message.size() < 400 && (is_utf8(message) || !is_utf8(schedule.expr)));
    return;
  }
  demand(!schedule_words(schedule).empty() && schedule_words(schedule) != "never");
  check_due(schedule, after);
  check_due(schedule, now);
}

}  // namespace
}  // namespace rouse

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rouse::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
