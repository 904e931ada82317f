#include "schedule/story/forecast.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace rouse {
namespace {

constexpr Millis kMonth = days(30);
constexpr std::int64_t kMostCounted = 10'000;         // what comes more often is carried on
constexpr std::size_t kSmallRequestBytes = 7 * 1024;  // instructions and tools, before any history
constexpr std::int64_t kGuessedAnswer = 300;          // tokens

struct Usage {
  std::int64_t count = 0, tokens_in = 0, tokens_out = 0;
  std::optional<std::int64_t> micros = 0;
  void add(std::int64_t in, std::int64_t out, std::optional<std::int64_t> cost) {
    if (in == 0 && out == 0 && !cost) return;  // no model was asked
    ++count;
    tokens_in += in;
    tokens_out += out;
    micros = micros && cost ? std::optional(*micros + *cost) : std::nullopt;
  }
};

std::int64_t runs_in_month(const Schedule& schedule, WallTime from) {
  const DueSpan span = dues_between(schedule, from, from + kMonth, kMostCounted);
  if (span.count < kMostCounted) return span.count;
  const Millis covered = std::max(span.last - from, millis(1));
  return kMostCounted * kMonth.count / covered.count;
}

WallTime minute_of(WallTime time) {
  return {time.unix_ms - ((time.unix_ms % 60'000) + 60'000) % 60'000};
}

std::vector<FireOverlap> overlaps(const std::vector<WallTime>& dues,
                                  const std::vector<Job>& others) {
  std::vector<FireOverlap> out;
  std::size_t compared = 0;
  for (const Job& other : others) {
    if (other.state != JobState::kActive) continue;
    if (++compared > kOthersCompared) break;
    FireOverlap found{.automation_id = other.id, .name = other.name, .at = {}, .times = 0};
    for (const WallTime due : dues) {
      const WallTime minute = minute_of(due);
      const auto theirs = next_due(other.schedule, minute - millis(1));
      if (!theirs || *theirs >= minute + minutes(1)) continue;
      if (found.times++ == 0) found.at = minute;
    }
    if (found.times > 0) out.push_back(std::move(found));
  }
  return out;
}

Usage guess(const ForecastFacts& facts) {
  Usage out;
  ModelUsage usage;
  usage.in = estimate_tokens(kSmallRequestBytes + facts.message_bytes);
  usage.out = kGuessedAnswer;
  out.add(usage.in, usage.out, facts.model ? cost_of(*facts.model, usage) : std::nullopt);
  return out;
}

std::string cost_words(const RunForecast& of) {
  if (!of.cost_micros) return "price unknown";
  if (*of.cost_micros == 0) return "free";
  return fmt::format("about ${:.2f}", static_cast<double>(*of.cost_micros) / 1e6);
}

std::string words_of(const RunForecast& of) {
  std::string basis = "a guess from the size of a small request";
  if (of.basis == "past_runs") basis = fmt::format("as its last runs used ({})", of.averaged);
  if (of.basis == "conversation") {
    basis = fmt::format("as the last turns of the conversation used ({})", of.averaged);
  }
  return fmt::format("{} {} in 30 days: about {} tokens in, {} out, {}; {}", of.runs,
                     of.runs == 1 ? "run" : "runs", of.tokens_in, of.tokens_out, cost_words(of),
                     basis);
}

}  // namespace

RunForecast forecast(const Schedule& schedule, WallTime from, const ForecastFacts& facts) {
  RunForecast out{.runs = runs_in_month(schedule, from), .basis = "past_runs"};
  out.overlaps = overlaps(next_dues(schedule, from, kFiresCompared), facts.others);
  Usage used;
  for (const Run& run : facts.runs) used.add(run.tokens_in, run.tokens_out, run.cost_micros);
  if (used.count == 0) {
    out.basis = "conversation";
    for (const Turn& turn : facts.turns) {
      used.add(turn.tokens_in + turn.cache_read + turn.cache_write, turn.tokens_out,
               turn.cost_micros);
    }
  }
  if (used.count == 0) {
    out.basis = "guess";
    used = guess(facts);
  }
  out.averaged = out.basis == "guess" ? 0 : used.count;
  out.tokens_in = used.tokens_in * out.runs / used.count;
  out.tokens_out = used.tokens_out * out.runs / used.count;
  if (used.micros) out.cost_micros = *used.micros * out.runs / used.count;
  out.words = words_of(out);
  return out;
}

}  // namespace rouse
