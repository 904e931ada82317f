// heartbeat.json becomes jobs, and what there is to know of them.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "proactive/heartbeat.h"

namespace rouse {
namespace {

constexpr std::string_view kBy = "system";
constexpr std::size_t kSkipsLookedAt = 50;
constexpr std::string_view kMessage = "Look around: is anything worth acting on right now?";

constexpr std::string_view kBeats =
    "SELECT id, ts, project, summary, turn_id, run_id, due_ms, details, conversation_id "
    "FROM activity WHERE job = $1 AND id < $2 ORDER BY id DESC LIMIT $3";

constexpr std::string_view kNumberOf =
    "SELECT number FROM jobs WHERE workspace_id = $1 AND job_id = $2";

// What a row's details say; see BeatDetails.
struct ReadDetails {
  std::optional<std::string> heartbeat, verdict, outcome, reason;
  std::optional<std::int64_t> calls, tokens_in, tokens_out, cost_micros;
  std::optional<bool> late;
};
auto shape(const ReadDetails*) {
  using D = ReadDetails;
  return fields(field("heartbeat", &D::heartbeat, ""), field("verdict", &D::verdict, ""),
                field("outcome", &D::outcome, ""), field("reason", &D::reason, ""),
                field("calls", &D::calls, ""), field("tokens_in", &D::tokens_in, ""),
                field("tokens_out", &D::tokens_out, ""), field("cost_micros", &D::cost_micros, ""),
                field("late", &D::late, ""));
}

std::string_view state_of(const Beat& beat) {
  if (beat.outcome == "failed") return kRunError;
  return beat.verdict == verdict_name(BeatVerdict::kNothing) ? kRunEmpty : kRunOk;
}

Activity row_from(const Row& row, const WorkspaceId& workspace, std::int64_t job) {
  Activity out{.id = row.integer(0),
               .at = {row.integer(1)},
               .type = ActivityType::kHeartbeat,
               .summary = row.text(3),
               .workspace = workspace};
  out.job = job;
  if (!row.is_null(2)) out.project = row.text(2);
  if (!row.is_null(4)) {
    if (auto turn = TurnId::parse(row.text(4))) out.turn = std::move(*turn);
  }
  if (!row.is_null(5)) out.run = row.text(5);
  if (!row.is_null(6)) out.due = WallTime{row.integer(6)};
  out.details = row.text(7);
  if (!row.is_null(8)) {
    if (auto talk = ConversationId::parse(row.text(8))) out.conversation = std::move(*talk);
  }
  return out;
}

std::string joined(std::vector<std::string> parts) {
  std::string out;
  for (const std::string& part : parts) {
    if (!part.empty()) out += (out.empty() ? "" : "; ") + part;
  }
  return out;
}

Schedule schedule_of(const HeartbeatSettings& settings, std::string zone) {
  return {.kind = ScheduleKind::kEvery,
          .every = settings.interval,
          .expr = settings.hours ? hours_text(*settings.hours) : "",
          .zone = std::move(zone)};
}

}  // namespace

Beat beat_of(const Activity& row) {
  Beat out{.summary = row.summary, .at = row.at, .due = row.due};
  out.turn = row.turn;
  const auto read = decode_json<ReadDetails>(row.details);
  if (!read) return out;
  out.heartbeat = read->heartbeat.value_or("");
  out.verdict = read->verdict.value_or("");
  out.outcome = read->outcome.value_or("");
  out.reason = read->reason.value_or("");
  out.calls = read->calls.value_or(0);
  out.tokens_in = read->tokens_in.value_or(0);
  out.tokens_out = read->tokens_out.value_or(0);
  out.cost_micros = read->cost_micros;
  out.late = read->late.value_or(false);
  out.state = state_of(out);
  return out;
}

// --- the file ------------------------------------------------------------------------------------

Result<HeartbeatFile> Heartbeat::read_settings(const WorkspaceId& workspace) {
  if (!read_) return usual_heartbeats(workspace);
  auto text = read_(workspace, std::string(kHeartbeatFile), kHeartbeatFileBytes);
  if (!text) return fail(wrap(kHeartbeatFile, text.error()));
  if (!*text) return usual_heartbeats(workspace);
  auto file = read_heartbeat_file(**text);
  if (!file) return fail(wrap(kHeartbeatFile, file.error()));
  return std::move(*file);
}

Result<HeartbeatSettings> Heartbeat::settings_of(const WorkspaceId& workspace,
                                                 const std::string& name) {
  if (!settings_.contains(workspace)) {
    TRY(HeartbeatFile file, read_settings(workspace));
    settings_[workspace] = std::move(file.heartbeats);
  }
  const auto& all = settings_[workspace];
  const auto found = std::ranges::find(all, name, &HeartbeatSettings::name);
  if (found != all.end()) return *found;
  return fail(Errc::kNotFound, name.empty()
                                   ? std::string("there is no heartbeat without a name here")
                                   : fmt::format("there is no heartbeat '{}'", name));
}

Result<std::string> Heartbeat::orders_text(const WorkspaceId& workspace,
                                           const HeartbeatSettings& settings) {
  if (read_) {
    TRY(auto text, read_(workspace, settings.orders, kOrdersBytes));
    if (text) return std::move(*text);
  }
  return std::string(shipped_orders());
}

// The book fills in where a workspace lives.
Result<std::string> Heartbeat::zone_of(const WorkspaceId& workspace,
                                       const HeartbeatSettings& settings) {
  if (!settings.zone.empty()) return settings.zone;
  TRY(const auto found, parts_.workspaces.get(workspace));
  return found.timezone.value_or(parts_.book.settings().default_zone);
}

Task<std::string> Heartbeat::reload(WorkspaceId workspace) {
  auto file = read_settings(workspace);
  std::string problem;
  if (!file) {
    problem = file.error().message;
  } else {
    for (const std::string& notice : file->notices) {
      parts_.log.warn("heartbeat.notice", {{"workspace", workspace.str()}, {"message", notice}});
    }
    settings_[workspace] = file->heartbeats;
    const auto changed = co_await ensure_jobs(workspace, std::move(file->heartbeats));
    if (!changed) problem = changed.error().message;
    if (changed && *changed && on_change_) on_change_();
  }
  const auto known = settings_.find(workspace);
  if (known == settings_.end()) co_return problems_[workspace] = problem;
  for (const HeartbeatSettings& one : known->second) {
    const auto text = orders_text(workspace, one);
    if (!text) problem = joined({problem, fmt::format("{}: {}", one.orders, text.error().message)});
    if (!text) continue;
    for (const std::string& wrong : parse_standing_orders(*text).problems) {
      problem = joined({problem, fmt::format("{}, {}", one.orders, wrong)});
    }
  }
  problems_[workspace] = problem;
  co_return problem;
}

// --- the jobs ------------------------------------------------------------------------------------

Task<Result<bool>> Heartbeat::ensure_jobs(WorkspaceId workspace,
                                          std::vector<HeartbeatSettings> wanted) {
  if (!parts_.book.settings().held.empty()) co_return false;  // nothing would run
  bool changed = false;
  CO_TRY(const auto jobs, co_await parts_.book.of_source(workspace, std::string(kBy)));
  for (const Job& job : jobs) {
    const auto name = heartbeat_name(job.id);
    const auto one = std::ranges::find(wanted, name.value_or(""), &HeartbeatSettings::name);
    if (!name || (one != wanted.end() && one->enabled)) continue;
    CO_TRY_VOID(co_await parts_.book.remove(workspace, job.id, std::string(kBy)));
    changed = true;
  }
  for (HeartbeatSettings& one : wanted) {
    if (!one.enabled) continue;
    CO_TRY(const bool moved, co_await ensure_job(workspace, std::move(one)));
    changed = changed || moved;
  }
  co_return changed;
}

Task<Result<bool>> Heartbeat::ensure_job(WorkspaceId workspace, HeartbeatSettings wanted) {
  const std::string id = heartbeat_job_id(wanted.name);
  CO_TRY(std::string zone, zone_of(workspace, wanted));
  JobWish wish{.workspace = workspace, .id = id, .name = id, .message = std::string(kMessage)};
  wish.kind = JobKind::kSystem;
  wish.source = kBy;
  wish.schedule = schedule_of(wanted, std::move(zone));
  // A beat that was missed is made up for once, as long as it is the last one (HB-8).
  wish.catch_up = CatchUp::kLatest;
  wish.window = wanted.interval * 2;
  CO_TRY_VOID(co_await clear_broken(workspace, id));
  const auto there = parts_.book.get(workspace, id);
  if (!there && !there.error().is(JobErrc::kNotFound)) co_return std::unexpected(there.error());
  if (!there || there->state == JobState::kRemoved) {
    CO_TRY_VOID(co_await parts_.book.create(std::move(wish)));
    co_return true;
  }
  const Schedule& now = there->schedule;
  if (now.kind == wish.schedule.kind && now.every == wish.schedule.every &&
      now.expr == wish.schedule.expr && now.zone == wish.schedule.zone) {
    co_return false;
  }
  JobEdit edit;
  edit.schedule = std::move(wish.schedule);
  edit.window = wish.window;
  CO_TRY_VOID(co_await parts_.book.edit(workspace, id, std::move(edit), std::string(kBy)));
  co_return true;
}

// One that doesn't run any more, because its row can't be read or for any other reason, would be
// silent for ever: nobody but this file says whether a heartbeat beats. It is made anew.
Task<Result<void>> Heartbeat::clear_broken(WorkspaceId workspace, std::string id) {
  const auto there = parts_.book.get(workspace, id);
  if (there && there->state != JobState::kActive && there->state != JobState::kRemoved) {
    CO_TRY_VOID(co_await parts_.book.remove(workspace, id, std::string(kBy)));
  }
  if (there || !there.error().is(StoreErrc::kCorrupt)) co_return Result<void>{};
  CO_TRY(const Rows rows, parts_.database.read({kNumberOf, {workspace.str(), id}}));
  if (rows.empty()) co_return Result<void>{};
  parts_.log.warn("heartbeat.made_anew", {{"message", there.error().message}});
  CO_TRY_VOID(
      co_await parts_.database.write(Write{OccurrenceLedger::forget(rows.front().integer(0))}));
  co_return Result<void>{};
}

Task<Result<void>> Heartbeat::forget(WorkspaceId workspace) {
  settings_.erase(workspace);
  problems_.erase(workspace);
  CO_TRY_VOID(co_await parts_.database.write(Write{{forget_beat_states(workspace)}}));
  co_return Result<void>{};
}

// --- what there is to know -----------------------------------------------------------------------

Task<Result<std::vector<Activity>>> Heartbeat::history(WorkspaceId workspace, std::string name,
                                                       std::int64_t before, std::size_t limit) {
  std::vector<Activity> out;
  const auto job = parts_.book.get(workspace, heartbeat_job_id(name));
  if (!job && job.error().is(JobErrc::kNotFound)) co_return out;  // it never beat
  if (!job) co_return std::unexpected(job.error());
  if (before <= 0) before = std::numeric_limits<std::int64_t>::max();
  CO_TRY(const Rows rows,
         co_await parts_.database.read_page(
             {kBeats, {job->number, before, static_cast<std::int64_t>(limit)}, limit}));
  for (const Row& row : rows) out.push_back(row_from(row, workspace, job->number));
  co_return out;
}

Task<Result<HeartbeatStatus>> Heartbeat::status_of(WorkspaceId workspace,
                                                   HeartbeatSettings settings) {
  HeartbeatStatus out{.settings = std::move(settings), .job_id = {}, .zone = {}};
  out.job_id = heartbeat_job_id(out.settings.name);
  CO_TRY(out.zone, zone_of(workspace, out.settings));
  CO_TRY(const BeatState state, read_beat_state(parts_.database, workspace, out.settings.name));
  out.today.day = day_in_zone(parts_.clock.wall_now(), out.zone);
  if (state.today.day == out.today.day) out.today = state.today;
  const auto refused = refused_.find(out.settings.model);
  out.problem = joined({problems_[workspace], state.last_error.empty() && refused != refused_.end()
                                                  ? refused->second.message
                                                  : state.last_error});
  CO_TRY(const auto beats, co_await history(workspace, out.settings.name, 0, 1));
  if (!beats.empty()) out.last = beat_of(beats.front());
  const auto job = parts_.book.get(workspace, out.job_id);
  if (!job) {  // a server that has just begun makes it in a moment
    const Schedule soon = schedule_of(out.settings, out.zone);
    if (out.settings.enabled) out.next = next_due(soon, parts_.clock.wall_now());
    co_return out;
  }
  if (job->state == JobState::kActive) out.next = job->next;
  CO_TRY(const auto open, parts_.ledger.open_of(job->number));
  if (open && open->state == kClaimed && !open->reason.empty()) out.deferred = open->reason;
  CO_TRY(const auto rows, co_await parts_.ledger.of_job(job->number, {}, kSkipsLookedAt));
  const auto skip = std::ranges::find_if(
      rows, [](const Occurrence& one) { return one.state == kSkipped || one.state == kMissed; });
  if (skip != rows.end()) {
    out.last_skip = HeartbeatStatus::Skip{skip->last, skip->state, skip->reason, skip->count};
  }
  co_return out;
}

Task<Result<std::vector<HeartbeatStatus>>> Heartbeat::status(WorkspaceId workspace) {
  std::vector<HeartbeatStatus> out;
  (void)settings_of(workspace, "");  // reads them, if nobody has yet
  const auto known = settings_.find(workspace);
  if (known == settings_.end()) co_return out;
  const std::vector<HeartbeatSettings> all = known->second;
  for (const HeartbeatSettings& one : all) {
    CO_TRY(HeartbeatStatus status, co_await status_of(workspace, one));
    out.push_back(std::move(status));
  }
  co_return out;
}

}  // namespace rouse
