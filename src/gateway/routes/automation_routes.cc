#include "gateway/routes/automation_routes.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.h"
#include "gateway/routes/asked_workspace.h"
#include "schedule/said_time.h"

namespace rouse {
namespace {

constexpr std::size_t kPreviewed = 5;
constexpr std::size_t kDaysShown = 400;
constexpr std::size_t kKeyBytes = 200;
constexpr std::size_t kDateBytes = 10;  // 2026-11-16

RouteInfo about(std::string method, std::string pattern, std::string summary) {
  return {.method = std::move(method),
          .pattern = std::move(pattern),
          .summary = std::move(summary),
          .tag = "automations",
          .query = {workspace_parameter()}};
}

void add_paging(RouteInfo& info) {
  info.query.push_back({"limit", "How many, 1 to 200"});
  info.query.push_back({"cursor", "next_cursor of the page before"});
}

// A browser has a cookie, a program a token; ours says its name.
std::string door_of(const Call& call) {
  if (!call.head.header("Authorization")) return "web";
  return call.head.header("User-Agent").value_or("").starts_with("rouse/") ? "cli" : "api";
}

Result<std::optional<std::int64_t>> cursor_of(const Call& call) {
  const auto text = call.query("cursor");
  if (!text) return std::optional<std::int64_t>();
  std::int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [at, failed] = std::from_chars(text->data(), end, value);
  if (failed == std::errc{} && at == end) return std::optional(value);
  return fail(Errc::kInvalid, "'cursor' must be the next_cursor of the page before");
}

// What an admin alone may ask for: it reaches the machine, not only the conversation.
Result<void> check_role(const Call& call, const AutomationBody& wanted) {
  if (call.principal.is_admin()) return {};
  TRY(const auto json, parse_json(call.body));  // null clears one, which is setting it, too
  const auto* said = json.if_object();
  const bool touches =
      said != nullptr && (said->contains("gate") || said->contains("project_path"));
  if (!touches && !wanted.gate && !wanted.project_path) return {};
  return fail(Errc::kForbidden, "'gate' and 'project_path' can only be set by an admin");
}

std::optional<Millis> length_of(const std::optional<std::int64_t>& ms) {
  return ms ? std::optional(millis(*ms)) : std::nullopt;
}

ScriptGate gate_of(GateBody body) {
  ScriptGate out{.command = std::move(body.command)};
  if (body.timeout_ms) out.timeout_ms = *body.timeout_ms;
  return out;
}

// An absent field leaves things as they are, null clears them; the struct can't tell them apart.
Result<std::optional<JobExtra>> extra_of(const Job& job, AutomationBody wanted,
                                         std::string_view body) {
  TRY(const auto json, parse_json(body));
  const auto& said = json.get_object();
  JobExtra out = job.extra;
  if (said.contains("gate")) {
    out.gate.reset();
    if (wanted.gate) out.gate = gate_of(std::move(*wanted.gate));
  }
  if (said.contains("output")) out.output = std::move(wanted.output);
  if (said.contains("project_path")) out.project_path = std::move(wanted.project_path);
  if (said.contains("tools")) out.tools = std::move(wanted.tools);
  if (out == job.extra) return std::optional<JobExtra>();
  return std::optional(std::move(out));
}

void add_forecast(PreviewView& out, RunForecast seen) {
  for (FireOverlap& one : seen.overlaps) {
    out.overlaps.push_back(
        {std::move(one.automation_id), std::move(one.name), to_iso(one.at), one.times});
  }
  out.estimate = {.runs = seen.runs,
                  .basis = std::move(seen.basis),
                  .averaged = seen.averaged,
                  .tokens_in = seen.tokens_in,
                  .tokens_out = seen.tokens_out,
                  .cost_micros = seen.cost_micros,
                  .words = std::move(seen.words)};
}

bool is_empty(const JobEdit& edit) {
  return !edit.name && !edit.message && !edit.schedule && !edit.catch_up && !edit.catch_up_max &&
         !edit.window && !edit.timeout && !edit.extra && !edit.session_key;
}

}  // namespace

void AutomationRoutes::add_to(RouteTable& table) {
  const std::string all = "/api/automations", one = all + "/{id}";
  auto making = exchange<AutomationBody, Response>(
      about("POST", all, "Make an automation: a message that is sent on a schedule"),
      [this](Call& call, AutomationBody wanted) { return create(call, std::move(wanted)); });
  making.info.success = 201;
  making.response_type = &kJsonType<AutomationView>;
  table.add(std::move(making));
  RouteInfo listing = about("GET", all, "List the automations, with what is next and was last");
  listing.query.push_back({"session_key", "Only of this conversation, by any of its names"});
  add_paging(listing);
  table.add(answer<AutomationPage>(std::move(listing), [this](Call& call) { return list(call); }));
  table.add(answer<AutomationView>(about("GET", one, "One automation"),
                                   [this](Call& call) { return get(call); }));
  table.add(exchange<AutomationBody, AutomationView>(
      about("PATCH", one, "Change an automation; what is left out stays"),
      [this](Call& call, AutomationBody wanted) { return edit(call, std::move(wanted)); }));
  table.add(answer<OkBody>(about("DELETE", one, "Remove an automation; its record stays readable"),
                           [this](Call& call) { return remove(call); }));
  auto pausing = upload<AutomationView>(about("POST", one + "/pause", "Pause an automation"),
                                        [this](Call& call) { return pause(call); });
  pausing.request_type = &kJsonType<PauseBody>;
  table.add(std::move(pausing));
  auto resuming = upload<AutomationView>(about("POST", one + "/resume", "Let a paused one go on"),
                                         [this](Call& call) { return resume(call); });
  resuming.request_type = &kJsonType<PauseBody>;
  table.add(std::move(resuming));
  RouteInfo ledger = about("GET", one + "/occurrences", "What became of each due instant");
  add_paging(ledger);
  table.add(
      answer<OccurrencePage>(std::move(ledger), [this](Call& call) { return occurrences(call); }));
  table.add(exchange<PreviewBody, PreviewView>(
      about("POST", all + "/preview",
            "When is it due, what does it meet, what does it cost? Makes nothing"),
      [this](Call& call, PreviewBody wanted) { return preview(call, std::move(wanted)); }));
  table.add(answer<SessionAutomations>(
      about("GET", "/api/sessions/{key}/automations", "The automations of one conversation"),
      [this](Call& call) { return of_session(call); }));
  RouteInfo asking = about("GET", "/api/why/automation/{id}",
                           "Why it ran or didn't, now or at any instant; removed ones, too");
  asking.query.push_back({"at", "The instant; without an offset, local time in its zone"});
  table.add(answer<WhyAutomationView>(std::move(asking), [this](Call& call) { return why(call); }));
}

Result<Job> AutomationRoutes::asked_job(const Call& call) {
  TRY(const auto workspace, asked_workspace(call, workspaces_));
  return book_.get(workspace, call.parameters.at(0));
}

Result<Job> AutomationRoutes::living_job(const Call& call) {
  TRY(Job job, asked_job(call));
  if (job.state != JobState::kRemoved) return job;
  return fail(JobErrc::kNotFound,
              fmt::format("automation {} was removed on {}; `rouse why automation {}` tells more",
                          job.id, to_iso(job.state_since), job.id));
}

Result<std::string> AutomationRoutes::asked_key(const WorkspaceId& workspace,
                                                const std::string& name) {
  const auto known = kernel_.find_conversation(workspace, name);
  if (known) return known->key.str();
  if (!known.error().is(ConversationErrc::kNotFound)) return std::unexpected(known.error());
  const auto key = SessionKey::parse(name);
  return key ? Result<std::string>(key->str()) : std::unexpected(known.error());
}

Result<std::string> AutomationRoutes::bound_key(const WorkspaceId& workspace,
                                                const std::string& name) {
  const auto known = kernel_.find_conversation(workspace, name);
  if (known) return book_.owner_key(known->key.str());
  if (!known.error().is(ConversationErrc::kNotFound)) return std::unexpected(known.error());
  const auto key = SessionKey::parse(name);
  const bool unified = book_.settings().unified && key && *key == SessionKey::unified();
  if (key && (begins_here(key->channel) || unified)) return book_.owner_key(key->str());
  return fail(ConversationErrc::kNotFound,
              fmt::format("there is no conversation {0}; an automation is bound to one that has "
                          "begun, or to a new one like websocket:{0}",
                          utf8_prefix(name, 120)));
}

Result<std::string> AutomationRoutes::zone_of(const WorkspaceId& workspace) {
  TRY(const Workspace found, workspaces_.get(workspace));
  return found.timezone.value_or(book_.settings().default_zone);
}

Result<Schedule> AutomationRoutes::schedule_of(const WorkspaceId& workspace,
                                               const ScheduleBody& body) {
  Schedule out{.kind = parse_schedule_kind(body.kind).value_or(ScheduleKind::kCron)};
  const bool told = out.kind == ScheduleKind::kCron    ? body.expr.has_value()
                    : out.kind == ScheduleKind::kEvery ? body.every_ms.has_value()
                                                       : body.at.has_value();
  if (!told) {
    return fail(Errc::kInvalid, fmt::format("a schedule of kind '{}' needs '{}'", body.kind,
                                            out.kind == ScheduleKind::kCron    ? "expr"
                                            : out.kind == ScheduleKind::kEvery ? "every_ms"
                                                                               : "at"));
  }
  TRY(out.zone, body.tz ? Result<std::string>(*body.tz) : zone_of(workspace));
  if (out.kind == ScheduleKind::kCron) out.expr = *body.expr;
  if (out.kind == ScheduleKind::kEvery) {
    out.every = millis(*body.every_ms);
    out.anchor = clock_.wall_now();
  }
  if (out.kind == ScheduleKind::kAt) {
    TRY(out.at, parse_said_time(*body.at, out.zone));
  }
  return out;
}

Task<Result<Response>> AutomationRoutes::create(Call& call, AutomationBody wanted) {
  CO_TRY(auto workspace,
         choose_workspace(call.principal,
                          wanted.workspace_id ? wanted.workspace_id : call.query("workspace_id")));
  CO_TRY_VOID(workspaces_.get(workspace));
  CO_TRY_VOID(check_role(call, wanted));
  const JsonPath body;
  if (!wanted.message) co_return fail(missing_field({&body, "message"}));
  if (!wanted.schedule) co_return fail(missing_field({&body, "schedule"}));
  JobWish wish{.workspace = std::move(workspace),
               .name = wanted.name.value_or(""),
               .message = std::move(*wanted.message),
               .kind = wanted.isolated.value_or(false) ? JobKind::kIsolated : JobKind::kBound,
               .catch_up = parse_catch_up(wanted.catch_up.value_or("")),
               .catch_up_max = wanted.catch_up_max,
               .window = length_of(wanted.window_ms),
               .timeout = length_of(wanted.timeout_ms),
               .source = door_of(call),
               .key = std::move(wanted.key),
               .enabled = wanted.enabled.value_or(true)};
  if (const auto header = call.head.header("Idempotency-Key"); header && !wish.key) {
    if (header->empty() || header->size() > kKeyBytes) {
      co_return fail(Errc::kInvalid, "Idempotency-Key must have 1 to 200 characters");
    }
    wish.key = *header;
  }
  CO_TRY(wish.schedule, schedule_of(wish.workspace, *wanted.schedule));
  if (wanted.gate) wish.extra.gate = gate_of(std::move(*wanted.gate));
  wish.extra.output = std::move(wanted.output);
  wish.extra.project_path = std::move(wanted.project_path);
  wish.extra.tools = std::move(wanted.tools);
  if (wish.kind == JobKind::kBound && wanted.session_key) {
    CO_TRY(wish.session_key, bound_key(wish.workspace, *wanted.session_key));
  }
  CO_TRY(const CreatedJob made, co_await book_.create(std::move(wish)));
  co_return json_text(made.existed ? 200 : 201, encode_json(view_of(made.job, clock_.wall_now())));
}

Task<Result<AutomationPage>> AutomationRoutes::list(Call& call) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(const std::size_t limit, call.limit());
  CO_TRY(const auto after, cursor_of(call));
  std::string key = call.query("session_key").value_or("");
  // A '+' that wasn't encoded arrives as a blank; no channel has peers with one.
  std::ranges::replace(key, ' ', '+');
  if (!key.empty()) {
    CO_TRY(key, asked_key(workspace, key));
    key = book_.owner_key(key);
  }
  CO_TRY(auto found, co_await book_.list(workspace, std::move(key), after.value_or(0), limit + 1));
  AutomationPage out;
  const bool more = found.size() > limit;
  if (more) found.pop_back();
  if (more) out.next_cursor = std::to_string(found.back().number);
  for (const Job& job : found) out.items.push_back(view_of(job, clock_.wall_now()));
  co_return out;
}

Result<AutomationView> AutomationRoutes::get(Call& call) {
  TRY(const Job job, living_job(call));
  return view_of(job, clock_.wall_now());
}

Task<Result<AutomationView>> AutomationRoutes::edit(Call& call, AutomationBody wanted) {
  CO_TRY(Job job, living_job(call));
  CO_TRY_VOID(check_role(call, wanted));
  if (!call.principal.is_admin() && (job.extra.gate || job.extra.project_path)) {
    co_return fail(Errc::kForbidden,
                   "this automation reaches the machine ('gate' or 'project_path'); only an admin "
                   "can change it");
  }
  JobEdit edit{.name = std::move(wanted.name),
               .message = std::move(wanted.message),
               .catch_up = parse_catch_up(wanted.catch_up.value_or("")),
               .catch_up_max = wanted.catch_up_max,
               .window = length_of(wanted.window_ms),
               .timeout = length_of(wanted.timeout_ms)};
  if (wanted.schedule) {
    if (!wanted.schedule->tz) wanted.schedule->tz = job.schedule.zone;  // what isn't said stays
    CO_TRY(edit.schedule, schedule_of(job.workspace, *wanted.schedule));
  }
  if (wanted.session_key) {
    CO_TRY(edit.session_key, bound_key(job.workspace, *wanted.session_key));
  }
  const auto enabled = wanted.enabled;
  CO_TRY(edit.extra, extra_of(job, std::move(wanted), call.body));
  const std::string by = door_of(call);
  if (!is_empty(edit)) {
    CO_TRY(job, co_await book_.edit(job.workspace, job.id, std::move(edit), by));
  }
  if (enabled && *enabled && job.state == JobState::kPaused) {
    CO_TRY(job, co_await book_.resume(job.workspace, job.id, by));
  }
  if (enabled && !*enabled && job.state == JobState::kActive) {
    CO_TRY(job, co_await book_.pause(job.workspace, job.id, by, ""));
  }
  co_return view_of(job, clock_.wall_now());
}

Task<Result<OkBody>> AutomationRoutes::remove(Call& call) {
  CO_TRY(const Job job, living_job(call));
  CO_TRY_VOID(co_await book_.remove(job.workspace, job.id, door_of(call)));
  co_return OkBody{};
}

// Whoever has no reason may send nothing at all.
Task<Result<AutomationView>> AutomationRoutes::pause(Call& call) {
  CO_TRY(Job job, living_job(call));
  CO_TRY(const auto why, decode_json<PauseBody>(call.body.empty() ? "{}" : call.body));
  CO_TRY(job, co_await book_.pause(job.workspace, job.id, door_of(call), why.reason.value_or("")));
  co_return view_of(job, clock_.wall_now());
}

Task<Result<AutomationView>> AutomationRoutes::resume(Call& call) {
  CO_TRY(Job job, living_job(call));
  CO_TRY(job, co_await book_.resume(job.workspace, job.id, door_of(call)));
  co_return view_of(job, clock_.wall_now());
}

Task<Result<OccurrencePage>> AutomationRoutes::occurrences(Call& call) {
  CO_TRY(const Job job, asked_job(call));
  CO_TRY(const std::size_t limit, call.limit());
  CO_TRY(const auto cursor, cursor_of(call));
  std::optional<WallTime> before;
  if (cursor) before = WallTime{*cursor};
  CO_TRY(auto found, co_await ledger_.of_job(job.number, before, limit + 1));
  OccurrencePage out;
  const bool more = found.size() > limit;
  if (more) found.pop_back();
  if (more) out.next_cursor = std::to_string(found.back().due.unix_ms);
  for (const Occurrence& one : found) out.items.push_back(view_of(one));
  if (more) co_return out;
  CO_TRY(const auto days, co_await ledger_.days_of(job.number, kDaysShown));
  out.days.emplace();
  for (const FoldedDay& day : days) out.days->push_back(view_of(day));
  co_return out;
}

// What the estimate goes by: the automation's own runs, the others of its conversation, its turns.
Task<Result<ForecastFacts>> AutomationRoutes::facts_for(WorkspaceId workspace,
                                                        std::optional<Job> job,
                                                        PreviewBody wanted) {
  constexpr std::int64_t kNewest = std::numeric_limits<std::int64_t>::max();
  ForecastFacts facts;
  if (model_) facts.model = model_();
  if (wanted.message) facts.message_bytes = wanted.message->size();
  std::string key = wanted.session_key.value_or("");
  if (job) {
    CO_TRY(facts.runs, co_await ledger_.runs(workspace, job->number, kNewest, kRunsAveraged));
    if (!wanted.message) facts.message_bytes = job->message.size();
    if (key.empty()) key = job->session_key;
  }
  if (key.empty()) co_return facts;
  CO_TRY(const std::string owner, asked_key(workspace, key));
  CO_TRY(facts.others, book_.bound_to(workspace, book_.owner_key(owner)));
  if (job) std::erase_if(facts.others, [&](const Job& one) { return one.number == job->number; });
  const auto known = kernel_.find_conversation(workspace, owner);
  if (!known) co_return facts;  // it has not begun yet
  CO_TRY(facts.turns, co_await kernel_.turns().of_conversation(known->id, kNewest, kRunsAveraged));
  co_return facts;
}

Task<Result<PreviewView>> AutomationRoutes::preview(Call& call, PreviewBody wanted) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  std::optional<Job> job;
  if (wanted.automation_id) {
    CO_TRY(job, book_.get(workspace, *wanted.automation_id));
  }
  const JsonPath body;
  if (!wanted.schedule && !job) co_return fail(missing_field({&body, "schedule"}));
  Schedule schedule;
  if (wanted.schedule) {
    CO_TRY(schedule, schedule_of(workspace, *wanted.schedule));
  } else {
    schedule = job->schedule;
  }
  WallTime from = clock_.wall_now();
  if (wanted.from) {
    CO_TRY(from, parse_said_time(*wanted.from, schedule.zone));
  }
  if (wanted.schedule) {
    schedule.anchor = from;
    CO_TRY_VOID(check_schedule(schedule, from));
  }
  PreviewView out{
      .words = schedule_words(schedule), .zone = schedule.zone, .next = {}, .next_words = {}};
  const auto count = static_cast<std::size_t>(wanted.count.value_or(kPreviewed));
  for (const WallTime due : next_dues(schedule, from, count)) {
    out.next.push_back(to_iso(due));
    out.next_words.push_back(due_words(due, schedule.zone, from));
  }
  CO_TRY(const auto facts, co_await facts_for(workspace, std::move(job), std::move(wanted)));
  add_forecast(out, forecast(schedule, from, facts));
  co_return out;
}

Result<SessionAutomations> AutomationRoutes::of_session(Call& call) {
  TRY(const auto workspace, asked_workspace(call, workspaces_));
  TRY(std::string key, asked_key(workspace, call.parameters.at(0)));
  const std::string owner = book_.owner_key(key);
  TRY(auto jobs, book_.bound_to(workspace, key));
  if (owner != key) {
    // One thread for all pages: each shows what belongs to all, and what is its own from before.
    TRY(const auto shared, book_.bound_to(workspace, owner));
    jobs.insert(jobs.end(), shared.begin(), shared.end());
  }
  SessionAutomations out{.session_key = std::move(key), .automations = {}};
  for (const Job& job : jobs) out.automations.push_back(view_of(job, clock_.wall_now()));
  return out;
}

Result<WhyAutomationView> AutomationRoutes::why(Call& call) {
  TRY(const Job job, asked_job(call));
  std::optional<WallTime> at;
  if (auto asked = call.query("at")) {
    // An offset's '+' that wasn't encoded arrives as a blank.
    const std::size_t blank = asked->rfind(' ');
    if (blank != std::string::npos && blank > kDateBytes) asked->at(blank) = '+';
    TRY(at, parse_said_time(*asked, job.schedule.zone));
  }
  TRY(const AutomationAnswer answer, story_.tell(job, at));
  return view_of(job, answer);
}

}  // namespace rouse
