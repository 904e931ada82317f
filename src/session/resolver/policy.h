// How the resolver decides: a chain of small policies, asked in the seed's order (S1-08). The first
// that rules, rules. A policy sees one situation, all facts of which were read before, and says
// whether the message opens a new session and why. It reads no clock and no store.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "session/resolver/drift_gate.h"
#include "session/resolver/reset_phrase.h"
#include "session/session.h"

namespace rouse {

struct Situation {
  std::optional<Session> latest;  // the conversation's newest session, active or closed
  bool deleted_before = false;    // there was a conversation of this key, and it was deleted
  bool from_person = true;        // not an automation, a wake or an approval
  bool bridged = true;            // the message came over a bridge
  std::optional<ResetPhrase> phrase;
  Millis idle;  // since the last visible turn; never negative
  Millis timeout;
  bool drift_gate_on = false;
  std::optional<DriftVerdict> drift;  // once the gate was asked

  [[nodiscard]] bool has_active() const { return latest && latest->active; }
};

struct Ruling {
  bool opens = false;          // a new session
  std::string_view reason;     // S1-17
  std::string_view closes_as;  // the close reason of the session that was active, if there was one
};

class Policy {
 public:
  virtual ~Policy() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::optional<Ruling> rule(const Situation& situation) const = 0;
  // The one question that takes time: is it asked before rule()?
  [[nodiscard]] virtual bool wants_drift_verdict(const Situation&) const { return false; }
};

// What a decision was based on, kept with it.
struct DriftFacts {
  std::string reason;
  double confidence = 0;
  std::optional<std::string> words;
};
inline auto shape(const DriftFacts*) {
  return fields(field("reason", &DriftFacts::reason, "What the gate found, or why it could not"),
                field("confidence", &DriftFacts::confidence, "From 0 to 1"),
                field("words", &DriftFacts::words, "The model's explanation"));
}
struct DecisionFacts {
  std::string policy;
  std::optional<std::int64_t> idle_ms, timeout_ms;
  std::optional<std::string> previous_session, previous_close_reason;
  std::optional<std::string> phrase;
  std::optional<bool> deleted_before;
  std::optional<bool> carried;  // the summary of the session before came along
  std::optional<DriftFacts> drift;
};
inline auto shape(const DecisionFacts*) {
  return fields(
      field("policy", &DecisionFacts::policy, "Which policy ruled"),
      field("idle_ms", &DecisionFacts::idle_ms, "Since the last visible turn"),
      field("timeout_ms", &DecisionFacts::timeout_ms, "The limit, where there is one"),
      field("previous_session", &DecisionFacts::previous_session, "The session before this one"),
      field("previous_close_reason", &DecisionFacts::previous_close_reason, "How that one ended"),
      field("phrase", &DecisionFacts::phrase, "The reset phrase that was found"),
      field("deleted_before", &DecisionFacts::deleted_before, "An earlier one was deleted"),
      field("carried", &DecisionFacts::carried, "The summary before was carried over"),
      field("drift", &DecisionFacts::drift, "What the drift gate said"));
}
DecisionFacts facts_of(const Situation& situation, std::string_view policy, const Ruling& ruling);

}  // namespace rouse
