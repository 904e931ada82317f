#include "tool/clock_tool.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/local_time.h"
#include "base/text.h"
#include "base/time_zone.h"

namespace rouse {
namespace {

struct CurrentTimeArguments {
  std::optional<std::string> zone;
};
auto shape(const CurrentTimeArguments*) {
  return fields(field("zone", &CurrentTimeArguments::zone, "Where"));
}

}  // namespace

const ToolInfo& ClockTool::info() const {
  static const ToolInfo info{
      .name = "current_time",
      .description = "The date, weekday and time now, in the user's zone or another.",
      .schema = R"({"type":"object","properties":{"zone":{"type":"string","maxLength":64,)"
                R"("description":"IANA zone or city; default: the user's"}},)"
                R"("additionalProperties":false})"};
  return info;
}

Task<ToolResult> ClockTool::run(ToolCall call, std::stop_token stop) {
  const auto arguments = decode_json<CurrentTimeArguments>(call.arguments);
  if (!arguments) co_return ToolResult{.text = arguments.error().message, .failed = true};
  const std::string asked(trim(arguments->zone.value_or("")));
  const auto zone = asked.empty() ? (is_time_zone(call.zone) ? call.zone : "UTC")
                                  : zone_of_place(asked).value_or("");
  if (zone.empty()) {
    co_return ToolResult{
        .text = fmt::format("there is no time zone '{}'; use a name such as Europe/Berlin", asked),
        .failed = true};
  }
  const LocalTime now = local_time(clock_.wall_now(), zone);
  co_return ToolResult{
      .text = fmt::format("{}, {} ({})", date_words(now), clock_words(now), zone_words(zone, now))};
}

}  // namespace rouse
