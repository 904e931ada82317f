#include "tool/approval/tool_policy.h"

#include <array>

#include <gtest/gtest.h>

namespace rouse {
namespace {

using Ruling = PolicyRuling::Kind;

class PolicyTool final : public Tool {
 public:
  PolicyTool(RiskTier risk, bool side_effects, bool owner_only = false) {
    info_.name = "thing";
    info_.risk = risk;
    info_.side_effects = side_effects;
    info_.owner_only = owner_only;
  }
  [[nodiscard]] const ToolInfo& info() const override { return info_; }
  Task<ToolResult> run(ToolCall, std::stop_token) override { co_return ToolResult{}; }

 private:
  ToolInfo info_;
};

ToolCall call_in(std::string kind, bool tainted = false) {
  ToolCall call;
  call.arguments = "{}";
  call.turn_kind = std::move(kind);
  call.tainted = tainted;
  return call;
}

PolicySettings with(ToolSetting setting) { return {.tools = {{"thing", setting}}}; }

constexpr std::array kTiers{RiskTier::kAuto, RiskTier::kUserConfigurable,
                            RiskTier::kRequiresApproval};
constexpr std::array<std::string_view, 3> kWatched{"user", "approval", "session_open"};
constexpr std::array<std::string_view, 4> kUnwatched{"automation", "isolated", "heartbeat_wake",
                                                     "something new"};

// AP-3, U16, S0-11, S0-C12: every origin, every tier, tainted or not, with and without effects
TEST(ToolPolicy, NobodyIsAskedWhereNobodyIsAndNothingRiskyRunsThere) {
  for (const RiskTier tier : kTiers) {
    for (const bool tainted : {false, true}) {
      for (const bool effects : {false, true}) {
        const PolicyTool tool(tier, effects);
        const bool risky = tier != RiskTier::kAuto || (tainted && effects);
        const auto rule = [&](std::string_view kind, const PolicySettings& settings) {
          return rule_on_call(tool, call_in(std::string(kind), tainted), false, false, settings)
              .kind;
        };
        for (const std::string_view kind : kWatched) {
          EXPECT_EQ(rule(kind, {}), risky ? Ruling::kAsk : Ruling::kAllow) << kind;
        }
        for (const std::string_view kind : kUnwatched) {
          EXPECT_EQ(rule(kind, {}), risky ? Ruling::kDeny : Ruling::kAllow) << kind;
          EXPECT_EQ(rule(kind, {.tools = {}, .ask_when_unattended = true}),
                    risky ? Ruling::kAsk : Ruling::kAllow)
              << kind;
        }
      }
    }
  }
}

// U16
TEST(ToolPolicy, WhatWasSwitchedOffNeverRuns) {
  for (const RiskTier tier : kTiers) {
    const PolicyRuling ruling = rule_on_call(PolicyTool(tier, false), call_in("user"), false, true,
                                             with(ToolSetting::kOff));
    EXPECT_EQ(ruling.kind, Ruling::kDeny);
    EXPECT_EQ(ruling.reason, "off");
    EXPECT_NE(ruling.words.find("rouse.yaml"), std::string::npos) << ruling.words;
  }
}

TEST(ToolPolicy, SomebodyFromABridgeNeverGetsTheOwnersTools) {
  const PolicyTool tool(RiskTier::kAuto, false, true);
  const auto stranger = rule_on_call(tool, call_in("user"), true, true, with(ToolSetting::kAllow));
  EXPECT_EQ(stranger.kind, Ruling::kDeny);
  EXPECT_EQ(stranger.reason, "owner_only");
  EXPECT_EQ(rule_on_call(tool, call_in("user"), false, false, {}).kind, Ruling::kAllow);
}

TEST(ToolPolicy, SettingsReachWhatAPersonMayConfigureAndNeverWhatAlwaysAsks) {
  const auto kind = [](RiskTier tier, ToolSetting setting) {
    return rule_on_call(PolicyTool(tier, true), call_in("user"), false, false, with(setting)).kind;
  };
  EXPECT_EQ(kind(RiskTier::kUserConfigurable, ToolSetting::kAllow), Ruling::kAllow);
  EXPECT_EQ(kind(RiskTier::kUserConfigurable, ToolSetting::kAsk), Ruling::kAsk);
  EXPECT_EQ(kind(RiskTier::kAuto, ToolSetting::kAsk), Ruling::kAsk);
  EXPECT_EQ(kind(RiskTier::kRequiresApproval, ToolSetting::kAllow), Ruling::kAsk);
}

TEST(ToolPolicy, APermissionCountsAlsoWhereNobodyIsButNeverInATaintedTurn) {
  const PolicyTool tool(RiskTier::kRequiresApproval, true);
  for (const std::string_view kind : {"user", "automation"}) {
    const auto clean = rule_on_call(tool, call_in(std::string(kind)), false, true, {});
    EXPECT_EQ(clean.kind, Ruling::kAllow);
    EXPECT_EQ(clean.reason, "permitted");
  }
  const auto tainted = rule_on_call(tool, call_in("user", true), false, true, {});
  EXPECT_EQ(tainted.kind, Ruling::kAsk);
  EXPECT_EQ(tainted.reason, "tainted");
  EXPECT_EQ(rule_on_call(tool, call_in("automation", true), false, true, {}).kind, Ruling::kDeny);
}

// design.md, rule 8
TEST(ToolPolicy, InATaintedTurnNothingIsChangedWithoutAWordNotEvenByWhatIsAllowed) {
  for (const RiskTier tier : kTiers) {
    const auto ruling = rule_on_call(PolicyTool(tier, true), call_in("user", true), false, true,
                                     with(ToolSetting::kAllow));
    EXPECT_EQ(ruling.kind, Ruling::kAsk);
    EXPECT_EQ(ruling.reason, "tainted");
  }
}

TEST(ToolPolicy, ARefusalSaysWhatWhyAndWhatToDoInstead) {
  const auto ruling = rule_on_call(PolicyTool(RiskTier::kRequiresApproval, true),
                                   call_in("heartbeat_wake"), false, false, {});
  EXPECT_EQ(ruling.reason, "unattended");
  EXPECT_EQ(ruling.words,
            "thing needs a person's yes and nobody is there to give it in a turn of kind "
            "heartbeat_wake. It did not run and nobody was asked. Do without it and say what you "
            "would have done.");
}

TEST(ToolPolicy, APersonIsToldWhyTheyAreAsked) {
  EXPECT_EQ(why_asked("tier", false), "This call needs your word before it runs.");
  EXPECT_TRUE(why_asked("tainted", true).contains("words from outside"));
  EXPECT_TRUE(why_asked("setting", true).starts_with("Your settings"));
  EXPECT_TRUE(why_asked("setting", true).contains("words from outside"));
}

}  // namespace
}  // namespace rouse
