#include "channel/whatsapp/whatsapp_door.h"

#include <gtest/gtest.h>

#include "channel/scripted_runner_for_tests.h"
#include "session/kernel_for_tests.h"

namespace rouse {
namespace {

class WhatsAppDoorTest : public testing::Test {
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
    runner_ = std::make_unique<ScriptedRunner>(house_->kernel);
    runner_->answers_with = "fine";
    door_ = std::make_unique<WhatsAppDoor>(*runner_, house_->kernel, *people_, *outbox_,
                                           world_.clock(), world_.loop(), log_);
  }
  void restart() {
    door_.reset();
    world_.close_store();
    SetUp();
  }

  static WhatsAppMessage from(const std::string& sender, const std::string& body,
                              std::optional<std::string> id = {}) {
    WhatsAppMessage out;
    out.from = sender;
    out.body = body;
    out.chat_type = "direct";
    out.sender_e164 = sender;
    out.account_id = "default";
    out.message_id = std::move(id);
    return out;
  }
  Result<WhatsAppAnswer> receive(WhatsAppMessage message) {
    return world_.run(door_->receive(std::move(message)));
  }
  WhatsAppReply reply(WhatsAppMessage message) {
    auto answer = receive(std::move(message));
    EXPECT_TRUE(answer) << answer.error();
    if (!answer || !std::holds_alternative<WhatsAppReply>(*answer)) {
      ADD_FAILURE() << "no reply";
      return {};
    }
    return std::get<WhatsAppReply>(*answer);
  }
  std::string refusal(WhatsAppMessage message) {
    const auto answer = receive(std::move(message));
    return answer ? "taken" : answer.error().message;
  }
  std::int64_t count(std::string_view sql) {
    return database_->read({sql, {}})->front().integer(0);
  }
  Session session(const WhatsAppReply& reply) { return *house_->kernel.get(*reply.session); }

  sim::World world_{17};
  Redactor redactor_;
  std::string logged_;
  Log log_{[] { return WallTime{0}; }, redactor_,
           [this](std::string_view line) { logged_ += line; }};
  Database* database_ = nullptr;
  std::unique_ptr<KernelHouse> house_;
  std::unique_ptr<People> people_;
  std::unique_ptr<Outbox> outbox_;
  std::unique_ptr<ScriptedRunner> runner_;
  std::unique_ptr<WhatsAppDoor> door_;
};

// S1-03, S1-40, S1-41
TEST_F(WhatsAppDoorTest, TheFirstMessageOpensASessionInAWorkspaceOfTheSendersOwn) {
  const WhatsAppReply first = reply(from("+1555", "what is the capital of France?"));
  EXPECT_EQ(first.decision, "new");
  EXPECT_EQ(first.reason, "first_message");
  EXPECT_EQ(first.reply, "fine");
  EXPECT_FALSE(first.through_outbox);
  EXPECT_EQ(session(first).key.str(), "whatsapp:+1555");
  EXPECT_NE(session(first).workspace, Workspaces::default_id());
  EXPECT_NE(logged_.find("session resolved"), std::string::npos);
  EXPECT_NE(logged_.find("decision=new reason=first_message"), std::string::npos) << logged_;
  const WhatsAppReply second = reply(from("+1555", "and what is its population?"));
  EXPECT_EQ(second.decision, "continue");
  EXPECT_EQ(second.session, first.session);
}

// SE-10
TEST_F(WhatsAppDoorTest, TwoSendersNeverMeet) {
  const WhatsAppReply one = reply(from("+1", "hi")), two = reply(from("+2", "hi"));
  EXPECT_NE(one.session, two.session);
  EXPECT_NE(session(one).workspace, session(two).workspace);
}

TEST_F(WhatsAppDoorTest, AKnownPersonUsesTheWorkspaceTheOwnerNamed) {
  people_->configure({{"whatsapp:+1555", Workspaces::default_id()}});
  EXPECT_EQ(session(reply(from("+1555", "hi"))).workspace, Workspaces::default_id());
}

// S1-C9: senderE164 ?? senderJid ?? from
TEST_F(WhatsAppDoorTest, TheSenderIsTheNumberElseTheJidElseTheChat) {
  WhatsAppMessage message = from("chat", "hi");
  message.sender_e164 = "+1";
  message.sender_jid = "1@s.whatsapp.net";
  EXPECT_EQ(session(reply(message)).key.peer, "+1");
  message.sender_e164.reset();
  EXPECT_EQ(session(reply(message)).key.peer, "1@s.whatsapp.net");
  message.sender_jid = "  ";
  EXPECT_EQ(session(reply(message)).key.peer, "chat");
}

// S1-C9
TEST_F(WhatsAppDoorTest, WithoutWordsOrSenderThereIsNothingToAnswer) {
  WhatsAppMessage nobody;
  nobody.body = "hi";
  for (const WhatsAppMessage& message :
       {from("+1", ""), from("+1", " \n "), from("", "hi"), nobody, WhatsAppMessage{}}) {
    EXPECT_EQ(refusal(message), "empty body or missing sender");
  }
  EXPECT_EQ(count("SELECT COUNT(*) FROM inbound"), 0);
}

// SE-12
TEST_F(WhatsAppDoorTest, OwnOutputIsNeverInput) {
  WhatsAppMessage mine = from("+1", "hi");
  mine.from_me = true;
  WhatsAppMessage by_account = from("+1", "hi");
  by_account.account_id = "+1";
  door_->note_sent("wamid.ours");
  for (const WhatsAppMessage& message : {mine, by_account, from("+1", "hi", "wamid.ours")}) {
    const auto answer = receive(message);
    ASSERT_TRUE(answer) << answer.error();
    EXPECT_TRUE(std::holds_alternative<WhatsAppIgnored>(*answer));
  }
  EXPECT_EQ(runner_->submissions, 0);
}

// SE-12: a bridge that listens to itself does so after our restart as well.
TEST_F(WhatsAppDoorTest, WhatAnEarlierLifeSentIsNoInput) {
  const OutboxId sent = OutboxId::make(world_.clock().wall_now(), world_.random());
  ASSERT_TRUE(world_.run(database_->write(Write{{Outbox::insert(
      {.id = sent,
       .workspace = Workspaces::default_id(),
       .conversation = ConversationId::make(world_.clock().wall_now(), world_.random()),
       .turn = TurnId::make(world_.clock().wall_now(), world_.random()),
       .to = {"whatsapp", "+1"},
       .account = "default",
       .text = "hi",
       .created = world_.clock().wall_now(),
       .next_try = world_.clock().wall_now()})}})));
  ASSERT_TRUE(world_.run(outbox_->begin_sending(sent)));
  ASSERT_TRUE(world_.run(outbox_->delivered(sent, "wamid.ours")));
  restart();
  ASSERT_TRUE(door_->load());
  const auto answer = receive(from("+1", "hi", "wamid.ours"));
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_TRUE(std::holds_alternative<WhatsAppIgnored>(*answer));
  EXPECT_EQ(runner_->submissions, 0);
}

// SC-6
TEST_F(WhatsAppDoorTest, AListLetsInThoseOnItAndAnEmptyOneNobody) {
  door_->configure({.allow = std::vector<std::string>{"+1"}});
  EXPECT_EQ(reply(from("+1", "hi")).reply, "fine");
  const auto other = receive(from("+2", "hi"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, rouse::Kind::kForbidden);
  door_->configure({.allow = std::vector<std::string>{}});
  EXPECT_FALSE(receive(from("+1", "hi")));
  EXPECT_FALSE(receive(from("+1", "1 + 1"))) << "not even a sum";
  EXPECT_EQ(runner_->submissions, 1);
}

// S1-C9: before any I/O
TEST_F(WhatsAppDoorTest, ASumIsAnsweredWithoutSessionStoreOrModel) {
  const WhatsAppReply answer = reply(from("+1", "what's 12 * 7?", "m1"));
  EXPECT_NE(answer.reply.find("84"), std::string::npos) << answer.reply;
  EXPECT_EQ(answer.session, std::nullopt);
  EXPECT_EQ(answer.decision, std::nullopt);
  EXPECT_EQ(answer.reason, std::nullopt);
  EXPECT_EQ(runner_->submissions, 0);
  EXPECT_EQ(count("SELECT COUNT(*) FROM workspaces"), 1) << "only the owner's";
  EXPECT_EQ(count("SELECT COUNT(*) FROM inbound"), 0);
}

// S1-37, U11
TEST_F(WhatsAppDoorTest, AResetAloneStartsFreshWithoutTheAgent) {
  const WhatsAppReply before = reply(from("+1", "hello"));
  const WhatsAppReply fresh = reply(from("+1", "Ok, please reset!", "m2"));
  EXPECT_EQ(fresh.reply, "Starting fresh. How can I help you?");
  EXPECT_EQ(fresh.decision, "new");
  EXPECT_EQ(fresh.reason, "explicit_reset");
  EXPECT_NE(fresh.session, before.session);
  EXPECT_EQ(runner_->submissions, 1);
  EXPECT_EQ(count("SELECT COUNT(*) FROM turns"), 1);

  const WhatsAppReply again = reply(from("+1", "Ok, please reset!", "m2"));  // SE-11
  EXPECT_EQ(again.reply, fresh.reply);
  EXPECT_EQ(again.session, fresh.session);
}

// U11
TEST_F(WhatsAppDoorTest, AResetWithMoreWordsGoesToTheAgentInTheNewSession) {
  const WhatsAppReply before = reply(from("+1", "hello"));
  const WhatsAppReply fresh = reply(from("+1", "new task: find a dentist"));
  EXPECT_EQ(fresh.reason, "explicit_reset");
  EXPECT_EQ(fresh.reply, "fine");
  EXPECT_NE(fresh.session, before.session);
  const WhatsAppReply password = reply(from("+1", "reset my password"));
  EXPECT_EQ(password.decision, "continue");
}

// SE-11: five times, at the same time and across a restart
TEST_F(WhatsAppDoorTest, ARedeliveredMessageIsTakenOnceAndAnsweredTheSame) {
  runner_->answers_with.reset();
  std::vector<std::optional<Result<WhatsAppAnswer>>> answers(4);
  for (auto& answer : answers) {
    world_.loop().spawn("bridge",
                        [](WhatsAppDoor& door, WhatsAppMessage message,
                           std::optional<Result<WhatsAppAnswer>>& to) -> Task<void> {
                          to = co_await door.receive(std::move(message));
                        }(*door_, from("+1", "book a table", "m1"), answer));
  }
  world_.run_for(seconds(1));
  ASSERT_EQ(runner_->accepted.size(), 1u);
  EXPECT_EQ(runner_->waiters(), 4u);
  const Resolved accepted = runner_->accepted.front();
  runner_->end(accepted, "booked");
  world_.run_for(seconds(1));
  for (const auto& answer : answers) {
    ASSERT_TRUE(answer && *answer);
    const auto& told = std::get<WhatsAppReply>(**answer);
    EXPECT_EQ(told.reply, "booked");
    EXPECT_EQ(told.session, accepted.session.id);
    EXPECT_EQ(told.decision, "new");
    EXPECT_EQ(told.reason, "first_message");
  }
  restart();
  EXPECT_EQ(reply(from("+1", "book a table", "m1")).session, accepted.session.id);
  EXPECT_TRUE(runner_->accepted.empty());
  EXPECT_EQ(count("SELECT COUNT(*) FROM inbound"), 1);
}

TEST_F(WhatsAppDoorTest, WithoutAMessageIdNothingIsTakenForARedelivery) {
  (void)reply(from("+1", "hi"));
  (void)reply(from("+1", "hi", ""));
  EXPECT_EQ(runner_->accepted.size(), 2u);
}

// design.md, 8: 202 after reply_wait_ms; the turn goes on
TEST_F(WhatsAppDoorTest, AReplyThatTakesTooLongComesLater) {
  runner_->answers_with.reset();
  const MonoTime before = world_.clock().mono_now();
  const auto answer = receive(from("+1", "write a book", "m1"));
  ASSERT_TRUE(answer) << answer.error();
  ASSERT_TRUE(std::holds_alternative<WhatsAppLater>(*answer));
  EXPECT_EQ(std::get<WhatsAppLater>(*answer).turn, *runner_->accepted.front().turn);
  EXPECT_EQ(world_.clock().mono_now() - before, seconds(25));
  EXPECT_EQ(runner_->waiters(), 0u);
  runner_->end(runner_->accepted.front(), "done");
  EXPECT_EQ(reply(from("+1", "write a book", "m1")).reply, "done") << "asked again";
}

TEST_F(WhatsAppDoorTest, TheWaitCanBeSetAndEndsWithTheServer) {
  runner_->answers_with.reset();
  door_->configure({.reply_wait = millis(100)});
  const MonoTime before = world_.clock().mono_now();
  (void)receive(from("+1", "hi"));
  EXPECT_EQ(world_.clock().mono_now() - before, millis(100));
  door_->configure({.reply_wait = hours(1)});
  world_.loop().spawn("stop", [](Clock& clock, WhatsAppDoor& door) -> Task<void> {
    co_await clock.wait_for(seconds(2));
    door.stop();
  }(world_.clock(), *door_));
  const auto answer = receive(from("+1", "hi again"));
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_TRUE(std::holds_alternative<WhatsAppLater>(*answer));
}

TEST_F(WhatsAppDoorTest, NoTimerIsLeftWhenTheReplyCameInTime) {
  (void)reply(from("+1", "hi"));
  world_.settle();
  EXPECT_EQ(world_.clock().waiting(), 0u);
}

// SE-10: what is said in a group never enters a direct conversation
TEST_F(WhatsAppDoorTest, AGroupIsAConversationOfItsOwn) {
  WhatsAppMessage group = from("120363@g.us", "hi all");
  group.chat_type = "group";
  group.sender_e164 = "+1";
  const WhatsAppReply in_group = reply(group), direct = reply(from("+1", "hi"));
  EXPECT_EQ(session(in_group).key.str(), "whatsapp:120363@g.us");
  EXPECT_EQ(session(direct).key.str(), "whatsapp:+1");
  EXPECT_NE(in_group.session, direct.session);
  group.from = "";
  EXPECT_NE(refusal(group), "taken");
}

// DL-6: who brings the reply is said, so nobody gets it twice
TEST_F(WhatsAppDoorTest, SaysWhenTheReplyIsInTheOutbox) {
  runner_->answers_with.reset();
  std::optional<Result<WhatsAppAnswer>> answer;
  world_.loop().spawn("bridge",
                      [](WhatsAppDoor& door, WhatsAppMessage message,
                         std::optional<Result<WhatsAppAnswer>>& to) -> Task<void> {
                        to = co_await door.receive(std::move(message));
                      }(*door_, from("+1", "hi"), answer));
  world_.run_for(seconds(1));
  const Resolved& accepted = runner_->accepted.at(0);
  const WallTime now = world_.clock().wall_now();
  ASSERT_TRUE(world_.run(
      database_->write(Write{{Outbox::insert({.id = OutboxId::make(now, world_.random()),
                                              .workspace = accepted.session.workspace,
                                              .conversation = accepted.session.conversation,
                                              .turn = *accepted.turn,
                                              .to = accepted.session.key,
                                              .account = "default",
                                              .text = "hello",
                                              .created = now,
                                              .next_try = now})}})));
  runner_->end(accepted, "hello");
  world_.run_for(seconds(1));
  ASSERT_TRUE(answer && *answer);
  EXPECT_TRUE(std::get<WhatsAppReply>(**answer).through_outbox);
}

// A bridge that is told "it is sent to you" brings nothing itself.
TEST_F(WhatsAppDoorTest, ANotificationInTheOutboxIsNoReply) {
  runner_->answers_with.reset();
  std::optional<Result<WhatsAppAnswer>> answer;
  world_.loop().spawn("bridge",
                      [](WhatsAppDoor& door, WhatsAppMessage message,
                         std::optional<Result<WhatsAppAnswer>>& to) -> Task<void> {
                        to = co_await door.receive(std::move(message));
                      }(*door_, from("+1", "hi"), answer));
  world_.run_for(seconds(1));
  const Resolved& accepted = runner_->accepted.at(0);
  const WallTime now = world_.clock().wall_now();
  ASSERT_TRUE(world_.run(
      database_->write(Write{{Outbox::insert({.id = OutboxId::make(now, world_.random()),
                                              .workspace = accepted.session.workspace,
                                              .conversation = accepted.session.conversation,
                                              .turn = *accepted.turn,
                                              .to = {"notify-ntfy", "phone"},
                                              .account = "phone",
                                              .text = "{}",
                                              .created = now,
                                              .next_try = now})}})));
  runner_->end(accepted, "hello");
  world_.run_for(seconds(1));
  ASSERT_TRUE(answer && *answer);
  EXPECT_FALSE(std::get<WhatsAppReply>(**answer).through_outbox);
}

Task<void> remove_workspace(Workspaces& all, WorkspaceId id) {
  if (!all.begin_removal(id)) co_return;  // it is gone already
  (void)co_await all.clear(id);
  (void)co_await all.remove(id);
}

// S1-C9: a workspace that went meanwhile is made again, once
TEST_F(WhatsAppDoorTest, AWorkspaceRemovedMeanwhileIsMadeAgain) {
  const WorkspaceId stale = *world_.run(people_->ensure({"whatsapp", "+1"}));
  runner_->before_submit = [&] { return remove_workspace(house_->workspaces, stale); };
  const WhatsAppReply answer = reply(from("+1", "hi"));
  EXPECT_EQ(answer.reply, "fine");
  EXPECT_NE(session(answer).workspace, stale);
  EXPECT_EQ(runner_->submissions, 2);
}

// Rule 8
TEST_F(WhatsAppDoorTest, WhatASenderSaysIsKnownAsASenders) {
  runner_->answers_with.reset();
  (void)receive(from("+1", "hi"));
  const auto row = house_->kernel.inbound().get(runner_->accepted.at(0).inbound);
  ASSERT_TRUE(row && *row && (*row)->content);
  EXPECT_EQ((*row)->content->front().from, kFromSender);
  EXPECT_EQ((*row)->account, "default");
}

}  // namespace
}  // namespace rouse
