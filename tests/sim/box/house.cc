#include "tests/sim/box/house.h"

namespace rouse::sim {
namespace {

// What needs a person's yes.
class AskingTool final : public Tool {
 public:
  explicit AskingTool(OutsideForTests& outside) : outside_(outside) {
    info_.name = "ask";
    info_.description = "For tests.";
    info_.schema = R"({"type":"object","properties":{}})";
    info_.tool_class = ToolClass::kEdit;
    info_.risk = RiskTier::kRequiresApproval;
    info_.side_effects = true;
  }
  [[nodiscard]] const ToolInfo& info() const override { return info_; }
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override {
    ++outside_.done[call.id];
    co_return ToolResult{.text = "done, with a person's yes"};
  }

 private:
  ToolInfo info_;
  OutsideForTests& outside_;
};

}  // namespace

House::House(World& world, Database& database, Mind& mind, Outside& outside,
             const ProactiveHouseForTests::Files& files, ChannelSender& phone)
    : life(
          world, database,
          std::make_shared<MoodyModel>(mind, MoodyModel::Asks::kTurns, world.loop(), world.clock()),
          std::make_shared<MoodyModel>(mind, MoodyModel::Asks::kQuestions, world.loop(),
                                       world.clock()),
          outside.tools, files),
      indexer(database, text_index, world.clock(), world.loop()),
      removal(database, world.clock(), kernel(), indexer, shelf),
      people(database, world.clock(), world.random(), life.schedule.agent.kernel.workspaces),
      outbox(database, world.clock()),
      deliveries(database),
      sender(outbox, deliveries, world.clock(), world.loop(), life.schedule.agent.log),
      router(kernel().inbound(), world.clock(), world.random()),
      door(runner(), kernel(), people, outbox, world.clock(), world.loop(),
           life.schedule.agent.log) {
  AgentHouse& agent = life.schedule.agent.house;
  agent.tools().add(std::make_unique<AskingTool>(outside.tools));
  agent.approvals().configure({.policy = {}, .expires_after = hours(2)});
  agent.spend().configure(
      {.day_micros = day_cap(outside.seed), .day_tokens = {}, .conversation_micros = {}});
  life.schedule.scheduler.configure({.keep_over = days(36'500)});
  std::map<std::string, WorkspaceId> known;
  for (int who = kFirstPhone; who < kFirstStranger; ++who) {
    known.emplace(fmt::format("whatsapp:p{}", who), Workspaces::default_id());
  }
  people.configure(std::move(known));
  door.use_approvals(&agent.approvals());
  door.configure({.allow = {}, .reply_wait = seconds(25)});
  outbox.record_events(&agent.events());
  removal.record_events(&agent.events());
  sender.add(phone);
  sender.on_change([this](const Delivery& delivery) {
    if (delivery.receipt) door.note_sent(*delivery.receipt);
  });
  router.on_ask([&phone](std::string_view channel) { return phone.serves(channel); });
  router.on_committed([this] { sender.nudge(); });
  agent.runner().add_participant(router);
}

Task<Result<void>> House::start(Skips skips) {
  ScheduleHouseForTests& schedule = life.schedule;
  CO_TRY_VOID(co_await schedule.agent.kernel.workspaces.ensure_default());
  CO_TRY_VOID(kernel().load());
  CO_TRY_VOID(schedule.book.load());
  CO_TRY_VOID(schedule.ledger.load());
  if (!skips.receipts) CO_TRY_VOID(door.load());
  if (!skips.turns) CO_TRY_VOID(co_await schedule.agent.house.recover());
  kernel().on_messages([this] {
    indexer.messages_were_added();
    life.chronicle.messages_were_added();
  });
  // Nobody waits for the rest; what fails is done at the next start.
  (void)co_await sender.start();
  CO_TRY_VOID(co_await approvals().start());
  CO_TRY_VOID(co_await runner().resume_waiting());
  life.problem = co_await life.heartbeat.reload(Workspaces::default_id());
  (void)life.chronicle.start();
  schedule.scheduler.start();
  if (!skips.deletes) (void)co_await removal.finish_deletes();
  (void)co_await indexer.catch_up();
  co_return Result<void>{};
}

Task<void> House::stop() {
  leaving.request_stop();
  co_await life.schedule.scheduler.stop_in_order();
  co_await life.chronicle.stop();
  door.stop();
  approvals().stop();
  co_await runner().stop(seconds(1));
  life.cheap.stop();
  co_await sender.stop(seconds(2));
  indexer.stop();
}

}  // namespace rouse::sim
