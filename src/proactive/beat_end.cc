// The end of a beat: its words, where they go, and the one write that makes it all true.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/fault.h"
#include "base/text.h"
#include "proactive/heartbeat.h"
#include "session/content.h"

namespace rouse {
namespace {

constexpr std::string_view kNothingWords = "checked, nothing to report";  // S2-29
constexpr std::string_view kToldWords = " (already told)";
constexpr std::size_t kSentences = 5;  // of findings, in one alert
constexpr std::size_t kWaitingLookedAt = 20;

// What the row carries besides its sentence.
struct BeatDetails {
  std::string heartbeat, verdict, outcome, reason, by;
  std::int64_t calls = 0, tokens_in = 0, tokens_out = 0;
  std::optional<std::int64_t> cost_micros = {};
  bool late = false;
  std::optional<bool> untrusted = {};
};
auto shape(const BeatDetails*) {
  using D = BeatDetails;
  return fields(field("heartbeat", &D::heartbeat, ""), field("verdict", &D::verdict, ""),
                field("outcome", &D::outcome, ""), field("reason", &D::reason, ""),
                field("by", &D::by, ""), field("calls", &D::calls, ""),
                field("tokens_in", &D::tokens_in, ""), field("tokens_out", &D::tokens_out, ""),
                field("cost_micros", &D::cost_micros, ""), field("late", &D::late, ""),
                field("untrusted", &D::untrusted, ""));
}

// What the message of a wake carries, like that of an automation.
struct WakeSource {
  std::string kind, label;
};
auto shape(const WakeSource*) {
  return fields(field("kind", &WakeSource::kind, ""), field("label", &WakeSource::label, ""));
}
struct WakeMeta {
  bool turn = true;
  std::string id, name, run;
  WakeSource source;
};
auto shape(const WakeMeta*) {
  return fields(
      field("_heartbeat_turn", &WakeMeta::turn, ""), field("automation_id", &WakeMeta::id, ""),
      field("automation_name", &WakeMeta::name, ""), field("automation_run_id", &WakeMeta::run, ""),
      field("source", &WakeMeta::source, ""));
}

std::string sentences_of(const std::vector<Finding>& findings) {
  std::string out;
  for (std::size_t i = 0; i < std::min(findings.size(), kSentences); ++i) {
    out += (out.empty() ? "" : " ") + findings[i].text;
  }
  if (findings.size() > kSentences) {
    out += fmt::format(" And {} more.", findings.size() - kSentences);
  }
  return out;
}

bool is_quiet(const Beat& beat) { return beat.verdict == verdict_name(BeatVerdict::kNothing); }

}  // namespace

// --- the words -----------------------------------------------------------------------------------

// Nobody judged: what the checks found speaks for itself.
void Heartbeat::speak_of_findings(Tick& tick, WallTime now) {
  std::vector<Finding> fresh;
  std::ranges::copy_if(tick.findings, std::back_inserter(fresh),
                       [&](const Finding& one) { return tick.state.is_fresh(one); });
  tick.beat.verdict = verdict_name(BeatVerdict::kNothing);
  if (!fresh.empty()) {
    tick.beat.verdict = verdict_name(BeatVerdict::kNotify);
    tick.beat.outcome = "spoke";
    tick.beat.summary = sentences_of(fresh);
    for (const Finding& one : fresh) tick.state.note_told(one, now);
    tick.state.note_said(alert_fingerprint(tick.beat.summary), tick.beat.summary, now);
  } else if (!tick.error.empty() && tick.beat.reason != "budget_spent" &&
             tick.beat.reason != kPriceUnknown) {
    tick.beat.verdict.clear();
    tick.beat.outcome = "failed";
    tick.beat.summary = fmt::format("The heartbeat could not ask the model: {}", tick.error);
  } else if (!tick.findings.empty()) {
    tick.beat.outcome = "silent_dedup";
    tick.beat.summary = sentences_of(tick.findings) + std::string(kToldWords);
  } else {
    tick.beat.outcome = "silent_empty";
    tick.beat.summary = kNothingWords;
  }
}

// What the model said, unless it was said before and nothing got worse. The findings are judged
// with it: one that it keeps quiet about is not brought up again by the next beat.
Result<void> Heartbeat::settle_words(Tick& tick, WallTime now) {
  if (is_quiet(tick.beat) && tick.beat.outcome == "silent_empty") {
    speak_of_findings(tick, now);  // an answer without a word judges nothing
    return {};
  }
  bool worse = false;
  for (const Finding& one : tick.findings) {
    // One that was told keeps its time: it may be told again a day after that.
    if (!tick.state.is_fresh(one)) continue;
    worse = true;
    tick.state.note_told(one, now);
  }
  if (is_quiet(tick.beat)) {
    tick.beat.summary = kNothingWords;
    return {};
  }
  const std::string print = alert_fingerprint(tick.beat.summary);
  const std::string_view wake = verdict_name(BeatVerdict::kWake);
  if (tick.beat.verdict == wake && !tick.target) {
    tick.beat.verdict = verdict_name(BeatVerdict::kNotify);
  }
  bool repeated = tick.state.was_said(print) && !worse;
  if (!repeated && tick.beat.verdict == wake) {
    find_target(tick);  // it may have begun meanwhile
    TRY(repeated, wake_waits(tick));
  }
  if (repeated) {
    tick.beat.verdict = verdict_name(BeatVerdict::kNothing);
    tick.beat.outcome = "silent_dedup";
    tick.beat.summary += kToldWords;
    return {};
  }
  tick.state.note_said(print, tick.beat.summary, now);
  return {};
}

// The same wake waits in the lane already (U9).
Result<bool> Heartbeat::wake_waits(const Tick& tick) {
  if (!tick.talk) return false;
  TRY(const auto waiting, parts_.kernel.turns().queued(*tick.talk, kWaitingLookedAt));
  for (const Turn& turn : waiting) {
    if (turn.kind != TurnKind::kHeartbeatWake || !turn.inbound) continue;
    TRY(const auto row, parts_.kernel.inbound().get(*turn.inbound));
    if (!row || !row->content) continue;
    const std::string print = alert_fingerprint(readable_text(*row->content));
    if (print == alert_fingerprint(tick.beat.summary)) return true;
  }
  return false;
}

// --- the write -----------------------------------------------------------------------------------

std::vector<Statement> Heartbeat::rows_of(const Tick& tick, WallTime now) {
  const Beat& beat = tick.beat;
  Activity row{.at = now,
               .type = ActivityType::kHeartbeat,
               .project = tick.settings.project,
               .summary = beat.summary,
               .workspace = tick.workspace};
  row.due = beat.due;
  if (tick.job) row.job = tick.job->number;
  row.turn = beat.turn;
  if (beat.turn) row.conversation = tick.talk;
  row.details = encode_json(BeatDetails{
      beat.heartbeat, beat.verdict, beat.outcome, beat.reason,
      tick.by_hand() ? "person" : "schedule", beat.calls, beat.tokens_in, beat.tokens_out,
      beat.cost_micros, beat.late, tick.untrusted ? std::optional(true) : std::nullopt});
  std::vector<Statement> out = log_activity(row);
  if (beat.verdict == verdict_name(BeatVerdict::kNotify)) {
    Notification told{.workspace = tick.workspace,
                      .kind = "heartbeat",
                      .subject = beat.heartbeat.empty()
                                     ? std::string("Heartbeat")
                                     : fmt::format("Heartbeat {}", beat.heartbeat),
                      .text = beat.summary,
                      .conversation = tick.talk,
                      .created = now};
    told.automation = heartbeat_job_id(tick.settings.name);
    told.untrusted = tick.untrusted;
    std::ranges::move(parts_.notifications.say(told), std::back_inserter(out));
  }
  if (!tick.notice.empty()) {
    std::ranges::move(parts_.notifications.say(notice_of(tick, tick.subject, tick.notice, now)),
                      std::back_inserter(out));
  }
  out.push_back(write_beat_state(tick.workspace, tick.settings.name, tick.state, now));
  return out;
}

// As any message to that conversation; where it is answered comes from there.
Result<InboundMessage> Heartbeat::wake_message(const Tick& tick) {
  const std::string id = heartbeat_job_id(tick.settings.name);
  const WallTime due = tick.beat.due.value_or(tick.beat.at);
  Run run;
  run.id = fmt::format("{}:{}", id, due.unix_ms);
  Job job;
  job.workspace = tick.workspace;
  job.id = job.name = id;
  const std::string_view from = tick.untrusted ? kFromUntrusted : kFromAgent;
  TRY(InboundMessage out, parts_.desk.output_for(job, run, tick.target->str(), from));
  out.kind = TurnKind::kHeartbeatWake;
  out.message_id = fmt::format("beat:{}{}", run.id, tick.by_hand() ? ":now" : "");
  out.content = text_content(tick.beat.summary, from);
  out.meta = encode_json(WakeMeta{true, id, tick.settings.name, run.id, {"heartbeat", id}});
  out.turn = tick.beat.turn;
  if (!tick.settings.agent.empty()) out.agent = tick.settings.agent;
  return out;
}

// The message, its turn, the row and the end are one write.
Task<Heartbeat::Woke> Heartbeat::wake(Tick tick, RunEnd end, WallTime now) {
  auto message = wake_message(tick);
  if (message) {
    message->also = rows_of(tick, now);
    if (tick.occurrence) {
      std::ranges::move(AutomationDesk::end_statements(*tick.job, *tick.occurrence, end, now),
                        std::back_inserter(message->also));
    }
    const auto taken = co_await parts_.runner.submit(std::move(*message));
    if (taken) co_return taken->resolved.redelivered ? Woke::kBefore : Woke::kNow;
    parts_.log.warn("heartbeat.not_woken", {{"message", taken.error().message}});
    co_return Woke::kNot;
  }
  parts_.log.warn("heartbeat.not_woken", {{"message", message.error().message}});
  co_return Woke::kNot;
}

Task<Result<void>> Heartbeat::end(const Tick& tick, RunEnd end) {
  if (tick.occurrence)
    co_return co_await parts_.desk.end(*tick.job, *tick.occurrence, std::move(end));
  CO_TRY_VOID(co_await parts_.database.write(Write{std::move(end.also)}));
  co_return Result<void>{};
}

Task<Result<Heartbeat::Ended>> Heartbeat::finish(Tick tick) {
  const WallTime now = parts_.clock.wall_now();
  const bool failed = tick.beat.outcome == "failed";
  const std::string reason = tick.beat.reason.empty() ? tick.beat.outcome : tick.beat.reason;
  RunEnd end{.state = failed                ? kRunError
                      : is_quiet(tick.beat) ? kRunEmpty
                                            : kRunOk,
             .reason = failed || is_quiet(tick.beat) ? reason : tick.beat.verdict};
  if (failed && tick.job) end.failures = tick.job->failures + 1;
  tick.beat.state = end.state;
  FAULT_POINT("heartbeat.before_end");
  if (tick.beat.verdict == verdict_name(BeatVerdict::kWake)) {
    tick.beat.turn = TurnId::make(now, parts_.random);
    const Woke woke = co_await wake(tick, end, now);
    if (woke == Woke::kNow) {
      FAULT_POINT("heartbeat.after_end");
      parts_.events.committed(tick.workspace);
      end.written = true;
      co_return Ended{std::move(end), std::move(tick.beat)};
    }
    tick.beat.turn.reset();
    if (woke == Woke::kBefore) {  // and nothing of this beat was written with it
      tick.beat.verdict = verdict_name(BeatVerdict::kNothing);
      tick.beat.outcome = end.reason = "silent_dedup";
      tick.beat.state = end.state = kRunEmpty;
      tick.beat.summary += kToldWords;
    } else {
      tick.beat.verdict = verdict_name(BeatVerdict::kNotify);
      end.reason = tick.beat.verdict;
    }
  }
  end.also = rows_of(tick, now);
  CO_TRY_VOID(co_await this->end(tick, end));
  FAULT_POINT("heartbeat.after_end");
  parts_.notifications.told(tick.workspace);
  end.written = true;
  co_return Ended{std::move(end), std::move(tick.beat)};
}

}  // namespace rouse
