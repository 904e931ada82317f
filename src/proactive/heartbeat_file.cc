#include "proactive/heartbeat_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "base/time_zone.h"
#include "schedule/said_time.h"
#include "session/workspaces.h"

namespace rouse {
namespace {

constexpr std::string_view kPrefix = "heartbeat";
constexpr std::size_t kNameBytes = 40;
constexpr double kMicros = 1'000'000;

constexpr std::array<std::string_view, 15> kFields{"enabled",         "interval_minutes",
                                                   "interval",        "active_hours",
                                                   "project",         "conversation",
                                                   "agent",           "model",
                                                   "ack_max",         "daily_cap_usd",
                                                   "daily_cap_calls", "quiet_after_message_minutes",
                                                   "orders",          "name",
                                                   "heartbeats"};
constexpr std::array<std::string_view, 3> kHourFields{"start", "end", "zone"};
constexpr std::string_view kNextRun = "nextRunAt";

struct SaidHours {
  std::string start, end;
  std::optional<std::string> zone = {};
};
auto shape(const SaidHours*) {
  return fields(field("start", &SaidHours::start, ""), field("end", &SaidHours::end, ""),
                field("zone", &SaidHours::zone, ""));
}

struct SaidHeartbeat {
  std::optional<bool> enabled = {};
  std::optional<std::int64_t> interval_minutes = {}, ack_max = {}, calls = {}, quiet_minutes = {};
  std::optional<boost::json::value> interval = {};
  std::optional<SaidHours> hours = {};
  std::optional<std::string> project = {}, conversation = {}, agent = {}, model = {}, orders = {},
                             name = {};
  std::optional<double> usd = {};
};
auto shape(const SaidHeartbeat*) {
  using S = SaidHeartbeat;
  return fields(field("enabled", &S::enabled, ""),
                field("interval_minutes", &S::interval_minutes, "").range(0, 1'440),
                field("interval", &S::interval, ""), field("active_hours", &S::hours, ""),
                field("project", &S::project, "").length(1, 200),
                field("conversation", &S::conversation, "").length(1, 400),
                field("agent", &S::agent, "").length(1, 100),
                field("model", &S::model, "").one_of({"cheap", "main"}),
                field("ack_max", &S::ack_max, "").range(0, 1'000),
                field("daily_cap_usd", &S::usd, "").range(0, 1'000'000),
                field("daily_cap_calls", &S::calls, "").range(0, 100'000),
                field("quiet_after_message_minutes", &S::quiet_minutes, "").range(0, 1'440),
                field("orders", &S::orders, "").length(1, 100),
                field("name", &S::name, "").length(1, kNameBytes));
}

Result<void> check_fields(const boost::json::object& object,
                          std::span<const std::string_view> known, std::string_view where,
                          std::vector<std::string>& notices) {
  for (const auto& member : object) {
    const std::string_view name = member.key();
    if (std::ranges::find(known, name) != known.end()) continue;
    if (name == kNextRun) {
      notices.push_back(
          "'nextRunAt' is ignored; rouse keeps that itself and `rouse heartbeat status` shows it");
      continue;
    }
    const auto meant = nearest(name, known);
    return fail(Errc::kInvalid,
                fmt::format("'{}{}' is not known{}", where, utf8_prefix(name, 80),
                            meant ? fmt::format("; did you mean '{}'?", *meant)
                                  : "; remove it, or see docs/heartbeat.md for the fields"));
  }
  return {};
}

Result<Millis> length_of(const boost::json::value& said) {
  if (said.is_string()) {
    const std::string_view text(said.get_string().data(), said.get_string().size());
    auto length = text == "0" ? Result<Millis>(Millis{0}) : parse_said_length(text);
    if (!length) return fail(wrap("'interval'", length.error()));
    return *length;
  }
  if (said.is_int64()) return millis(said.get_int64());
  return fail(Errc::kInvalid,
              R"('interval' must be a length like "30m", or milliseconds; 0 is off)");
}

Result<void> set_interval(HeartbeatSettings& out, const SaidHeartbeat& said) {
  if (said.interval && said.interval_minutes) {
    return fail(Errc::kInvalid, "say 'interval_minutes' or 'interval', not both");
  }
  if (said.interval_minutes) out.interval = minutes(*said.interval_minutes);
  if (said.interval) {
    TRY(out.interval, length_of(*said.interval));
  }
  if (out.interval == Millis{0}) return {};
  if (out.interval < kShortestInterval || out.interval > kLongestInterval) {
    return fail(Errc::kInvalid, "the interval must be between 1 minute and 24 hours; 0 is off");
  }
  return {};
}

Result<void> set_hours(HeartbeatSettings& out, const SaidHeartbeat& said,
                       const boost::json::object& object, std::vector<std::string>& notices) {
  const boost::json::value* found = object.if_contains("active_hours");
  if (found == nullptr) return {};
  out.hours.reset();
  if (!said.hours) return {};
  TRY_VOID(check_fields(found->get_object(), kHourFields, "active_hours.", notices));
  auto hours = parse_day_hours(said.hours->start, said.hours->end);
  if (!hours) return fail(wrap("'active_hours'", hours.error()));
  out.hours = *hours;
  if (!said.hours->zone) return {};
  if (!is_time_zone(*said.hours->zone)) {
    return fail(
        Errc::kInvalid,
        fmt::format("'active_hours.zone': '{}' is no time zone; write it like Europe/Berlin",
                    utf8_prefix(*said.hours->zone, 60)));
  }
  out.zone = *said.hours->zone;
  return {};
}

// Plain names: they stand in ids and file names.
bool is_plain(std::string_view text, std::string_view also) {
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           also.contains(c);
  });
}

Result<void> set_names(HeartbeatSettings& out, const SaidHeartbeat& said) {
  if (said.name) {
    if (!is_plain(*said.name, "-_")) {
      return fail(Errc::kInvalid, "'name' may have letters, digits, '-' and '_' only");
    }
    out.name = *said.name;
  }
  if (said.orders) {
    if (!is_plain(*said.orders, "-_. ") || said.orders->starts_with('.') ||
        !said.orders->ends_with(".md")) {
      return fail(Errc::kInvalid,
                  "'orders' must be the name of an .md file beside heartbeat.json, like "
                  "heartbeat-prompt.md");
    }
    out.orders = *said.orders;
  }
  return {};
}

Result<HeartbeatSettings> settings_of(const boost::json::value& value, HeartbeatSettings usual,
                                      const JsonPath& path, std::vector<std::string>& notices) {
  TRY(const SaidHeartbeat said, from_json<SaidHeartbeat>(value, path));
  const boost::json::object& object = value.get_object();
  TRY_VOID(check_fields(object, kFields, "", notices));
  HeartbeatSettings out = std::move(usual);
  TRY_VOID(set_interval(out, said));
  TRY_VOID(set_hours(out, said, object, notices));
  TRY_VOID(set_names(out, said));
  out.enabled = said.enabled.value_or(out.enabled) && out.interval > Millis{0};
  if (object.contains("project")) out.project = said.project;
  if (object.contains("conversation")) out.conversation = said.conversation.value_or("");
  if (object.contains("agent")) out.agent = said.agent.value_or("");
  if (said.model) out.model = *said.model;
  if (said.ack_max) out.ack_max = *said.ack_max;
  if (said.quiet_minutes) out.quiet_after = minutes(*said.quiet_minutes);
  if (said.usd) out.day_micros = std::llround(*said.usd * kMicros);
  if (said.calls) out.day_calls = *said.calls;
  return out;
}

Result<void> check_names(const std::vector<HeartbeatSettings>& all) {
  std::set<std::string, std::less<>> names;
  for (const HeartbeatSettings& one : all) {
    if (!names.insert(one.name).second) {
      return fail(Errc::kInvalid,
                  one.name.empty()
                      ? std::string("two heartbeats have no 'name'; give each its own")
                      : fmt::format("two heartbeats are called '{}'; names must differ", one.name));
    }
  }
  return {};
}

}  // namespace

std::string heartbeat_job_id(std::string_view name) {
  return name.empty() ? std::string(kPrefix) : fmt::format("{}-{}", kPrefix, name);
}

std::optional<std::string> heartbeat_name(std::string_view job_id) {
  if (job_id == kPrefix) return std::string();
  const std::string prefix = fmt::format("{}-", kPrefix);
  if (!job_id.starts_with(prefix)) return std::nullopt;
  return std::string(job_id.substr(prefix.size()));
}

Result<HeartbeatFile> read_heartbeat_file(std::string_view text) {
  TRY(const boost::json::value root, parse_json(text));
  HeartbeatFile out;
  TRY(HeartbeatSettings usual, settings_of(root, {}, {}, out.notices));
  const boost::json::value* list = root.get_object().if_contains("heartbeats");
  if (list == nullptr) {
    out.heartbeats.push_back(std::move(usual));
    return out;
  }
  if (!list->is_array()) return fail(Errc::kInvalid, "'heartbeats' must be a list of heartbeats");
  if (list->get_array().size() > kHeartbeatsOfWorkspace) {
    return fail(Errc::kTooLarge, fmt::format("'heartbeats' has {}; at most {} are kept",
                                             list->get_array().size(), kHeartbeatsOfWorkspace));
  }
  usual.name.clear();
  const JsonPath top, path{&top, "heartbeats"};
  for (std::size_t i = 0; i < list->get_array().size(); ++i) {
    auto one = settings_of(list->get_array()[i], usual, {&path, {}, i}, out.notices);
    if (!one) return fail(wrap(fmt::format("heartbeat {}", i + 1), one.error()));
    out.heartbeats.push_back(std::move(*one));
  }
  TRY_VOID(check_names(out.heartbeats));
  return out;
}

HeartbeatFile usual_heartbeats(const WorkspaceId& workspace) {
  HeartbeatFile out;
  if (workspace == Workspaces::default_id()) out.heartbeats.emplace_back();
  return out;
}

Result<std::optional<std::string>> read_workspace_file(const std::string& data_dir,
                                                       const WorkspaceId& workspace,
                                                       const std::string& name, std::size_t most) {
  const bool owners = workspace == Workspaces::default_id();
  const std::string path =
      owners ? fmt::format("{}/{}", data_dir, name)
             : fmt::format("{}/workspaces/{}/{}", data_dir, workspace.str(), name);
  if (!path_exists(path)) return std::optional<std::string>();
  TRY(std::string text, read_file(path, most));
  return std::optional(std::move(text));
}

}  // namespace rouse
