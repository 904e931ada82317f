#include "session/search/fresh_messages.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

class FreshMessagesTest : public testing::Test {
 protected:
  static MessagePtr message(std::int64_t position, std::size_t bytes = 1) {
    Message out;
    out.position = position;
    out.content = text_content(std::string(bytes, 'x'), kFromOwner);
    return std::make_shared<Message>(std::move(out));
  }
  void add(std::int64_t position, std::size_t bytes = 1) {
    fresh.add(workspace, {message(position, bytes)});
  }
  bool take(std::int64_t position, std::size_t most_bytes = 1'000) {
    const auto one = fresh.take(position, most_bytes);
    EXPECT_TRUE(!one || one->message->position == position);
    return one.has_value();
  }

  const WorkspaceId workspace{};
  FreshMessages fresh;
};

TEST_F(FreshMessagesTest, ARunGoesOnWhereItEnds) {
  fresh.add({}, {message(4), message(5)});
  add(6);
  EXPECT_FALSE(fresh.holds(3));
  EXPECT_TRUE(fresh.holds(4));
  EXPECT_TRUE(fresh.holds(6));
  EXPECT_FALSE(fresh.holds(7));
  EXPECT_EQ(fresh.size(), 3U);
}

TEST_F(FreshMessagesTest, WhateverDoesNotGoOnBeginsTheRunAnew) {
  add(4);
  add(6);
  EXPECT_FALSE(fresh.holds(4));
  EXPECT_TRUE(fresh.holds(6));
  add(6);
  EXPECT_EQ(fresh.size(), 1U);
  add(2);
  EXPECT_FALSE(fresh.holds(6));
  EXPECT_TRUE(fresh.holds(2));
}

TEST_F(FreshMessagesTest, OnlyTheFirstIsTakenAndOnlyIfThereIsRoomForIt) {
  for (std::int64_t position = 4; position <= 6; ++position) add(position, 400);
  EXPECT_FALSE(take(5));
  EXPECT_FALSE(take(4, 399));
  EXPECT_EQ(fresh.bytes(), 1'200U);
  EXPECT_TRUE(take(4, 400));
  EXPECT_FALSE(take(4));
  EXPECT_TRUE(take(5));
  EXPECT_EQ(fresh.bytes(), 400U);
  EXPECT_TRUE(take(6));
  EXPECT_FALSE(take(7));
  EXPECT_EQ(fresh.bytes(), 0U);
  add(7);
  EXPECT_TRUE(fresh.holds(7));
}

TEST_F(FreshMessagesTest, WhatIsDoneWithIsDropped) {
  for (std::int64_t position = 1; position <= 5; ++position) add(position, 10);
  fresh.drop_through(3);
  EXPECT_FALSE(fresh.holds(3));
  EXPECT_EQ(fresh.size(), 2U);
  EXPECT_EQ(fresh.bytes(), 20U);
  fresh.drop_through(9);
  EXPECT_EQ(fresh.bytes(), 0U);
  EXPECT_FALSE(fresh.holds(5));
}

TEST_F(FreshMessagesTest, IsBoundedInMessagesAndBytes) {
  for (std::size_t i = 1; i <= FreshMessages::kMost + 10; ++i) {
    add(static_cast<std::int64_t>(i));
    EXPECT_LE(fresh.size(), FreshMessages::kMost);
  }
  fresh.clear();
  for (std::int64_t position = 1; position <= 100; ++position) {
    add(position, FreshMessages::kMostBytes / 20);
    EXPECT_LE(fresh.bytes(), FreshMessages::kMostBytes);
  }
  EXPECT_TRUE(fresh.holds(100));
}

}  // namespace
}  // namespace rouse
