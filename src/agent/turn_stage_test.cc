#include "agent/turn_stage.h"

#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rouse {
namespace {

WorkspaceId workspace(int number) { return *WorkspaceId::parse(fmt::format("ws_{}", number)); }
TurnId turn(int number) { return *TurnId::parse(fmt::format("turn_{}", number)); }

TurnEvent event(TurnEvent::Kind kind, int in_workspace, int of_turn, std::string text = "") {
  TurnEvent out;
  out.kind = kind;
  out.turn.workspace = workspace(in_workspace);
  out.turn.turn = turn(of_turn);
  out.text = std::move(text);
  return out;
}

class TurnStageTest : public testing::Test {
 protected:
  using Kind = TurnEvent::Kind;
  std::vector<std::string> running_in(int number) {
    std::vector<std::string> out;
    for (const auto& one : stage_.snapshots(workspace(number))) out.push_back(one.turn.turn.str());
    return out;
  }
  TurnStage stage_;
};

TEST_F(TurnStageTest, EachHearsItsOwnWorkspaceOrTurn) {
  std::vector<std::string> first, second, one_turn;
  const auto a = stage_.watch_workspace(
      workspace(1), [&](const TurnEvent& e) { first.push_back(e.turn.turn.str()); });
  const auto b = stage_.watch_workspace(
      workspace(2), [&](const TurnEvent& e) { second.push_back(e.turn.turn.str()); });
  const auto c =
      stage_.watch_turn(turn(2), [&](const TurnEvent& e) { one_turn.push_back(e.text); });
  stage_.publish(event(Kind::kStarted, 1, 1));
  stage_.publish(event(Kind::kText, 1, 2, "hi"));
  stage_.publish(event(Kind::kStarted, 3, 3));
  EXPECT_EQ(first, (std::vector<std::string>{"turn_1", "turn_2"}));
  EXPECT_TRUE(second.empty());
  EXPECT_EQ(one_turn, std::vector<std::string>{"hi"});
}

TEST_F(TurnStageTest, SnapshotsAreThoseOfTheWorkspaceUntilTheTurnEnds) {
  stage_.publish(event(Kind::kStarted, 1, 1));
  stage_.publish(event(Kind::kText, 1, 2, "so "));
  stage_.publish(event(Kind::kText, 1, 2, "far"));
  stage_.publish(event(Kind::kStarted, 2, 3));
  EXPECT_EQ(running_in(1), (std::vector<std::string>{"turn_1", "turn_2"}));
  EXPECT_EQ(stage_.snapshots(workspace(1)).back().blocks, std::vector<std::string>{"so far"});
  EXPECT_EQ(running_in(2), std::vector<std::string>{"turn_3"});
  stage_.publish(event(Kind::kEnded, 1, 1));
  stage_.publish(event(Kind::kEnded, 1, 99));
  EXPECT_EQ(running_in(1), std::vector<std::string>{"turn_2"});
  stage_.publish(event(Kind::kEnded, 1, 2));
  stage_.publish(event(Kind::kEnded, 2, 3));
  EXPECT_TRUE(running_in(1).empty());
  EXPECT_EQ(stage_.running(), 0U);
  EXPECT_EQ(stage_.snapshot(turn(2)), nullptr);
}

TEST_F(TurnStageTest, AListenerMayEndItselfAndOthersWhileItIsCalled) {
  int first = 0, second = 0, third = 0;
  std::optional<TurnStage::Subscription> a, b;
  a = stage_.watch_workspace(workspace(1), [&](const TurnEvent&) {
    ++first;
    b.reset();
    a.reset();
  });
  b = stage_.watch_workspace(workspace(1), [&](const TurnEvent&) { ++second; });
  const auto c = stage_.watch_turn(turn(1), [&](const TurnEvent&) { ++third; });
  stage_.publish(event(Kind::kStarted, 1, 1));
  stage_.publish(event(Kind::kText, 1, 1, "x"));
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 0) << "who was ended is not called any more";
  EXPECT_EQ(third, 2);
}

TEST_F(TurnStageTest, AListenerMayBeginToWatchWhileItIsCalled) {
  int late = 0;
  std::vector<TurnStage::Subscription> more;
  const auto a = stage_.watch_workspace(workspace(1), [&](const TurnEvent&) {
    for (int i = 0; i < 100; ++i) {
      more.push_back(stage_.watch_turn(turn(i), [&](const TurnEvent&) { ++late; }));
    }
  });
  stage_.publish(event(Kind::kStarted, 1, 1));
  EXPECT_EQ(late, 0);
  stage_.publish(event(Kind::kText, 2, 7, "x"));
  EXPECT_EQ(late, 1);
}

TEST_F(TurnStageTest, ASubscriptionMayBeMovedAndOutliveTheStage) {
  int heard = 0;
  TurnStage::Subscription kept;
  {
    TurnStage stage;
    auto first = stage.watch_turn(turn(1), [&](const TurnEvent&) { ++heard; });
    kept = std::move(first);
    stage.publish(event(Kind::kStarted, 1, 1));
    kept = stage.watch_turn(turn(2), [&](const TurnEvent&) { heard += 10; });
    stage.publish(event(Kind::kText, 1, 2, "x"));
  }
  EXPECT_EQ(heard, 11);
}

}  // namespace
}  // namespace rouse
