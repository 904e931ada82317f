#include "app/cli/heartbeat_reading.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace rouse::cli {
namespace {

constexpr std::string_view kAnswer = R"json({"problem":null,"heartbeats":[
  {"name":"","job_id":"heartbeat","enabled":true,"words":"every 30 minutes between 07:00 and 23:00",
   "next_words":"Mon 14:30 Europe/Berlin (13:30 UTC)","conversation":"websocket:work",
   "last":{"at":"2026-11-16T12:48:00.000Z","text":"checked, nothing to report"},
   "last_skip":{"at":"2026-11-16T11:00:00.000Z","text":"somebody was just writing"},
   "today":{"beats":14,"calls":1,"tokens_in":600,"tokens_out":12,"cost_micros":400,
            "cap_micros":250000,"cap_calls":null},
   "orders_file":"heartbeat-prompt.md",
   "orders":[{"kind":"check","text":"check: failed_runs 1d"},
             {"kind":"on_change","text":"Drafts"},{"kind":"always","text":"Meet\u001bings"}]},
  {"name":"work","enabled":false,"words":"every 5 minutes","today":{},"orders":[]}]})json";

std::string status(const std::string& name) {
  return heartbeat_status(*parse_json(kAnswer), name, *from_iso("2026-11-16T13:00:00.000Z"));
}

TEST(HeartbeatReading, AStatusSaysWhatAPersonWantsToKnow) {
  const std::string all = status("");
  EXPECT_NE(all.find("heartbeat  every 30 minutes between 07:00 and 23:00\n"), std::string::npos)
      << all;
  EXPECT_NE(all.find("last     12 min ago: checked, nothing to report\n"), std::string::npos)
      << all;
  EXPECT_NE(all.find("skipped  2 h ago: somebody was just writing\n"), std::string::npos) << all;
  EXPECT_NE(all.find("14 beats, 1 model call, 612 tokens, $0.0004 of $0.2500\n"), std::string::npos)
      << all;
  EXPECT_NE(all.find("    on change Drafts\n"), std::string::npos) << all;
  EXPECT_EQ(all.find('\x1b'), std::string::npos) << "nothing may steer the terminal";
  EXPECT_NE(all.find("\nheartbeat-work  off\n"), std::string::npos) << all;
}

TEST(HeartbeatReading, OneCanBeNamed) {
  EXPECT_EQ(status("work").find("30 minutes"), std::string::npos);
  EXPECT_NE(status("nobody").find("no heartbeat 'nobody'"), std::string::npos);
}

TEST(HeartbeatReading, ABeatIsToldWithItsCost) {
  const auto told = [](std::string_view beat) { return beat_text(*parse_json(beat)); };
  EXPECT_EQ(told(R"({"skipped":false,"verdict":"nothing","text":"checked, nothing to report",)"
                 R"("calls":0,"reason":"nothing_changed"})"),
            "nothing: checked, nothing to report\nno model was asked (nothing_changed)\n");
  EXPECT_EQ(told(R"({"skipped":false,"verdict":"wake","text":"Send it.","calls":1,)"
                 R"("tokens_in":500,"tokens_out":20,"cost_micros":300})"),
            "wake: Send it.\n1 model call, 520 tokens, $0.0003\n");
  EXPECT_EQ(told(R"({"skipped":true,"reason":"budget_spent","text":"today's budget is spent"})"),
            "skipped: today's budget is spent\n");
}

}  // namespace
}  // namespace rouse::cli
