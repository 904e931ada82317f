#include "schedule/cron_tool.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "schedule/said_time.h"
#include "session/content.h"
#include "tool/visible_text.h"

namespace rouse {
namespace {

constexpr std::size_t kListedJobs = 50;
constexpr std::size_t kShownBytes = 160;
constexpr std::int64_t kLongestEvery_s = 3'153'600'000;  // a hundred years
constexpr std::string_view kBy = "agent";

struct CronArguments {
  std::string action;
  std::optional<std::string> message, name, cron, tz, at, id;
  std::optional<std::int64_t> every_seconds;
};
auto shape(const CronArguments*) {
  return fields(
      field("action", &CronArguments::action, ""), field("message", &CronArguments::message, ""),
      field("name", &CronArguments::name, ""), field("cron", &CronArguments::cron, ""),
      field("tz", &CronArguments::tz, ""), field("at", &CronArguments::at, ""),
      field("id", &CronArguments::id, ""),
      field("every_seconds", &CronArguments::every_seconds, "").range(0, kLongestEvery_s));
}

// Models like to fill in every field; a blank one says nothing.
void drop_blanks(CronArguments& asked) {
  for (auto* text : {&asked.message, &asked.name, &asked.cron, &asked.tz, &asked.at, &asked.id}) {
    if (*text && trim(**text).empty()) text->reset();
  }
  if (asked.every_seconds == 0) asked.every_seconds.reset();
}

Result<CronArguments> read(const std::string& arguments) {
  TRY(CronArguments asked, decode_json<CronArguments>(arguments));
  drop_blanks(asked);
  return asked;
}

bool says_when(const CronArguments& asked) { return asked.cron || asked.at || asked.every_seconds; }

Result<Schedule> schedule_of(const CronArguments& asked, const std::string& zone) {
  const int said = int(asked.cron.has_value()) + int(asked.at.has_value()) +
                   int(asked.every_seconds.has_value());
  if (said != 1) {
    return fail(Errc::kInvalid,
                "say when with exactly one of 'cron' (\"0 9 * * 1-5\"), 'every_seconds' and 'at'");
  }
  Schedule schedule{.zone = asked.tz.value_or(zone)};
  if (asked.cron) {
    schedule.expr = *asked.cron;
  } else if (asked.every_seconds) {
    schedule.kind = ScheduleKind::kEvery;
    schedule.every = seconds(*asked.every_seconds);
  } else {
    schedule.kind = ScheduleKind::kAt;
    TRY(schedule.at, parse_said_time(*asked.at, schedule.zone.empty() ? "UTC" : schedule.zone));
  }
  return schedule;
}

// A turn that a schedule began, not a person.
bool is_scheduled_turn(std::string_view kind) {
  return kind == "automation" || kind == "isolated" || kind.starts_with("heartbeat");
}

std::unexpected<Error> no_breeding() {
  return fail(Errc::kForbidden, "cannot schedule new jobs from within a cron job execution");
}

std::string shown(std::string_view text) { return std::string(utf8_prefix(text, kShownBytes)); }

bool is_untrusted(const Job& job) { return job.provenance == kFromUntrusted; }

std::string key_of(const ToolCall& call) {
  return fmt::format("agent:{}:{}", call.turn.str(), call.id);
}

JobWish wish_of(const ToolCall& call, CronArguments asked, std::string owner, Schedule schedule) {
  return {.workspace = call.workspace,
          .name = std::move(asked.name).value_or(""),
          .message = std::move(*asked.message),
          .session_key = std::move(owner),
          .schedule = std::move(schedule),
          .provenance = std::string(call.tainted ? kFromUntrusted : kFromAgent),
          .source = std::string(kBy),
          .key = key_of(call),
          .made_in = call.conversation,
          .made_by = call.turn};
}

Result<JobEdit> edit_of(const ToolCall& call, const CronArguments& asked, const Job& job) {
  JobEdit edit{.name = asked.name, .message = asked.message};
  if (says_when(asked)) {
    TRY(edit.schedule, schedule_of(asked, job.schedule.zone));
  } else if (asked.tz) {
    edit.schedule = job.schedule;
    edit.schedule->zone = *asked.tz;
  }
  if (!edit.name && !edit.message && !edit.schedule) {
    return fail(Errc::kInvalid,
                "nothing to change: give 'message', 'name', 'tz', or a new time with 'cron', "
                "'every_seconds' or 'at'");
  }
  if (call.tainted) edit.provenance = kFromUntrusted;
  return edit;
}

bool contains_words(const Job& job, const std::string& low) {
  return lower_ascii(job.name).contains(low) || lower_ascii(job.message).contains(low);
}

std::string ids_of(const std::vector<const Job*>& jobs) {
  std::string out;
  for (std::size_t i = 0; i < jobs.size() && i < kListedJobs; ++i) {
    out += fmt::format("\n[{}] {} ({})", jobs[i]->id, shown(jobs[i]->name),
                       job_state_name(jobs[i]->state));
  }
  return out;
}

}  // namespace

const ToolInfo& CronTool::info() const {
  static const ToolInfo info{
      .name = "cron",
      .description =
          "Reminders and recurring jobs of this conversation. add needs a message (what to do or "
          "say then) and one of cron (\"0 9 * * 1-5\"), every_seconds, at (once, local "
          "\"2026-11-16T09:00\"); the others but list need id.",
      .schema =
          R"({"type":"object","properties":{"action":{"enum":["add","list","update","pause",)"
          R"("resume","remove"]},"message":{"type":"string"},"name":{"type":"string"},"cron":)"
          R"({"type":"string"},"tz":{"type":"string"},"every_seconds":{"type":"integer"},"at":)"
          R"({"type":"string"},"id":{"type":"string"}},"required":["action"]})",
      .tool_class = ToolClass::kTask,
      .side_effects = true};
  return info;
}

bool CronTool::changes(const ToolCall& call) const {
  const auto asked = read(call.arguments);
  return !asked || asked->action != "list";
}

RiskTier CronTool::risk_of(const ToolCall& call) const {
  const auto asked = read(call.arguments);
  if (!asked || asked->action != "update" || !asked->message || !asked->id) return info().risk;
  const auto owner = owner_of(call);
  const auto job = owner ? find(call, *owner, *asked->id) : std::unexpected(owner.error());
  // Its words came from outside, and a person said yes to those and no others (SC-9).
  return job && is_untrusted(*job) ? RiskTier::kRequiresApproval : info().risk;
}

ApprovalAsk CronTool::ask_for(const ToolCall& call) const {
  ApprovalAsk ask = Tool::ask_for(call);
  const auto asked = read(call.arguments);
  if (!asked) return ask;
  ask.summary = asked->action == "add"
                    ? std::string("schedule in this conversation")
                    : fmt::format("{} the automation {}", visible_text(asked->action, kShownBytes),
                                  visible_text(asked->id.value_or("?"), kShownBytes));
  if (asked->cron) ask.summary += fmt::format(" by cron {}", visible_text(*asked->cron, 80));
  if (asked->every_seconds) ask.summary += fmt::format(" every {} s", *asked->every_seconds);
  if (asked->at) ask.summary += fmt::format(" at {}", visible_text(*asked->at, 80));
  if (asked->tz) ask.summary += fmt::format(" ({})", visible_text(*asked->tz, 80));
  if (asked->message) {
    ask.summary += fmt::format(": \"{}\"", visible_text(*asked->message, 4 * kShownBytes));
  }
  return ask;
}

Task<ToolResult> CronTool::run(ToolCall call, std::stop_token stop) {
  Result<ToolResult> result = co_await act(std::move(call));
  if (!result) co_return ToolResult{.text = "Error: " + result.error().message, .failed = true};
  co_return std::move(*result);
}

Result<std::string> CronTool::owner_of(const ToolCall& call) const {
  if (call.conversation.empty()) return fail(JobErrc::kNoSession, std::string(kNoSessionWords));
  auto found = kernel_.conversations().get(call.workspace, call.conversation);
  if (!found && !found.error().is(ConversationErrc::kNotFound)) return fail(found.error());
  if (!found) return fail(JobErrc::kNoSession, std::string(kNoSessionWords));
  return book_.owner_key(found->key.str());
}

Result<Job> CronTool::find(const ToolCall& call, const std::string& owner,
                           std::string_view said) const {
  const std::string text(trim(said)), low = lower_ascii(text);
  TRY(const std::vector<Job> jobs, book_.bound_to(call.workspace, owner));
  std::vector<const Job*> named, with_words, all;
  for (const Job& job : jobs) {
    if (job.id == text) return job;
    if (lower_ascii(job.name) == low) named.push_back(&job);
    if (contains_words(job, low)) with_words.push_back(&job);
    all.push_back(&job);
  }
  const auto& matching = named.empty() ? with_words : named;
  if (matching.size() == 1) return *matching.front();
  if (matching.size() > 1) {
    return fail(Errc::kInvalid, fmt::format("more than one fits '{}'; give the id:{}", shown(text),
                                            ids_of(matching)));
  }
  // One that can't be changed here says so itself.
  if (auto other = book_.get(call.workspace, text);
      other && other->state != JobState::kRemoved &&
      (other->kind == JobKind::kSystem || other->session_key == owner)) {
    return other;
  }
  return fail(JobErrc::kNotFound,
              fmt::format("this conversation has no automation '{}'{}{}", shown(text),
                          all.empty() ? "" : "; it has:", ids_of(all)));
}

std::string CronTool::told(const Job& job) const {
  std::string text = fmt::format("[{}] {}: {} ({})", job.id, shown(job.name),
                                 schedule_words(job.schedule), job.schedule.zone);
  if (job.state != JobState::kActive) text += fmt::format(", {}", job_state_name(job.state));
  if (job.next && job.state == JobState::kActive) {
    text += "\nnext: " + due_words(*job.next, job.schedule.zone, clock_.wall_now());
  }
  return text;
}

Result<ToolResult> CronTool::list(const ToolCall& call, const std::string& owner) const {
  TRY(std::vector<Job> jobs, book_.bound_to(call.workspace, owner));
  std::erase_if(jobs, [](const Job& job) { return job.state != JobState::kActive; });
  if (jobs.empty()) return ToolResult{.text = "No scheduled jobs."};
  ToolResult out;
  for (std::size_t i = 0; i < jobs.size() && i < kListedJobs; ++i) {
    const Job& job = jobs[i];
    out.text += told(job) + '\n';
    if (!job.message.starts_with(job.name)) out.text += "message: " + shown(job.message) + '\n';
    if (job.last_status) out.text += fmt::format("last: {}\n", *job.last_status);
    out.untrusted = out.untrusted || is_untrusted(job);
  }
  if (jobs.size() > kListedJobs) out.text += fmt::format("({} in all)\n", jobs.size());
  return out;
}

Task<Result<ToolResult>> CronTool::act(ToolCall call) {
  CO_TRY(CronArguments asked, read(call.arguments));
  CO_TRY(const std::string owner, owner_of(call));
  if (asked.action == "list") co_return list(call, owner);
  const bool scheduled = is_scheduled_turn(call.turn_kind);
  if (asked.action == "add") {
    if (scheduled) co_return no_breeding();
    if (!asked.message) {
      co_return fail(Errc::kInvalid,
                     "action='add' requires a non-empty 'message': what shall be done or said "
                     "then. Retry including message=\"…\"");
    }
    CO_TRY(Schedule schedule, schedule_of(asked, call.zone));
    CO_TRY(const CreatedJob made,
           co_await book_.create(wish_of(call, std::move(asked), owner, std::move(schedule))));
    co_return ToolResult{.text = (made.existed ? "Scheduled already: " : "Scheduled: ") +
                                 told(made.job)};
  }
  if (!asked.id) {
    co_return fail(
        Errc::kInvalid,
        fmt::format("action='{}' requires 'id'; action='list' tells them", shown(asked.action)));
  }
  CO_TRY(const Job job, find(call, owner, *asked.id));
  Result<Job> after =
      fail(Errc::kInvalid, "'action' must be one of: add, list, update, pause, resume, remove");
  if (asked.action == "update") {
    // A one-shot that is over and gets a new time is a new job.
    if (scheduled && job.state == JobState::kDone) co_return no_breeding();
    CO_TRY(JobEdit edit, edit_of(call, asked, job));
    after = co_await book_.edit(call.workspace, job.id, std::move(edit), std::string(kBy));
  } else if (asked.action == "pause") {
    after = co_await book_.pause(call.workspace, job.id, std::string(kBy), "asked for in the chat");
  } else if (asked.action == "resume") {
    after = co_await book_.resume(call.workspace, job.id, std::string(kBy));
  } else if (asked.action == "remove") {
    after = co_await book_.remove(call.workspace, job.id, std::string(kBy));
  }
  if (!after) co_return std::unexpected(after.error());
  if (asked.action == "remove") {
    co_return ToolResult{.text = fmt::format("Removed: [{}] {}", job.id, shown(job.name)),
                         .untrusted = is_untrusted(job)};
  }
  const std::string_view what = asked.action == "update"  ? "Updated: "
                                : asked.action == "pause" ? "Paused: "
                                                          : "Resumed: ";
  co_return ToolResult{.text = std::string(what) + told(*after), .untrusted = is_untrusted(*after)};
}

}  // namespace rouse
