#include "schedule/outcome.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/model.h"

namespace rouse {
namespace {

constexpr Millis kLongestRetryAfter = hours(24);  // nobody's header stops a job for good
constexpr std::array kBackoff{seconds(30), minutes(1), minutes(5), minutes(15), hours(1)};

Millis backoff_after(std::int64_t failures) {
  const auto step = std::clamp<std::int64_t>(failures - 1, 0, kBackoff.size() - 1);
  return kBackoff.at(static_cast<std::size_t>(step));
}

// A number that looks like chance and is none (the finisher of SplitMix64).
std::uint64_t scattered(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

Millis with_jitter(Millis length, const Job& job, const Occurrence& occurrence) {
  const std::uint64_t seed = scattered(static_cast<std::uint64_t>(job.number)) +
                             scattered(static_cast<std::uint64_t>(occurrence.due.unix_ms)) +
                             static_cast<std::uint64_t>(occurrence.attempt);
  const auto most = static_cast<std::uint64_t>(length.count / 10);
  return length + millis(static_cast<std::int64_t>(scattered(seed) % (most + 1)));
}

template <class Code>
bool is(const std::string& reason, Code code) {
  return reason == error_info(code).name;
}

// A person must do something first.
bool is_permanent(const std::string& reason) {
  return is(reason, ModelErrc::kUnauthorized) || is(reason, ModelErrc::kNoCredit) ||
         is(reason, ModelErrc::kRefused) || is(reason, ModelErrc::kNotConfigured);
}

bool may_pass(const std::string& reason) {
  return is(reason, ModelErrc::kRateLimited) || is(reason, ModelErrc::kOverloaded) ||
         is(reason, ModelErrc::kServerError) || is(reason, ModelErrc::kUnreachable) ||
         is(reason, ModelErrc::kTimeout) || is(reason, ModelErrc::kBroken);
}

bool is_timeout(const std::string& reason) {
  return reason == "deadline" || reason == "inactive" || is(reason, ModelErrc::kTimeout);
}

std::string_view what_failed(std::string_view reason) {
  struct Words {
    std::string_view reason, words;
  };
  static constexpr std::array kWords{
      Words{"model_unauthorized", "the model's key was refused"},
      Words{"model_no_credit", "the model's account has no credit"},
      Words{"model_refused_request", "the model refused the request"},
      Words{"model_not_configured", "no model is configured for it"},
      Words{"model_rate_limited", "the model asked to slow down"},
      Words{"model_overloaded", "the model is overloaded"},
      Words{"model_server_error", "the model had an error"},
      Words{"model_unreachable", "the model can't be reached"},
      Words{"model_timeout", "the model didn't answer in time"},
      Words{"model_broken_answer", "the model's answer broke off"},
      Words{"model_context_full", "the conversation is too long for the model"},
      Words{"spend_cap_reached", "the spending limit is reached"},
      Words{"deadline", "it ran out of time"},
      Words{"inactive", "nothing moved for too long"},
      Words{"too_many_steps", "it came to no end"},
      Words{"too_many_tools", "it used too many tools"},
      Words{"refusal", "the model declined"},
  };
  for (const Words& one : kWords) {
    if (one.reason == reason) return one.words;
  }
  return "something went wrong";
}

}  // namespace

RunEnd run_end(const Job& job, const Occurrence& occurrence, const Verdict& verdict, WallTime now,
               Millis retry_after) {
  RunEnd out{.state = kRunOk, .reason = verdict.reason};
  if (verdict.kind == "spoke" || verdict.kind == "silent") {
    if (verdict.reason == kEmptyReason || verdict.kind == "silent") out.state = kRunEmpty;
    return out;
  }
  if (verdict.kind == "interrupted" && verdict.reason == "expired") {
    out.state = kMissed;  // it waited for its conversation for too long
    out.failures = job.failures;
    return out;
  }
  if (verdict.kind == "interrupted" && !is_timeout(verdict.reason)) {
    out.state = kRunInterrupted;  // by a person, a clear, a restart: no failure of the job
    out.failures = job.failures;
    return out;
  }
  out.state = is_timeout(verdict.reason) ? kRunTimeout : kRunError;
  out.failures = job.failures + 1;
  const bool once = job.schedule.kind == ScheduleKind::kAt;  // it ends; there is nothing to resume
  if (is_permanent(verdict.reason) && !once) {
    out.pause = std::string(what_failed(verdict.reason));
    return out;
  }
  const auto pause = [&](std::int64_t failures) {
    const Millis asked = std::min(retry_after, kLongestRetryAfter);
    return with_jitter(std::max(backoff_after(failures), asked), job, occurrence);
  };
  const WallTime again = now + pause(out.failures + occurrence.attempt - 1);
  const bool before_next = !job.next || again < *job.next;
  if (may_pass(verdict.reason) && occurrence.attempt < kTries && before_next) {
    out.retry = again;
    out.failures = job.failures;  // the occurrence isn't over yet
    return out;
  }
  if (out.failures >= kFailuresToPause && !once) {
    out.pause = fmt::format("it failed {} times in a row", out.failures);
    return out;
  }
  out.backoff = now + pause(out.failures);
  return out;
}

std::string failure_line(const Job& job, const RunEnd& end, WallTime now) {
  const std::string_view what = what_failed(end.reason);
  std::string out =
      end.state == kRunInterrupted
          ? fmt::format("The automation \"{}\" was stopped before it was done.", job.name)
          : fmt::format("The automation \"{}\" failed: {}.", job.name, what);
  if (end.retry) {
    out += fmt::format(" It is tried again in {}.", to_words(*end.retry - now));
  } else if (!end.pause.empty()) {
    out += fmt::format(" It is paused now ({}). `rouse automations resume {}` starts it again.",
                       end.pause, job.id);
  } else if (job.next) {
    auto next = job.next;
    if (end.backoff && *next < *end.backoff) {  // those before it are skipped
      next = next_due(job.schedule, *end.backoff - millis(1));
    }
    if (next) out += fmt::format(" Next: {}.", due_words(*next, job.schedule.zone, now));
  }
  return out;
}

std::string empty_line(const Job& job) {
  return fmt::format("The automation \"{}\" ran and had nothing to report.", job.name);
}

}  // namespace rouse
