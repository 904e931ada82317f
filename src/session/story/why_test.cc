#include "session/story/why.h"

#include <gtest/gtest.h>

#include "session/kernel_for_tests.h"
#include "session/story/why_words.h"
#include "session/summary/scripted_one_shot_for_tests.h"

namespace rouse {
namespace {

class WhyTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    database_ = *opened;
    house_ = std::make_unique<KernelHouse>(world_, *database_);
    ASSERT_TRUE(world_.run(house_->start()));
    story_ = std::make_unique<SessionStory>(*database_, world_.clock());
  }

  Session hear(std::string text, std::string channel = "whatsapp") {
    auto resolved = world_.run(
        house_->kernel.resolve(message_from("+1", std::move(text), {}, std::move(channel))));
    EXPECT_TRUE(resolved) << resolved.error();
    return resolved->session;
  }
  void answer(const Session& session, std::string asked, std::string said) {
    EXPECT_TRUE(world_.run(house_->kernel.record_turn({.session = session.id,
                                                       .workspace = session.workspace,
                                                       .user_message = std::move(asked),
                                                       .assistant_response = std::move(said),
                                                       .action_type = {},
                                                       .message_id = {}})));
  }
  Story tell(const SessionId& id, std::optional<std::int64_t> cursor = {}) {
    auto story = world_.run(story_->tell(*house_->kernel.get(id), cursor));
    EXPECT_TRUE(story) << story.error();
    return *story;
  }
  // "opened: …" a line an entry.
  std::string told(const SessionId& id) {
    std::string out;
    for (const StoryEntry& one : tell(id).entries) {
      out += fmt::format("{}: {}\n", one.what, one.sentence);
    }
    return out;
  }

  sim::World world_{11};
  Database* database_ = nullptr;
  std::unique_ptr<KernelHouse> house_;
  std::unique_ptr<SessionStory> story_;
};

TEST_F(WhyTest, AnActiveSessionSaysHowItBeganAndWhenTheNextMessageOpensANewOne) {  // UX-1
  const Session session = hear("hello");
  world_.run_for(minutes(3));
  hear("are you there?");
  world_.run_for(minutes(8));
  hear("hm");
  answer(session, "hm", "Yes, I am here.");
  EXPECT_EQ(
      told(session.id),
      "opened: Opened on 1 Jan 2026, 00:00 UTC because it was the first message of this "
      "conversation.\n"
      "continued: 2 messages continued it, the longest pause was 8 min (limit 30 min).\n"
      "turns: 1 turn was recorded, the last on 1 Jan 2026, 00:11 UTC.\n"
      "active: Still active. A message after 1 Jan 2026, 00:41 UTC opens a new session (limit "
      "30 min).\n");
  world_.run_for(minutes(45));
  EXPECT_TRUE(told(session.id)
                  .ends_with("active: Still active, but the last message was 45 min ago and the "
                             "limit is 30 min: the next "
                             "message opens a new session.\n"));
}

TEST_F(WhyTest, ATimeoutIsToldFromBothSides) {  // S1-12
  const Session first = hear("hello");
  answer(first, "hello", "Hi, I noted that you prefer tea.");
  world_.run_for(minutes(45));
  const Session second = hear("back again");
  ASSERT_NE(first.id, second.id);
  EXPECT_TRUE(told(first.id).ends_with(fmt::format(
      "closed: Closed on 1 Jan 2026, 00:45 UTC by timeout. It went on in {}.\n", second.id.str())));
  EXPECT_TRUE(told(second.id).starts_with(fmt::format(
      "opened: Opened on 1 Jan 2026, 00:45 UTC because the last message was 45 min ago and the "
      "limit is 30 min. It follows {}, which ended by timeout; its summary was carried over.\n",
      first.id.str())))
      << told(second.id);
}

TEST_F(WhyTest, AResetCarriesNothingOver) {  // S1-09
  const Session first = hear("hello");
  answer(first, "hello", "Hi");
  const Session second = hear("start over");
  EXPECT_TRUE(told(second.id).starts_with(fmt::format(
      "opened: Opened on 1 Jan 2026, 00:00 UTC because the message said \"start over\". It follows "
      "{}, which ended by a reset phrase; nothing was carried over.\n",
      first.id.str())))
      << told(second.id);
}

TEST_F(WhyTest, AClosedSessionSaysThatTheNextMessageOpensANewOne) {  // S1-11
  const Session first = hear("hello");
  ASSERT_TRUE(world_.run(house_->kernel.close(first.id, std::string(kClosedByApi))));
  EXPECT_TRUE(told(first.id).ends_with(
      "closed: Closed on 1 Jan 2026, 00:00 UTC by a request to close it. The next message opens a "
      "new session.\n"));
  const Session second = hear("hello");
  EXPECT_NE(told(second.id).find("because the session before it had been closed. It follows"),
            std::string::npos);
  EXPECT_NE(told(second.id).find("it had no summary to carry over"), std::string::npos);
}

TEST_F(WhyTest, APageOfTheWebAppHasNoTimeLimit) {
  const Session session = hear("hello", "websocket");
  world_.run_for(hours(5));
  EXPECT_EQ(hear("still me", "websocket").id, session.id);
  EXPECT_NE(told(session.id).find("1 message continued it, after a pause of 5 h (no limit here)."),
            std::string::npos)
      << told(session.id);
  EXPECT_NE(told(session.id).find("There is no time limit here"), std::string::npos);
}

TEST_F(WhyTest, WhatTheDriftGateSaidIsTold) {  // S1-13
  house_->drift.set_enabled(true);
  const Session session = hear("hello");
  answer(session, "hello", "Hi");
  hear("and now?");
  EXPECT_NE(told(session.id).find("The drift gate had no model to ask."), std::string::npos)
      << told(session.id);
  const DriftFacts unsure{"below_threshold", 0.4, "still about the garden"};
  EXPECT_EQ(words::drift_said(unsure),
            "The drift gate was not sure that the subject had changed (40 % sure): still about the "
            "garden.");
  DecisionFacts drifted;
  drifted.drift = DriftFacts{"topic_drift", 0.92, "from the garden to taxes"};
  EXPECT_EQ(words::why_opened("topic_drift", drifted),
            "because the subject changed (the drift gate was 92 % sure: from the garden to taxes)");
}

TEST_F(WhyTest, WhatThisReleaseDoesNotKnowIsSaidByItsName) {
  EXPECT_EQ(words::why_opened("full_moon", {}), "for the reason full_moon");
  EXPECT_EQ(words::how_it_ended("full_moon"), "for the reason full_moon");
}

TEST_F(WhyTest, ALongSessionIsToldInPagesThatTogetherLeaveNothingOut) {
  const Session session = hear("hello");
  constexpr int kMessages = static_cast<int>(kStoryDecisions) + 700;
  Write write;  // as the kernel writes them, without the wait
  std::int64_t previous = *session.last_inbound;
  for (int i = 0; i < kMessages; ++i) {
    InboundRow row{.number = previous + 1,
                   .previous = previous,
                   .workspace = session.workspace,
                   .conversation = session.conversation,
                   .session = session.id,
                   .channel = "whatsapp",
                   .account = "+1",
                   .message_id = {},
                   .content = {},
                   .decision = "continue",
                   .reason = "within_timeout",
                   .facts = R"({"policy":"continue","idle_ms":1000,"timeout_ms":1800000})",
                   .turn = {},
                   .received = session.created};
    write.statements.push_back(InboundLedger::append(row));
    ++previous;
  }
  Session after = session;
  after.last_inbound = previous;
  write.statements.push_back(SessionTable::touch(after));
  ASSERT_TRUE(world_.run(database_->write(std::move(write))));

  const Story newest = tell(session.id);
  ASSERT_EQ(newest.entries.size(), 4u);
  EXPECT_EQ(newest.entries[1].what, "earlier");
  EXPECT_EQ(newest.entries[2].sentence,
            "5000 messages continued it, the longest pause was 1 s (limit 30 min).");
  ASSERT_TRUE(newest.next_cursor);
  const Story oldest = tell(session.id, newest.next_cursor);
  ASSERT_EQ(oldest.entries.size(), 1u);
  EXPECT_EQ(oldest.entries[0].sentence,
            "700 messages continued it, the longest pause was 1 s (limit 30 min).");
  EXPECT_FALSE(oldest.next_cursor);
  EXPECT_FALSE(world_.run(story_->tell(session, 999'999)));
}

TEST_F(WhyTest, ManyDifferentStretchesAreBoundedAndTheOldestBecomeOne) {
  const Session session = hear("hello");
  for (int i = 0; i < 260; ++i) hear("x");
  Write write;
  for (std::int64_t number = 2; number <= 261; ++number) {
    const std::string facts =
        fmt::format(R"({{"policy":"continue","idle_ms":5,"timeout_ms":{}}})", 1000 + number);
    write.statements.push_back(
        {"UPDATE inbound SET facts = $2 WHERE number = $1", {number, facts}, 1});
  }
  ASSERT_TRUE(world_.run(database_->write(std::move(write))));
  const Story story = tell(session.id);
  EXPECT_LE(story.entries.size(), kStoryEntries);
  EXPECT_EQ(story.entries[1].sentence.substr(0, 11), "65 messages");
  EXPECT_EQ(story.entries.back().what, "active");
}

TEST_F(WhyTest, AskingChangesNothing) {  // design rule 9
  const Session session = hear("hello");
  const auto before = house_->kernel.get(session.id);
  world_.run_for(minutes(10));
  tell(session.id);
  EXPECT_EQ(*house_->kernel.get(session.id), *before);
  EXPECT_EQ(database_->read({"SELECT COUNT(*) FROM inbound", {}})->front().integer(0), 1);
}

}  // namespace
}  // namespace rouse
