#include "session/search/message_index.h"

#include "session/search/search_for_tests.h"

namespace rouse {
namespace {

using Seqs = std::vector<std::int64_t>;

enum class Hears : std::uint8_t { kOnlyThatThereAreSome, kWhatTheyAre };

class MessageIndexTest : public testing::TestWithParam<Hears>, protected SearchWorld {
 protected:
  void SetUp() override {
    hands_over = GetParam() == Hears::kWhatTheyAre;
    ASSERT_TRUE(open());
  }
  void TearDown() override {
    if (indexer) close();
  }
  Content tool_result(std::string text) {
    ContentBlock block;
    block.type = "tool_result";
    block.from = kFromUntrusted;
    block.text = std::move(text);
    return {block};
  }
  std::uint64_t commits() { return db->health().commits; }
  bool write(Write write) { return world.run(db->write(std::move(write))).has_value(); }
};

INSTANTIATE_TEST_SUITE_P(, MessageIndexTest,
                         testing::Values(Hears::kOnlyThatThereAreSome, Hears::kWhatTheyAre),
                         [](const auto& hears) -> std::string {
                           return hears.param == Hears::kWhatTheyAre ? "FromMemory" : "FromStore";
                         });

// ---- when

TEST_P(MessageIndexTest, AMessageIsFoundWithinTwoSecondsWithoutAsking) {
  ASSERT_TRUE(say("hello there"));
  EXPECT_TRUE(find("hello").empty());
  world.run_for(seconds(2));
  EXPECT_EQ(find("hello"), Seqs{1});
}

TEST_P(MessageIndexTest, MessagesThatKeepComingAreFoundWithinTwoSecondsToo) {
  for (int i = 1; i <= 60; ++i) {
    ASSERT_TRUE(say(fmt::format("message <{}>", i)));
    world.run_for(millis(130));
    if (i > 16) EXPECT_EQ(find(fmt::format("<{}>", i - 16)), Seqs{i - 16});
  }
}

TEST_P(MessageIndexTest, MessagesThatComeTogetherShareAWrite) {
  const auto before = commits();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(say("one of twenty"));
  world.run_for(seconds(3));
  EXPECT_EQ(find("twenty").size(), 20U);
  EXPECT_LE(commits() - before, 20U + 3U);
}

TEST_P(MessageIndexTest, WakesUpForNothingWhenNothingIsSaid) {
  ASSERT_TRUE(say("the only one"));
  world.run_for(seconds(3));
  const auto before = commits();
  EXPECT_FALSE(world.clock().next_deadline());
  world.run_for(days(1));
  EXPECT_EQ(commits(), before);
}

TEST_P(MessageIndexTest, CatchingUpWithNothingToDoIsOnePointRead) {
  EXPECT_TRUE(catch_up());
  EXPECT_EQ(world.clock().mono_now(), MonoTime{0}) << "a page was read or something written";
}

TEST_P(MessageIndexTest, CatchingUpDoesNotWaitForMoreToCome) {
  ASSERT_TRUE(say("now"));
  const MonoTime asked = world.clock().mono_now();
  ASSERT_TRUE(catch_up());
  EXPECT_LT((world.clock().mono_now() - asked).count, 100);
  EXPECT_EQ(documents(), Seqs{1});
}

TEST_P(MessageIndexTest, EveryoneWhoWaitsForItIsAnswered) {
  ASSERT_TRUE(say("now"));
  int answered = 0;
  const auto wait = [](MessageIndexer& from, int* count) -> Task<void> {
    if (co_await from.catch_up()) ++*count;
  };
  for (int i = 0; i < 3; ++i) world.loop().spawn("waits", wait(*indexer, &answered));
  world.run_while([&] { return answered < 3; });
  EXPECT_EQ(documents(), Seqs{1});
}

// ---- what

TEST_P(MessageIndexTest, IndexesWhatToolsReturnUpToEightKilobytes) {
  ASSERT_TRUE(say(tool_result("early " + std::string(8192, '.') + " late"), "conv_a", "ws_a"));
  ASSERT_TRUE(say("early " + std::string(8192, '.') + " late"));
  ASSERT_TRUE(catch_up());
  EXPECT_EQ(find("early"), (Seqs{2, 1}));
  EXPECT_EQ(find("late"), Seqs{2});
}

// CR-27
TEST_P(MessageIndexTest, AMessageThatCannotBeReadDoesNotHoldUpTheRest) {
  ASSERT_TRUE(say("before"));
  ASSERT_TRUE(
      write(one("INSERT INTO messages (position, conversation_id, seq, session_id, role, "
                "source, content, created_ms) VALUES ($1, 'conv_a', $1, 'sess_1', 'user', "
                "'web', 'broken', 1)",
                {++position})));
  ASSERT_TRUE(say("after"));
  ASSERT_TRUE(catch_up());
  EXPECT_EQ(documents(), (Seqs{1, 3}));
}

TEST_P(MessageIndexTest, WorksThroughALargeBacklogInSmallWrites) {
  Write backlog;
  backlog.statements.push_back(starting("conv_a", "ws_a"));
  for (int i = 0; i < 500; ++i) {
    // Some of them alone are more than a write should hold.
    const std::string text(i % 50 == 0 ? 60'000 : 900, 'x');
    backlog.statements.push_back(appending(++position, "conv_a", text_content(text, kFromOwner)));
  }
  ASSERT_TRUE(write(std::move(backlog)));
  const auto before = commits();
  ASSERT_TRUE(catch_up());
  EXPECT_EQ(documents().size(), 500U);
  EXPECT_EQ(cursor(), 500);
  EXPECT_GE(commits() - before, 500U * 900 / 32'768);
}

TEST_P(MessageIndexTest, WhatItWasGivenIsNotReadAgain) {
  ASSERT_TRUE(catch_up());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(say("as it was given"));
  // Nobody ever does this; it shows where the words come from.
  ASSERT_TRUE(write(one("UPDATE messages SET content = $1",
                        {encode_content(text_content("as it is stored", kFromOwner))})));
  ASSERT_TRUE(catch_up());
  const Rows texts = *db->read({"SELECT DISTINCT text FROM message_text", {}, 9});
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_EQ(texts.front().text(0), hands_over ? "as it was given" : "as it is stored");
}

// Somebody else's messages came between: these are read, the rest isn't.
TEST_P(MessageIndexTest, WhatItWasNotGivenIsRead) {
  ASSERT_TRUE(catch_up());
  ASSERT_TRUE(say("given"));
  ASSERT_TRUE(
      write(Write{{appending(++position, "conv_a", text_content("not given", kFromOwner)),
                   appending(++position, "conv_a", text_content("nor this", kFromOwner))}}));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(say("given"));
  ASSERT_TRUE(
      write(Write{{appending(++position, "conv_a", text_content("the last one", kFromOwner))}}));
  ASSERT_TRUE(catch_up());
  EXPECT_EQ(documents(), (Seqs{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(find("this"), Seqs{3});
}

// ---- forgetting

TEST_P(MessageIndexTest, WhatIsDeletedIsFoundNoMore) {
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(say("to be or not to be", i % 2 == 0 ? "conv_a" : "conv_b"));
  }
  ASSERT_TRUE(catch_up());
  ASSERT_TRUE(forget("conv_a", 1, 6));
  EXPECT_EQ(documents(), (Seqs{2, 4, 6}));
  EXPECT_EQ(find("be"), (Seqs{6, 4, 2}));
}

TEST_P(MessageIndexTest, WhatIsDeletedBeforeItWasIndexedNeverIs) {
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(say("fleeting"));
  ASSERT_TRUE(forget("conv_a", 2, 3));
  ASSERT_TRUE(catch_up());
  EXPECT_EQ(documents(), (Seqs{1, 4}));
}

TEST_P(MessageIndexTest, WhatIsDeletedBetweenTwoLooksNeverIsEither) {
  ASSERT_TRUE(say("fleeting"));
  ASSERT_TRUE(catch_up());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(say("fleeting"));
  ASSERT_TRUE(forget("conv_a", 3, 4));
  ASSERT_TRUE(say("fleeting"));
  ASSERT_TRUE(catch_up());
  EXPECT_EQ(documents(), (Seqs{1, 2, 5, 6, 7}));
}

// The indexer reads, somebody deletes, the indexer writes: in every order the disk's delays give.
TEST_P(MessageIndexTest, DeletingWhileIndexingLeavesExactlyWhatIsThere) {
  for (int round = 0; round < 40; ++round) {
    const std::int64_t first = position + 1;
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(say("now or never"));
    std::optional<bool> deleted;
    world.loop().spawn(
        "delete",
        [](SearchWorld* self, std::int64_t from, Millis delay,
           std::optional<bool>* done) -> Task<void> {
          co_await self->world.clock().wait_for(delay);
          *done = (co_await self->db->write(self->deleting("conv_a", from, from + 2))).has_value();
        }(this, first, millis(round % 20), &deleted));
    ASSERT_TRUE(catch_up());
    world.run_while([&] { return !deleted; });
    ASSERT_TRUE(*deleted);
  }
  ASSERT_TRUE(catch_up());
  Seqs there;
  for (const Row& row : *db->read({"SELECT position FROM messages ORDER BY position", {}})) {
    there.push_back(row.integer(0));
  }
  EXPECT_EQ(there.size(), 80U);
  EXPECT_EQ(documents(), there);
  EXPECT_FALSE(indexer->problem());
}

TEST_P(MessageIndexTest, APositionThatIsGivenOutAgainIsIndexedAgain) {
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(say("old words"));
  ASSERT_TRUE(catch_up());
  ASSERT_TRUE(forget("conv_a", 3, 5));
  EXPECT_EQ(cursor(), 2);
  close();
  ASSERT_TRUE(open());
  ASSERT_EQ(position, 2);
  ASSERT_TRUE(say("new words"));
  ASSERT_TRUE(catch_up());
  EXPECT_EQ(find("words"), (Seqs{3, 2, 1}));
  EXPECT_EQ(find("new"), Seqs{3});
}

TEST_P(MessageIndexTest, ALongConversationIsForgottenInBoundedWrites) {
  for (int page = 0; page < 10; ++page) {
    Write write;
    write.statements.push_back(starting("conv_long", "ws_a"));
    for (int i = 0; i < 200; ++i) {
      write.statements.push_back(
          appending(++position, "conv_long", text_content("a long story", kFromAgent)));
    }
    ASSERT_TRUE(world.run(db->write(std::move(write))));
  }
  ASSERT_TRUE(say("the other", "conv_a"));
  ASSERT_TRUE(catch_up());
  for (std::int64_t seq = 1; seq <= 2000; seq += kForgetMessages) {
    ASSERT_TRUE(forget("conv_long", seq, seq + kForgetMessages - 1));
  }
  EXPECT_EQ(documents(), Seqs{2001});
  EXPECT_EQ(cursor(), 2001);
  EXPECT_TRUE(find("story").empty());
}

// A long deletion must not keep the indexer from what is new.
TEST_P(MessageIndexTest, ForgettingWhatIsIndexedDoesNotDisturbTheNextWrite) {
  const auto forgotten = [&] {
    return db->read({"SELECT forgotten FROM index_cursors", {}})->front().integer(0);
  };
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(say("old words"));
  ASSERT_TRUE(say("the other", "conv_b"));
  ASSERT_TRUE(catch_up());
  ASSERT_TRUE(forget("conv_a", 1, 3));
  EXPECT_EQ(forgotten(), 0);
  ASSERT_TRUE(say("new words"));
  ASSERT_TRUE(forget("conv_a", 4, 6));
  EXPECT_EQ(forgotten(), 1) << "one of them was not indexed yet";
  ASSERT_TRUE(catch_up());
  EXPECT_EQ(documents(), Seqs{5});
}

// ---- trouble

// CR-28
TEST_P(MessageIndexTest, GoesOnWhereItWasAfterARestart) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(say("before the restart"));
  ASSERT_TRUE(catch_up());
  ASSERT_TRUE(say("not indexed yet"));
  close();
  ASSERT_TRUE(open());
  EXPECT_TRUE(find("indexed").empty());
  ASSERT_TRUE(catch_up());
  EXPECT_EQ(find("indexed"), Seqs{4});
  EXPECT_EQ(documents(), (Seqs{1, 2, 3, 4}));
}

TEST_P(MessageIndexTest, TriesAgainByItselfWhenTheDiskWasFull) {
  ASSERT_TRUE(say("patience"));
  world.disk().set_quota(0);
  world.run_for(seconds(5));
  ASSERT_TRUE(indexer->problem());
  EXPECT_TRUE(indexer->problem()->is(StoreErrc::kFull)) << *indexer->problem();
  EXPECT_TRUE(find("patience").empty());
  world.disk().set_quota(std::nullopt);
  world.run_for(kIndexRetryMost);
  EXPECT_EQ(find("patience"), Seqs{1});
  EXPECT_FALSE(indexer->problem());
}

TEST_P(MessageIndexTest, DoesNothingMoreOnceItIsStopped) {
  ASSERT_TRUE(say("too late"));
  indexer->stop();
  world.run_for(seconds(5));
  EXPECT_TRUE(documents().empty());
  indexer->messages_were_added();
  EXPECT_FALSE(catch_up());
  world.run_for(seconds(5));
  EXPECT_TRUE(documents().empty());
}

TEST_P(MessageIndexTest, MayGoAwayInTheMiddleOfItsWork) {
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(say("in the middle"));
  const auto watch = [](MessageIndexer& from, bool* done) -> Task<void> {
    (void)co_await from.catch_up();
    *done = true;
  };
  bool answered = false;
  world.loop().spawn("watch", watch(*indexer, &answered));
  world.settle();
  indexer.reset();
  world.run_for(seconds(5));
  EXPECT_TRUE(answered);
  world.close_store();
}

}  // namespace
}  // namespace rouse
