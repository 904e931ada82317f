#include "channel/reply_router.h"

#include <gtest/gtest.h>

#include "session/kernel_for_tests.h"

namespace rouse {
namespace {

class ReplyRouterTest : public testing::Test {
 protected:
  void SetUp() override {
    world_.set_longest_disk_delay(millis(0));
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    database_ = *opened;
    house_ = std::make_unique<KernelHouse>(world_, *database_);
    ASSERT_TRUE(world_.run(house_->start()));
    outbox_ = std::make_unique<Outbox>(*database_, world_.clock());
    events_ = std::make_unique<EventLog>(*database_);
    ledger_ = std::make_unique<TurnLedger>(*database_, world_.clock(), house_->kernel, *events_);
    router_ = std::make_unique<ReplyRouter>(*ledger_, world_.clock(), world_.random());
    router_->on_ask(
        [this](std::string_view channel) { return has_send_url_ && channel == "whatsapp"; });
    router_->on_committed([this] { ++nudges_; });
  }

  struct Asked {
    Turn turn;
    Session session;
  };
  Asked ask(const std::string& peer, const std::string& channel = "whatsapp",
            const std::string& account = "default") {
    InboundMessage message = message_from(peer, "hello", {}, channel);
    message.account = account;
    const auto resolved = world_.run(house_->kernel.accept(std::move(message)));
    EXPECT_TRUE(resolved) << resolved.error();
    return {*resolved->accepted, resolved->session};
  }
  std::vector<Delivery> close(const Asked& asked, const std::string& response,
                              const Verdict& verdict = {"spoke", ""}) {
    auto statements = *router_->at_close(asked.turn, asked.session, response, verdict);
    if (!statements.empty()) {
      EXPECT_TRUE(world_.run(database_->write(Write{std::move(statements)})));
    }
    router_->closed(asked.turn.id);
    return *outbox_->of_turn(asked.turn.id);
  }

  sim::World world_{13};
  Database* database_ = nullptr;
  std::unique_ptr<KernelHouse> house_;
  std::unique_ptr<Outbox> outbox_;
  std::unique_ptr<EventLog> events_;
  std::unique_ptr<TurnLedger> ledger_;
  std::unique_ptr<ReplyRouter> router_;
  bool has_send_url_ = true;
  int nudges_ = 0;
};

// DL-1, DL-4
TEST_F(ReplyRouterTest, AReplyGoesToWhereItsMessageCameFrom) {
  const Asked asked = ask("+1", "whatsapp", "second phone");
  const auto rows = close(asked, "hi there");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].to.str(), "whatsapp:+1");
  EXPECT_EQ(rows[0].account, "second phone");
  EXPECT_EQ(rows[0].text, "hi there");
  EXPECT_EQ(rows[0].state, "pending");
  EXPECT_EQ(rows[0].conversation, asked.session.conversation);
  EXPECT_EQ(nudges_, 1);
}

// DL-5: message on A, then on B before A's reply: A's reply only on A
TEST_F(ReplyRouterTest, AMessageOfSomebodyElseInBetweenChangesNothing) {
  const Asked a = ask("+1"), b = ask("+2");
  EXPECT_EQ(close(a, "for a").at(0).to.peer, "+1");
  EXPECT_EQ(close(b, "for b").at(0).to.peer, "+2");
}

TEST_F(ReplyRouterTest, PutsNothingThereWhenThereIsNothingToBring) {
  EXPECT_TRUE(close(ask("+1"), "psst", {"silent", "token"}).empty());
  EXPECT_TRUE(close(ask("+2"), "").empty());
  EXPECT_TRUE(close(ask("+3", "websocket"), "on the page").empty());
  Asked own = ask("+4");
  own.turn.inbound.reset();
  EXPECT_TRUE(close(own, "nobody asked").empty());
  has_send_url_ = false;
  EXPECT_TRUE(close(ask("+5"), "in the webhook's answer").empty());
  EXPECT_EQ(nudges_, 0);
}

TEST_F(ReplyRouterTest, AFailureThatHasWordsIsBrought) {
  EXPECT_EQ(close(ask("+1"), "The model did not answer.", {"failed", "model_timeout"}).size(), 1u);
}

// Everybody's one thread: its key names nobody on the channel, the message itself does (DL-5)
TEST_F(ReplyRouterTest, AUnifiedConversationAnswersWhoeverWrote) {
  house_->kernel.configure({.unified = true});
  const Asked first = ask("+1");
  const Asked second = ask("+2");
  (void)close(second, "two");
  (void)close(first, "one");
  EXPECT_EQ(outbox_->of_turn(first.turn.id)->front().to.str(), "whatsapp:+1");
  EXPECT_EQ(outbox_->of_turn(second.turn.id)->front().to.str(), "whatsapp:+2");
}

TEST_F(ReplyRouterTest, RepliesOfOneInstantAndOfAClockSetBackKeepTheirOrder) {
  const Asked asked = ask("+1");
  for (const char* text : {"one", "two", "three"}) {
    (void)close(asked, text);
    world_.clock().step_wall(millis(0) - millis(1));
  }
  std::vector<std::string> texts;
  for (const Delivery& one : *outbox_->of_turn(asked.turn.id)) texts.push_back(one.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"one", "two", "three"}));
}

}  // namespace
}  // namespace rouse
