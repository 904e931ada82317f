#include "session/resolver/policies.h"

namespace rouse {
namespace {

// S1-09
class ExplicitReset final : public Policy {
 public:
  [[nodiscard]] std::string_view name() const override { return "explicit_reset"; }
  [[nodiscard]] std::optional<Ruling> rule(const Situation& s) const override {
    if (!s.phrase || !s.has_active()) return std::nullopt;
    return Ruling{true, "explicit_reset", kClosedByReset};
  }
};

// S1-10, U22: nobody ever, a reset with nothing to reset, or only a tombstone.
class NoSession final : public Policy {
 public:
  [[nodiscard]] std::string_view name() const override { return "no_session"; }
  [[nodiscard]] std::optional<Ruling> rule(const Situation& s) const override {
    if (s.has_active()) return std::nullopt;
    if (s.phrase) return Ruling{true, "no_session", {}};
    if (s.latest) return std::nullopt;
    return Ruling{true, s.deleted_before ? "no_session" : "first_message", {}};
  }
};

// S1-11
class Closed final : public Policy {
 public:
  [[nodiscard]] std::string_view name() const override { return "closed"; }
  [[nodiscard]] std::optional<Ruling> rule(const Situation& s) const override {
    if (s.has_active()) return std::nullopt;
    return Ruling{true, "session_closed", {}};
  }
};

// S1-12, U2: only what a person writes over a bridge can find that it is too late.
class Timeout final : public Policy {
 public:
  [[nodiscard]] std::string_view name() const override { return "timeout"; }
  [[nodiscard]] std::optional<Ruling> rule(const Situation& s) const override {
    if (!s.from_person || !s.bridged || s.idle <= s.timeout) return std::nullopt;
    return Ruling{true, "timeout", kClosedByTimeout};
  }
};

// S1-13
class Drift final : public Policy {
 public:
  [[nodiscard]] std::string_view name() const override { return "drift"; }
  [[nodiscard]] bool wants_drift_verdict(const Situation& s) const override {
    return s.drift_gate_on && s.from_person;
  }
  [[nodiscard]] std::optional<Ruling> rule(const Situation& s) const override {
    if (!s.drift || !s.drift->drifted) return std::nullopt;
    return Ruling{true, "topic_drift", kClosedByDrift};
  }
};

// S1-14
class Continue final : public Policy {
 public:
  [[nodiscard]] std::string_view name() const override { return "continue"; }
  [[nodiscard]] std::optional<Ruling> rule(const Situation&) const override {
    return Ruling{false, "within_timeout", {}};
  }
};

}  // namespace

PolicyChain policy_chain() {
  PolicyChain chain;
  chain.push_back(std::make_unique<ExplicitReset>());
  chain.push_back(std::make_unique<NoSession>());
  chain.push_back(std::make_unique<Closed>());
  chain.push_back(std::make_unique<Timeout>());
  chain.push_back(std::make_unique<Drift>());
  chain.push_back(std::make_unique<Continue>());
  return chain;
}

DecisionFacts facts_of(const Situation& s, std::string_view policy, const Ruling& ruling) {
  DecisionFacts facts;
  facts.policy = policy;
  if (s.has_active()) {
    facts.idle_ms = s.idle.count;
    if (s.bridged && s.from_person) facts.timeout_ms = s.timeout.count;
  }
  if (ruling.opens && s.latest) {
    facts.previous_session = s.latest->id.str();
    facts.previous_close_reason =
        s.latest->active ? std::string(ruling.closes_as) : s.latest->close_reason;
  }
  if (s.phrase) facts.phrase = s.phrase->phrase;
  if (s.deleted_before) facts.deleted_before = true;
  if (s.drift) {
    facts.drift = DriftFacts{s.drift->reason, s.drift->confidence, std::nullopt};
    if (!s.drift->words.empty()) facts.drift->words = s.drift->words;
  }
  return facts;
}

}  // namespace rouse
