#include "gateway/live/workspace_stream.h"

#include "gateway/live/live_for_tests.h"

namespace rouse {
namespace {

// Two turns: one streamed straight, one that begins anew in between and uses a tool. Each step is
// one thing that happens.
class TwoTurns {
 public:
  explicit TwoTurns(LiveHouse& house) : house_(house) {}
  static constexpr int kSteps = 17;

  void step(int number) {
    switch (number) {
      case 0:
        turn_ = house_.begin("Tell me of the sea");
        return;
      case 1:
        return house_.publish(turn_, TurnEvent::Kind::kStarted);
      case 2:
        return house_.stream(turn_, 0, 0, "The s");
      case 3:
        return house_.stream(turn_, 0, 5, "ea is w\xC3\xA4");
      case 4:
        return house_.stream(turn_, 0, 14, "rm.");
      case 5:
        house_.end(turn_, "The sea is w\xC3\xA4rm.");
        return;
      case 6:
        return house_.publish(turn_, TurnEvent::Kind::kEnded);
      case 7:
        turn_ = house_.begin("And the sky?");
        return;
      case 8:
        return house_.publish(turn_, TurnEvent::Kind::kStarted);
      case 9:
        return house_.stream(turn_, 0, 0, "It is gre");
      case 10:
        return house_.again(turn_, 2);
      case 11:
        return house_.stream(turn_, 0, 0, "Let me look.", 2);
      case 12: {
        TurnEvent call = LiveHouse::event_of(turn_, TurnEvent::Kind::kToolCall);
        call.call_id = "call_1";
        call.tool = "look_up";
        call.text = "{}";
        return house_.stage.publish(std::move(call));
      }
      case 13:
        return house_.stream(turn_, 1, 0, "Bl", 2);
      case 14:
        return house_.stream(turn_, 1, 2, "ue.", 2);
      case 15:
        house_.end(turn_, "Let me look. Blue.");
        return;
      default:
        return house_.publish(turn_, TurnEvent::Kind::kEnded);
    }
  }

 private:
  LiveHouse& house_;
  Turn turn_;
};

// A person's page: connects again when it was cut, with what it knows.
class Reconnecting {
 public:
  explicit Reconnecting(LiveHouse& house) : house_(house) {}

  void connect(std::size_t cut_after) {
    const std::optional<std::int64_t> after =
        model.seq < 0 ? std::nullopt : std::optional(model.seq);
    read_ = 0;
    socket_ = house_.open(after, Workspaces::default_id(), cut_after);
    read();
  }
  void read() {
    for (; read_ < socket_->frames.size(); ++read_) model.apply(socket_->frames[read_]);
  }
  [[nodiscard]] bool is_cut() const { return socket_->is_cut(); }

  PageModel model;

 private:
  LiveHouse& house_;
  std::shared_ptr<PageSocket> socket_;
  std::size_t read_ = 0;
};

const std::map<std::int64_t, std::string> kTold{{1, "user: Tell me of the sea"},
                                                {2, "assistant: The sea is w\xC3\xA4rm."},
                                                {3, "user: And the sky?"},
                                                {4, "assistant: Let me look. Blue."}};

// The connection is lost after so many frames, and found again some steps later.
void tell_with_a_cut(std::size_t cut_after, int away_for, bool& was_cut) {
  LiveHouse house;
  TwoTurns turns(house);
  Reconnecting page(house);
  page.connect(cut_after);
  int away = 0;
  for (int step = 0; step < TwoTurns::kSteps; ++step) {
    turns.step(step);
    house.world.settle();
    page.read();
    if (!page.is_cut()) continue;
    was_cut = true;
    if (away++ < away_for) continue;
    away = 0;
    page.connect(0);
  }
  if (page.is_cut()) page.connect(0);
  EXPECT_EQ(page.model.messages, kTold);
  EXPECT_TRUE(page.model.shown.empty());
  EXPECT_EQ(page.model.queued, page.model.ended);
  EXPECT_EQ(page.model.resets, 0);
}

// UX-7, "a client that reconnects at any moment of a streamed answer ends with exactly the
// committed text"
TEST(WorkspaceStream, AClientCutOffAtAnyFrameEndsWithExactlyTheCommittedText) {
  for (const int away_for : {0, 1, 4, TwoTurns::kSteps}) {
    bool was_cut = true;
    // The page must have its hello, or there is nothing to go on from.
    for (std::size_t cut_after = 1; was_cut; ++cut_after) {
      SCOPED_TRACE(fmt::format("cut after frame {}, away for {} steps", cut_after, away_for));
      was_cut = false;
      tell_with_a_cut(cut_after, away_for, was_cut);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(WorkspaceStream, AClientThatIsCutAgainAndAgainEndsWithTheCommittedText) {
  for (std::size_t each = 3; each < 7; ++each) {
    SCOPED_TRACE(each);
    LiveHouse house;
    TwoTurns turns(house);
    Reconnecting page(house);
    page.connect(each);
    for (int step = 0; step < TwoTurns::kSteps; ++step) {
      turns.step(step);
      page.read();
      if (page.is_cut()) page.connect(each);
    }
    page.connect(0);
    EXPECT_EQ(page.model.messages, kTold);
    EXPECT_TRUE(page.model.shown.empty());
  }
}

// requirements 3: two clients of one session receive the same messages, a late joiner catches up
TEST(WorkspaceStream, TwoClientsSeeTheSameAndALateOneCatchesUp) {
  LiveHouse house;
  TwoTurns turns(house);
  const auto first = house.open();
  const auto second = house.open();
  for (int step = 0; step < 14; ++step) turns.step(step);
  EXPECT_EQ(first->frames, second->frames);

  Reconnecting late(house);
  late.model.seq = 0;
  late.connect(0);
  EXPECT_EQ(late.model.shown.begin()->second, (std::vector<std::string>{"Let me look.", "Bl"}));
  for (int step = 14; step < TwoTurns::kSteps; ++step) turns.step(step);
  late.read();
  EXPECT_EQ(late.model.messages, kTold);
  EXPECT_EQ(first->frames, second->frames);
  EXPECT_EQ(house.hub.streams(), 1U);
}

TEST(WorkspaceStream, ASnapshotNamesTheCallsAndWhetherTheyAreDone) {
  LiveHouse house;
  TwoTurns turns(house);
  for (int step = 0; step < 13; ++step) turns.step(step);
  const auto page = house.open();
  const auto snapshots = page->of_type("turn_snapshot");
  ASSERT_EQ(snapshots.size(), 1U);
  const Json& call = snapshots.front().at("calls").as_array().front().as_object();
  EXPECT_EQ(text_at(call, "tool"), "look_up");
  EXPECT_FALSE(call.at("done").as_bool());
  EXPECT_EQ(text_at(call, "arguments"), "{}");
  EXPECT_EQ(snapshots.front().at("attempt").as_int64(), 2);
}

TEST(WorkspaceStream, ASnapshotTellsWhatWasAskedAndWhatToolsAnswered) {
  LiveHouse house;
  const Turn turn = house.begin(std::string(20'000, 'x'));
  house.publish(turn, TurnEvent::Kind::kStarted);
  for (const char* id : {"a", "b"}) {
    TurnEvent call = LiveHouse::event_of(turn, TurnEvent::Kind::kToolCall);
    call.call_id = id;
    call.tool = "look_up";
    call.text = R"({"q":1})";
    house.stage.publish(call);
    call.kind = TurnEvent::Kind::kToolResult;
    call.text = std::string(5'000, 'y');
    house.stage.publish(std::move(call));
  }
  const auto snapshots = house.open()->of_type("turn_snapshot");
  ASSERT_EQ(snapshots.size(), 1U);
  const Json& message = snapshots.front().at("message").as_object();
  EXPECT_EQ(text_at(message, "role"), "user");
  EXPECT_EQ(text_at(message, "turn_kind"), "user");
  const Json& block = message.at("content").as_array().front().as_object();
  EXPECT_EQ(text_at(block, "text").size(), 16'384U);
  const Json& call = snapshots.front().at("calls").as_array().back().as_object();
  EXPECT_EQ(text_at(call, "arguments"), R"({"q":1})");
  EXPECT_EQ(text_at(call, "text").size(), 4'096U);
  EXPECT_FALSE(snapshots.front().contains("automation_id"));
}

TEST(WorkspaceStream, ATurnOfAnAutomationSaysWhichAndForWhen) {
  LiveHouse house;
  const auto page = house.open();
  InboundMessage message{.workspace = Workspaces::default_id(),
                         .key = {"websocket", "chat"},
                         .account = "",
                         .message_id = {},
                         .content = text_content("Scheduled automation triggered", kFromOwner),
                         .kind = TurnKind::kAutomation};
  message.meta = R"({"_automation_turn":true,"automation_id":"job","automation_name":"Daily",)"
                 R"("scheduled_for":"2026-01-01T08:00:00.000Z"})";
  const auto taken = house.world.run(house.runner.submit(std::move(message)));
  house.publish(*taken->resolved.accepted, TurnEvent::Kind::kStarted);
  const auto queued = page->of_type("turn_queued");
  const auto running = house.open()->of_type("turn_snapshot");
  ASSERT_EQ(queued.size(), 1U);
  ASSERT_EQ(running.size(), 1U);
  for (const Json& frame : {queued.front(), running.front()}) {
    EXPECT_EQ(text_at(frame, "automation_id"), "job");
    EXPECT_EQ(text_at(frame, "automation_name"), "Daily");
    EXPECT_EQ(text_at(frame, "scheduled_for"), "2026-01-01T08:00:00.000Z");
  }
}

TEST(WorkspaceStream, ATurnWhoseEndIsCommittedIsNoLongerShownAsRunning) {
  LiveHouse house;
  TwoTurns turns(house);
  for (int step = 0; step < 6; ++step) turns.step(step);  // committed, its end not yet told
  EXPECT_TRUE(house.open()->of_type("turn_snapshot").empty());
}

// SC-2
TEST(WorkspaceStream, AnotherWorkspaceSeesNothing) {
  LiveHouse house;
  const auto other = WorkspaceId::parse("ws_other");
  const auto live = house.open({}, *other);
  TwoTurns turns(house);
  for (int step = 0; step < 13; ++step) turns.step(step);
  const auto late = house.open(0, *other);
  for (const auto& page : {live, late}) {
    EXPECT_EQ(page->frames.size(), 2U);  // hello and health
    EXPECT_EQ(page->of_type("hello").front().at("seq").as_int64(), 0);
  }
}

TEST(WorkspaceStream, WhoWasAwayForTooLongStartsOver) {
  LiveHouse house;
  TwoTurns turns(house);
  for (int step = 0; step < TwoTurns::kSteps; ++step) turns.step(step);
  ASSERT_TRUE(house.world.run(
      house.database().write(one("DELETE FROM events WHERE seq <= $1", {std::int64_t{2}}))));
  const auto page = house.open(1);
  const auto resets = page->of_type("reset");
  ASSERT_EQ(resets.size(), 1U);
  EXPECT_EQ(resets.front().at("seq").as_int64(), 4);
  EXPECT_TRUE(page->of_type("turn_ended").empty());
  EXPECT_TRUE(house.open(2)->of_type("reset").empty());
  // From here on it is like any other page.
  turns.step(0);
  EXPECT_EQ(page->of_type("turn_queued").size(), 1U);
}

TEST(WorkspaceStream, WhoKnowsMoreThanTheStoreStartsOver) {
  LiveHouse house;
  EXPECT_EQ(house.open(99)->of_type("reset").size(), 1U);
}

TEST(WorkspaceStream, AnEventWhoseMessagesAreGoneSaysSo) {
  LiveHouse house;
  TwoTurns turns(house);
  for (int step = 0; step < 7; ++step) turns.step(step);
  Write write;
  for (const std::string_view sql : {"DELETE FROM messages", "DELETE FROM turns"}) {
    write.statements.push_back({sql, {}, {}});
  }
  ASSERT_TRUE(house.world.run(house.database().write(std::move(write))));
  const auto page = house.open(0);
  for (const std::string_view type : {"turn_queued", "turn_ended"}) {
    const auto found = page->of_type(type);
    ASSERT_EQ(found.size(), 1U) << type;
    EXPECT_TRUE(found.front().at("gone").as_bool());
    EXPECT_FALSE(found.front().contains("messages"));
  }
}

// What can't be read for a moment is not gone: the page would forget it for good.
TEST(WorkspaceStream, AnEventWhoseMessagesCannotBeReadSaysThatThereIsMore) {
  LiveHouse house;
  TwoTurns turns(house);
  for (int step = 0; step < TwoTurns::kSteps; ++step) turns.step(step);
  const auto run = [&](std::string_view sql) {
    ASSERT_TRUE(house.world.run(house.database().write(one(sql, {}))));
  };
  run("ALTER TABLE messages RENAME TO unreadable_messages");
  run("ALTER TABLE turns RENAME TO unreadable_turns");
  const auto page = house.open(0);
  const auto ended = page->of_type("turn_ended"), queued = page->of_type("turn_queued");
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_TRUE(ended.back().at("messages").as_array().empty());
  EXPECT_EQ(ended.back().at("more").as_int64(), 2) << "fetch what comes after";
  ASSERT_EQ(queued.size(), 2U);
  EXPECT_EQ(queued.front().at("more").as_int64(), 0);
  EXPECT_FALSE(queued.front().contains("message"));
  for (const std::string& frame : page->frames) EXPECT_EQ(frame.find("gone"), std::string::npos);
  run("ALTER TABLE unreadable_turns RENAME TO turns");
  run("ALTER TABLE unreadable_messages RENAME TO messages");
}

TEST(WorkspaceStream, AnAnswerTooLargeForAFrameIsCutAndSaysWhereItGoesOn) {
  LiveHouse house;
  const Turn turn = house.begin("Write a book");
  house.end(turn, std::string(kEventFrameBytes + 1, 'x'));
  const auto ended = house.open(1)->of_type("turn_ended");
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended.front().at("messages").as_array().size(), 1U);
  EXPECT_EQ(ended.front().at("more").as_int64(), 1);
}

// A slow client is not flooded while it catches up.
TEST(WorkspaceStream, WhoReadsSlowlyCatchesUpSlowly) {
  LiveHouse house;
  for (int i = 0; i < 20; ++i) house.end(house.begin("Again"), std::string(60'000, 'y'));
  auto socket = std::make_shared<PageSocket>();
  socket->stuck = true;
  house.open(socket, 0, Workspaces::default_id());
  PageModel model;
  model.seq = 0;
  std::size_t read = 0;
  const auto read_all = [&] {
    for (; read < socket->frames.size(); ++read) model.apply(socket->frames[read]);
    socket->read_all();
  };
  house.settle();
  EXPECT_LT(socket->frames.size(), 20U);
  house.end(house.begin("Meanwhile"), "This too.");  // not joined yet, not missed either
  for (int i = 0; i < 20; ++i) {
    house.world.run_for(Millis(100));
    read_all();
  }
  EXPECT_EQ(model.ended.size(), 21U);
  EXPECT_LT(socket->most_queued, kCatchUpBytes + 100'000);
}

// AP-7: a greeting is not shown before it is one, its prompt never.
TEST(WorkspaceStream, AGreetingIsNotStreamed) {
  LiveHouse house;
  const auto page = house.open();
  InboundMessage message{.workspace = Workspaces::default_id(),
                         .key = {"websocket", "chat"},
                         .account = "",
                         .message_id = {},
                         .content = text_content("Greet if there is something to say", kFromOwner),
                         .kind = TurnKind::kSessionOpen};
  const auto taken = house.world.run(house.runner.submit(std::move(message)));
  const Turn turn = *taken->resolved.accepted;
  house.publish(turn, TurnEvent::Kind::kStarted);
  house.stream(turn, 0, 0, "WAKEUP_SILENT");
  EXPECT_TRUE(page->of_type("delta").empty());
  EXPECT_TRUE(house.open()->of_type("turn_snapshot").empty());
  EXPECT_FALSE(page->of_type("turn_queued").front().contains("message"));
}

}  // namespace
}  // namespace rouse
