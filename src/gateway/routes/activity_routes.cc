#include "gateway/routes/activity_routes.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "base/local_time.h"
#include "base/text.h"
#include "gateway/routes/asked_workspace.h"
#include "schedule/said_time.h"

namespace rouse {
namespace {

std::vector<QueryParameter> filters() {
  return {
      workspace_parameter(),
      {"type", "Only of this type: message, heartbeat, scheduled, background or system"},
      {"project", "Only of this project, by its key"},
      {"conversation", "Only of this conversation, by any of its names"},
      {"since", "From this time on: 2026-11-16T09:00, today, or a length of time like 2h or 7d"},
      {"until", "Before this time, written the same way"},
      {"q", "Only with these words in the summary, whatever their case"}};
}

Result<std::optional<std::int64_t>> after_of(const Call& call) {
  const auto text = call.query("after");
  if (!text) return std::optional<std::int64_t>();
  std::int64_t id = 0;
  const char* const end = text->data() + text->size();
  const auto [at, failed] = std::from_chars(text->data(), end, id);
  if (failed == std::errc{} && at == end && id >= 0) return std::optional(id);
  return fail(Errc::kInvalid, "'after' must be the last_id of the answer before");
}

Result<std::optional<ActivityPlace>> before_of(const Call& call) {
  const auto text = call.query("cursor");
  if (!text) return std::optional<ActivityPlace>();
  const auto place = parse_place(*text);
  if (!place) return fail(Errc::kInvalid, "'cursor' must be the next_cursor of the page before");
  return place;
}

Task<Result<void>> pass_on(ResponseStream& out, std::string piece, bool& gone) {
  auto written = co_await out.write(std::move(piece));
  gone = gone || !written;
  co_return written;
}

struct FileWanted {
  ActivityFilter filter;
  ActivityFormat format = ActivityFormat::kCsv;
};

Task<void> send_file(ActivityLog& log, FileWanted wanted, ActivityLog::Alias alias,
                     ResponseStream& out) {
  bool gone = false;
  const auto sent = co_await log.write_out(
      std::move(wanted.filter), wanted.format, std::move(alias),
      [&out, &gone](std::string piece) { return pass_on(out, std::move(piece), gone); });
  // Thrown, so that the answer ends without its last chunk.
  if (!sent && !gone) throw std::runtime_error("an export broke off: " + sent.error().message);
}

}  // namespace

void ActivityRoutes::add_to(RouteTable& table) {
  RouteInfo page{.pattern = "/api/activity",
                 .summary = "What happened, in a sentence or two a row",
                 .tag = "activity",
                 .query = filters()};
  page.query.push_back({"limit", "How many, 1 to 200"});
  page.query.push_back({"cursor", "next_cursor of the page before"});
  page.query.push_back({"after", "What was written after this id, oldest first"});
  table.add(answer<ActivityList>(std::move(page), [this](Call& call) { return list(call); }));
  RouteInfo file{.pattern = "/api/activity/export",
                 .summary = "The activity log as a file, newest first",
                 .tag = "activity",
                 .query = filters(),
                 .produces = "text/csv"};
  file.query.push_back({"format", "csv (default), json or jsonl"});
  table.add(answer<Response>(std::move(file), [this](Call& call) { return download(call); }));
}

Result<WallTime> ActivityRoutes::time_of(const std::string& said, const std::string& zone) {
  const WallTime now = clock_.wall_now();
  if (said == "today") return at_local_clock(now, zone, 0, 0, 0);
  if (said == "yesterday") return at_local_clock(now, zone, -1, 0, 0);
  if (const auto length = parse_said_length(said)) return now - *length;
  if (said.size() == 10) return parse_said_time(said + "T00:00", zone);  // a day
  return parse_said_time(said, zone);
}

Result<ActivityFilter> ActivityRoutes::filter_of(const Call& call) {
  ActivityFilter out;
  TRY(out.workspace, asked_workspace(call, workspaces_));
  TRY(const Workspace workspace, workspaces_.get(out.workspace));
  if (const auto type = call.query("type")) {
    out.type = parse_activity_type(*type);
    if (!out.type) {
      return fail(Errc::kInvalid, fmt::format("'type' must be message, heartbeat, scheduled, "
                                              "background or system, not '{}'",
                                              utf8_prefix(*type, 40)));
    }
  }
  out.project = call.query("project");
  if (const auto name = call.query("conversation")) {
    TRY(const auto found, kernel_.find_conversation(out.workspace, *name));
    out.conversation = found.id;
  }
  const std::string zone = zone_of_(workspace);
  if (const auto since = call.query("since")) {
    TRY(out.since, time_of(*since, zone));
  }
  if (const auto until = call.query("until")) {
    TRY(out.until, time_of(*until, zone));
  }
  out.text = call.query("q").value_or("");
  if (out.text.size() > kActivityTextBytes) {
    return fail(Errc::kInvalid, fmt::format("'q' may be {} bytes long", kActivityTextBytes));
  }
  return out;
}

Task<Result<ActivityList>> ActivityRoutes::list(Call& call) {
  CO_TRY(ActivityFilter filter, filter_of(call));
  CO_TRY(const std::size_t limit, call.limit());
  CO_TRY(const auto after, after_of(call));
  CO_TRY(const auto before, before_of(call));
  ActivityList out;
  if (after) {
    CO_TRY(const NewActivity found, co_await log_.after(std::move(filter), *after, limit));
    for (const Activity& row : found.rows) out.items.push_back(shown(row));
    out.last_id = found.looked_upto;
    co_return out;
  }
  CO_TRY(const ActivityPage found, co_await log_.page(std::move(filter), before, limit));
  for (const Activity& row : found.rows) {
    out.items.push_back(shown(row));
    out.last_id = std::max(out.last_id, row.id);
  }
  if (found.next) out.next_cursor = place_text(*found.next);
  co_return out;
}

Result<Response> ActivityRoutes::download(Call& call) {
  FileWanted wanted;
  TRY(wanted.filter, filter_of(call));
  const std::string name = call.query("format").value_or("csv");
  std::string_view type = "text/csv; charset=utf-8";
  if (name == "json") {
    wanted.format = ActivityFormat::kJson;
    type = "application/json";
  } else if (name == "jsonl") {
    wanted.format = ActivityFormat::kJsonl;
    type = "application/jsonl";
  } else if (name != "csv") {
    return fail(Errc::kInvalid, fmt::format("'format' must be csv, json or jsonl, not '{}'",
                                            utf8_prefix(name, 40)));
  }
  Response response;
  response.headers = {
      {"Content-Type", std::string(type)},
      {"Content-Disposition", fmt::format("attachment; filename=\"rouse-activity.{}\"", name)},
      {"Cache-Control", "no-store"},
      {"X-Content-Type-Options", "nosniff"}};
  response.stream = [this, wanted](ResponseStream& out) {
    return send_file(
        log_, wanted,
        [this, workspace = wanted.filter.workspace](const std::string& project) {
          return alias_of(workspace, project);
        },
        out);
  };
  return response;
}

ActivityView ActivityRoutes::shown(const Activity& row) {
  ActivityView view = view_of(row);
  if (view.project) view.project_alias = alias_of(row.workspace, *view.project);
  return view;
}

// A project that is gone is still called by its key (S2-06).
std::string ActivityRoutes::alias_of(const WorkspaceId& workspace, const std::string& project) {
  const auto found = projects_.get(workspace, project);
  return found ? found->project.alias : project;
}

}  // namespace rouse
