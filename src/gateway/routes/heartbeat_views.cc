#include "gateway/routes/heartbeat_views.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "schedule/story/automation_words.h"
#include "schedule/time/schedule.h"

namespace rouse {
namespace {

using Word = std::pair<std::string_view, std::string_view>;
constexpr std::array kSkipWords{
    Word{"budget_spent", "today's budget is spent"},
    Word{"conversation_busy", "the conversation was busy all the while"},
    Word{"person_wrote", "somebody was just writing"},
    Word{"outside_hours", "it came too late, outside of its hours"},
    Word{"disabled", "it was switched off"},
    Word{"settings_broken", "heartbeat.json could not be understood"},
};

std::optional<std::string> if_any(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

Schedule schedule_of(const HeartbeatStatus& status) {
  Schedule out;
  out.kind = ScheduleKind::kEvery;
  out.every = status.settings.interval;
  if (status.settings.hours) out.expr = hours_text(*status.settings.hours);
  out.zone = status.zone;
  return out;
}

BeatView last_skip_of(const HeartbeatStatus& status) {
  const HeartbeatStatus::Skip& skip = *status.last_skip;
  Occurrence one;
  one.due = one.last = skip.due;
  one.count = skip.count;
  one.state = skip.state;
  one.reason = skip.reason;
  BeatView out = skip_view(status.settings.name, one);
  out.until.reset();
  return out;
}

// "check: overdue_tasks 7d"
std::string check_words(const CheckOrder& check) {
  const std::int64_t minutes_old = check.age.count / minutes(1).count;
  std::string out = fmt::format("check: {}", check_name(check.kind));
  if (!check.command.empty()) return fmt::format("{} \"{}\"", out, check.command);
  if (minutes_old == 0) return out;
  if (minutes_old % (24 * 60) == 0) return fmt::format("{} {}d", out, minutes_old / (24 * 60));
  if (minutes_old % 60 == 0) return fmt::format("{} {}h", out, minutes_old / 60);
  return fmt::format("{} {}m", out, minutes_old);
}

}  // namespace

std::string skip_words(std::string_view state, std::string_view reason) {
  for (const auto& [word, meaning] : kSkipWords) {
    if (word == reason) return std::string(meaning);
  }
  return words::how_it_went(state) + words::because(reason);
}

HeartbeatView view_of(const HeartbeatStatus& status, WallTime now) {
  const HeartbeatSettings& settings = status.settings;
  HeartbeatView out{.name = settings.name,
                    .job_id = status.job_id,
                    .enabled = settings.enabled && settings.interval.count > 0,
                    .words = schedule_words(schedule_of(status)),
                    .zone = status.zone,
                    .interval_minutes = settings.interval.count / minutes(1).count,
                    .project = settings.project,
                    .conversation = if_any(settings.conversation),
                    .agent = if_any(settings.agent),
                    .model = settings.model,
                    .waits_for = status.deferred,
                    .orders_file = settings.orders,
                    .problem = if_any(status.problem)};
  if (settings.hours) out.active_hours = hours_text(*settings.hours);
  if (status.next) {
    out.next_run_at = to_iso(*status.next);
    out.next_words = due_words(*status.next, status.zone, now);
  }
  if (status.last) out.last = view_of(*status.last);
  if (status.last_skip) out.last_skip = last_skip_of(status);
  const BeatDay& today = status.today;
  out.today = {.beats = today.beats,
               .calls = today.calls,
               .tokens_in = today.tokens_in,
               .tokens_out = today.tokens_out,
               .cost_micros = today.cost_micros,
               .cap_micros = settings.day_micros,
               .cap_calls = settings.day_calls};
  return out;
}

void put_orders(HeartbeatView& view, std::string_view text) {
  const StandingOrders orders = parse_standing_orders(text);
  for (const CheckOrder& check : orders.checks) {
    view.orders.push_back({"check", check_words(check)});
  }
  for (const std::string& order : orders.on_change) view.orders.push_back({"on_change", order});
  for (const std::string& order : orders.always) view.orders.push_back({"always", order});
  if (!view.problem && !orders.problems.empty()) {
    view.problem = fmt::format("{}: {}", view.orders_file, orders.problems.front());
  }
}

BeatView view_of(const Beat& beat) {
  const bool skipped = beat.state == kSkipped;
  BeatView out{.name = beat.heartbeat,
               .at = to_iso(beat.at),
               .status = beat.state,
               .skipped = skipped,
               .verdict = beat.verdict,
               .outcome = beat.outcome,
               .reason = beat.reason,
               .text = skipped ? skip_words(beat.state, beat.reason) : beat.summary,
               .calls = beat.calls,
               .tokens_in = beat.tokens_in,
               .tokens_out = beat.tokens_out,
               .cost_micros = beat.cost_micros,
               .late = beat.late};
  if (beat.due) out.scheduled_for = to_iso(*beat.due);
  if (beat.turn) out.turn_id = beat.turn->str();
  return out;
}

BeatView skip_view(const std::string& name, const Occurrence& skipped) {
  BeatView out{.name = name,
               .at = to_iso(skipped.due),
               .scheduled_for = to_iso(skipped.due),
               .count = skipped.count,
               .status = skipped.state,
               .skipped = true,
               .verdict = "",
               .outcome = "skipped",
               .reason = skipped.reason,
               .text = skip_words(skipped.state, skipped.reason)};
  if (skipped.is_range()) out.until = to_iso(skipped.last);
  return out;
}

}  // namespace rouse
