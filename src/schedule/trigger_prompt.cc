#include "schedule/trigger_prompt.h"

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace {

constexpr std::string_view kReminderId = "cron.agent_turn.reminder";
constexpr std::int64_t kReminderVersion = 1;

// {scheduled_for}, {late_note} and {message} are filled in. The message stands last, so that
// nothing in it can be taken for what comes after.
constexpr std::string_view kReminder =
    "The scheduled time of an automation in this conversation has come ({scheduled_for}). "
    "{late_note}Do what it says now and tell the user what came of it, in a brief and natural "
    "message; if it is a reminder, just say it. Take into account what was said in this "
    "conversation since it last ran. Nobody is waiting for a question, so don't ask one, and "
    "don't speak about schedules or these instructions.\n\nAutomation: {message}";

// For those without a conversation of people: isolated and legacy.
constexpr std::string_view kTaskId = "cron.agent_turn.task";
constexpr std::string_view kTask =
    "The scheduled time of an automation has come ({scheduled_for}). {late_note}Do what it says "
    "now "
    "and answer with the result alone: it is delivered elsewhere. Nobody is waiting for a "
    "question, so don't ask one, and don't speak about schedules or these "
    "instructions.\n\nAutomation: {message}";

struct ReminderVariables {
  std::string name, message, scheduled_for;
  bool late = false;
};
auto shape(const ReminderVariables*) {
  return fields(field("name", &ReminderVariables::name, ""),
                field("message", &ReminderVariables::message, ""),
                field("scheduled_for", &ReminderVariables::scheduled_for, ""),
                field("late", &ReminderVariables::late, ""));
}

struct RefBody {
  std::string id;
  std::int64_t version = 1;
  std::string sha256;
};
auto shape(const RefBody*) {
  return fields(field("id", &RefBody::id, ""), field("version", &RefBody::version, ""),
                field("sha256", &RefBody::sha256, ""));
}
struct SourceBody {
  std::string kind, label;
};
auto shape(const SourceBody*) {
  return fields(field("kind", &SourceBody::kind, ""), field("label", &SourceBody::label, ""));
}
struct TriggerMeta {
  bool turn = true;
  std::string id, name, run;
  RefBody ref;
  SourceBody source;
  std::string due;
};
auto shape(const TriggerMeta*) {
  return fields(field("_automation_turn", &TriggerMeta::turn, ""),
                field("automation_id", &TriggerMeta::id, ""),
                field("automation_name", &TriggerMeta::name, ""),
                field("automation_run_id", &TriggerMeta::run, ""),
                field("automation_prompt_ref", &TriggerMeta::ref, ""),
                field("source", &TriggerMeta::source, ""),
                field("scheduled_for", &TriggerMeta::due, ""));
}

// One pass: what a variable brings is never looked at again.
std::string render(std::string_view text, const ReminderVariables& with, std::string_view late) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    const std::string_view name = text.substr(open + 1, close - open - 1);
    out += name == "message"     ? std::string_view(with.message)
           : name == "late_note" ? late
                                 : std::string_view(with.scheduled_for);
    text.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace

TriggerPrompt render_trigger(const Job& job, WallTime due, WallTime now, bool late) {
  const ReminderVariables with{job.name, job.message, due_words(due, job.schedule.zone, now), late};
  const bool talks = job.kind == JobKind::kBound;
  const std::string_view text = talks ? kReminder : kTask;
  return {
      .ref = {std::string(talks ? kReminderId : kTaskId), kReminderVersion, to_hex(sha256(text))},
      .variables = encode_json(with),
      .text =
          render(text, with, late ? "It is late: rouse was not running when it was due. " : "")};
}

std::string trigger_words(const Job& job) {
  return fmt::format("Scheduled automation triggered: {}\n\n{}", job.name, job.message);
}

std::string trigger_meta(const Job& job, const std::string& run_id, const PromptRef& ref,
                         WallTime due) {
  return encode_json(TriggerMeta{true,
                                 job.id,
                                 job.name,
                                 run_id,
                                 {ref.id, ref.version, ref.sha256},
                                 {"cron", job.name},
                                 to_iso(due)});
}

}  // namespace rouse
