#include "session/resolver/policies.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

struct Ruled {
  std::string policy, reason, closes_as;
  bool opens = false;
  friend bool operator==(const Ruled&, const Ruled&) = default;
  friend void PrintTo(const Ruled& r, std::ostream* out) {
    *out << r.policy << ": " << (r.opens ? "new " : "continue ") << r.reason << " " << r.closes_as;
  }
};

Ruled rule(const Situation& situation) {
  for (const auto& policy : policy_chain()) {
    if (const auto ruling = policy->rule(situation)) {
      return {std::string(policy->name()), std::string(ruling->reason),
              std::string(ruling->closes_as), ruling->opens};
    }
  }
  return {};
}

Situation active(Millis idle = minutes(1)) {
  Situation s;
  s.latest = Session{};
  s.idle = idle;
  s.timeout = minutes(30);
  return s;
}
Situation closed() {
  Situation s = active();
  s.latest->active = false;
  s.latest->close_reason = std::string(kClosedByApi);
  return s;
}
constexpr ResetPhrase kReset{"reset", true};

// S1-08
TEST(Policies, AreAskedInTheSeedsOrder) {
  std::string order;
  for (const auto& policy : policy_chain()) order += std::string(policy->name()) + " ";
  EXPECT_EQ(order, "explicit_reset no_session closed timeout drift continue ");
}

// S1-14
TEST(Policies, ContinueWithinTheTimeout) {
  EXPECT_EQ(rule(active()), (Ruled{"continue", "within_timeout", "", false}));
}

// S1-09
TEST(Policies, AResetPhraseClosesTheActiveSession) {
  Situation s = active(hours(5));
  s.phrase = kReset;
  EXPECT_EQ(rule(s), (Ruled{"explicit_reset", "explicit_reset", "explicit_reset", true}));
}

// S1-10, U22
TEST(Policies, TellANewSenderFromOneWhoseConversationIsGone) {
  Situation s;
  EXPECT_EQ(rule(s), (Ruled{"no_session", "first_message", "", true}));
  s.deleted_before = true;
  EXPECT_EQ(rule(s), (Ruled{"no_session", "no_session", "", true}));
}

// S1-C1, U22
TEST(Policies, AResetPhraseWithNothingToResetIsNoSession) {
  Situation s = closed();
  s.phrase = kReset;
  EXPECT_EQ(rule(s), (Ruled{"no_session", "no_session", "", true}));
  Situation nobody;
  nobody.phrase = kReset;
  EXPECT_EQ(rule(nobody), (Ruled{"no_session", "no_session", "", true}));
}

// S1-11
TEST(Policies, AClosedSessionStaysClosed) {
  EXPECT_EQ(rule(closed()), (Ruled{"closed", "session_closed", "", true}));
}

// S1-12, S1-C3
TEST(Policies, TheTimeoutIsStrictlyGreater) {
  EXPECT_EQ(rule(active(minutes(30))).reason, "within_timeout");
  EXPECT_EQ(rule(active(minutes(30) + millis(1))), (Ruled{"timeout", "timeout", "timeout", true}));
}

// U2, SE-2
TEST(Policies, OnlyAPersonOnABridgedChannelCanTimeOut) {
  Situation automation = active(days(3));
  automation.from_person = false;
  EXPECT_EQ(rule(automation).reason, "within_timeout");
  Situation web = active(days(3));
  web.bridged = false;
  EXPECT_EQ(rule(web).reason, "within_timeout");
}

// S1-13
TEST(Policies, DriftClosesOnlyWhenTheGateSaysSo) {
  Situation s = active();
  s.drift = DriftVerdict{false, 0.79, "below_threshold", ""};
  EXPECT_EQ(rule(s).reason, "within_timeout");
  s.drift = DriftVerdict{true, 0.8, "topic_drift", "from weather to taxes"};
  EXPECT_EQ(rule(s), (Ruled{"drift", "topic_drift", "topic_drift", true}));
}

TEST(Policies, TheGateIsAskedOnlyWhenNothingElseRuledAndItIsOn) {
  const PolicyChain chain = policy_chain();
  const auto asked = [&](const Situation& s) {
    for (const auto& policy : chain) {
      if (policy->wants_drift_verdict(s)) return true;
      if (policy->rule(s)) return false;
    }
    return false;
  };
  Situation s = active();
  EXPECT_FALSE(asked(s));
  s.drift_gate_on = true;
  EXPECT_TRUE(asked(s));
  s.idle = hours(1);
  EXPECT_FALSE(asked(s)) << "the timeout rules first";
  s = closed();
  s.drift_gate_on = true;
  EXPECT_FALSE(asked(s));
}

TEST(DecisionFacts, SayWhatTheDecisionWasBasedOn) {
  Situation s = active(minutes(45));
  s.latest->id = *SessionId::parse("sess_1");
  EXPECT_EQ(encode_json(facts_of(s, "timeout", {true, "timeout", kClosedByTimeout})),
            R"({"policy":"timeout","idle_ms":2700000,"timeout_ms":1800000,)"
            R"("previous_session":"sess_1","previous_close_reason":"timeout"})");
  EXPECT_EQ(encode_json(facts_of(Situation{}, "no_session", {true, "first_message", {}})),
            R"({"policy":"no_session"})");
}

}  // namespace
}  // namespace rouse
