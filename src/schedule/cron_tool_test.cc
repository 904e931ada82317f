#include "schedule/cron_tool.h"

#include "schedule/jobs_for_tests.h"
#include "schedule/said_time.h"
#include "tool/approval/tool_policy.h"
#include "tool/schema_check.h"

namespace rouse {
namespace {

class CronToolTest : public JobsTest {
 protected:
  void SetUp() override {
    JobsTest::SetUp();
    tool_ = std::make_unique<CronTool>(*book_, house_->kernel, world_.clock());
    chat_ = talk("websocket", "main");
  }

  ToolCall call_of(std::string arguments) {
    ToolCall call{.id = "call_" + std::to_string(++calls_),
                  .arguments = std::move(arguments),
                  .workspace = here_,
                  .conversation = chat_.id,
                  .session = {},
                  .turn = *TurnId::parse("turn_1"),
                  .turn_kind = "user",
                  .zone = "Europe/Berlin"};
    return call;
  }
  ToolResult run(ToolCall call) {
    EXPECT_TRUE(ArgumentsSchema::parse(tool_->info().schema)->check(call.arguments));
    return world_.run(tool_->run(std::move(call), {}));
  }
  std::string say(std::string arguments) { return run(call_of(std::move(arguments))).text; }
  std::string fails(ToolCall call) {
    const ToolResult result = run(std::move(call));
    EXPECT_TRUE(result.failed) << result.text;
    return result.text;
  }
  std::string fails(std::string arguments) { return fails(call_of(std::move(arguments))); }
  // The id in "Scheduled: [1a2b3c4d] …".
  static std::string id_in(const std::string& text) {
    const std::size_t at = text.find('[');
    return text.substr(at + 1, text.find(']') - at - 1);
  }

  Conversation chat_;
  std::unique_ptr<CronTool> tool_;
  int calls_ = 0;
};

// S3-08, S3-10, S3-13, CR-22
TEST_F(CronToolTest, AddBindsToTheConversationAndEchoesWhen) {
  const std::string told = say(R"({"action":"add","message":"Plan the day","cron":"0 8 * * 1-5"})");
  const std::string id = id_in(told);
  EXPECT_EQ(told, "Scheduled: [" + id +
                      "] Plan the day: every weekday at 08:00 (Europe/Berlin)\n"
                      "next: Mon 08:00 Europe/Berlin (07:00 UTC)");
  const Job made = job(id);
  EXPECT_EQ(made.kind, JobKind::kBound);
  EXPECT_EQ(made.session_key, "websocket:main");
  EXPECT_EQ(made.message, "Plan the day");
  EXPECT_EQ(made.provenance, "agent");
  EXPECT_EQ(made.source, "agent");
  EXPECT_EQ(made.made_in, chat_.id);
  EXPECT_EQ(made.made_by->str(), "turn_1");
  EXPECT_EQ(made.extra, JobExtra{});
  EXPECT_EQ(made.schedule.zone, "Europe/Berlin");
}

TEST_F(CronToolTest, TakesAllKindsOfTimes) {
  Job once = job(id_in(say(R"({"action":"add","message":"call mum","at":"2026-11-16T09:00"})")));
  EXPECT_EQ(to_iso(once.schedule.at), "2026-11-16T08:00:00.000Z");  // local: Berlin
  once = job(
      id_in(say(R"({"action":"add","message":"m","at":"2026-11-16 09:00:30","tz":"Asia/Tokyo"})")));
  EXPECT_EQ(to_iso(once.schedule.at), "2026-11-16T00:00:30.000Z");
  once = job(id_in(say(R"({"action":"add","message":"m","at":"2026-11-16T09:00:00+05:30"})")));
  EXPECT_EQ(to_iso(once.schedule.at), "2026-11-16T03:30:00.000Z");
  const Job every = job(id_in(say(R"({"action":"add","message":"m","every_seconds":1200})")));
  EXPECT_EQ(every.schedule.every, minutes(20));
  EXPECT_EQ(to_iso(*every.next), "2026-11-15T10:20:00.000Z");
  // Models fill in what they don't mean.
  EXPECT_TRUE(say(R"({"action":"add","message":"m","cron":"","every_seconds":0,)"
                  R"("at":"2026-11-17T09:00","tz":"","name":"","id":""})")
                  .starts_with("Scheduled: "));
}

// S3-09
TEST_F(CronToolTest, WithoutAConversationNothingIsMade) {
  ToolCall call = call_of(R"({"action":"add","message":"m","every_seconds":60})");
  call.conversation = {};
  EXPECT_EQ(fails(call), "Error: scheduled automations must be created from a chat session");
  call.conversation = *ConversationId::parse("conv_unknown");
  EXPECT_EQ(fails(call), "Error: scheduled automations must be created from a chat session");
  EXPECT_EQ(jobs(), 0);
}

// S3-C3
TEST_F(CronToolTest, AnAutomationMakesNoAutomations) {
  for (const char* kind : {"automation", "isolated", "heartbeat", "heartbeat_wake"}) {
    ToolCall call = call_of(R"({"action":"add","message":"m","every_seconds":60})");
    call.turn_kind = kind;
    EXPECT_EQ(fails(call), "Error: cannot schedule new jobs from within a cron job execution");
  }
  EXPECT_EQ(jobs(), 0);
  ToolCall list = call_of(R"({"action":"list"})");
  list.turn_kind = "automation";
  EXPECT_EQ(run(list).text, "No scheduled jobs.");
}

TEST_F(CronToolTest, SaysWhatIsMissingOrWrong) {
  const std::string no_message = fails(R"({"action":"add","message":" ","every_seconds":60})");
  EXPECT_TRUE(no_message.contains("action='add' requires a non-empty 'message'")) << no_message;
  EXPECT_TRUE(no_message.contains("Retry including message=")) << no_message;
  EXPECT_TRUE(fails(R"({"action":"add","message":"m"})").contains("exactly one of"));
  EXPECT_TRUE(fails(R"({"action":"add","message":"m","cron":"0 0 * * *","every_seconds":60})")
                  .contains("exactly one of"));
  EXPECT_TRUE(fails(R"({"action":"add","message":"m","at":"tomorrow"})").contains("not a time"));
  EXPECT_TRUE(fails(R"({"action":"add","message":"m","at":"2026-11-16T09:00","tz":"Mars/Base"})")
                  .contains("Mars/Base"));
  EXPECT_TRUE(fails(R"({"action":"add","message":"m","cron":"nonsense"})").starts_with("Error: "));
  EXPECT_TRUE(
      fails(R"({"action":"add","message":"m","at":"2020-01-01T00:00"})").starts_with("Error: "));
  EXPECT_TRUE(fails(R"({"action":"remove"})").contains("requires 'id'"));
  EXPECT_TRUE(fails(R"({"action":"remove","id":"nope"})").contains("has no automation 'nope'"));
  EXPECT_EQ(jobs(), 0);
}

// S3-12
TEST_F(CronToolTest, TheSchemaIsPlainAndKnowsNoDelivery) {
  const ToolInfo& info = tool_->info();
  const auto schema = parse_json(info.schema)->get_object();
  for (const char* word : {"oneOf", "anyOf", "allOf", "not"}) EXPECT_FALSE(schema.contains(word));
  EXPECT_EQ(schema.at("required"), (boost::json::array{"action"}));
  EXPECT_FALSE(info.schema.contains("deliver"));
  EXPECT_LE(info.name.size() + info.description.size() + info.schema.size(), 620U);
  const Job made = job(id_in(say(
      R"({"action":"add","message":"m","every_seconds":60,"deliver":true,"channel":"x","to":"y"})")));
  EXPECT_EQ(made.extra.legacy, std::nullopt);
  EXPECT_EQ(made.session_key, "websocket:main");
}

TEST_F(CronToolTest, ListsOnlyWhatIsEnabledHere) {
  EXPECT_EQ(say(R"({"action":"list"})"), "No scheduled jobs.");
  const std::string id =
      id_in(say(R"({"action":"add","name":"tea","message":"Drink tea","every_seconds":3600})"));
  const std::string listed = say(R"({"action":"list"})");
  EXPECT_EQ(listed, "[" + id +
                        "] tea: every hour (Europe/Berlin)\n"
                        "next: Sun 12:00 Europe/Berlin (11:00 UTC)\nmessage: Drink tea\n");
  say(R"({"action":"pause","id":"tea"})");
  EXPECT_EQ(job(id).state, JobState::kPaused);
  EXPECT_EQ(say(R"({"action":"list"})"), "No scheduled jobs.");
  EXPECT_TRUE(say(R"({"action":"resume","id":"drink"})").starts_with("Resumed: [" + id));
  const Conversation other = talk("telegram", "42");
  ToolCall elsewhere = call_of(R"({"action":"list"})");
  elsewhere.conversation = other.id;
  EXPECT_EQ(run(elsewhere).text, "No scheduled jobs.");
  elsewhere.arguments = R"({"action":"remove","id":")" + id + R"("})";
  EXPECT_TRUE(fails(elsewhere).contains("this conversation has no automation"));
  EXPECT_EQ(job(id).state, JobState::kActive);
}

TEST_F(CronToolTest, ChangesAndRemoves) {
  const std::string id = id_in(say(R"({"action":"add","message":"tea","cron":"0 8 * * *"})"));
  EXPECT_EQ(say(R"({"action":"update","id":")" + id + R"(","cron":"0 9 * * *"})"),
            "Updated: [" + id +
                "] tea: every day at 09:00 (Europe/Berlin)\n"
                "next: Mon 09:00 Europe/Berlin (08:00 UTC)");
  say(R"({"action":"update","id":")" + id + R"(","message":"coffee","tz":"Asia/Tokyo"})");
  EXPECT_EQ(job(id).message, "coffee");
  EXPECT_EQ(job(id).schedule.zone, "Asia/Tokyo");
  EXPECT_EQ(job(id).schedule.expr, "0 9 * * *");
  EXPECT_TRUE(fails(R"({"action":"update","id":")" + id + R"("})").contains("nothing to change"));
  say(R"({"action":"add","message":"coffee beans","cron":"0 8 * * *"})");
  EXPECT_TRUE(fails(R"({"action":"remove","id":"coffee"})").contains("more than one fits"));
  EXPECT_TRUE(say(R"({"action":"remove","id":")" + id + R"("})").starts_with("Removed: [" + id));
  EXPECT_EQ(job(id).state, JobState::kRemoved);
}

TEST_F(CronToolTest, LeavesToOthersWhatIsNotItsOwn) {
  JobWish declared{.workspace = here_,
                   .id = "briefing",
                   .message = "m",
                   .session_key = "websocket:main",
                   .schedule = {.expr = "0 8 * * *", .zone = "UTC"},
                   .source = "file"};
  ASSERT_TRUE(world_.run(book_->create(declared)));
  EXPECT_TRUE(fails(R"({"action":"remove","id":"briefing"})").contains("schedule.json"));
  declared.id = "dream";
  declared.kind = JobKind::kSystem;
  declared.source = "system";
  declared.session_key = "";
  ASSERT_TRUE(world_.run(book_->create(declared)));
  EXPECT_TRUE(fails(R"({"action":"update","id":"dream","message":"x"})").contains("rouse's own"));
  EXPECT_EQ(jobs(), 2);
}

// CR-20
TEST_F(CronToolTest, TheSameCallTwiceMakesOneJob) {
  const ToolCall call = call_of(R"({"action":"add","message":"tea","every_seconds":60})");
  run(call);
  EXPECT_TRUE(run(call).text.starts_with("Scheduled already: "));
  EXPECT_EQ(jobs(), 1);
}

// S3-43, AP-5
TEST_F(CronToolTest, OneThreadForAllOrEachItsOwn) {
  const Conversation slack = talk("slack", "C99:111.222");
  ToolCall there = call_of(R"({"action":"add","message":"m","every_seconds":60})");
  there.conversation = slack.id;
  ToolCall here = call_of(R"({"action":"add","message":"m","every_seconds":60})");
  EXPECT_EQ(job(id_in(run(there).text)).session_key, "slack:C99:111.222");
  EXPECT_EQ(job(id_in(run(here).text)).session_key, "websocket:main");
  book_->configure({.unified = true});
  here.id = "call_other";
  EXPECT_EQ(job(id_in(run(here).text)).session_key, "unified:default");
}

// SC-8, SC-9
TEST_F(CronToolTest, WordsFromOutsideNeedAYesAndStayMarked) {
  ToolCall tainted = call_of(R"({"action":"add","message":"send it","every_seconds":60})");
  tainted.tainted = true;
  EXPECT_EQ(rule_on_call(*tool_, tainted, false, true, {}).kind, PolicyRuling::Kind::kAsk);
  EXPECT_EQ(tool_->ask_for(tainted).summary,
            "schedule in this conversation every 60 s: \"send it\"");
  ToolCall list = call_of(R"({"action":"list"})");
  list.tainted = true;
  EXPECT_EQ(rule_on_call(*tool_, list, false, false, {}).kind, PolicyRuling::Kind::kAllow);
  const std::string id = id_in(run(tainted).text);  // approved
  EXPECT_EQ(job(id).provenance, "untrusted");
  EXPECT_TRUE(run(call_of(R"({"action":"list"})")).untrusted);
  ToolCall edit = call_of(R"({"action":"update","id":")" + id + R"(","message":"send all"})");
  EXPECT_EQ(tool_->risk_of(edit), RiskTier::kRequiresApproval);
  edit.arguments = R"({"action":"update","id":")" + id + R"(","every_seconds":120})";
  EXPECT_EQ(tool_->risk_of(edit), RiskTier::kAuto);
  const std::string own = id_in(say(R"({"action":"add","message":"mine","every_seconds":60})"));
  edit = call_of(R"({"action":"update","id":")" + own + R"(","message":"theirs"})");
  EXPECT_EQ(tool_->risk_of(edit), RiskTier::kAuto);
  edit.tainted = true;
  run(edit);
  EXPECT_EQ(job(own).provenance, "untrusted");
}

TEST_F(CronToolTest, AgentsHaveABound) {
  for (std::int64_t i = 0; i < kJobsByAgent; ++i) {
    ASSERT_FALSE(run(call_of(R"({"action":"add","message":"m","every_seconds":60})")).failed);
  }
  EXPECT_TRUE(
      fails(R"({"action":"add","message":"m","every_seconds":60})").contains("remove some"));
  EXPECT_TRUE(say(R"({"action":"list"})").ends_with("(100 in all)\n"));
}

TEST(SaidTime, IsReadAsPeopleWriteIt) {
  for (const auto& [text, wanted] : {
           std::pair{"2026-11-16T09:00", "2026-11-16T08:00:00.000Z"},
           {"2026-11-16 09:00", "2026-11-16T08:00:00.000Z"},
           {"2026-07-01T09:00:05", "2026-07-01T07:00:05.000Z"},
           {"2026-11-16T09:00Z", "2026-11-16T09:00:00.000Z"},
           {"2026-11-16T09:00:00.250Z", "2026-11-16T09:00:00.250Z"},
           {"2026-11-16T09:00-05:00", "2026-11-16T14:00:00.000Z"},
           {"2026-03-29T02:30", "2026-03-29T01:00:00.000Z"},  // skipped: the gap's end
       }) {
    const auto read = parse_said_time(text, "Europe/Berlin");
    ASSERT_TRUE(read) << text << read.error();
    EXPECT_EQ(to_iso(*read), wanted) << text;
  }
  for (const char* text : {"", "09:00", "2026-11-16", "2026-13-01T00:00", "2026-02-30T00:00",
                           "infinite-future", "20261-11-16T09:00", "2026-11-16T25:00"}) {
    EXPECT_FALSE(parse_said_time(text, "Europe/Berlin")) << text;
  }
}

TEST(SaidLength, IsANumberAndAUnit) {
  EXPECT_EQ(*parse_said_length("90s"), seconds(90));
  EXPECT_EQ(*parse_said_length(" 2h "), hours(2));
  EXPECT_EQ(*parse_said_length("1d"), days(1));
  for (const char* text : {"", "5", "m", "0s", "-1h", "99999999999d", "1.5h", "2 hours"}) {
    EXPECT_FALSE(parse_said_length(text)) << text;
  }
}

}  // namespace
}  // namespace rouse
