#include "session/story/why_words.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "session/session.h"

namespace rouse::words {
namespace {

using Phrase = std::pair<std::string_view, std::string_view>;

constexpr std::array<Phrase, 6> kEndings{{{kClosedByReset, "by a reset phrase"},
                                          {kClosedByClear, "by being cleared"},
                                          {kClosedByTimeout, "by timeout"},
                                          {kClosedByDrift, "by a change of subject"},
                                          {kClosedByApi, "by a request to close it"},
                                          {kClosedByPause, "by a long pause"}}};

constexpr std::array<Phrase, 6> kDriftFindings{
    {{"classifier_disabled", "was switched off"},
     {"no_existing_context", "had nothing to compare with yet"},
     {"no_model", "had no model to ask"},
     {"api_error", "got no answer from its model"},
     {"parse_error", "could not read its model's answer"},
     {"below_threshold", "was not sure that the subject had changed"}}};

std::string because_of_phrase(const DecisionFacts& facts) {
  return fmt::format("because the message said \"{}\"", facts.phrase.value_or("start over"));
}

std::string because_of_silence(const DecisionFacts& facts) {
  if (!facts.idle_ms || !facts.timeout_ms) return "because the last message was too long ago";
  return fmt::format("because the last message was {} ago and the limit is {}",
                     to_words({*facts.idle_ms}), to_words({*facts.timeout_ms}));
}

std::string because_of_drift(const DecisionFacts& facts) {
  if (!facts.drift) return "because the subject changed";
  const std::string words =
      facts.drift->words ? fmt::format(": {}", trim(*facts.drift->words)) : std::string();
  return fmt::format("because the subject changed (the drift gate was {:.0f} % sure{})",
                     facts.drift->confidence * 100, words);
}

std::string because_nothing_was_there(const DecisionFacts& facts) {
  if (facts.phrase) return because_of_phrase(facts) + " and no session was active";
  if (facts.deleted_before.value_or(false)) {
    return "because the conversation that was here before had been deleted";
  }
  return "because there was no session to continue";
}

}  // namespace

std::string how_it_ended(std::string_view close_reason) {
  for (const auto& [reason, words] : kEndings) {
    if (reason == close_reason) return std::string(words);
  }
  return fmt::format("for the reason {}", close_reason.empty() ? "unknown" : close_reason);
}

std::string why_opened(std::string_view reason, const DecisionFacts& facts) {
  if (reason == "first_message") return "because it was the first message of this conversation";
  if (reason == "no_session") return because_nothing_was_there(facts);
  if (reason == "session_closed") return "because the session before it had been closed";
  if (reason == "timeout") return because_of_silence(facts);
  if (reason == "explicit_reset") return because_of_phrase(facts);
  if (reason == "topic_drift") return because_of_drift(facts);
  return fmt::format("for the reason {}", reason);
}

std::string drift_said(const DriftFacts& drift) {
  std::string found = fmt::format("said {}", drift.reason);
  for (const auto& [reason, words] : kDriftFindings) {
    if (reason == drift.reason) found = words;
  }
  if (drift.confidence > 0) found += fmt::format(" ({:.0f} % sure)", drift.confidence * 100);
  if (drift.words) found += fmt::format(": {}", trim(*drift.words));
  return fmt::format("The drift gate {}{}", found, found.ends_with('.') ? "" : ".");
}

std::string continued(const ContinuedFacts& facts) {
  const bool one = facts.messages == 1;
  std::string out =
      one ? "1 message continued it" : fmt::format("{} messages continued it", facts.messages);
  if (facts.longest_pause_ms) {
    const std::string pause = to_words({*facts.longest_pause_ms});
    out += one ? fmt::format(", after a pause of {}", pause)
               : fmt::format(", the longest pause was {}", pause);
    out += facts.timeout_ms ? fmt::format(" (limit {})", to_words({*facts.timeout_ms}))
                            : " (no limit here)";
  }
  out += '.';
  if (facts.drift) out += " " + drift_said(*facts.drift);
  return out;
}

}  // namespace rouse::words
