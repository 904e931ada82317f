#include "proactive/heartbeat_file.h"

#include <gtest/gtest.h>

#include "session/workspaces.h"

namespace rouse {
namespace {

HeartbeatSettings one(std::string_view text) {
  const auto file = read_heartbeat_file(text);
  EXPECT_TRUE(file) << file.error();
  return file && !file->heartbeats.empty() ? file->heartbeats.front() : HeartbeatSettings{};
}
std::string wrong(std::string_view text) {
  const auto file = read_heartbeat_file(text);
  EXPECT_FALSE(file) << text;
  return file ? "" : file.error().message;
}

// S2-20, S2-22
TEST(HeartbeatFile, WithoutAFileTheOwnerHasOneAndNobodyElse) {
  const auto owners = usual_heartbeats(Workspaces::default_id()).heartbeats;
  ASSERT_EQ(owners.size(), 1U);
  EXPECT_TRUE(owners[0].enabled);
  EXPECT_EQ(owners[0].interval, minutes(30));
  EXPECT_EQ(hours_text(*owners[0].hours), "07:00-23:00");
  EXPECT_TRUE(usual_heartbeats(*WorkspaceId::parse("ws_other")).heartbeats.empty());
  EXPECT_EQ(one("{}"), owners[0]);
}

TEST(HeartbeatFile, EveryFieldIsRead) {
  const HeartbeatSettings all = one(
      R"({"name":"work","interval_minutes":45,"active_hours":{"start":"22:00","end":"06:00",
          "zone":"Europe/Berlin"},"project":"atlas","conversation":"websocket:main","agent":"ada",
          "model":"main","ack_max":30,"quiet_after_message_minutes":10,"daily_cap_usd":0.25,
          "daily_cap_calls":12,"orders":"work.md"})");
  EXPECT_EQ(all.name, "work");
  EXPECT_EQ(all.interval, minutes(45));
  EXPECT_EQ(hours_text(*all.hours), "22:00-06:00");
  EXPECT_EQ(all.zone, "Europe/Berlin");
  EXPECT_EQ(all.project, "atlas");
  EXPECT_EQ(all.conversation, "websocket:main");
  EXPECT_EQ(all.agent, "ada");
  EXPECT_EQ(all.model, "main");
  EXPECT_EQ(all.ack_max, 30);
  EXPECT_EQ(all.quiet_after, minutes(10));
  EXPECT_EQ(all.day_micros, 250'000);
  EXPECT_EQ(all.day_calls, 12);
  EXPECT_EQ(all.orders, "work.md");
}

// HB-6
TEST(HeartbeatFile, OffAndAnIntervalOfZeroAreOff) {
  EXPECT_FALSE(one(R"({"enabled":false})").enabled);
  EXPECT_FALSE(one(R"({"interval_minutes":0})").enabled);
  EXPECT_FALSE(one(R"({"interval":"0"})").enabled);
  EXPECT_FALSE(one(R"({"interval":0})").enabled);
  EXPECT_EQ(one(R"({"interval":"1h"})").interval, hours(1));
  EXPECT_EQ(one(R"({"interval":1800000})").interval, minutes(30));
  EXPECT_FALSE(one(R"({"active_hours":null})").hours);
}

// S2-25
TEST(HeartbeatFile, TheNextRunInItIsIgnoredWithAWord) {
  const auto file = read_heartbeat_file(R"({"nextRunAt":1772270100000})");
  ASSERT_TRUE(file);
  ASSERT_EQ(file->notices.size(), 1U);
  EXPECT_NE(file->notices[0].find("rouse heartbeat status"), std::string::npos);
}

TEST(HeartbeatFile, SeveralHaveNamesAndShareWhatStandsBesideThem) {
  const auto file = read_heartbeat_file(
      R"({"interval":"1h","heartbeats":[{"name":"a","project":"atlas"},{"name":"b","interval":"2h"}]})");
  ASSERT_TRUE(file) << file.error();
  ASSERT_EQ(file->heartbeats.size(), 2U);
  EXPECT_EQ(file->heartbeats[0].interval, hours(1));
  EXPECT_EQ(file->heartbeats[1].interval, hours(2));
  EXPECT_EQ(file->heartbeats[1].project, std::nullopt);
  EXPECT_EQ(heartbeat_job_id(file->heartbeats[0].name), "heartbeat-a");
  EXPECT_EQ(heartbeat_name("heartbeat-a"), "a");
  EXPECT_EQ(heartbeat_name("heartbeat"), "");
  EXPECT_EQ(heartbeat_name("dream"), std::nullopt);
}

// HB-10
TEST(HeartbeatFile, WhatIsWrongIsNamedWithWhatToDo) {
  EXPECT_EQ(wrong(R"({"intervall_minutes":5})"),
            "'intervall_minutes' is not known; did you mean 'interval_minutes'?");
  EXPECT_NE(wrong(R"({"interval_minutes":"5"})").find("'interval_minutes'"), std::string::npos);
  EXPECT_NE(wrong(R"({"interval":"soon"})").find("'interval'"), std::string::npos);
  EXPECT_NE(wrong(R"({"interval":"2s"})").find("between 1 minute and 24 hours"), std::string::npos);
  EXPECT_NE(wrong(R"({"interval":"30m","interval_minutes":3})").find("not both"),
            std::string::npos);
  EXPECT_NE(wrong(R"({"active_hours":{"start":"07:00","end":"07:00"}})").find("active_hours"),
            std::string::npos);
  EXPECT_NE(wrong(R"({"active_hours":{"start":"7am","end":"9pm"}})").find("7am"),
            std::string::npos);
  EXPECT_NE(wrong(R"({"active_hours":{"start":"07:00","end":"23:00","zone":"Berlin/X"}})")
                .find("Europe/Berlin"),
            std::string::npos);
  EXPECT_NE(wrong(R"({"heartbeats":[{"name":"a"},{"name":"a"}]})").find("'a'"), std::string::npos);
  EXPECT_NE(wrong(R"({"heartbeats":[{},{}]})").find("'name'"), std::string::npos);
  EXPECT_NE(wrong(R"({"orders":"../SOUL.md"})").find("'orders'"), std::string::npos);
  EXPECT_EQ(wrong(R"({"model":"gpt"})"), "'model' must be one of: cheap, main; not 'gpt'");
  EXPECT_NE(wrong(R"({"name":"a b"})").find("'name'"), std::string::npos);
  wrong("[]");
  wrong("{");
}

}  // namespace
}  // namespace rouse
