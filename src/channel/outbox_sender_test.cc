#include "channel/outbox_sender.h"

#include <deque>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/sim/world.h"

namespace rouse {
namespace {

// A channel that answers when the test says so, or at once by its script.
class ScriptedChannel final : public ChannelSender {
 public:
  explicit ScriptedChannel(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] bool serves(std::string_view channel) const override { return channel == name_; }
  Task<SendOutcome> send(Delivery delivery, std::stop_token stop) override {
    sent.push_back(delivery.text);
    if (throws) throw std::runtime_error("a bug");
    states.push_back(delivery.state);
    if (!script.empty()) {
      SendOutcome next = script.front();
      script.pop_front();
      co_return next;
    }
    if (!holds) co_return SendOutcome::delivered("r-" + delivery.text);
    std::optional<std::stop_callback<std::function<void()>>> on_stop;
    co_return co_await complete_later<SendOutcome>([&](Completer<SendOutcome> done) {
      const std::string text = delivery.text;
      held.emplace(text, std::move(done));
      on_stop.emplace(stop, [this, text] { finish(text, SendOutcome::unknown("cut off")); });
    });
  }
  void finish(const std::string& text, SendOutcome outcome) {
    if (auto node = held.extract(text)) node.mapped()(std::move(outcome));
  }

  std::vector<std::string> sent, states;
  std::deque<SendOutcome> script;
  bool holds = false, throws = false;
  std::map<std::string, Completer<SendOutcome>> held;

 private:
  std::string name_;
};

class OutboxSenderTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    database_ = *opened;
    outbox_ = std::make_unique<Outbox>(*database_, world_.clock());
    list_ = std::make_unique<DeliveryList>(*database_);
    sender_ = std::make_unique<OutboxSender>(*outbox_, *list_, world_.clock(), world_.loop(), log_);
    sender_->add(whatsapp_);
    sender_->add(signal_);
    sender_->on_change([this](const Delivery& d) { changes_.push_back(d.text + " " + d.state); });
  }
  void TearDown() override { stop(); }
  void start() { ASSERT_TRUE(world_.run(sender_->start())); }
  void stop() {
    if (!sender_) return;
    world_.run(sender_->stop(seconds(1)));
    sender_.reset();
  }
  void restart() {
    stop();
    world_.close_store();
    SetUp();
    start();
  }

  void put(const std::string& text, const std::string& conversation,
           const std::string& channel = "whatsapp") {
    world_.run_for(millis(10));
    const WallTime now = world_.clock().wall_now();
    ASSERT_TRUE(world_.run(database_->write(
        Write{{Outbox::insert({.id = OutboxId::make(now, world_.random()),
                               .workspace = *WorkspaceId::parse("ws_default"),
                               .conversation = *ConversationId::parse("conv_" + conversation),
                               .turn = *TurnId::parse("turn_1"),
                               .to = {channel, "+1"},
                               .account = "",
                               .text = text,
                               .created = now,
                               .next_try = now})}})));
    sender_->nudge();
    world_.run_for(millis(50));
  }
  std::string state(const std::string& text) {
    for (const Delivery& one : *outbox_->of_turn(*TurnId::parse("turn_1"))) {
      if (one.text == text) return one.state;
    }
    return "missing";
  }

  sim::World world_{11};
  Redactor redactor_;
  std::string logged_;
  Log log_{[] { return WallTime{0}; }, redactor_,
           [this](std::string_view line) { logged_ += line; }};
  Database* database_ = nullptr;
  ScriptedChannel whatsapp_{"whatsapp"}, signal_{"signal"};
  std::unique_ptr<Outbox> outbox_;
  std::unique_ptr<DeliveryList> list_;
  std::unique_ptr<OutboxSender> sender_;
  std::vector<std::string> changes_;
};

using Texts = std::vector<std::string>;

// DL-1, DL-3
TEST_F(OutboxSenderTest, SendsWhatIsDueAfterItIsDurablyBeingSent) {
  start();
  put("hello", "a");
  EXPECT_EQ(whatsapp_.sent, Texts{"hello"});
  EXPECT_EQ(whatsapp_.states, Texts{"sending"});
  EXPECT_EQ(state("hello"), "delivered");
  EXPECT_EQ(outbox_->of_turn(*TurnId::parse("turn_1"))->front().receipt, "r-hello");
  EXPECT_EQ(changes_, Texts{"hello delivered"});
}

TEST_F(OutboxSenderTest, SendsWhatAnEarlierLifeLeft) {
  put("waiting", "a");
  EXPECT_TRUE(whatsapp_.sent.empty());
  start();
  world_.run_for(millis(50));
  EXPECT_EQ(whatsapp_.sent, Texts{"waiting"});
}

// DL-1: never silently lost, never blindly sent again
TEST_F(OutboxSenderTest, WhatWasBeingSentWhenItDiedIsUnknownAndNotSentAgain) {
  put("half", "a");
  const OutboxId id = outbox_->due(world_.clock().wall_now(), 1)->front().id;
  ASSERT_TRUE(world_.run(outbox_->begin_sending(id)));
  restart();
  restart();
  world_.run_for(hours(3));
  EXPECT_TRUE(whatsapp_.sent.empty());
  EXPECT_EQ(state("half"), "unknown");
  EXPECT_EQ(changes_, Texts{"half unknown"});
}

TEST_F(OutboxSenderTest, TriesAgainWithGrowingPausesAndGivesUpAtLast) {
  for (int i = 0; i < kDeliveryAttempts; ++i) {
    whatsapp_.script.push_back(SendOutcome::not_yet("no connection"));
  }
  start();
  put("hello", "a");
  const std::vector<Millis> pauses{seconds(5),  seconds(30), minutes(2), minutes(10),
                                   minutes(30), minutes(30), minutes(30)};
  std::size_t sent = 1;
  EXPECT_EQ(whatsapp_.sent.size(), sent);
  for (const Millis pause : pauses) {
    EXPECT_EQ(state("hello"), "pending");
    world_.run_for(pause - seconds(1));
    EXPECT_EQ(whatsapp_.sent.size(), sent) << "not before its time";
    world_.run_for(seconds(1));
    EXPECT_EQ(whatsapp_.sent.size(), ++sent);
  }
  EXPECT_EQ(state("hello"), "failed");
  EXPECT_EQ(changes_.size(), static_cast<std::size_t>(kDeliveryAttempts));
  world_.run_for(hours(30));
  EXPECT_EQ(whatsapp_.sent.size(), sent);
}

TEST_F(OutboxSenderTest, WaitsAsLongAsTheChannelAsks) {
  whatsapp_.script.push_back(SendOutcome::not_yet("slow down", minutes(3)));
  start();
  put("hello", "a");
  world_.run_for(minutes(2));
  EXPECT_EQ(whatsapp_.sent.size(), 1u);
  world_.run_for(minutes(1));
  EXPECT_EQ(state("hello"), "delivered");
}

TEST_F(OutboxSenderTest, WhatIsRefusedOrUnknownIsNotSentAgain) {
  whatsapp_.script = {SendOutcome::refused("no such number"), SendOutcome::unknown("cut")};
  start();
  put("one", "a");
  put("two", "b");
  world_.run_for(hours(3));
  EXPECT_EQ(whatsapp_.sent, (Texts{"one", "two"}));
  EXPECT_EQ(state("one"), "failed");
  EXPECT_EQ(state("two"), "unknown");
}

TEST_F(OutboxSenderTest, RepliesOfOneConversationStayInOrder) {
  whatsapp_.script = {SendOutcome::not_yet("no connection")};
  start();
  put("first", "a");
  put("second", "a");
  put("third", "a");
  put("other", "b");
  EXPECT_EQ(whatsapp_.sent, (Texts{"first", "other"})) << "later ones wait for the first";
  world_.run_for(seconds(6));
  EXPECT_EQ(whatsapp_.sent, (Texts{"first", "other", "first", "second", "third"}));
}

TEST_F(OutboxSenderTest, ConversationsGoSideBySideWithinABound) {
  whatsapp_.holds = true;
  for (int i = 0; i < 12; ++i) put(fmt::format("m{}", i), fmt::format("c{}", i));
  start();
  world_.run_for(seconds(1));
  EXPECT_EQ(sender_->sending(), kSendsAtOnce);
  whatsapp_.finish("m3", SendOutcome::delivered({}));
  world_.run_for(seconds(1));
  EXPECT_EQ(sender_->sending(), kSendsAtOnce);
  EXPECT_EQ(whatsapp_.sent.size(), kSendsAtOnce + 1);
}

// DL-7
TEST_F(OutboxSenderTest, OneBridgeThatHangsHoldsUpNobodyElse) {
  whatsapp_.holds = true;
  start();
  for (int i = 0; i < 20; ++i) put(fmt::format("m{}", i), fmt::format("c{}", i));
  put("by signal", "s", "signal");
  EXPECT_EQ(state("by signal"), "delivered");
}

// DL-2: one line, however many
TEST_F(OutboxSenderTest, WhatIsTooOldIsNotSentAndToldInOneLine) {
  for (int i = 0; i < 5; ++i) put(fmt::format("m{}", i), "a");
  world_.run_for(kDeliveryLife);
  start();
  world_.run_for(seconds(1));
  EXPECT_TRUE(whatsapp_.sent.empty());
  EXPECT_EQ(state("m4"), "expired");
  EXPECT_EQ(changes_.size(), 5u);
  EXPECT_NE(logged_.find("outbox.recovered unknown=0 expired=5"), std::string::npos) << logged_;
}

TEST_F(OutboxSenderTest, WhatGetsTooOldWhileItWaitsExpiresAndTheNextGoes) {
  whatsapp_.script = {SendOutcome::not_yet("no connection", hours(48))};
  start();
  put("first", "a");
  world_.run_for(hours(1));
  put("second", "a");
  world_.run_for(kDeliveryLife - hours(1) - seconds(1));
  EXPECT_EQ(state("first"), "pending");
  EXPECT_EQ(state("second"), "pending");
  world_.run_for(seconds(2));
  EXPECT_EQ(state("first"), "expired");
  EXPECT_EQ(state("second"), "delivered");
  EXPECT_EQ(whatsapp_.sent, (Texts{"first", "second"}));
  EXPECT_NE(logged_.find("outbox.expired replies=1"), std::string::npos) << logged_;
}

TEST_F(OutboxSenderTest, SleepsWhileNothingIsDue) {
  start();
  put("hello", "a");
  world_.run_for(seconds(1));
  const auto next = world_.clock().next_deadline();
  EXPECT_EQ(next.value_or(kNever), kNever) << "no polling";
}

TEST_F(OutboxSenderTest, AChannelThatNobodyServesIsTriedLikeOneThatIsDown) {
  start();
  put("hello", "a", "pigeon");
  EXPECT_EQ(state("hello"), "pending");
  world_.run_for(hours(3));
  EXPECT_EQ(state("hello"), "failed");
}

TEST_F(OutboxSenderTest, ABugInAChannelCostsOneDeliveryAndNoPlace) {
  whatsapp_.throws = true;
  start();
  for (std::size_t i = 0; i <= kSendsAtOnce; ++i) put(fmt::format("m{}", i), fmt::format("c{}", i));
  whatsapp_.throws = false;
  put("after", "a");
  EXPECT_EQ(state("m0"), "unknown");
  EXPECT_EQ(state("after"), "delivered");
}

// The store refuses for a while: what happened outside is written down when it takes it again.
TEST_F(OutboxSenderTest, WhatHappenedIsWrittenDownWhenTheStoreTakesItAgain) {
  whatsapp_.holds = true;
  start();
  put("hello", "a");
  world_.disk().set_quota(0);
  whatsapp_.finish("hello", SendOutcome::delivered("r"));
  world_.run_for(seconds(12));
  EXPECT_EQ(state("hello"), "sending");
  world_.disk().set_quota(std::nullopt);
  world_.run_for(seconds(6));
  EXPECT_EQ(state("hello"), "delivered");
}

TEST_F(OutboxSenderTest, StoppingLetsWhatIsBeingSentEndAndCutsOffTheRest) {
  whatsapp_.holds = true;
  start();
  put("quick", "a");
  put("slow", "b");
  put("queued", "b");
  world_.loop().spawn("stop", sender_->stop(seconds(5)));
  world_.settle();
  whatsapp_.finish("quick", SendOutcome::delivered("r"));
  world_.run_for(seconds(6));
  EXPECT_EQ(state("quick"), "delivered");
  EXPECT_EQ(state("slow"), "unknown");
  EXPECT_EQ(state("queued"), "pending");
  EXPECT_EQ(sender_->sending(), 0u);
}

}  // namespace
}  // namespace rouse
