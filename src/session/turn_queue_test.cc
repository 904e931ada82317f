#include "session/turn_queue.h"

#include <gtest/gtest.h>

#include "session/kernel_for_tests.h"

namespace rouse {
namespace {

class TurnQueueTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    database_ = *opened;
    house_ = std::make_unique<KernelHouse>(world_, *database_);
    ASSERT_TRUE(world_.run(house_->start()));
  }
  void restart() {
    house_.reset();
    world_.close_store();
    SetUp();
  }
  TurnQueue& turns() { return house_->kernel.turns(); }

  Resolved queue(TurnKind kind, std::string text = "x") {
    InboundMessage message = message_from("+1", std::move(text));
    message.kind = kind;
    auto accepted = world_.run(house_->kernel.accept(std::move(message)));
    EXPECT_TRUE(accepted) << accepted.error();
    conversation_ = accepted->session.conversation;
    return *accepted;
  }
  std::optional<Turn> next() { return *turns().next(conversation_); }
  void finish(const TurnId& id) {
    ASSERT_TRUE(world_.run(
        database_->write(Write{{TurnQueue::finish(id, "spoke", world_.clock().wall_now())}})));
  }

  sim::World world_{3};
  Database* database_ = nullptr;
  std::unique_ptr<KernelHouse> house_;
  ConversationId conversation_;
};

// Section 2, lanes; U9
TEST_F(TurnQueueTest, PeopleGoFirstThenApprovalsAutomationsAndWakes) {
  const TurnId wake = *queue(TurnKind::kHeartbeatWake).turn;
  const TurnId automation = *queue(TurnKind::kAutomation).turn;
  const TurnId approval = *queue(TurnKind::kApproval).turn;
  const TurnId first = *queue(TurnKind::kUser).turn;
  const TurnId second = *queue(TurnKind::kUser).turn;
  for (const TurnId& id : {first, second, approval, automation, wake}) {
    const auto turn = next();
    ASSERT_TRUE(turn);
    EXPECT_EQ(turn->id, id);
    ASSERT_TRUE(world_.run(turns().start(id)));
    EXPECT_FALSE(next()) << "one at a time";
    finish(id);
  }
  EXPECT_FALSE(next());
}

TEST_F(TurnQueueTest, TheStoreItselfRefusesASecondRunningTurn) {
  const TurnId one = *queue(TurnKind::kUser).turn;
  const TurnId two = *queue(TurnKind::kUser).turn;
  ASSERT_TRUE(world_.run(turns().start(one)));
  const auto refused = world_.run(turns().start(two));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(StoreErrc::kConflict));
}

// SE-6, SE-7: two restarts equal one; a turn that took the process down twice is parked
TEST_F(TurnQueueTest, AnInterruptedTurnIsTriedAgainAndParkedAtLast) {
  const TurnId id = *queue(TurnKind::kUser).turn;
  ASSERT_TRUE(world_.run(turns().start(id)));
  restart();
  restart();
  ASSERT_TRUE(next());
  EXPECT_EQ(next()->attempts, 1);
  ASSERT_TRUE(world_.run(turns().start(id)));
  restart();
  EXPECT_FALSE(next()) << "parked";
  const auto waiting = world_.run(turns().waiting("", 10));
  EXPECT_TRUE(waiting->empty());
}

TEST_F(TurnQueueTest, SaysWhichConversationsHaveSomethingToDo) {
  (void)queue(TurnKind::kUser);
  (void)queue(TurnKind::kUser);
  const auto waiting = world_.run(turns().waiting("", 10));
  ASSERT_TRUE(waiting) << waiting.error();
  EXPECT_EQ(*waiting, std::vector{conversation_});
  EXPECT_TRUE(world_.run(turns().waiting(conversation_.str(), 10))->empty());
}

}  // namespace
}  // namespace rouse
