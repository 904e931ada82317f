#include "app/cli/automations_preview.h"

#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "app/cli/api_client.h"
#include "app/cli/automations_reading.h"
#include "app/cli/readable.h"
#include "app/system_zone.h"
#include "base/text.h"
#include "schedule/said_time.h"
#include "schedule/time/schedule.h"

namespace rouse::cli {
namespace {

constexpr std::int64_t kMostFires = 1000;
constexpr std::int64_t kMostAsked = 100;  // of the server

struct PreviewOptions {
  ServerOption server;
  std::string schedule, zone, from, session, automation;
  std::int64_t count = 5;
  bool json = false;
};

struct SchedulePreview {
  std::vector<std::string> next;
  std::string words, zone;
};
auto shape(const SchedulePreview*) {
  return fields(field("next", &SchedulePreview::next, ""),
                field("words", &SchedulePreview::words, ""),
                field("zone", &SchedulePreview::zone, ""));
}

// "every 2h" counts from `from`; "at …" is an instant; anything else is a cron expression.
Result<Schedule> read_schedule(std::string_view text, const std::string& zone, WallTime from) {
  const std::string_view given = trim(text);
  Schedule schedule{.kind = ScheduleKind::kCron, .expr = std::string(given), .zone = zone};
  if (iequals_ascii(given.substr(0, 6), "every ")) {
    schedule.kind = ScheduleKind::kEvery;
    schedule.expr.clear();
    schedule.anchor = from;
    TRY(schedule.every, parse_said_length(given.substr(6)));
  } else if (iequals_ascii(given.substr(0, 3), "at ")) {
    schedule.kind = ScheduleKind::kAt;
    TRY(schedule.at, parse_said_time(given.substr(3), zone));
  }
  return schedule;
}

// What only the server knows: the other automations, and what runs have cost.
Result<void> tell_of_server(const PreviewOptions& options, const Schedule& schedule,
                            WallTime from) {
  boost::json::object body{{"from", to_iso(from)}, {"count", std::min(options.count, kMostAsked)}};
  boost::json::object asked{{"kind", schedule_kind_name(schedule.kind)}, {"tz", schedule.zone}};
  if (schedule.kind == ScheduleKind::kCron) asked["expr"] = schedule.expr;
  if (schedule.kind == ScheduleKind::kEvery) asked["every_ms"] = schedule.every.count;
  if (schedule.kind == ScheduleKind::kAt) asked["at"] = to_iso(schedule.at);
  body["schedule"] = std::move(asked);
  if (!options.session.empty()) body["session_key"] = options.session;
  if (!options.automation.empty()) body["automation_id"] = options.automation;
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const std::string raw,
      api.call("POST", "/api/automations/preview", boost::json::serialize(body)));
  if (options.json) {
    fmt::print("{}\n", raw);
    return {};
  }
  TRY(const auto answer, parse_json(raw));
  fmt::print("{}", forecast_text(answer, from));
  return {};
}

Result<void> preview(const PreviewOptions& options) {
  const std::string zone = options.zone.empty() ? system_zone() : options.zone;
  WallTime from = now();
  if (!options.from.empty()) {
    TRY(from, parse_said_time(options.from, zone));
  }
  TRY(const Schedule schedule, read_schedule(options.schedule, zone, from));
  TRY_VOID(check_schedule(schedule, from));
  const bool asks = !options.session.empty() || !options.automation.empty();
  if (asks && options.json) return tell_of_server(options, schedule, from);
  const auto dues = next_dues(schedule, from, static_cast<std::size_t>(options.count));
  SchedulePreview view{.next = {}, .words = schedule_words(schedule), .zone = zone};
  std::vector<std::vector<std::string>> rows{{zone, "UTC"}};
  // As if from long ago, so that each shows its date.
  const WallTime long_ago = from - days(7);
  for (const WallTime due : dues) {
    view.next.push_back(to_iso(due));
    const std::string words = due_words(due, zone, long_ago);
    rows.push_back({words.substr(0, words.find(" " + zone)), to_iso(due)});
  }
  if (options.json) {
    print_json(view);
    return {};
  }
  fmt::print("{}\n\n{}", view.words, to_table(rows));
  return asks ? tell_of_server(options, schedule, from) : Result<void>{};
}

}  // namespace

void add_automations_preview(CLI::App& automations, Chosen& chosen) {
  auto options = std::make_shared<PreviewOptions>();
  CLI::App& command = add_command(
      automations, "preview",
      "Say what a schedule means and when it is next due; with --session or --automation also "
      "what it meets and costs. Only those need the server.",
      {"rouse automations preview \"0 10,14 * * 1-5\" --zone Europe/Berlin",
       "rouse automations preview \"every 2h\" --count 3",
       "rouse automations preview \"30 2 * * *\" --zone America/New_York "
       "--from 2026-03-08T00:00 --json",
       "rouse automations preview \"0 8 * * *\" --session websocket:home"});
  command
      .add_option("SCHEDULE", options->schedule,
                  "A cron expression, \"every 2h\" or \"at 2026-11-16T08:00\"")
      ->required();
  command.add_option("--zone", options->zone, "Like Europe/Berlin; default this machine's")
      ->type_name("ZONE");
  command.add_option("--from", options->from, "Only what is later; default now")->type_name("TIME");
  command.add_option("--count", options->count, "How many; default 5")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, kMostFires).description(""));
  command.add_option("--session", options->session, "The conversation it would belong to")
      ->type_name("KEY");
  command.add_option("--automation", options->automation, "The automation that would have it")
      ->type_name("ID");
  add_server_options(command, options->server);
  add_json_flag(command, options->json);
  command.callback(
      [options, &chosen] { chosen.run = [options] { return finish(preview(*options)); }; });
}

}  // namespace rouse::cli
