#include "gateway/routes/heartbeat_routes.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "gateway/routes/asked_workspace.h"

namespace rouse {
namespace {

constexpr std::size_t kTagBytes = 16;
constexpr std::uint64_t kSaveBytes = 512 * 1024;  // the text, escaped

// What a person begins with who has no file yet: what holds without one.
constexpr std::string_view kFirstSettings = R"({
  "enabled": true,
  "interval_minutes": 30,
  "active_hours": {"start": "07:00", "end": "23:00"}
}
)";

RouteInfo about(std::string method, std::string rest, std::string summary, Access access) {
  return {.method = std::move(method),
          .pattern = "/api/heartbeat" + std::move(rest),
          .access = access,
          .summary = std::move(summary),
          .tag = "heartbeat",
          .query = {workspace_parameter()}};
}

std::string tag_of(std::string_view text) { return to_hex(sha256(text).substr(0, kTagBytes)); }

// Where a page of history ended: before this row of the log and this instant of the ledger.
struct Place {
  std::int64_t row = 0;
  std::int64_t due = 0;
};

Result<Place> place_of(const std::optional<std::string>& cursor) {
  Place out;
  if (!cursor) return out;
  const char* end = cursor->data() + cursor->size();
  const auto first = std::from_chars(cursor->data(), end, out.row);
  if (first.ec == std::errc{} && first.ptr != end && *first.ptr == '.') {
    const auto second = std::from_chars(first.ptr + 1, end, out.due);
    if (second.ec == std::errc{} && second.ptr == end) return out;
  }
  return fail(Errc::kInvalid, "'cursor' must be the next_cursor of the page before");
}

bool was_skipped(const Occurrence& one) {
  return one.state == kSkipped || one.state == kMissed || one.state == kRunInterrupted;
}

// A file that is wrong since a start has no heartbeats that could tell of it.
std::optional<std::string> problem_with(const Result<HeartbeatFileView>& file) {
  if (!file) return file.error().message;
  const auto understood = read_heartbeat_file(file->text);
  if (understood) return std::nullopt;
  return wrap(kHeartbeatFile, understood.error()).message;
}

const HeartbeatStatus* named(const std::vector<HeartbeatStatus>& all,
                             const std::optional<std::string>& name) {
  for (const HeartbeatStatus& one : all) {
    if (!name || one.settings.name == *name) return &one;
  }
  return nullptr;
}

Error no_such(const std::optional<std::string>& name) {
  return {Errc::kNotFound, name ? fmt::format("there is no heartbeat '{}'", utf8_prefix(*name, 100))
                                : "there is no heartbeat; heartbeat.json makes one"};
}

}  // namespace

void HeartbeatRoutes::add_to(RouteTable& table) {
  table.add(answer<HeartbeatsView>(
      about("GET", "", "The heartbeats: settings, what is next and was last, what today cost",
            Access::kUser),
      [this](Call& call) { return show(call); }));
  RouteInfo settings = about(
      "PUT", "", "Save heartbeat.json; refused if it changed since it was read", Access::kAdmin);
  settings.max_body = kSaveBytes;
  RouteInfo orders =
      about("PUT", "/orders", "Save the standing orders; refused if they changed meanwhile",
            Access::kAdmin);
  orders.max_body = kSaveBytes;
  table.add(exchange<HeartbeatSave, HeartbeatsView>(
      std::move(settings),
      [this](Call& call, HeartbeatSave wanted) { return save_settings(call, std::move(wanted)); }));
  table.add(exchange<HeartbeatSave, HeartbeatsView>(
      std::move(orders),
      [this](Call& call, HeartbeatSave wanted) { return save_orders(call, std::move(wanted)); }));
  table.add(exchange<BeatAsk, BeatView>(
      about("POST", "/run", "Let one beat now, as its timer would", Access::kUser),
      [this](Call& call, BeatAsk wanted) { return run(call, std::move(wanted)); }));
  RouteInfo past =
      about("GET", "/history", "Every beat, and every skipped one with its reason", Access::kUser);
  past.query.push_back({"name", "Which heartbeat; the first if left out"});
  past.query.push_back({"limit", "How many, 1 to 200"});
  past.query.push_back({"cursor", "next_cursor of the page before"});
  table.add(answer<BeatPage>(std::move(past), [this](Call& call) { return history(call); }));
}

Task<Result<HeartbeatsView>> HeartbeatRoutes::show(Call& call) {
  CO_TRY(auto workspace, asked_workspace(call, workspaces_));
  co_return co_await all_of(std::move(workspace), call.principal.is_admin());
}

Task<Result<HeartbeatsView>> HeartbeatRoutes::all_of(WorkspaceId workspace, bool with_files) {
  CO_TRY(const auto all, co_await heartbeat_.status(workspace));
  HeartbeatsView out;
  auto settings =
      file_of(workspace, std::string(kHeartbeatFile), kHeartbeatFileBytes, kFirstSettings);
  out.problem = problem_with(settings);
  if (with_files) out.files.emplace();
  if (with_files && settings) {
    settings->kind = "settings";
    out.files->push_back(std::move(*settings));
  }
  for (const HeartbeatStatus& one : all) {
    HeartbeatView view = view_of(one, clock_.wall_now());
    const auto text = heartbeat_.orders_text(workspace, one.settings);
    if (!text && !view.problem) view.problem = text.error().message;
    if (text) put_orders(view, *text);
    const auto same = [&](const HeartbeatFileView& file) { return file.name == view.orders_file; };
    if (with_files && text && std::ranges::none_of(*out.files, same)) {
      CO_TRY(auto orders, file_of(workspace, view.orders_file, kOrdersBytes, *text));
      orders.kind = "orders";
      orders.heartbeat = view.name;
      out.files->push_back(std::move(orders));
    }
    if (!out.problem && view.problem) out.problem = view.problem;
    out.heartbeats.push_back(std::move(view));
  }
  co_return out;
}

// --- the files -----------------------------------------------------------------------------------

std::string HeartbeatRoutes::folder_of(const WorkspaceId& workspace) const {
  if (workspace == Workspaces::default_id()) return data_dir_;
  return fmt::format("{}/workspaces/{}", data_dir_, workspace.str());
}

Result<HeartbeatFileView> HeartbeatRoutes::file_of(const WorkspaceId& workspace,
                                                   const std::string& name, std::size_t most,
                                                   std::string_view otherwise) {
  TRY(auto text, read_workspace_file(data_dir_, workspace, name, most));
  HeartbeatFileView out{
      .name = name, .kind = "", .exists = text.has_value(), .text = "", .etag = ""};
  if (text) out.etag = tag_of(*text);
  out.text = text ? std::move(*text) : std::string(otherwise);
  return out;
}

Task<Result<HeartbeatsView>> HeartbeatRoutes::save_settings(Call& call, HeartbeatSave wanted) {
  CO_TRY(auto workspace, asked_workspace(call, workspaces_));
  const auto understood = read_heartbeat_file(wanted.text);
  if (!understood) co_return fail(wrap(kHeartbeatFile, understood.error()));
  co_return co_await put(std::move(workspace), std::string(kHeartbeatFile), std::move(wanted));
}

Task<Result<HeartbeatsView>> HeartbeatRoutes::save_orders(Call& call, HeartbeatSave wanted) {
  CO_TRY(auto workspace, asked_workspace(call, workspaces_));
  const std::string file = wanted.file.value_or(std::string(kOrdersFile));
  CO_TRY(const auto all, co_await heartbeat_.status(workspace));
  const auto follows = [&](const HeartbeatStatus& one) { return one.settings.orders == file; };
  if (file != kOrdersFile && std::ranges::none_of(all, follows)) {
    co_return fail(Errc::kInvalid, fmt::format("no heartbeat has its orders in '{}'; say so in "
                                               "heartbeat.json first",
                                               utf8_prefix(file, 100)));
  }
  const StandingOrders understood = parse_standing_orders(wanted.text);
  if (!understood.problems.empty()) {
    co_return fail(Errc::kInvalid, fmt::format("{}: {}", file, understood.problems.front()));
  }
  co_return co_await put(std::move(workspace), file, std::move(wanted));
}

// The last look at the file and the write have nothing between them.
Task<Result<HeartbeatsView>> HeartbeatRoutes::put(WorkspaceId workspace, std::string name,
                                                  HeartbeatSave wanted) {
  const std::size_t most = name == kHeartbeatFile ? kHeartbeatFileBytes : kOrdersBytes;
  if (wanted.text.size() > most) {  // it could be written, and never be read again
    co_return fail(Errc::kInvalid, fmt::format("{} may have {} bytes at most; this has {}", name,
                                               most, wanted.text.size()));
  }
  CO_TRY(const auto there, file_of(workspace, name, most, ""));
  if (there.etag != wanted.if_match) {
    co_return fail(Errc::kConflict,
                   fmt::format("{} was changed since it was read; read it again and make your "
                               "change there",
                               name));
  }
  const std::string folder = folder_of(workspace);
  CO_TRY_VOID(make_private_dir(folder));
  CO_TRY_VOID(write_file_atomic(folder + "/" + name, wanted.text));
  const std::string problem = co_await heartbeat_.reload(workspace);
  if (on_saved_) on_saved_(workspace, problem);
  CO_TRY(HeartbeatsView out, co_await all_of(workspace, true));
  if (!problem.empty()) out.problem = problem;
  co_return out;
}

// --- beats ---------------------------------------------------------------------------------------

Task<Result<BeatView>> HeartbeatRoutes::run(Call& call, BeatAsk wanted) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(const auto all, co_await heartbeat_.status(workspace));
  const HeartbeatStatus* one = named(all, wanted.name);
  if (one == nullptr) co_return fail(no_such(wanted.name));
  CO_TRY(const Beat beat, co_await heartbeat_.beat_now(workspace, one->settings.name));
  co_return view_of(beat);
}

// Beats stand in the activity log, skips in the ledger; both come newest first and are merged. A
// page ends where one of both would need its next page, so it may be shorter than asked for.
Task<Result<BeatPage>> HeartbeatRoutes::history(Call& call) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(const std::size_t limit, call.limit());
  CO_TRY(Place place, place_of(call.query("cursor")));
  const auto name = call.query("name");
  CO_TRY(const auto all, co_await heartbeat_.status(workspace));
  const HeartbeatStatus* one = named(all, name);
  if (one == nullptr) co_return fail(no_such(name));
  const auto job = book_.get(workspace, one->job_id);
  if (!job && job.error().is(JobErrc::kNotFound)) co_return BeatPage{};  // it was always off
  if (!job) co_return std::unexpected(job.error());
  CO_TRY(const auto rows,
         co_await heartbeat_.history(workspace, one->settings.name, place.row, limit));
  std::optional<WallTime> before;
  if (place.due != 0) before = WallTime{place.due};
  CO_TRY(const auto dues, co_await ledger_.of_job(job->number, before, limit));
  BeatPage out;
  std::size_t row = 0, due = 0;
  while (out.items.size() < limit) {
    const bool no_rows = row == rows.size(), no_dues = due == dues.size();
    if ((no_rows && rows.size() == limit) || (no_dues && dues.size() == limit)) break;
    if (no_rows && no_dues) co_return out;
    if (no_dues || (!no_rows && rows[row].at >= dues[due].due)) {
      out.items.push_back(view_of(beat_of(rows[row])));
      place.row = rows[row++].id;
      continue;
    }
    if (was_skipped(dues[due])) out.items.push_back(skip_view(one->settings.name, dues[due]));
    place.due = dues[due++].due.unix_ms;
  }
  out.next_cursor = fmt::format("{}.{}", place.row, place.due);
  co_return out;
}

}  // namespace rouse
