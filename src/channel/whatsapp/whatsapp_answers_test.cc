// A phone answers what an agent asked: yes, no and the like (S1-C9).
#include <gtest/gtest.h>

#include "channel/scripted_runner_for_tests.h"
#include "channel/whatsapp/whatsapp_door.h"
#include "session/kernel_for_tests.h"

namespace rouse {
namespace {

class PhoneTool final : public Tool {
 public:
  PhoneTool() {
    info_.name = "shell";
    info_.risk = RiskTier::kRequiresApproval;
    info_.side_effects = true;
  }
  [[nodiscard]] const ToolInfo& info() const override { return info_; }
  Task<ToolResult> run(ToolCall, std::stop_token) override { co_return ToolResult{}; }

 private:
  ToolInfo info_;
};

class WhatsAppAnswersTest : public testing::Test {
 protected:
  void SetUp() override {
    world_.set_longest_disk_delay(millis(0));
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    database_ = *opened;
    house_ = std::make_unique<KernelHouse>(world_, *database_);
    ASSERT_TRUE(world_.run(house_->start()));
    people_ =
        std::make_unique<People>(*database_, world_.clock(), world_.random(), house_->workspaces);
    outbox_ = std::make_unique<Outbox>(*database_, world_.clock());
    events_ = std::make_unique<EventLog>(*database_);
    runner_ = std::make_unique<ScriptedRunner>(house_->kernel);
    runner_->answers_with = "fine";
    desk_ = std::make_unique<ApprovalDesk>(ApprovalDesk::Parts{world_.loop(), world_.clock(),
                                                               world_.random(), *database_,
                                                               house_->kernel, *events_, log_});
    desk_->use_runner(*runner_);
    door_ = std::make_unique<WhatsAppDoor>(*runner_, house_->kernel, *people_, *outbox_,
                                           world_.clock(), world_.loop(), log_);
    door_->use_approvals(desk_.get());
  }

  WhatsAppReply say(const std::string& body, std::optional<std::string> id = {},
                    const std::string& sender = "+1") {
    WhatsAppMessage message;
    message.from = sender;
    message.body = body;
    message.sender_e164 = sender;
    message.message_id = std::move(id);
    auto answer = world_.run(door_->receive(std::move(message)));
    EXPECT_TRUE(answer) << answer.error();
    if (!answer || !std::holds_alternative<WhatsAppReply>(*answer)) return {};
    return std::get<WhatsAppReply>(*answer);
  }
  Turn last_turn() { return **house_->kernel.turns().get(*runner_->accepted.back().turn); }
  void end(const Turn& turn) {
    ASSERT_TRUE(world_.run(database_->write(
        one("UPDATE turns SET state = 'done' WHERE turn_id = $1", {turn.id.str()}, 1))));
  }
  // The turn that was last begun asks for something, and ends.
  Approval asks(const std::string& command, bool ends = true) {
    const Turn turn = last_turn();
    const ToolCall call{.id = "c1",
                        .arguments = R"({"command":")" + command + R"("})",
                        .workspace = turn.workspace,
                        .conversation = turn.conversation,
                        .session = turn.session,
                        .turn = turn.id,
                        .turn_kind = "user",
                        .zone = "UTC"};
    const auto ruling = desk_->rule_on(tool_, call, {});
    EXPECT_TRUE(ruling) << ruling.error();
    EXPECT_TRUE(world_.run(database_->write(Write{ruling->statements})));
    if (ends) end(turn);
    return *ruling->approval;
  }
  std::string state(const Approval& about) { return (*desk_->book().get(about.id))->state; }
  std::string said_last() {
    const auto row = house_->kernel.inbound().get(runner_->accepted.back().inbound);
    return readable_text(*(*row)->content);
  }

  sim::World world_{17};
  Redactor redactor_;
  Log log_{[] { return WallTime{0}; }, redactor_, [](std::string_view) {}};
  PhoneTool tool_;
  Database* database_ = nullptr;
  std::unique_ptr<KernelHouse> house_;
  std::unique_ptr<People> people_;
  std::unique_ptr<Outbox> outbox_;
  std::unique_ptr<EventLog> events_;
  std::unique_ptr<ScriptedRunner> runner_;
  std::unique_ptr<ApprovalDesk> desk_;
  std::unique_ptr<WhatsAppDoor> door_;
};

TEST_F(WhatsAppAnswersTest, YesAndGoAheadApproveTheNewestAndTheReplyIsWhatCameOfIt) {
  say("build it");
  const Approval older = asks("make"), newer = asks("make install");
  runner_->answers_with = "Installed.";
  const WhatsAppReply reply = say("Yes!", "m2");
  EXPECT_EQ(reply.reply, "Installed.");
  EXPECT_TRUE(reply.session);
  EXPECT_EQ(state(newer), "approved");
  EXPECT_EQ(state(older), "pending");
  EXPECT_EQ((*desk_->book().get(newer.id))->decided_by, "whatsapp:m2");
  EXPECT_TRUE(said_last().starts_with("Approved: shell"));
  EXPECT_EQ(last_turn().kind, TurnKind::kApproval);
  say("go ahead");
  EXPECT_EQ(state(older), "approved");
}

TEST_F(WhatsAppAnswersTest, NoAndCancelDenyAndEditDeniesWithAWord) {
  say("build it");
  const Approval first = asks("1");
  say("no");
  EXPECT_EQ(state(first), "denied");
  say("again");
  const Approval second = asks("2");
  say("cancel");
  EXPECT_EQ(state(second), "denied");
  say("again");
  const Approval third = asks("3");
  say("edit");
  EXPECT_EQ(state(third), "denied");
  EXPECT_TRUE(said_last().ends_with("They want to change it first: ask what.")) << said_last();
}

TEST_F(WhatsAppAnswersTest, MoreTellsWhatItIsAndDecidesNothing) {
  say("build it");
  const Approval approval = asks("make");
  const int before = runner_->submissions;
  const WhatsAppReply reply = say("tell me more");
  EXPECT_TRUE(reply.reply.contains(R"(shell: {"command":"make"})")) << reply.reply;
  EXPECT_TRUE(reply.reply.contains("Answer yes or no within 1 d.")) << reply.reply;
  EXPECT_EQ(state(approval), "pending");
  EXPECT_EQ(runner_->submissions, before);
}

TEST_F(WhatsAppAnswersTest, WhenNothingWaitsAWordIsAMessageLikeAnyOther) {
  say("hello");
  for (const char* word : {"yes", "no", "more", "cancel"}) {
    say(word);
    EXPECT_EQ(said_last(), word);
    EXPECT_EQ(last_turn().kind, TurnKind::kUser);
  }
}

TEST_F(WhatsAppAnswersTest, MoreThanTheWordIsForTheAgent) {
  say("build it");
  const Approval approval = asks("make");
  say("yes, but only the tests");
  EXPECT_EQ(state(approval), "pending");
  EXPECT_EQ(said_last(), "yes, but only the tests");
}

// SE-11: a bridge may deliver a message as often as it likes
TEST_F(WhatsAppAnswersTest, AYesThatComesAgainAnswersNothingNew) {
  say("build it");
  const Approval first = asks("1"), second = asks("2");
  say("yes", "m2");
  EXPECT_EQ(state(second), "approved");
  const std::size_t turns = runner_->accepted.size();
  EXPECT_EQ(say("yes", "m2").reply, "fine");
  EXPECT_EQ(state(first), "pending");
  EXPECT_EQ(runner_->accepted.size(), turns);
}

TEST_F(WhatsAppAnswersTest, AYesTheAgentWasToldIsNoAnswerToWhatItAskedAfterwards) {
  say("yes", "m1");
  const Approval approval = asks("rm -r build");
  say("yes", "m1");
  EXPECT_EQ(state(approval), "pending");
  say("yes", "m2");
  EXPECT_EQ(state(approval), "approved");
}

TEST_F(WhatsAppAnswersTest, AWordBeforeTheQuestionWasReadIsNoAnswerToIt) {
  say("build it");
  const Approval approval = asks("make", false);
  const Turn asking = last_turn();
  say("yes");
  EXPECT_EQ(state(approval), "pending") << "the turn that asked has not said anything yet";
  end(asking);
  say("yes");
  EXPECT_EQ(state(approval), "approved");
}

TEST_F(WhatsAppAnswersTest, SomebodyElsesYesIsNotTheirs) {  // SE-10
  say("build it", {}, "+1");
  const Approval approval = asks("make");
  say("hello", {}, "+2");
  say("yes", {}, "+2");
  EXPECT_EQ(state(approval), "pending");
}

TEST_F(WhatsAppAnswersTest, AResetWithdrawsWhatWaited) {
  say("build it");
  const Approval first = asks("1");
  EXPECT_EQ(say("reset", "m5").reply, "Starting fresh. How can I help you?");
  EXPECT_EQ(state(first), "withdrawn");
  say("and now?");
  const Approval second = asks("2");
  say("reset", "m5");
  EXPECT_EQ(state(second), "pending") << "it had been said before";
  say("new task: find a dentist");
  EXPECT_EQ(state(second), "withdrawn");
}

TEST_F(WhatsAppAnswersTest, AnAnswerThatComesTooLateIsToldSo) {
  say("build it");
  const Approval approval = asks("make");
  world_.run_for(hours(25));
  const WhatsAppReply reply = say("yes");
  EXPECT_TRUE(reply.reply.contains("expired")) << reply.reply;
  EXPECT_EQ(state(approval), "expired");
}

TEST_F(WhatsAppAnswersTest, WhereAllChannelsAreOneAWordCountsThere) {
  house_->kernel.configure({.unified = true});
  say("build it");
  const Approval approval = asks("make");
  EXPECT_EQ(say("yes").reply, "fine");
  EXPECT_EQ(state(approval), "approved");
}

}  // namespace
}  // namespace rouse
