#include "tests/sim/box/house.h"

#include "lifecycle/workflow/workflow_book.h"
#include "tests/sim/box/canaries.h"

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

// workflows/ as it is: rouse's own switched off, and the one that people edit.
std::vector<WorkflowFile> files_of(const std::string& text) {
  std::vector<WorkflowFile> out;
  for (const WorkflowFile& own : shipped_workflows()) out.push_back({own.name, ""});
  out.push_back({"house.yaml", text});
  return out;
}

SpendCaps caps_of(const Papers& papers) {
  return {.day_micros = papers.cap, .day_tokens = {}, .conversation_micros = {}};
}

// What looks at a place where a secret lies, and tells of it, well or not.
class PeekingTool final : public Tool {
 public:
  PeekingTool() {
    info_.name = "peek";
    info_.description = "For tests.";
    info_.schema = R"({"type":"object","properties":{}})";
  }
  [[nodiscard]] const ToolInfo& info() const override { return info_; }
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override {
    co_return ToolResult{
        .text = fmt::format("token={} url=http://h/?key={}", kToolSecret, kModelKey),
        .failed = mixed(3, call.id) % 3 == 0};
  }

 private:
  ToolInfo info_;
};

// rouse's own workflows are switched off, and read once: they have tests of their own.
const WorkflowBook& no_workflows() {
  static VirtualClock clock;
  static const WorkflowBook book = [] {
    WorkflowBook out(clock);
    out.use(files_of(""));
    return out;
  }();
  return book;
}

LifecycleHands hands_of(World& world, Database& database, ProactiveHouseForTests& life) {
  LifecycleHands out;
  out.loop = &world.loop();
  out.clock = &world.clock();
  out.database = &database;
  out.kernel = &life.schedule.agent.kernel.kernel;
  out.notifications = &life.schedule.agent.house.notifications();
  out.log = &life.schedule.agent.log;
  out.events = &life.events();
  return out;
}

}  // namespace

House::House(World& world, Database& database, Mind& mind, Outside& outside, HttpClient& phone,
             Skips skips)
    : outside_(outside),
      skips_(skips),
      files_(outside.papers.files),
      life(
          world, database,
          std::make_shared<MoodyModel>(mind, MoodyModel::Asks::kTurns, world.loop(), world.clock()),
          std::make_shared<MoodyModel>(mind, MoodyModel::Asks::kQuestions, world.loop(),
                                       world.clock()),
          outside.tools, files_),
      indexer(database, text_index, world.clock(), world.loop()),
      removal(database, world.clock(), kernel(), indexer, shelf),
      opens({world.loop(), world.clock(), world.random(), database, kernel(),
             life.schedule.agent.house.prompts(), life.schedule.agent.house.ledger(), runner(),
             removal, life.schedule.agent.log}),
      workflows(no_workflows()),
      engine({world.clock(), database, kernel(), life.schedule.agent.house.tools(), workflows,
              hands_of(world, database, life), life.schedule.agent.log}),
      rules(engine, outside),
      people(database, world.clock(), world.random(), life.schedule.agent.kernel.workspaces),
      outbox(database, world.clock()),
      deliveries(database),
      bridge(phone),
      sender(outbox, deliveries, world.clock(), world.loop(), life.schedule.agent.log),
      router(life.schedule.agent.house.ledger(), world.clock(), world.random()),
      door(runner(), kernel(), people, outbox, world.clock(), world.loop(),
           life.schedule.agent.log) {
  AgentHouse& agent = life.schedule.agent.house;
  Redactor& redactor = life.schedule.agent.redactor;
  redactor.set_secrets(secrets());
  life.schedule.agent.on_log_line = [&outside](std::string_view line) {
    if (shows_canary(line)) outside.broke("10: no log line shows a secret", std::string(line));
  };
  if (!skips_.clean_results) agent.tools().redact_with(&redactor);
  agent.tools().add(std::make_unique<AskingTool>(outside.tools));
  agent.tools().add(std::make_unique<PeekingTool>());
  agent.approvals().configure({.policy = {}, .expires_after = hours(2)});
  agent.events().on_prune([this, &world](WorkspaceId workspace) {
    world.loop().spawn("prune events", prune_events(std::move(workspace)));
  });
  agent.hooks().plug_in(&rules);
  agent.runner().add_participant(engine);
  kernel().on_session_closed([this, &world](const Session& session) {
    world.loop().spawn("session end", engine.session_ended(session));
  });
  agent.runner().add_participant(opens);
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
  bridge.configure({.send_url = "http://bridge/send", .secret = std::string(kBridgeToken)});
  bridge.redact_with(&redactor);
  sender.add(bridge);
  sender.on_change([this](const Delivery& delivery) {
    if (delivery.receipt) door.note_sent(*delivery.receipt);
  });
  router.on_ask([this](std::string_view channel) { return bridge.serves(channel); });
  router.on_committed([this] { sender.nudge(); });
  agent.runner().add_participant(router);
  (void)workflows.use(files_of(outside.papers.workflow));
  agent.spend().configure(caps_of(outside.papers));
  opens.configure(outside.papers.greeting);
}

// --- edits ---------------------------------------------------------------------------------------

std::vector<WorkflowProblem> House::read_workflow() {
  if (skips_.new_rules) return {};
  const std::string& text = outside_.papers.workflow;
  auto problems = workflows.use(files_of(text));
  if (!problems.empty() && skips_.last_good_rules) (void)workflows.use(files_of(""));
  return problems;
}

Task<std::string> House::read_beats() {
  if (!skips_.new_beats) files_ = outside_.papers.files;
  return life.heartbeat.reload(Workspaces::default_id());
}

void House::read_config() {
  if (!skips_.new_caps) life.schedule.agent.house.spend().configure(caps_of(outside_.papers));
  opens.configure(outside_.papers.greeting);
  life.heartbeat.configuration_changed();
}

Task<void> House::prune_events(WorkspaceId workspace) {
  while (true) {
    const auto gone = co_await life.events().prune(workspace);
    if (!gone || *gone == 0) co_return;
  }
}

// --- a life --------------------------------------------------------------------------------------

Task<Result<void>> House::start() {
  ScheduleHouseForTests& schedule = life.schedule;
  CO_TRY_VOID(co_await schedule.agent.kernel.workspaces.ensure_default());
  CO_TRY_VOID(kernel().load());
  CO_TRY_VOID(schedule.book.load());
  CO_TRY_VOID(schedule.ledger.load());
  if (!skips_.receipts) CO_TRY_VOID(door.load());
  if (!skips_.turns) CO_TRY_VOID(co_await schedule.agent.house.recover());
  kernel().on_messages([this](const WorkspaceId& workspace, const Transcript& said) {
    indexer.messages_were_added(workspace, said);
    life.chronicle.messages_were_added();
  });
  // Nobody waits for the rest; what fails is done at the next start.
  (void)co_await sender.start();
  CO_TRY_VOID(co_await approvals().start());
  CO_TRY_VOID(co_await runner().resume_waiting());
  life.problem = co_await life.heartbeat.reload(Workspaces::default_id());
  (void)life.chronicle.start();
  schedule.scheduler.start();
  if (!skips_.deletes) (void)co_await removal.finish_deletes();
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
