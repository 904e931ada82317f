#include "agent/approval_desk.h"

#include <gtest/gtest.h>

#include "session/kernel_for_tests.h"

namespace rouse {
namespace {

// Accepts durably; turns wait for ever.
class AcceptingRunner final : public TurnRunner {
 public:
  explicit AcceptingRunner(SessionKernel& kernel) : kernel_(kernel) {}
  Task<Result<Submitted>> submit(InboundMessage message) override {
    if (broken) co_return fail(Errc::kUnavailable, "not now");
    CO_TRY(Resolved resolved, co_await kernel_.accept(std::move(message)));
    co_return Submitted{std::move(resolved)};
  }
  Task<Result<TurnOutcome>> wait(TurnId, std::stop_token) override { co_return TurnOutcome{}; }
  Task<Result<Turn>> cancel(TurnId) override { co_return Turn{}; }
  Task<Result<Turn>> drop_waiting(TurnId, std::string) override { co_return Turn{}; }
  Task<Result<Cleared>> clear(WorkspaceId, std::string) override { co_return Cleared{}; }
  [[nodiscard]] bool busy(const ConversationId&) const override { return false; }
  [[nodiscard]] std::size_t running() const override { return 0; }
  bool broken = false;

 private:
  SessionKernel& kernel_;
};

class RiskyTool final : public Tool {
 public:
  explicit RiskyTool(std::string name = "shell") {
    info_.name = std::move(name);
    info_.risk = RiskTier::kRequiresApproval;
    info_.side_effects = true;
  }
  [[nodiscard]] const ToolInfo& info() const override { return info_; }
  Task<ToolResult> run(ToolCall, std::stop_token) override { co_return ToolResult{}; }
  ToolInfo info_;
};

constexpr std::string_view kMake = R"({"command":"make"})";

class ApprovalDeskTest : public testing::Test {
 protected:
  void SetUp() override { begin(); }
  void TearDown() override { leave(); }
  void begin() {
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    database_ = *opened;
    house_ = std::make_unique<KernelHouse>(world_, *database_);
    events_ = std::make_unique<EventLog>(*database_);
    house_->kernel.record_events(events_.get());
    events_->on_commit([this](const WorkspaceId&) { ++told_; });
    ASSERT_TRUE(world_.run(house_->start()));
    runner_ = std::make_unique<AcceptingRunner>(house_->kernel);
    desk_ = std::make_unique<ApprovalDesk>(ApprovalDesk::Parts{world_.loop(), world_.clock(),
                                                               world_.random(), *database_,
                                                               house_->kernel, *events_, log_});
    desk_->use_runner(*runner_);
  }
  void leave() {
    desk_->stop();
    world_.run_for(millis(50));
    desk_.reset();
  }
  void restart() {
    leave();
    world_.close_store();
    begin();
  }

  // Somebody says something; answers with the turn that will ask.
  Turn say(InboundMessage message) {
    auto taken = world_.run(house_->kernel.accept(std::move(message)));
    EXPECT_TRUE(taken) << taken.error();
    return **house_->kernel.turns().get(*taken->turn);
  }
  Turn say(std::string peer = "+1") { return say(message_from(std::move(peer), "please")); }

  static ToolCall call(const Turn& turn, std::string_view arguments = kMake) {
    return {.id = "c1",
            .arguments = std::string(arguments),
            .workspace = turn.workspace,
            .conversation = turn.conversation,
            .session = turn.session,
            .turn = turn.id,
            .turn_kind = std::string(turn_kind_name(turn.kind)),
            .zone = "UTC"};
  }
  CallRuling rule(const ToolCall& call, const Tool& tool) {
    auto ruling = desk_->rule_on(tool, call, {});
    EXPECT_TRUE(ruling) << ruling.error();
    return ruling ? *ruling : CallRuling{};
  }
  PolicyRuling::Kind kind(const ToolCall& call, const Tool& tool = RiskyTool()) {
    return rule(call, tool).ruling.kind;
  }
  // Asked and durable.
  Approval ask(const ToolCall& call, const Tool& tool = RiskyTool()) {
    CallRuling ruling = rule(call, tool);
    EXPECT_EQ(ruling.ruling.kind, PolicyRuling::Kind::kAsk);
    EXPECT_TRUE(world_.run(database_->write(Write{ruling.statements})));
    desk_->committed(*ruling.approval);
    return *ruling.approval;
  }
  Result<Approval> answer(const Approval& about, ApprovalAnswer how) {
    return world_.run(desk_->decide(about.workspace, about.id, std::move(how)));
  }
  Result<Approval> approve(const Approval& about, std::string by = "web",
                           std::string scope = "once") {
    return answer(about, {.approved = true, .scope = std::move(scope), .by = std::move(by)});
  }
  Approval now(const Approval& about) { return **desk_->book().get(about.id); }
  // The turns that carry answers on, oldest first.
  std::vector<Turn> carried() {
    std::vector<Turn> out;
    const auto rows =
        database_->read({"SELECT turn_id FROM turns WHERE kind = 'approval' ORDER BY number", {}});
    for (const Row& row : *rows) {
      out.push_back(**house_->kernel.turns().get(*TurnId::parse(row.text(0))));
    }
    return out;
  }
  InboundRow inbound(const Turn& turn) { return **house_->kernel.inbound().get(*turn.inbound); }
  std::string words(const Turn& turn) { return readable_text(*inbound(turn).content); }
  std::vector<Event> events(std::string_view type) {
    auto all = events_->after(Workspaces::default_id(), 0, 1000);
    std::erase_if(*all, [&](const Event& one) { return one.type != type; });
    return *all;
  }

  sim::World world_{3};
  Redactor redactor_;
  std::string logged_;
  Log log_{[] { return WallTime{0}; }, redactor_,
           [this](std::string_view line) { logged_ += line; }};
  int told_ = 0;
  Database* database_ = nullptr;
  std::unique_ptr<KernelHouse> house_;
  std::unique_ptr<EventLog> events_;
  std::unique_ptr<AcceptingRunner> runner_;
  std::unique_ptr<ApprovalDesk> desk_;
};

TEST_F(ApprovalDeskTest, ACallThatNeedsAWordIsKeptAndTheModelToldToGoOn) {  // AP-2
  const Turn turn = say();
  const CallRuling ruling = rule(call(turn), RiskyTool());
  ASSERT_TRUE(ruling.approval);
  EXPECT_TRUE(ruling.ruling.words.starts_with("needs approval " + ruling.approval->id.str()));
  EXPECT_TRUE(ruling.ruling.words.contains("until 2026-01-02T")) << ruling.ruling.words;
  EXPECT_FALSE(*desk_->book().get(ruling.approval->id)) << "kept by whoever asked";
  const Approval kept = ask(call(turn));
  EXPECT_EQ(now(kept).state, "pending");
  EXPECT_EQ(now(kept).summary, R"(shell {"command":"make"})");
  EXPECT_EQ(now(kept).reason, "tier");
  ASSERT_EQ(events("approval_requested").size(), 1U);
  EXPECT_EQ(events("approval_requested").front().body,
            R"({"approval_id":")" + kept.id.str() +
                R"(","tool":"shell","summary":"shell {\"command\":\"make\"}",)"
                R"("expires_at":")" +
                to_iso(kept.expires) + R"("})");
  EXPECT_GT(told_, 0) << "live pages hear of it";
  const auto pending = desk_->pending_of(turn.id);
  ASSERT_EQ(pending->size(), 1U);
  EXPECT_EQ(pending->front().approval_id, kept.id.str());
}

TEST_F(ApprovalDeskTest, WhatNeedsNobodysWordIsAllowedWithoutARow) {
  RiskyTool tame;
  tame.info_.risk = RiskTier::kAuto;
  const CallRuling ruling = rule(call(say()), tame);
  EXPECT_EQ(ruling.ruling.kind, PolicyRuling::Kind::kAllow);
  EXPECT_FALSE(ruling.approval);
  EXPECT_TRUE(ruling.statements.empty());
}

TEST_F(ApprovalDeskTest, TheSameCallAskedAgainWaitsOnce) {
  const Turn turn = say();
  const Approval first = ask(call(turn));
  const CallRuling again = rule(call(say()), RiskyTool());
  EXPECT_EQ(again.approval->id, first.id);
  EXPECT_TRUE(again.statements.empty());
  ToolCall tainted = call(turn);
  tainted.tainted = true;
  EXPECT_NE(rule(tainted, RiskyTool()).approval->id, first.id) << "a person must see the taint";
}

TEST_F(ApprovalDeskTest, OnlySoManyWaitInOneConversation) {
  const Turn turn = say();
  for (std::size_t i = 0; i < kPendingApprovals; ++i) {
    ask(call(turn, fmt::format(R"({{"n":{}}})", i)));
  }
  const CallRuling ruling = rule(call(turn, R"({"n":"more"})"), RiskyTool());
  EXPECT_EQ(ruling.ruling.kind, PolicyRuling::Kind::kDeny);
  EXPECT_EQ(ruling.ruling.reason, "too_many");
}

// design.md, 2: "the stored call runs once and its result enters as a new turn of kind approval"
TEST_F(ApprovalDeskTest, AnAnswerIsATurnThatGoesBackWhereTheQuestionCameFrom) {
  const Turn turn = say();
  const Approval approval = ask(call(turn));
  const auto decided = answer(approval, {.approved = true, .by = "web", .note = "be quick"});
  ASSERT_TRUE(decided) << decided.error();
  EXPECT_EQ(now(approval).state, "approved");
  EXPECT_EQ(now(approval).scope, "once");
  EXPECT_EQ(now(approval).decided_by, "web");
  EXPECT_EQ(now(approval).note, "be quick");
  ASSERT_EQ(carried().size(), 1U);
  const Turn next = carried().front();
  EXPECT_EQ(next.kind, TurnKind::kApproval);
  EXPECT_EQ(next.conversation, turn.conversation);
  EXPECT_EQ(next.session, turn.session);
  EXPECT_EQ(words(next), "Approved: shell {\"command\":\"make\"}\nbe quick");
  EXPECT_EQ(inbound(next).channel, "whatsapp");
  EXPECT_EQ(inbound(next).account, inbound(turn).account);
  EXPECT_EQ(inbound(next).content->front().from, kFromSender);  // taint-neutral
  EXPECT_EQ((*desk_->carried_by(next))->id, approval.id);
  EXPECT_FALSE(*desk_->carried_by(turn));
  ASSERT_EQ(events("approval_decided").size(), 1U);
  EXPECT_TRUE(events("approval_decided").front().body.contains(R"("state":"approved")"));
}

TEST_F(ApprovalDeskTest, ANoIsTold) {
  const Approval approval = ask(call(say()));
  ASSERT_TRUE(answer(approval, {.approved = false, .by = "whatsapp:m1"}));
  EXPECT_EQ(now(approval).state, "denied");
  EXPECT_FALSE(now(approval).scope);
  EXPECT_EQ(words(carried().front()), "Denied: shell {\"command\":\"make\"}");
  EXPECT_EQ(inbound(carried().front()).content->front().from, kFromSender);
  EXPECT_TRUE(events("approval_decided").front().body.contains(R"("decided_by":"whatsapp")"));
}

// AP-1: two devices, first wins, the other is told
TEST_F(ApprovalDeskTest, TheFirstAnswerWinsAndTheSecondIsTold) {
  const Approval approval = ask(call(say()));
  std::optional<Result<Approval>> yes, no;
  const auto keep = [](Task<Result<Approval>> task,
                       std::optional<Result<Approval>>& out) -> Task<void> {
    out = co_await std::move(task);
  };
  world_.loop().spawn(
      "one",
      keep(desk_->decide(approval.workspace, approval.id, {.approved = true, .by = "web"}), yes));
  world_.loop().spawn(
      "two",
      keep(desk_->decide(approval.workspace, approval.id, {.approved = false, .by = "cli"}), no));
  world_.run_while([&] { return !yes || !no; });
  ASSERT_TRUE(*yes) << yes->error();
  ASSERT_FALSE(*no);
  EXPECT_TRUE(no->error().is(ApprovalErrc::kDecided));
  EXPECT_TRUE(no->error().message.contains("was approved at 2026-01-01T")) << no->error();
  EXPECT_TRUE(no->error().message.contains("web"));
  EXPECT_EQ(carried().size(), 1U);
  EXPECT_EQ(now(approval).state, "approved");
  const auto late = answer(approval, {.approved = true, .scope = "always", .by = "cli"});
  EXPECT_TRUE(late.error().is(ApprovalErrc::kDecided));
  EXPECT_FALSE(
      *desk_->book().permits(approval.workspace, approval.conversation, "shell", approval.covers));
}

TEST_F(ApprovalDeskTest, TheSameAnswerAgainGetsTheApprovalAsItIs) {
  const Approval approval = ask(call(say()));
  ASSERT_TRUE(approve(approval));
  world_.run_for(minutes(5));
  const auto again = approve(approval);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->decided, now(approval).decided);
  EXPECT_EQ(carried().size(), 1U);
}

TEST_F(ApprovalDeskTest, AnAnswerAfterARestartCounts) {  // AP-1
  const Approval approval = ask(call(say()));
  restart();
  EXPECT_EQ((*desk_->newest_pending(approval.conversation))->id, approval.id);
  ASSERT_TRUE(approve(approval));
  restart();
  EXPECT_EQ(now(approval).state, "approved");
  EXPECT_EQ(carried().size(), 1U);
  EXPECT_TRUE(approve(approval, "cli").error().is(ApprovalErrc::kDecided));
}

TEST_F(ApprovalDeskTest, AnAnswerThatCouldNotBeKeptLeavesItPending) {
  const Approval approval = ask(call(say()));
  runner_->broken = true;
  EXPECT_EQ(approve(approval).error().kind, Kind::kUnavailable);
  EXPECT_EQ(now(approval).state, "pending");
  EXPECT_TRUE(carried().empty());
  runner_->broken = false;
  EXPECT_TRUE(approve(approval));
}

TEST_F(ApprovalDeskTest, AnotherWorkspaceFindsNothing) {  // SC-2
  const Approval approval = ask(call(say()));
  const auto other = world_.run(house_->workspaces.create("team", "them"));
  ASSERT_TRUE(other) << other.error();
  const auto tried =
      world_.run(desk_->decide(other->id, approval.id, {.approved = true, .by = "api"}));
  EXPECT_TRUE(tried.error().is(ApprovalErrc::kNotFound));
  ASSERT_TRUE(world_.run(desk_->withdraw(other->id, approval.conversation)));
  EXPECT_EQ(now(approval).state, "pending");
}

// AP-2: bounded and visible
TEST_F(ApprovalDeskTest, WithoutAnAnswerItExpiresAndThatIsTold) {
  ASSERT_TRUE(world_.run(desk_->start()));
  const Approval early = ask(call(say("+1")));
  world_.run_for(hours(1));
  const Approval late = ask(call(say("+2")));
  world_.run_for(hours(23) + minutes(2));
  EXPECT_EQ(now(early).state, "expired");
  EXPECT_EQ(now(early).decided_by, "timeout");
  EXPECT_LE((*now(early).decided - early.expires).count, 1000);
  EXPECT_EQ(now(late).state, "pending");
  ASSERT_EQ(carried().size(), 1U);
  EXPECT_TRUE(words(carried().front()).starts_with("Expired: shell"));
  EXPECT_EQ(inbound(carried().front()).content->front().from, kFromAgent);
  EXPECT_TRUE(approve(early).error().is(ApprovalErrc::kDecided));
  EXPECT_TRUE(approve(early).error().message.contains("expired at")) << approve(early).error();
  world_.run_for(hours(2));
  EXPECT_EQ(now(late).state, "expired");
  EXPECT_FALSE(world_.clock().next_deadline().has_value() &&
               *world_.clock().next_deadline() < world_.clock().mono_now() + hours(24))
      << "nothing waits: nothing wakes";
}

TEST_F(ApprovalDeskTest, WhatRanOutWhileTheServerWasDownExpiresAtTheStart) {  // AP-1
  std::vector<Approval> waiting;
  for (int i = 0; i < 5; ++i) waiting.push_back(ask(call(say(fmt::format("+{}", i)))));
  restart();
  world_.clock().step_wall(days(3));
  EXPECT_EQ(approve(waiting[0]).error().name, "approval_decided") << "even before the start";
  ASSERT_TRUE(world_.run(desk_->start()));
  world_.run_for(seconds(1));
  for (const Approval& one : waiting) EXPECT_EQ(now(one).state, "expired");
  EXPECT_EQ(carried().size(), 5U);
}

TEST_F(ApprovalDeskTest, AClockThatJumpsIsSeen) {
  ASSERT_TRUE(world_.run(desk_->start()));
  const Approval approval = ask(call(say()));
  world_.clock().suspend(days(2));
  world_.run_for(minutes(2));
  EXPECT_EQ(now(approval).state, "expired");
}

TEST_F(ApprovalDeskTest, WhatCouldNotExpireIsTriedAgain) {
  ASSERT_TRUE(world_.run(desk_->start()));
  const Approval approval = ask(call(say()));
  runner_->broken = true;
  world_.run_for(hours(25));
  EXPECT_EQ(now(approval).state, "pending");
  EXPECT_TRUE(logged_.contains("approvals.not_expired"));
  runner_->broken = false;
  world_.run_for(minutes(2));
  EXPECT_EQ(now(approval).state, "expired");
}

TEST_F(ApprovalDeskTest, OnceIsOnce) {
  const Turn turn = say();
  ASSERT_TRUE(approve(ask(call(turn))));
  EXPECT_EQ(kind(call(turn)), PolicyRuling::Kind::kAsk);
}

// AP-4
TEST_F(ApprovalDeskTest, APermissionCoversTheVeryCallAndNothingElse) {
  const Turn here = say("+1");
  ToolCall asked = call(here, R"({"command":"whoami","cwd":"/a"})");
  ASSERT_TRUE(approve(ask(asked), "web", "always"));
  using enum PolicyRuling::Kind;
  EXPECT_EQ(kind(call(here, R"({ "cwd":"/a", "command":"whoami" })")), kAllow) << "the same call";
  for (const std::string_view other :
       {R"({"command":"/bin/sh -c whoami","cwd":"/a"})",
        R"({"command":"env sh -c whoami","cwd":"/a"})",
        R"({"command":"whoami\nrm -rf .","cwd":"/a"})", R"({"command":"whoami ","cwd":"/a"})",
        R"({"command":"whoami","cwd":"/b"})", R"({"command":"whoami"})",
        R"({"command":"whoami; id","cwd":"/a"})", R"({"command":["whoami"],"cwd":"/a"})"}) {
    EXPECT_EQ(kind(call(here, other)), kAsk) << other;
  }
  EXPECT_EQ(kind(asked, RiskyTool("other")), kAsk);
  ToolCall elsewhere = asked;
  elsewhere.project_folder = "/home/them/project";
  EXPECT_EQ(kind(elsewhere), kAsk) << "the same words in another folder do something else";
  ToolCall tainted = asked;
  tainted.tainted = true;
  EXPECT_EQ(kind(tainted), kAsk);
  EXPECT_EQ(kind(call(say("+2"), asked.arguments)), kAllow) << "always is everywhere";
  restart();
  EXPECT_EQ(kind(asked), kAllow);
}

TEST_F(ApprovalDeskTest, AYesForTheConversationEndsAtItsWalls) {
  const Turn here = say("+1"), there = say("+2");
  ASSERT_TRUE(approve(ask(call(here)), "web", "conversation"));
  using enum PolicyRuling::Kind;
  EXPECT_EQ(kind(call(here)), kAllow);
  EXPECT_EQ(kind(call(there)), kAsk);
  ToolCall unattended = call(here);
  unattended.turn_kind = "automation";
  EXPECT_EQ(kind(unattended), kAllow);
  unattended.arguments = R"({"command":"make clean"})";
  EXPECT_EQ(kind(unattended), kDeny);
}

TEST_F(ApprovalDeskTest, APermissionOfOneWorkspaceIsNoneOfAnother) {  // SC-2
  const Turn here = say("+1");
  ASSERT_TRUE(approve(ask(call(here)), "web", "always"));
  const auto other = world_.run(house_->workspaces.create("team", "them"));
  InboundMessage message = message_from("+1", "please");
  message.workspace = other->id;
  EXPECT_EQ(kind(call(say(std::move(message)))), PolicyRuling::Kind::kAsk);
}

TEST_F(ApprovalDeskTest, WhatIsAllowedIsListedAndCanBeForgotten) {
  const Turn turn = say();
  ASSERT_TRUE(approve(ask(call(turn)), "web", "always"));
  auto given = world_.run(desk_->book().permissions(turn.workspace, {}, 10));
  ASSERT_EQ(given->size(), 1U);
  EXPECT_FALSE(given->front().conversation);
  EXPECT_EQ(given->front().covers, kMake);
  ASSERT_TRUE(world_.run(desk_->forget(turn.workspace, given->front().id)));
  EXPECT_EQ(kind(call(turn)), PolicyRuling::Kind::kAsk);
  EXPECT_TRUE(world_.run(desk_->forget(turn.workspace, given->front().id))
                  .error()
                  .is(ApprovalErrc::kNoPermission));
}

// S1-C9: "reset also clears pending approvals"
TEST_F(ApprovalDeskTest, AFreshStartWithdrawsWhatWaited) {
  const Turn here = say("+1"), there = say("+2");
  const Approval first = ask(call(here)), second = ask(call(here, R"({"command":"ls"})"));
  const Approval other = ask(call(there));
  ASSERT_TRUE(approve(first));
  ASSERT_TRUE(world_.run(desk_->withdraw(here.workspace, here.conversation)));
  EXPECT_EQ(now(first).state, "approved");
  EXPECT_EQ(now(second).state, "withdrawn");
  EXPECT_EQ(now(other).state, "pending");
  EXPECT_FALSE(*desk_->newest_pending(here.conversation));
  EXPECT_EQ(carried().size(), 1U) << "a withdrawal asks for no turn";
  EXPECT_TRUE(approve(second).error().message.contains("withdrawn"));
}

// design.md, rule 8
TEST_F(ApprovalDeskTest, WhatATaintedTurnAskedForStaysTaintedAfterTheYes) {
  ToolCall tainted = call(say());
  tainted.tainted = true;
  const Approval approval = ask(tainted);
  EXPECT_EQ(approval.reason, "tainted");
  ASSERT_TRUE(approve(approval));
  const Content content = *inbound(carried().front()).content;
  ASSERT_EQ(content.size(), 2U);
  EXPECT_EQ(content[0].from, kFromSender);
  EXPECT_EQ(content[0].text, "Approved.");
  EXPECT_EQ(content[1].from, kFromUntrusted);
}

TEST_F(ApprovalDeskTest, AnAnswerLongAfterwardsOpensNoSessionForBeingLateButOneIfNoneIsOpen) {
  const Turn turn = say();
  const Approval first = ask(call(turn)), second = ask(call(turn, R"({"command":"ls"})"));
  world_.run_for(hours(5));  // far beyond the timeout of a bridged conversation
  ASSERT_TRUE(approve(first));
  EXPECT_EQ(carried().at(0).session, turn.session);
  ASSERT_TRUE(world_.run(house_->kernel.close(turn.session, "api_close")));
  ASSERT_TRUE(approve(second));
  EXPECT_NE(carried().at(1).session, turn.session);
  EXPECT_EQ(carried().at(1).conversation, turn.conversation);
  EXPECT_EQ(inbound(carried().at(1)).reason, "session_closed");
}

TEST_F(ApprovalDeskTest, WhoAskedInASharedConversationGetsTheAnswer) {  // DL-5
  house_->kernel.configure({.unified = true});
  const Turn turn = say("+7");
  ASSERT_TRUE(approve(ask(call(turn))));
  EXPECT_EQ(inbound(carried().front()).peer, "+7");
  EXPECT_EQ(inbound(carried().front()).channel, "whatsapp");
  EXPECT_EQ(carried().front().conversation, turn.conversation);
}

TEST_F(ApprovalDeskTest, TheNewestIsTheOneAskedLast) {
  const Turn turn = say();
  Approval last;
  for (int i = 0; i < 20; ++i) last = ask(call(turn, fmt::format(R"({{"n":{}}})", i)));
  EXPECT_EQ((*desk_->newest_pending(turn.conversation))->id, last.id);
}

TEST_F(ApprovalDeskTest, PagesShowNewestFirstByStateAndConversation) {
  const Turn here = say("+1"), there = say("+2");
  std::vector<Approval> all;
  for (int i = 0; i < 5; ++i) all.push_back(ask(call(here, fmt::format(R"({{"n":{}}})", i))));
  all.push_back(ask(call(there)));
  ASSERT_TRUE(approve(all[4]));
  const auto page = [&](ApprovalBook::Wanted wanted) {
    std::vector<ApprovalId> ids;
    for (const Approval& one : *world_.run(desk_->book().page(std::move(wanted)))) {
      ids.push_back(one.id);
    }
    return ids;
  };
  const WorkspaceId ws = here.workspace;
  using Ids = std::vector<ApprovalId>;
  EXPECT_EQ(page({.workspace = ws, .limit = 2}), (Ids{all[5].id, all[4].id}));
  EXPECT_EQ(page({.workspace = ws, .state = "pending", .before = all[5].id, .limit = 2}),
            (Ids{all[3].id, all[2].id}));
  EXPECT_EQ(page({.workspace = ws, .conversation = there.conversation}), (Ids{all[5].id}));
}

TEST_F(ApprovalDeskTest, AnAnsweredQuestionIsNoUnreadNotificationAnyMore) {
  Notifications notifications(*database_, world_.clock(), world_.random(), *events_);
  desk_->use_notifications(&notifications);
  const WorkspaceId home = Workspaces::default_id();
  const Approval first = ask(call(say("+1")));
  const Approval second = ask(call(say("+2")));
  const Approval third = ask(call(say("+3")));
  EXPECT_EQ(notifications.unread(home), 3);
  ASSERT_TRUE(approve(first));
  EXPECT_EQ(notifications.unread(home), 2) << "only its own";
  ASSERT_TRUE(answer(second, {.approved = false, .by = "web"}));
  EXPECT_EQ(notifications.unread(home), 1);
  ASSERT_TRUE(world_.run(desk_->withdraw(home, third.conversation)));
  EXPECT_EQ(notifications.unread(home), 0);
}

}  // namespace
}  // namespace rouse
