#include "session/live_conversations.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

ConversationId conversation(int i) { return *ConversationId::parse(fmt::format("conv_{}", i)); }

LiveConversation known(int i) {
  LiveConversation out;
  out.conversation.id = conversation(i);
  out.conversation.workspace = *WorkspaceId::parse("ws_a");
  return out;
}

Transcript said(std::int64_t from, std::int64_t to, std::size_t bytes = 5) {
  Transcript out;
  for (std::int64_t seq = from; seq <= to; ++seq) {
    out.push_back(std::make_shared<Message>(
        Message{.seq = seq, .content = text_content(std::string(bytes, 'x'), kFromOwner)}));
  }
  return out;
}

TEST(LiveConversations, AreFoundByNameIdAndAliasUntilTheyAreForgotten) {
  LiveConversations live;
  live.put("a", known(1));
  live.learn_alias(conversation(1), "my chat");
  const WorkspaceId workspace = *WorkspaceId::parse("ws_a");
  EXPECT_NE(live.find("a"), nullptr);
  EXPECT_EQ(live.find("a"), live.find(conversation(1)));
  EXPECT_EQ(live.find("a"), live.find_by_alias(workspace, "my chat"));
  EXPECT_EQ(live.find_by_alias(*WorkspaceId::parse("ws_b"), "my chat"), nullptr);
  live.forget("a");
  EXPECT_EQ(live.find(conversation(1)), nullptr);
  EXPECT_EQ(live.find_by_alias(workspace, "my chat"), nullptr);
}

TEST(LiveConversations, ATailGrowsWithWhatIsCommittedAndHasNoGap) {
  LiveConversations live;
  live.put("a", known(1));
  LiveConversation* one = live.find("a");
  EXPECT_TRUE(one->knows_newest(10));  // nothing was said yet
  live.append(*one, said(1, 2));
  EXPECT_TRUE(one->knows_newest(10));
  EXPECT_EQ(one->last_seq, 2);
  EXPECT_EQ(one->tail.size(), 2U);

  LiveConversation old = known(2);
  old.last_seq = 40;
  live.put("b", std::move(old));
  LiveConversation* two = live.find("b");
  EXPECT_FALSE(two->knows_newest(10));
  live.append(*two, said(41, 42));  // what was before is not known: nothing is kept
  EXPECT_EQ(two->last_seq, 42);
  EXPECT_TRUE(two->tail.empty());
  live.learn_tail(conversation(2), said(30, 41));  // read before the commit was heard of
  EXPECT_TRUE(two->tail.empty());
  live.learn_tail(conversation(2), said(31, 42));
  EXPECT_TRUE(two->knows_newest(12));
  EXPECT_FALSE(two->knows_newest(13));
}

TEST(LiveConversations, AreBoundedInNumberAndInBytes) {
  LiveConversations live;
  for (int i = 0; i < static_cast<int>(kLiveConversations) + 10; ++i) {
    live.put(std::to_string(i), known(i));
  }
  EXPECT_EQ(live.size(), kLiveConversations);
  EXPECT_EQ(live.find("0"), nullptr);
  EXPECT_NE(live.find(std::to_string(kLiveConversations)), nullptr);

  for (int i = 100; i < 200; ++i) {
    LiveConversation* one = live.find(std::to_string(i));
    live.append(*one, said(1, 10, 20'000));
    EXPECT_LE(live.tail_bytes(), kLiveTailBytes);
  }
  EXPECT_FALSE(live.find("199")->tail.empty());
  EXPECT_TRUE(live.find("100")->tail.empty())
      << "the tail not used for the longest time goes first";

  LiveConversation* large = live.find("199");
  live.append(*large, said(11, 11, kLiveTailBytesOfOne + 1));
  EXPECT_TRUE(large->tail.empty());
  EXPECT_EQ(large->last_seq, 11);
}

TEST(LiveConversations, OneWithoutATailGoesBeforeThoseWithOne) {
  LiveConversations live;
  live.put("told", known(0));
  live.append(*live.find("told"), said(1, 2));
  for (int i = 1; i <= static_cast<int>(kLiveConversations); ++i) {
    live.put(std::to_string(i), known(i));
  }
  EXPECT_EQ(live.size(), kLiveConversations);
  EXPECT_EQ(live.ids().size(), kLiveConversations);
  EXPECT_EQ(live.find("1"), nullptr);
  ASSERT_NE(live.find("told"), nullptr);
  EXPECT_EQ(live.find("told")->tail.size(), 2U);
}

}  // namespace
}  // namespace rouse
