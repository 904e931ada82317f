#include "schedule/file/schedule_file.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "schedule/said_time.h"

namespace rouse {

struct DeclaredOutput {
  std::optional<std::string> file = {}, session_id = {};
  std::optional<bool> notify = {};
};
auto shape(const DeclaredOutput*) {
  return fields(field("file", &DeclaredOutput::file, "").length(1, 400),
                field("sessionId", &DeclaredOutput::session_id, "").length(1, 400),
                field("notify", &DeclaredOutput::notify, ""));
}

struct DeclaredJob {
  std::string id, prompt;
  std::optional<std::string> cron = {}, every = {}, at = {}, tz = {}, name = {}, session_id = {};
  std::optional<std::string> project_path = {}, gate = {}, gate_timeout = {};
  std::optional<std::string> catch_up = {}, window = {}, timeout = {};
  std::optional<std::int64_t> catch_up_max = {};
  std::optional<bool> isolated = {}, enabled = {};
  std::optional<DeclaredOutput> output = {};
  std::optional<std::vector<std::string>> tools = {};
};
auto shape(const DeclaredJob*) {
  return fields(
      field("id", &DeclaredJob::id, ""), field("prompt", &DeclaredJob::prompt, ""),
      field("cron", &DeclaredJob::cron, ""), field("every", &DeclaredJob::every, ""),
      field("at", &DeclaredJob::at, ""), field("tz", &DeclaredJob::tz, ""),
      field("name", &DeclaredJob::name, ""), field("sessionId", &DeclaredJob::session_id, ""),
      field("projectPath", &DeclaredJob::project_path, "").length(1, 4096),
      field("gate", &DeclaredJob::gate, "").length(1, 4096),
      field("gateTimeout", &DeclaredJob::gate_timeout, ""),
      field("catchUp", &DeclaredJob::catch_up, "").one_of({"latest", "all", "skip"}),
      field("catchUpMax", &DeclaredJob::catch_up_max, ""),
      field("window", &DeclaredJob::window, ""), field("timeout", &DeclaredJob::timeout, ""),
      field("isolated", &DeclaredJob::isolated, ""), field("enabled", &DeclaredJob::enabled, ""),
      field("output", &DeclaredJob::output, ""), field("tools", &DeclaredJob::tools, ""));
}

namespace {

constexpr std::string_view kBy = "file";
constexpr int kTries = 3;  // a job may come due while it is changed
constexpr std::size_t kNotices = 20;

constexpr std::array<std::string_view, 20> kFields{
    "id",      "prompt",    "cron",    "every",       "at",      "tz",          "name",
    "window",  "sessionId", "gate",    "gateTimeout", "catchUp", "projectPath", "catchUpMax",
    "timeout", "isolated",  "enabled", "output",      "tools",   "source"};

void note(std::vector<std::string>& notices, std::string text) {
  if (notices.size() < kNotices) notices.push_back(std::move(text));
}

Error about_job(const std::string& id, Error error) {
  return wrap(fmt::format("job '{}'", utf8_prefix(id, 80)), std::move(error));
}

// A misspelt field would silently be none.
void note_unknown_fields(const boost::json::value& item, const std::string& id,
                         std::vector<std::string>& notices) {
  for (const auto& member : item.get_object()) {
    const std::string_view name = member.key();
    if (std::ranges::find(kFields, name) != kFields.end()) continue;
    if (name == "nextRunAt") {
      note(notices, fmt::format("job '{}': 'nextRunAt' is ignored; rouse keeps that itself and "
                                "`rouse automations list` shows it",
                                id));
      continue;
    }
    const auto meant = nearest(name, kFields);
    note(notices,
         fmt::format("job '{}': '{}' is not known and ignored{}", id, utf8_prefix(name, 80),
                     meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
  }
}

Result<Schedule> schedule_of(const DeclaredJob& job, const std::string& zone) {
  const int said = int(job.cron.has_value()) + int(job.every.has_value()) + int(job.at.has_value());
  if (said != 1) {
    return fail(Errc::kInvalid,
                "say when with exactly one of 'cron' (\"0 8 * * *\"), 'every' (\"30m\") and 'at' "
                "(\"2026-11-16T09:00\")");
  }
  Schedule schedule{.zone = zone};
  if (job.cron) {
    schedule.expr = *job.cron;
  } else if (job.every) {
    schedule.kind = ScheduleKind::kEvery;
    TRY(schedule.every, parse_said_length(*job.every));
  } else {
    schedule.kind = ScheduleKind::kAt;
    TRY(schedule.at, parse_said_time(*job.at, zone));
  }
  return schedule;
}

Result<std::optional<Millis>> length_of(std::string_view field,
                                        const std::optional<std::string>& said) {
  if (!said) return std::optional<Millis>();
  auto length = parse_said_length(*said);
  if (!length) return fail(wrap(fmt::format("'{}'", field), length.error()));
  return std::optional(*length);
}

// What is not said has its default, and not what an earlier file said.
void fill_defaults(JobWish& wish) {
  const Job usual;
  wish.catch_up = wish.catch_up.value_or(usual.catch_up);
  wish.catch_up_max = wish.catch_up_max.value_or(usual.catch_up_max);
  wish.window = wish.window.value_or(usual.window);
  wish.timeout = wish.timeout.value_or(usual.timeout);
}

bool is_same(const Schedule& there, const Schedule& wished) {
  return there.kind == wished.kind && there.at == wished.at && there.every == wished.every &&
         there.expr == wished.expr && there.zone == wished.zone;
}

bool is_over(const Schedule& schedule, WallTime now) {
  return schedule.kind == ScheduleKind::kAt && schedule.at <= now;
}

template <class T>
bool put_if_new(std::optional<T>& edit, const T& there, const T& wished) {
  if (there == wished) return false;
  edit = wished;
  return true;
}

// Names only what differs, so that a changed prompt doesn't move a schedule.
std::optional<JobEdit> edit_of(const Job& there, const JobWish& wish) {
  JobEdit edit;
  bool any = put_if_new(edit.name, there.name, wish.name);
  any |= put_if_new(edit.message, there.message, wish.message);
  any |= put_if_new(edit.session_key, there.session_key, wish.session_key);
  any |= put_if_new(edit.catch_up, there.catch_up, *wish.catch_up);
  any |= put_if_new(edit.catch_up_max, there.catch_up_max, *wish.catch_up_max);
  any |= put_if_new(edit.window, there.window, *wish.window);
  any |= put_if_new(edit.timeout, there.timeout, *wish.timeout);
  any |= put_if_new(edit.extra, there.extra, wish.extra);
  if (!is_same(there.schedule, wish.schedule)) {
    edit.schedule = wish.schedule;
    any = true;
  }
  return any ? std::optional(std::move(edit)) : std::nullopt;
}

Result<boost::json::value> parse_file(const std::string& text) {
  if (text.size() > kScheduleFileBytes) {
    return fail(Errc::kTooLarge, fmt::format("it has {} bytes; at most {} are read", text.size(),
                                             kScheduleFileBytes));
  }
  TRY(auto root, parse_json(text));
  const auto* jobs = root.is_object() ? root.get_object().if_contains("jobs") : nullptr;
  if (jobs == nullptr || !jobs->is_array()) {
    return fail(Errc::kInvalid, R"(it must look like {"jobs": [{"id": "morning", "cron": )"
                                R"("0 8 * * *", "sessionId": "main", "prompt": "…"}]})");
  }
  if (jobs->get_array().size() > kScheduleFileJobs) {
    return fail(Errc::kTooLarge, fmt::format("'jobs' has {} jobs; at most {} are kept",
                                             jobs->get_array().size(), kScheduleFileJobs));
  }
  return std::move(root.get_object().at("jobs"));
}

}  // namespace

Result<std::string> ScheduleFile::zone_of(const WorkspaceId& workspace) {
  // The book fills in where a workspace lives.
  TRY(const Job filled, book_.check({.workspace = workspace,
                                     .message = "zone",
                                     .kind = JobKind::kIsolated,
                                     .schedule = {.expr = "@daily", .zone = ""}}));
  return filled.schedule.zone;
}

Result<std::string> ScheduleFile::key_of(const WorkspaceId& workspace, const std::string& said,
                                         const Job* there) {
  std::string key;
  const auto found = kernel_.find_conversation(workspace, said);
  if (found) {
    key = found->key.str();
  } else if (!found.error().is(ConversationErrc::kNotFound)) {
    return fail(found.error());
  } else {
    // It begins with the first run.
    key = said.contains(':') ? said : "websocket:" + said;
    TRY_VOID(SessionKey::parse(key));
  }
  // Switching unified sessions on or off moves nobody's automations (S3-46).
  if (there != nullptr && there->session_key == key) return key;
  return book_.owner_key(key);
}

Result<JobWish> ScheduleFile::wish_of(const WorkspaceId& workspace, const DeclaredJob& declared,
                                      const Job* there, const std::string& zone) {
  const bool isolated = declared.isolated.value_or(false);
  JobWish wish{.workspace = workspace,
               .id = declared.id,
               .name = std::string(trim(declared.name.value_or(""))),
               .message = declared.prompt,
               .kind = isolated ? JobKind::kIsolated : JobKind::kBound,
               .catch_up = declared.catch_up ? parse_catch_up(*declared.catch_up) : std::nullopt,
               .catch_up_max = declared.catch_up_max,
               .source = std::string(kBy),
               .enabled = declared.enabled.value_or(true)};
  if (wish.name.empty()) wish.name = declared.id;
  TRY(wish.schedule, schedule_of(declared, zone));
  TRY(wish.window, length_of("window", declared.window));
  TRY(wish.timeout, length_of("timeout", declared.timeout));
  TRY(const auto gate_timeout, length_of("gateTimeout", declared.gate_timeout));
  fill_defaults(wish);
  wish.extra.project_path = declared.project_path;
  wish.extra.tools = declared.tools;
  if (declared.gate) {
    wish.extra.gate = ScriptGate{.command = *declared.gate};
    if (gate_timeout) wish.extra.gate->timeout_ms = gate_timeout->count;
  }
  if (!isolated) {
    if (!declared.session_id || trim(*declared.session_id).empty()) {
      return fail(JobErrc::kNoSession,
                  "'sessionId' is missing: which conversation is it for? Or say \"isolated\": "
                  "true");
    }
    if (declared.output || declared.project_path) {
      return fail(Errc::kInvalid,
                  "'output' and 'projectPath' are for isolated jobs: say \"isolated\": true, or "
                  "leave them out");
    }
    TRY(wish.session_key, key_of(workspace, *declared.session_id, there));
    return wish;
  }
  JobOutput output;
  if (declared.output) {
    output.file = declared.output->file;
    output.notify = declared.output->notify;
  }
  auto told = declared.output ? declared.output->session_id : std::nullopt;
  if (!told) told = declared.session_id;
  if (told) {
    TRY(output.session_key, key_of(workspace, *told, nullptr));
  }
  if (output != JobOutput{}) wish.extra.output = std::move(output);
  return wish;
}

Result<void> ScheduleFile::check(const JobWish& wish, const Job* there) {
  // One that was dropped from the file comes back as what it was.
  const auto other = book_.get(wish.workspace, *wish.id);
  if (there == nullptr && other && other->source != kBy) {
    return fail(Errc::kConflict,
                fmt::format("another automation has this id{}; give it another one",
                            other->state == JobState::kRemoved ? " (a removed one)" : ""));
  }
  if (other && other->kind != wish.kind) {
    return fail(Errc::kInvalid,
                "an automation can't become isolated or stop to be it; give it another id");
  }
  if (!is_over(wish.schedule, clock_.wall_now())) {
    TRY_VOID(book_.check(wish));
    return {};
  }
  JobWish ahead = wish;  // everything else must be right all the same
  ahead.schedule.at = clock_.wall_now() + seconds(1);
  TRY_VOID(book_.check(ahead));
  return {};
}

Result<std::vector<JobWish>> ScheduleFile::read(const WorkspaceId& workspace,
                                                const std::string& text, const JobsById& there,
                                                std::vector<std::string>& notices) {
  TRY(const boost::json::value jobs, parse_file(text));
  TRY(const std::string zone, zone_of(workspace));
  std::vector<JobWish> wished;
  std::set<std::string, std::less<>> ids;
  const JsonPath root, list{&root, "jobs"};
  for (std::size_t i = 0; i < jobs.get_array().size(); ++i) {
    const boost::json::value& item = jobs.get_array()[i];
    TRY(const DeclaredJob declared, from_json<DeclaredJob>(item, {&list, {}, i}));
    if (!ids.insert(declared.id).second) {
      return fail(Errc::kInvalid, fmt::format("two jobs have the id '{}'; ids must differ",
                                              utf8_prefix(declared.id, 80)));
    }
    note_unknown_fields(item, declared.id, notices);
    const auto old = there.find(declared.id);
    const Job* before = old == there.end() ? nullptr : &old->second;
    const std::string& usual = before != nullptr ? before->schedule.zone : zone;
    auto wish = wish_of(workspace, declared, before, declared.tz.value_or(usual));
    if (!wish) return fail(about_job(declared.id, wish.error()));
    if (auto checked = check(*wish, before); !checked) {
      return fail(about_job(declared.id, checked.error()));
    }
    const bool known = before != nullptr && is_same(before->schedule, wish->schedule);
    if (!known && is_over(wish->schedule, clock_.wall_now())) {
      note(notices, fmt::format("job '{}': its time {} is over, so it is not scheduled",
                                declared.id, to_iso(wish->schedule.at)));
      continue;
    }
    wished.push_back(std::move(*wish));
  }
  return wished;
}

Task<Result<bool>> ScheduleFile::bring_about(JobWish wish, Job there) {
  bool wrote = false;
  Result<Job> after = std::move(there);
  for (int i = 0; i < kTries; ++i) {
    const auto edit = edit_of(*after, wish);
    if (!edit) break;
    auto edited = co_await book_.edit(wish.workspace, *wish.id, *edit, std::string(kBy));
    if (!edited && edited.error().is(Errc::kConflict) && i + 1 < kTries) continue;
    if (!edited) co_return fail(about_job(*wish.id, edited.error()));
    after = std::move(edited);
    wrote = true;
    break;
  }
  // What a person or rouse itself has paused is not the file's to resume.
  const bool paused_here = after->state == JobState::kPaused && after->state_by == kBy;
  if (wish.enabled && paused_here) {
    after = co_await book_.resume(wish.workspace, *wish.id, std::string(kBy));
    wrote = true;
  } else if (!wish.enabled && after->state == JobState::kActive) {
    after = co_await book_.pause(wish.workspace, *wish.id, std::string(kBy),
                                 "\"enabled\": false in schedule.json");
    wrote = true;
  }
  if (!after) co_return fail(about_job(*wish.id, after.error()));
  co_return wrote;
}

Task<Result<ScheduleApplied>> ScheduleFile::apply(WorkspaceId workspace, std::string text) {
  CO_TRY(std::vector<Job> jobs, co_await book_.of_source(workspace, std::string(kBy)));
  JobsById there;
  for (Job& job : jobs) there.emplace(job.id, std::move(job));
  ScheduleApplied applied;
  CO_TRY(std::vector<JobWish> wished, read(workspace, text, there, applied.notices));
  for (JobWish& wish : wished) {
    const auto old = there.find(*wish.id);
    if (old == there.end()) {
      const std::string id = *wish.id;
      const auto made = co_await book_.create(std::move(wish));
      if (!made) co_return fail(about_job(id, made.error()));
      ++applied.added;
      continue;
    }
    CO_TRY(const bool wrote, co_await bring_about(std::move(wish), std::move(old->second)));
    ++(wrote ? applied.changed : applied.unchanged);
    there.erase(old);
  }
  for (const auto& [id, job] : there) {
    CO_TRY_VOID(co_await book_.remove(workspace, id, std::string(kBy)));
    ++applied.removed;
  }
  co_return applied;
}

}  // namespace rouse
