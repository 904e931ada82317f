// Automations, their occurrences and runs as the API shows them. The names of these fields are a
// contract with the web app, the command line and other programs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "base/json.h"
#include "gateway/routes/conversation_views.h"
#include "schedule/job.h"
#include "schedule/occurrence_ledger.h"
#include "schedule/story/automation_story.h"

namespace rouse {

// --- what a client sends (a schedule is shown as it is sent)
// -------------------------------------------------------------------------

struct ScheduleBody {
  std::string kind;
  std::optional<std::string> expr = {}, tz = {};
  std::optional<std::int64_t> every_ms = {};
  std::optional<std::string> at = {};
};
inline auto shape(const ScheduleBody*) {
  return fields(
      field("kind", &ScheduleBody::kind, "What kind of schedule").one_of({"cron", "every", "at"}),
      field("expr", &ScheduleBody::expr, "cron: the expression, like 0 8 * * 1-5").length(1, 256),
      field("tz", &ScheduleBody::tz, "IANA zone; the workspace's if left out").length(1, 64),
      field("every_ms", &ScheduleBody::every_ms, "every: the period, at least 1000"),
      field("at", &ScheduleBody::at, "at: when; without an offset, local time in tz")
          .length(1, 40));
}

struct GateBody {
  std::string command;
  std::optional<std::int64_t> timeout_ms = {};
};
inline auto shape(const GateBody*) {
  return fields(field("command", &GateBody::command, "Status 0 wakes the agent").length(1, 4096),
                field("timeout_ms", &GateBody::timeout_ms, "30000 if left out").range(1, 600'000));
}

// Of a new automation and of an edit; what an edit leaves out stays.
struct AutomationBody {
  std::optional<std::string> name = {}, message = {}, session_key = {};
  std::optional<ScheduleBody> schedule = {};
  std::optional<std::string> catch_up = {};
  std::optional<std::int64_t> catch_up_max = {}, window_ms = {}, timeout_ms = {};
  std::optional<bool> isolated = {}, enabled = {};
  std::optional<GateBody> gate = {};
  std::optional<JobOutput> output = {};
  std::optional<std::string> project_path = {};
  std::optional<std::vector<std::string>> tools = {};
  std::optional<std::string> key = {}, workspace_id = {};
};
inline auto shape(const AutomationBody*) {
  return fields(
      field("name", &AutomationBody::name, "The beginning of the message if left out")
          .length(1, kJobNameBytes),
      field("message", &AutomationBody::message, "What the agent is to do; a new one needs it")
          .length(1, kJobMessageBytes),
      field("session_key", &AutomationBody::session_key,
            "The conversation it belongs to, by any of its names; a new one needs it, unless it "
            "is isolated")
          .length(1, 400),
      field("schedule", &AutomationBody::schedule, "When; a new one needs it"),
      field("catch_up", &AutomationBody::catch_up, "What becomes of instants missed while down")
          .one_of({"latest", "all", "skip"}),
      field("catch_up_max", &AutomationBody::catch_up_max, "How many 'all' makes up for")
          .range(1, 100),
      field("window_ms", &AutomationBody::window_ms, "How late it may still run")
          .range(0, days(3650).count),
      field("timeout_ms", &AutomationBody::timeout_ms, "How long a run may take")
          .range(kShortestTimeout.count, kLongestTimeout.count),
      field("isolated", &AutomationBody::isolated,
            "Runs in a session of its own that is gone afterwards; only when it is made"),
      field("enabled", &AutomationBody::enabled, "False: paused"),
      field("gate", &AutomationBody::gate, "A script that decides; admins only; null: none"),
      field("output", &AutomationBody::output, "isolated: where its output goes; null: nowhere"),
      field("project_path", &AutomationBody::project_path,
            "isolated: the folder it works in; admins only; null: none")
          .length(1, 4096),
      field("tools", &AutomationBody::tools, "All the tools it may use; null: every one")
          .length(0, 100),
      field("key", &AutomationBody::key,
            "The same key again is the same automation; so is an Idempotency-Key header")
          .length(1, 200),
      field("workspace_id", &AutomationBody::workspace_id, "Whose; admins only, else your own"));
}

struct PauseBody {
  std::optional<std::string> reason = {};
};
inline auto shape(const PauseBody*) {
  return fields(field("reason", &PauseBody::reason, "Why, for the record").length(1, 500));
}

struct PreviewBody {
  std::optional<ScheduleBody> schedule = {};
  std::optional<std::int64_t> count = {};
  std::optional<std::string> from = {}, automation_id = {}, session_key = {}, message = {};
};
inline auto shape(const PreviewBody*) {
  return fields(
      field("schedule", &PreviewBody::schedule,
            "The schedule to look at; with automation_id it may be left out"),
      field("count", &PreviewBody::count, "How many, 5 if left out").range(1, 100),
      field("from", &PreviewBody::from, "After this time; now if left out").length(1, 40),
      field("automation_id", &PreviewBody::automation_id, "The automation that would have it")
          .length(1, 64),
      field("session_key", &PreviewBody::session_key, "The conversation it would belong to")
          .length(1, 400),
      field("message", &PreviewBody::message, "What the agent would be told")
          .length(1, kJobMessageBytes));
}

// --- what it gets --------------------------------------------------------------------------------

struct PayloadView {
  std::string kind, message;
  std::optional<std::string> session_key = {};
};
inline auto shape(const PayloadView*) {
  return fields(field("kind", &PayloadView::kind, "agent_turn or system_event"),
                field("message", &PayloadView::message, "What the agent is to do"),
                field("session_key", &PayloadView::session_key, "Of a bound one"));
}

struct LastOccurrenceView {
  std::string status, reason, scheduled_for;
};
inline auto shape(const LastOccurrenceView*) {
  return fields(field("status", &LastOccurrenceView::status, "How it ended"),
                field("reason", &LastOccurrenceView::reason, "Why so, or empty"),
                field("scheduled_for", &LastOccurrenceView::scheduled_for, "When it was due"));
}

struct AutomationView {
  std::string id, name, message, kind;
  std::optional<std::string> session_key = {};
  PayloadView payload = {};
  ScheduleBody schedule = {};
  std::string words, zone;
  bool enabled = false;
  std::string state, state_by, state_reason, state_since;
  std::optional<std::string> next_run_at = {};
  std::vector<std::string> next = {};
  std::optional<std::string> next_words = {};
  std::string catch_up;
  std::int64_t catch_up_max = 0, window_ms = 0, timeout_ms = 0, failures = 0;
  std::optional<std::string> backoff_until = {};
  std::optional<LastOccurrenceView> last = {};
  std::optional<std::vector<std::string>> tools = {};
  std::optional<ScriptGate> gate = {};
  std::optional<JobOutput> output = {};
  std::optional<std::string> project_path = {};
  std::string provenance, source;
  std::optional<std::string> key = {}, made_in = {};
  std::string created_at, updated_at;
};
inline auto shape(const AutomationView*) {
  return fields(
      field("id", &AutomationView::id, "Its id, unique in its workspace"),
      field("name", &AutomationView::name, "What it is called"),
      field("message", &AutomationView::message, "What the agent is to do"),
      field("kind", &AutomationView::kind, "Where it runs")
          .one_of({"bound", "isolated", "legacy", "system"}),
      field("session_key", &AutomationView::session_key, "The conversation it belongs to")
          .or_null(),
      field("payload", &AutomationView::payload, "What it sends into the conversation"),
      field("schedule", &AutomationView::schedule, "When, as it was said"),
      field("words", &AutomationView::words, "When, in words"),
      field("zone", &AutomationView::zone, "The zone of its clock"),
      field("enabled", &AutomationView::enabled, "Whether it runs when it is due"),
      field("state", &AutomationView::state, "How it stands")
          .one_of({"active", "paused", "done", "removed", "quarantined"}),
      field("state_by", &AutomationView::state_by, "Who brought it there, or empty"),
      field("state_reason", &AutomationView::state_reason, "Why, or empty"),
      field("state_since", &AutomationView::state_since, "Since when"),
      field("next_run_at", &AutomationView::next_run_at, "When it is due next").or_null(),
      field("next", &AutomationView::next, "The next five; empty if it isn't active"),
      field("next_words", &AutomationView::next_words, "The next, in its zone and in UTC")
          .or_null(),
      field("catch_up", &AutomationView::catch_up, "What becomes of instants missed while down")
          .one_of({"latest", "all", "skip"}),
      field("catch_up_max", &AutomationView::catch_up_max, "How many 'all' makes up for"),
      field("window_ms", &AutomationView::window_ms, "How late it may still run"),
      field("timeout_ms", &AutomationView::timeout_ms, "How long a run may take"),
      field("failures", &AutomationView::failures, "How often it failed in a row"),
      field("backoff_until", &AutomationView::backoff_until, "Not before this, after failures")
          .or_null(),
      field("last", &AutomationView::last, "How its last occurrence ended").or_null(),
      field("tools", &AutomationView::tools, "All the tools it may use; null: every one").or_null(),
      field("gate", &AutomationView::gate, "The script that decides").or_null(),
      field("output", &AutomationView::output, "isolated: where its output goes").or_null(),
      field("project_path", &AutomationView::project_path, "isolated: the folder it works in")
          .or_null(),
      field("provenance", &AutomationView::provenance, "Who stands behind it")
          .one_of({"owner", "agent", "untrusted"}),
      field("source", &AutomationView::source, "Where it was made"),
      field("key", &AutomationView::key, "Its key for idempotent creation").or_null(),
      field("made_in", &AutomationView::made_in, "The conversation an agent made it in").or_null(),
      field("created_at", &AutomationView::created_at, "When it was made"),
      field("updated_at", &AutomationView::updated_at, "When it was last changed"));
}
AutomationView view_of(const Job& job, WallTime now);

struct AutomationPage {
  std::vector<AutomationView> items;
  std::optional<std::string> next_cursor;
};
inline auto shape(const AutomationPage*) {
  return fields(
      field("items", &AutomationPage::items, "One page, the oldest first"),
      field("next_cursor", &AutomationPage::next_cursor, "Null on the last page").or_null());
}

struct SessionAutomations {
  std::string session_key;
  std::vector<AutomationView> automations;
};
inline auto shape(const SessionAutomations*) {
  return fields(
      field("session_key", &SessionAutomations::session_key, "The conversation"),
      field("automations", &SessionAutomations::automations, "Those bound to it, oldest first"));
}

struct OverlapView {
  std::string automation_id, name, at;
  std::int64_t times = 1;
};
inline auto shape(const OverlapView*) {
  return fields(field("automation_id", &OverlapView::automation_id, "The other one"),
                field("name", &OverlapView::name, "What it is called"),
                field("at", &OverlapView::at, "The first minute they share"),
                field("times", &OverlapView::times, "How often in the next 20 fires"));
}

struct EstimateView {
  std::int64_t runs = 0;
  std::string basis;
  std::int64_t averaged = 0, tokens_in = 0, tokens_out = 0;
  std::optional<std::int64_t> cost_micros = {};
  std::string words;
};
inline auto shape(const EstimateView*) {
  return fields(field("runs", &EstimateView::runs, "Runs in the 30 days to come"),
                field("basis", &EstimateView::basis, "What the estimate carries on")
                    .one_of({"past_runs", "conversation", "guess"}),
                field("averaged", &EstimateView::averaged, "Over how many runs or turns"),
                field("tokens_in", &EstimateView::tokens_in, "Tokens read in 30 days"),
                field("tokens_out", &EstimateView::tokens_out, "Tokens written in 30 days"),
                field("cost_micros", &EstimateView::cost_micros,
                      "In 30 days, in millionths; null if a price is unknown")
                    .or_null(),
                field("words", &EstimateView::words, "All of it for a person"));
}

struct PreviewView {
  std::string words, zone;
  std::vector<std::string> next, next_words;
  std::vector<OverlapView> overlaps = {};
  EstimateView estimate = {};
};
inline auto shape(const PreviewView*) {
  return fields(field("words", &PreviewView::words, "The schedule in words"),
                field("zone", &PreviewView::zone, "The zone of its clock"),
                field("next", &PreviewView::next, "When it would be due"),
                field("next_words", &PreviewView::next_words, "The same in its zone and in UTC"),
                field("overlaps", &PreviewView::overlaps,
                      "Others of the conversation that come due in the same minute"),
                field("estimate", &PreviewView::estimate, "How often, and what a month costs"));
}

struct OccurrenceView {
  std::string scheduled_for;
  std::optional<std::string> until = {};
  std::int64_t count = 1;
  std::string status, reason;
  std::int64_t attempt = 0;
  std::optional<std::string> ready_at = {}, ended_at = {};
};
inline auto shape(const OccurrenceView*) {
  return fields(field("scheduled_for", &OccurrenceView::scheduled_for, "When it was due"),
                field("until", &OccurrenceView::until, "Of several in a row the last"),
                field("count", &OccurrenceView::count, "How many in a row share this"),
                field("status", &OccurrenceView::status, "How it stands or ended")
                    .one_of({"claimed", "queued", "ok", "empty", "error", "timeout", "interrupted",
                             "skipped", "missed"}),
                field("reason", &OccurrenceView::reason, "Why it ended so, or what it waits for"),
                field("attempt", &OccurrenceView::attempt, "Which try; 0 if it never ran"),
                field("ready_at", &OccurrenceView::ready_at, "claimed: it goes no earlier"),
                field("ended_at", &OccurrenceView::ended_at, "When it was over").or_null());
}

struct FoldedDayView {
  std::string day, status;
  std::int64_t count = 0;
  std::string first, last;
};
inline auto shape(const FoldedDayView*) {
  return fields(field("day", &FoldedDayView::day, "Of UTC"),
                field("status", &FoldedDayView::status, "How they ended"),
                field("count", &FoldedDayView::count, "How many"),
                field("first", &FoldedDayView::first, "The first of them"),
                field("last", &FoldedDayView::last, "The last of them"));
}

struct OccurrencePage {
  std::vector<OccurrenceView> items;
  std::optional<std::vector<FoldedDayView>> days;
  std::optional<std::string> next_cursor;
};
inline auto shape(const OccurrencePage*) {
  return fields(
      field("items", &OccurrencePage::items, "One page, the newest first"),
      field("days", &OccurrencePage::days, "On the last page: the sums of older days"),
      field("next_cursor", &OccurrencePage::next_cursor, "Null on the last page").or_null());
}
OccurrenceView view_of(const Occurrence& occurrence);
FoldedDayView view_of(const FoldedDay& day);

struct RunView {
  std::string id, automation_id, automation_name, scheduled_for;
  std::int64_t attempt = 1;
  std::string kind, status, reason;
  bool late = false;
  std::string session_key;
  std::optional<std::string> turn_id = {}, conversation_id = {}, session_id = {};
  PromptRefView prompt_ref = {};
  std::string model;
  std::int64_t tokens_in = 0, tokens_out = 0;
  std::optional<std::int64_t> cost_micros = {};
  std::string queued_at;
  std::optional<std::string> ended_at = {};
  std::string routed, error;
  std::optional<std::string> prompt = {};                                   // not in lists
  std::optional<std::map<std::string, boost::json::value>> variables = {};  // not in lists
};
inline auto shape(const RunView*) {
  return fields(
      field("id", &RunView::id, "Its id"),
      field("automation_id", &RunView::automation_id, "Of which automation"),
      field("automation_name", &RunView::automation_name, "What that was called then"),
      field("scheduled_for", &RunView::scheduled_for, "The occurrence it ran for"),
      field("attempt", &RunView::attempt, "Which try"),
      field("kind", &RunView::kind, "bound, isolated, legacy or system"),
      field("status", &RunView::status, "queued, or how it ended"),
      field("reason", &RunView::reason, "Why it ended so, or empty"),
      field("late", &RunView::late, "It made up for an instant that was missed"),
      field("session_key", &RunView::session_key, "The conversation it ran in, or empty"),
      field("turn_id", &RunView::turn_id, "The turn it was").or_null(),
      field("conversation_id", &RunView::conversation_id, "Where").or_null(),
      field("session_id", &RunView::session_id, "In which session").or_null(),
      field("prompt_ref", &RunView::prompt_ref, "The prompt the agent was given"),
      field("model", &RunView::model, "Who answered, or empty"),
      field("tokens_in", &RunView::tokens_in, "Tokens read"),
      field("tokens_out", &RunView::tokens_out, "Tokens written"),
      field("cost_micros", &RunView::cost_micros, "In millionths; null if no price is known")
          .or_null(),
      field("queued_at", &RunView::queued_at, "When it was accepted"),
      field("ended_at", &RunView::ended_at, "When it was over").or_null(),
      field("routed", &RunView::routed, "isolated and legacy: where the output went"),
      field("error", &RunView::error, "What went wrong; in lists its beginning"),
      field("prompt", &RunView::prompt, "As it was rendered; not in lists"),
      field("variables", &RunView::variables, "What it was rendered with; not in lists"));
}
RunView view_of(Run run);  // for a list
RunView whole_view_of(Run run);

struct RunPage {
  std::vector<RunView> items;
  std::optional<std::string> next_cursor;
};
inline auto shape(const RunPage*) {
  return fields(field("items", &RunPage::items, "One page, the newest first"),
                field("next_cursor", &RunPage::next_cursor, "Null on the last page").or_null());
}

struct WhyAutomationView {
  std::string automation_id, automation_name, at, code, reason, text, status, by;
  std::optional<std::string> since = {}, scheduled_for = {}, until = {};
  std::int64_t count = 0;
  bool folded = false;
  std::optional<std::string> next = {}, previous = {}, run_id = {}, turn_id = {}, waits_for = {},
                             conversation_id = {};
};
inline auto shape(const WhyAutomationView*) {
  return fields(
      field("automation_id", &WhyAutomationView::automation_id, "Which automation"),
      field("automation_name", &WhyAutomationView::automation_name, "What it is called"),
      field("at", &WhyAutomationView::at, "The instant this is about"),
      field("code", &WhyAutomationView::code, "What was the case")
          .one_of({"ran", "running", "queued", "deferred", "skipped", "missed", "not_due", "paused",
                   "removed", "quarantined", "done", "not_yet"}),
      field("reason", &WhyAutomationView::reason, "Why, in a word, or empty"),
      field("text", &WhyAutomationView::text, "All of it in plain words"),
      field("status", &WhyAutomationView::status, "Of the occurrence, or empty"),
      field("by", &WhyAutomationView::by, "Who paused or removed it, or empty"),
      field("since", &WhyAutomationView::since, "Paused, removed, done or made since"),
      field("scheduled_for", &WhyAutomationView::scheduled_for,
            "The occurrence; of several the first"),
      field("until", &WhyAutomationView::until, "Of several the last; of a deferral its end"),
      field("count", &WhyAutomationView::count, "How many occurrences share this; 0: none"),
      field("folded", &WhyAutomationView::folded, "Only sums of that day are kept"),
      field("next", &WhyAutomationView::next, "The next due instant"),
      field("previous", &WhyAutomationView::previous, "The one before"),
      field("run_id", &WhyAutomationView::run_id, "The record of its run"),
      field("turn_id", &WhyAutomationView::turn_id, "The turn it was or will be"),
      field("waits_for", &WhyAutomationView::waits_for, "The turn that must end first"),
      field("conversation_id", &WhyAutomationView::conversation_id, "Where it ran"));
}
WhyAutomationView view_of(const Job& job, const AutomationAnswer& answer);

}  // namespace rouse
