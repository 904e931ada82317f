// What isolated and legacy runs answer reaches the place it belongs to, once, and nothing of a
// temporary conversation stays.
#include "schedule/output/output_router.h"

#include "schedule/schedule_house_for_tests.h"
#include "session/search/message_index.h"
#include "store/sqlite/sqlite_text_index.h"

namespace rouse {
namespace {

class NoBackups final : public BackupShelf {
 public:
  Task<Result<std::vector<BackupFile>>> since(WallTime time) override {
    co_return std::vector<BackupFile>();
  }
};

class JudgeForTests final : public OneShot {
 public:
  Task<Result<std::string>> ask(OneShotQuestion question) override {
    asked.push_back(question.text);
    co_return answer;
  }
  Result<std::string> answer = std::string("YES");
  std::vector<std::string> asked;
};

class PageToolForTests final : public Tool {
 public:
  PageToolForTests() {
    info_.name = "page";
    info_.description = "For tests.";
    info_.schema = R"({"type":"object","properties":{}})";
    info_.tool_class = ToolClass::kRead;
  }
  [[nodiscard]] const ToolInfo& info() const override { return info_; }
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override {
    co_return ToolResult{.text = "a page", .untrusted = true};
  }

 private:
  ToolInfo info_;
};

class OutputRouterTest : public ScheduleTest {
 protected:
  struct Side {  // what belongs to one life
    Side(sim::World& world, Database& database, ScheduleHouseForTests& house)
        : indexer(database, text_index, world.clock(), world.loop()),
          deletes(database, world.clock(), house.agent.kernel.kernel, indexer, shelf),
          router({world.loop(), world.clock(), world.random(), database, house.agent.kernel.kernel,
                  house.runner(), house.book, house.ledger, house.desk,
                  house.agent.house.notifications(), deletes, evaluator, house.agent.log}) {}
    SqliteTextIndex text_index;
    MessageIndexer indexer;
    NoBackups shelf;
    ConversationDelete deletes;
    Evaluator evaluator;
    OutputRouter router;
  };

  void SetUp() override {
    ScheduleTest::SetUp();
    attach();
  }
  void TearDown() override {
    if (side_) detach();
    ScheduleTest::TearDown();
  }
  void attach() {
    side_ = std::make_unique<Side>(world_, *database_, *house_);
    side_->evaluator.use_model(&judge_);
    side_->router.use_files([this](OutputFile file) { return keep(std::move(file)); });
    side_->router.use_channels([](std::string_view channel) { return channel == "whatsapp"; },
                               [this] { ++outbox_told_; });
    house_->desk.on_ended([this](const TurnId&, const Run&) {
      if (side_) side_->router.nudge();
    });
    side_->router.start();
  }
  void detach() {
    world_.run(side_->router.stop());
    side_.reset();
  }
  void restart() {
    if (side_) detach();
    end();
    begin();
    attach();
  }
  // The disk is dead already; the process goes, too, and comes back.
  void crash() {
    house_->scheduler.stop();
    world_.run(side_->router.stop());
    world_.run(house_->runner().stop(seconds(1)));
    world_.run_for(seconds(1));
    side_.reset();
    house_.reset();
    world_.drop_store();
    world_.disk().power_cycle(sqlite::Unsynced::kKeepAll);
    begin();
    attach();
  }
  Task<Result<void>> keep(OutputFile file) {
    if (no_disk_) co_return fail(Errc::kUnavailable, "the disk is full");
    files_.push_back(file.name + ": " + file.text);
    folders_.push_back(file.project_folder);
    co_return Result<void>{};
  }

  static JobOutput to(std::optional<std::string> file, std::optional<std::string> key = {},
                      std::optional<bool> notify = {}) {
    return {std::move(file), notify, std::move(key)};
  }
  static JobWish isolated(std::optional<JobOutput> output = {}) {
    JobWish out = once("Look around", "2026-11-15T08:30:00.000Z");
    out.name = "scout";
    out.kind = JobKind::kIsolated;
    out.session_key = "";
    out.extra.output = std::move(output);
    return out;
  }
  static JobWish legacy(LegacyDelivery delivery) {
    JobWish out = once("Say hello", "2026-11-15T08:30:00.000Z");
    out.kind = JobKind::kLegacy;
    out.session_key = "";
    out.extra.legacy = std::move(delivery);
    return out;
  }
  // It is due, runs and is brought.
  Run fire(JobWish wish, ScriptedAnswer answer) {
    model_->then(std::move(answer));
    made_ = create(std::move(wish));
    until("2026-11-15T08:31:00.000Z");
    return runs(made_).back();
  }
  Lines notices() {
    Lines out;
    const auto rows = database_->read(
        {"SELECT body, conversation_id FROM events WHERE type = 'notification' ORDER BY seq", {}});
    for (const Row& row : *rows) {
      EXPECT_EQ(row.text(1), "") << "it must outlive the temporary conversation";
      out.push_back(row.text(0));
    }
    return out;
  }
  void expect_nothing_left() {
    for (const std::string table : {"conversations", "sessions", "turns", "messages", "inbound",
                                    "turn_steps", "tombstones", "aliases"}) {
      EXPECT_EQ(count("SELECT COUNT(*) FROM " + table), 0) << table;
    }
  }
  std::int64_t count(const std::string& sql) { return ScheduleTest::count(sql); }

  JudgeForTests judge_;
  std::unique_ptr<Side> side_;
  Job made_;
  Lines files_, folders_;
  bool no_disk_ = false;
  int outbox_told_ = 0;
};

// S2-42, CR-33
TEST_F(OutputRouterTest, WithoutAPlaceItIsANotificationAndTheConversationIsGone) {
  const Run run = fire(isolated(), ScriptedAnswer::says("All quiet."));
  EXPECT_EQ(run.state, "ok");
  EXPECT_EQ(run.routed, "notified");
  EXPECT_EQ(run.answer, "All quiet.");
  ASSERT_EQ(notices().size(), 1U);
  EXPECT_EQ(notices()[0], fmt::format(R"({{"number":1,"kind":"automation","text":"All quiet.",)"
                                      R"("subject":"scout","title":"scout","automation_id":"{}",)"
                                      R"("run_id":"{}"}})",
                                      made_.id, run.id));
  expect_nothing_left();
}

TEST_F(OutputRouterTest, WhatTheAgentAnnouncedItselfIsToldOnce) {
  const Run run = fire(isolated(), ScriptedAnswer::says("Rain at six.\n::notify Take a coat"));
  EXPECT_EQ(run.routed, "notified");
  ASSERT_EQ(notices().size(), 1U);
  EXPECT_NE(notices()[0].find("Take a coat"), std::string::npos);
  expect_nothing_left();
}

// S2-42
TEST_F(OutputRouterTest, AFileIsNamedWithTheDayOfTheInstantInTheJobsZone) {
  JobWish wish = isolated(to("reports/{date}.md"));
  wish.schedule.zone = "Pacific/Auckland";
  wish.schedule.at = *from_iso("2026-11-15T11:30:00.000Z");
  wish.extra.project_path = "/srv/garden";
  model_->then(ScriptedAnswer::says("Roses bloom."));
  made_ = create(wish);
  until("2026-11-15T11:31:00.000Z");
  EXPECT_EQ(files_, (Lines{"reports/2026-11-16.md: Roses bloom."}));
  EXPECT_EQ(folders_, (Lines{"/srv/garden"}));
  EXPECT_EQ(runs(made_).back().routed, "file:reports/2026-11-16.md");
  EXPECT_TRUE(notices().empty());
  expect_nothing_left();
}

TEST_F(OutputRouterTest, WhatCannotBeWrittenIsShown) {
  no_disk_ = true;
  const Run run = fire(isolated(to("a.md")), ScriptedAnswer::says("Precious."));
  EXPECT_EQ(run.routed, "failed: the disk is full, notified");
  ASSERT_EQ(notices().size(), 1U);
  EXPECT_NE(notices()[0].find("Precious."), std::string::npos);
}

// CR-38
TEST_F(OutputRouterTest, AConversationIsToldTheResultWithoutAnotherModelCall) {
  say("hello");
  const std::size_t asked = model_->requests.size();
  const Run run = fire(isolated(to({}, "api:a", true)), ScriptedAnswer::says("Three new papers."));
  EXPECT_EQ(model_->requests.size(), asked + 1);
  EXPECT_EQ(lines(), (Lines{"user: hello", "assistant: ok",
                            "user: Scheduled automation triggered: scout\n\nLook around",
                            "assistant: Three new papers."}));
  EXPECT_EQ(transcript()[2].content.front().from, kFromAgent);
  EXPECT_EQ(run.routed, "notified, conversation:api:a");
  EXPECT_EQ(notices().size(), 1U);
  EXPECT_EQ(count("SELECT COUNT(*) FROM conversations"), 1);
  EXPECT_EQ(count("SELECT COUNT(*) FROM tombstones"), 0);
}

// SC-8
TEST_F(OutputRouterTest, ForeignTextStaysForeignWhereItGoes) {
  say("hello");
  house_->agent.house.tools().add(std::make_unique<PageToolForTests>());
  model_->then(ScriptedAnswer::calls_tool("c1", "page"));
  const Run run = fire(isolated(to({}, "api:a", true)), ScriptedAnswer::says("The page says so."));
  ASSERT_EQ(run.state, "ok") << run.error;
  EXPECT_EQ(transcript().at(2).content.front().from, kFromUntrusted);
  EXPECT_NE(notices().at(0).find(R"("untrusted":true)"), std::string::npos);
}

TEST_F(OutputRouterTest, AConversationThatIsGoneMakesItANotification) {
  const Run run = fire(isolated(to({}, "whatsapp:+1")), ScriptedAnswer::says("Nobody hears it."));
  EXPECT_EQ(run.routed, "failed: there is no conversation whatsapp:+1 any more, notified");
  EXPECT_EQ(notices().size(), 1U);
  expect_nothing_left();
}

// A busy conversation hears it afterwards, and a restart in between changes nothing.
TEST_F(OutputRouterTest, TheWordsForABusyConversationSurviveARestart) {
  until("2026-11-15T08:29:30.000Z");
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  submit(chat_from("a", "think hard"));
  world_.settle();
  fire(isolated(to({}, "api:a")), ScriptedAnswer::says("Found it."));
  EXPECT_EQ(runs(made_).back().routed, "conversation:api:a");
  EXPECT_EQ(count("SELECT COUNT(*) FROM turns WHERE state = 'queued'"), 1);
  restart();
  world_.run_for(minutes(11));
  const Lines said = lines();
  EXPECT_EQ(std::ranges::count(said, "assistant: Found it."), 1)
      << fmt::format("{}", fmt::join(said, "|"));
}

// CR-34, S3-34
TEST_F(OutputRouterTest, AFailureIsAlwaysANotification) {
  const Run run = fire(isolated(to("a.md")), ScriptedAnswer::fails(ModelErrc::kUnauthorized));
  EXPECT_EQ(run.state, "error");
  EXPECT_EQ(run.routed, "notified");
  EXPECT_TRUE(files_.empty());
  ASSERT_EQ(notices().size(), 1U);
  EXPECT_NE(notices()[0].find("failed: the model's key was refused"), std::string::npos);
  expect_nothing_left();
}

// CR-31
TEST_F(OutputRouterTest, ATryThatIsFollowedByAnotherIsNotTold) {
  model_->then(ScriptedAnswer::fails(ModelErrc::kUnreachable));
  fire(isolated(), ScriptedAnswer::says("At last."));
  until("2026-11-15T08:35:00.000Z");
  const auto all = runs(made_);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].routed, "retried");
  EXPECT_EQ(all[1].routed, "notified");
  EXPECT_EQ(notices().size(), 1U);
  expect_nothing_left();
}

// CR-17: what a life that ended left behind is brought by the next one, once.
TEST_F(OutputRouterTest, WhatALifeLeftBehindIsBroughtByTheNext) {
  detach();
  fire(isolated(to("a.md", {}, true)), ScriptedAnswer::says("Kept."));
  EXPECT_EQ(runs(made_).back().routed, "pending");
  EXPECT_EQ(count("SELECT COUNT(*) FROM conversations"), 1);
  restart();
  world_.run_for(seconds(1));
  restart();
  world_.run_for(seconds(1));
  EXPECT_EQ(runs(made_).back().routed, "file:a.md, notified");
  EXPECT_EQ(files_.size(), 1U);
  EXPECT_EQ(notices().size(), 1U);
  expect_nothing_left();
}

// CR-17
TEST_F(OutputRouterTest, WhereverTheProcessIsKilledEachPlaceIsToldOnce) {
  options_.crashes_to_hold = 0;
  restart();
  say("hello");
  int crashes = 0;
  bool untouched = false;
  for (int change = 1; !untouched; ++change) {
    ASSERT_LT(change, 400);
    detach();
    JobWish wish = isolated(to("a.md", "api:a", true));
    wish.name = fmt::format("scout {}", change);
    wish.schedule.at = now() + seconds(10);
    model_->then(ScriptedAnswer::says("Found."));
    made_ = create(wish);
    world_.run_for(seconds(20));
    ASSERT_EQ(runs(made_).back().routed, "pending") << change;
    world_.disk().kill_at(world_.disk().changes() + change);
    attach();
    world_.run_for(seconds(10));
    untouched = !world_.disk().killed();
    if (!untouched) {
      ++crashes;
      crash();
      world_.run_for(minutes(1));
    }
    EXPECT_EQ(runs(made_).back().routed, "file:a.md, notified, conversation:api:a") << change;
    EXPECT_EQ(notices().size(), static_cast<std::size_t>(change));
    EXPECT_EQ(lines().size(), static_cast<std::size_t>(2 + 2 * change)) << change;
    EXPECT_EQ(lines().back(), "assistant: Found.");
    EXPECT_EQ(count("SELECT COUNT(*) FROM conversations"), 1) << change;
    EXPECT_EQ(count("SELECT COUNT(*) FROM sessions"), 1) << change;
    EXPECT_EQ(count("SELECT COUNT(*) FROM tombstones"), 0) << change;
    if (HasFailure()) break;
  }
  EXPECT_GT(crashes, 10);
  world_.disk().kill_at(0);  // nobody dies at the end
}

TEST_F(OutputRouterTest, AStoreThatIsReadOnlyForAWhileLosesNothing) {
  detach();
  fire(isolated(to({}, "api:b")), ScriptedAnswer::says("Patience."));
  world_.disk().set_read_only(true);
  attach();
  world_.run_for(seconds(30));
  EXPECT_EQ(runs(made_).back().routed, "pending");
  world_.disk().set_read_only(false);
  world_.run_for(minutes(2));
  EXPECT_EQ(runs(made_).back().routed, "conversation:api:b");
  EXPECT_EQ(lines("api:b").size(), 2U);
}

// CR-33
TEST_F(OutputRouterTest, AJobOfEachMinuteLeavesTheStoreFlat) {
  JobWish wish = isolated();
  wish.schedule = {.kind = ScheduleKind::kEvery, .every = minutes(1)};
  made_ = create(wish);
  world_.run_for(days(1) + seconds(30));
  EXPECT_LE(runs(made_).size(), 260U);
  EXPECT_EQ(runs(made_).back().state, "ok");
  expect_nothing_left();
  EXPECT_LE(count("SELECT COUNT(*) FROM spend"), 5);
}

// S3-05, S3-32
TEST_F(OutputRouterTest, ALegacyAnswerIsSentIfItIsWorthIt) {
  const Run run = fire(legacy({.deliver = true, .channel = "whatsapp", .to = "+15550"}),
                       ScriptedAnswer::says("Hello from the past."));
  EXPECT_EQ(run.routed, "sent:whatsapp:+15550");
  EXPECT_EQ(outbox_told_, 1);
  EXPECT_EQ(judge_.asked.size(), 1U);
  EXPECT_NE(judge_.asked[0].find("Hello from the past."), std::string::npos);
  EXPECT_EQ(count("SELECT COUNT(*) FROM outbox WHERE channel = 'whatsapp' AND peer = '+15550' "
                  "AND text = 'Hello from the past.'"),
            1);
  EXPECT_EQ(lines("cron:" + made_.id).size(), 2U) << "its own thread, as it was";
}

// S3-32
TEST_F(OutputRouterTest, ALegacyAnswerThatIsNotWorthItIsKept) {
  judge_.answer = std::string("No.");
  const Run run = fire(legacy({.deliver = true, .channel = "whatsapp", .to = "+15550"}),
                       ScriptedAnswer::says("Nothing new."));
  EXPECT_EQ(run.routed, "kept: not_worth_it");
  EXPECT_EQ(count("SELECT COUNT(*) FROM outbox"), 0);
}

TEST_F(OutputRouterTest, ALegacyJobThatDeliversNothingAsksNobody) {
  const Run run = fire(legacy({.deliver = false, .channel = "whatsapp", .to = "+15550"}),
                       ScriptedAnswer::says("To myself."));
  EXPECT_EQ(run.routed, "kept");
  EXPECT_TRUE(judge_.asked.empty());
}

TEST_F(OutputRouterTest, ALegacyJobForAChannelThatIsNotThereSaysSo) {
  const Run run = fire(legacy({.deliver = true, .channel = "telegram", .to = "42"}),
                       ScriptedAnswer::says("Hello?"));
  EXPECT_EQ(run.routed, "failed: nothing is sent over 'telegram' here");
}

}  // namespace
}  // namespace rouse
