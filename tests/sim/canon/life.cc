#include "tests/sim/canon/life.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "agent/memory/memory_tools.h"
#include "schedule/cron_tool.h"

namespace rouse::sim::canon {
namespace {

constexpr Millis kLongest = minutes(5);  // that anything here may take

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
  Task<ToolResult> run(ToolCall call, std::stop_token) override {
    ++outside_.done[call.id];
    co_return ToolResult{.text = "done, with a person's yes"};
  }

 private:
  ToolInfo info_;
  OutsideForTests& outside_;
};

std::shared_ptr<ScriptedModel> scripted(const Life& life, const Setting::Answer& answer) {
  auto out = std::make_shared<ScriptedModel>();
  out->described.price = ModelPrice{.in = 3'000'000, .out = 15'000'000};
  out->otherwise = [&life, &answer](const ModelRequest& request) {
    return answer ? answer(life, request) : ScriptedAnswer::says("done");
  };
  return out;
}

ProactiveHouseForTests::Files files_of(const Setting& setting) {
  ProactiveHouseForTests::Files out{{"heartbeat.json", setting.heartbeat}};
  if (!setting.orders.empty()) out["heartbeat-prompt.md"] = setting.orders;
  return out;
}

}  // namespace

class Life::NoBackups final : public BackupShelf {
 public:
  Task<Result<std::vector<BackupFile>>> since(WallTime) override {
    co_return std::vector<BackupFile>{};
  }
};

// Every way out of the house. The person has it before we are told.
class Life::Channel final : public ChannelSender {
 public:
  Channel(const Setting& setting, Outside& outside) : setting_(setting), outside_(outside) {}
  [[nodiscard]] bool serves(std::string_view) const override { return true; }
  Task<SendOutcome> send(Delivery delivery, std::stop_token) override {
    SendOutcome outcome = setting_.channel ? setting_.channel(delivery)
                                           : SendOutcome::delivered("r-" + delivery.id.str());
    using enum SendOutcome::Kind;
    if (outcome.kind == kDelivered || outcome.kind == kUnknown) {
      ++outside_.arrived[delivery.id.str()];
    }
    co_return outcome;
  }

 private:
  const Setting& setting_;
  Outside& outside_;
};

Life::Life(World& in, Database& store, const Setting& setting, Outside& outside, Phase which)
    : world(in),
      database(store),
      phase(which),
      setting_(setting),
      shelf_(std::make_unique<NoBackups>()),
      channel_(std::make_unique<Channel>(setting, outside)),
      files_(files_of(setting)),
      model(scripted(*this, setting.model)),
      cheap(setting.cheap ? scripted(*this, setting.cheap) : nullptr),
      house(world, database, model, cheap, outside.tools, files_),
      indexer(database, text_index, world.clock(), world.loop()),
      removal(database, world.clock(), kernel(), indexer, *shelf_),
      people(database, world.clock(), world.random(), workspaces()),
      outbox(database, world.clock()),
      deliveries(database),
      sender(outbox, deliveries, world.clock(), world.loop(), house.schedule.agent.log),
      router(house.schedule.agent.house.ledger(), world.clock(), world.random()),
      door(runner(), kernel(), people, outbox, world.clock(), world.loop(),
           house.schedule.agent.log),
      memory(database, word_index, world.clock(), world.random()),
      recall(database, word_index, memory, world.clock()),
      tasks(database, world.clock(), world.random(), house.events()),
      projects(database, world.clock()),
      tokens(database, world.clock(), world.random()),
      dream({world.clock(), database, book(), memory, house.schedule.agent.agents, house.events(),
             house.schedule.agent.log}),
      schedule_file(book(), kernel(), world.clock()),
      outputs({world.loop(), world.clock(), world.random(), database, kernel(), runner(), book(),
               house.schedule.ledger, house.schedule.desk, notifications(), removal, evaluator,
               house.schedule.agent.log}) {
  ToolRegistry& tools = agent().tools();
  tools.add(std::make_unique<AskingTool>(outside.tools));
  tools.add(std::make_unique<CronTool>(book(), kernel(), world.clock()));
  add_memory_tools(tools, memory, recall);
  agent().approvals().configure({.policy = {}, .expires_after = hours(2)});
  house.schedule.scheduler.configure({.crashes_to_hold = 0, .keep_over = days(36'500)});
  door.use_approvals(&agent().approvals());
  outbox.record_events(&house.events());
  removal.record_events(&house.events());
  sender.add(*channel_);
  sender.on_change([this](const Delivery& delivery) {
    if (delivery.receipt) door.note_sent(*delivery.receipt);
  });
  router.on_ask([](std::string_view channel) { return channel == "whatsapp"; });
  router.on_committed([this] { sender.nudge(); });
  runner().add_participant(router);
  notifications().on_waiting([this] { sender.nudge(); });
  outputs.use_channels([](std::string_view channel) { return channel == "whatsapp"; },
                       [this] { sender.nudge(); });
  house.schedule.desk.on_ended([this](const TurnId&, const Run&) { outputs.nudge(); });
  workspaces().also_clear([this](WorkspaceId workspace) { return forget(std::move(workspace)); });
  if (setting.configure) setting.configure(*this);
}

Life::~Life() = default;

Task<Result<void>> Life::start_in_order() {
  ScheduleHouseForTests& schedule = house.schedule;
  CO_TRY_VOID(co_await workspaces().ensure_default());
  CO_TRY_VOID(tokens.load());
  CO_TRY_VOID(kernel().load());
  CO_TRY_VOID(book().load());
  CO_TRY_VOID(schedule.ledger.load());
  CO_TRY_VOID(door.load());
  CO_TRY_VOID(co_await agent().recover());
  kernel().on_messages([this](const WorkspaceId& workspace, const Transcript& said) {
    indexer.messages_were_added(workspace, said);
    house.chronicle.messages_were_added();
  });
  CO_TRY_VOID(co_await sender.start());
  CO_TRY_VOID(co_await agent().approvals().start());
  CO_TRY_VOID(co_await runner().resume_waiting());
  house.problem = co_await house.heartbeat.reload(here);
  CO_TRY_VOID(house.chronicle.start());
  outputs.start();
  schedule.scheduler.start();
  CO_TRY_VOID(co_await removal.finish_deletes());
  co_return co_await indexer.catch_up();
}

Task<Result<void>> Life::stop_in_order() {
  leaving.request_stop();
  co_await house.schedule.scheduler.stop_in_order();
  co_await outputs.stop();
  co_await house.chronicle.stop();
  door.stop();
  agent().approvals().stop();
  co_await runner().stop(seconds(1));
  house.cheap.stop();
  co_await sender.stop(seconds(2));
  indexer.stop();
  co_return Result<void>{};
}

bool Life::start() {
  const auto started = finish(start_in_order());
  if (world.disk().killed()) return false;
  EXPECT_TRUE(started) << started.error();
  EXPECT_EQ(house.problem, "");
  rest(seconds(1));
  return started.has_value();
}

void Life::stop() {
  const auto result = std::make_shared<std::optional<Result<void>>>();
  world.loop().spawn("stop", keep(stop_in_order(), result));
  for (int i = 0; i < 600 && !*result; ++i) world.run_for(seconds(1));
  EXPECT_TRUE(*result) << "a stop hangs";
  world.run_for(seconds(1));  // whatever is going on ends, well or not
}

void Life::run_until(const std::function<bool()>& done) {
  const MonoTime latest = world.clock().mono_now() + kLongest;
  world.settle();
  while (!done() && !world.disk().killed()) {
    const auto next = world.clock().next_deadline();
    if (!next || *next > latest) return;
    world.clock().advance_to(*next);
    world.settle();
  }
}

void Life::rest(Millis length) {
  const MonoTime end = world.clock().mono_now() + length;
  run_until([&] {
    const auto next = world.clock().next_deadline();
    return !next || *next > end;
  });
  if (!world.disk().killed()) world.run_until(end);
}

// What a workspace has that its rows don't lead to, as the rooms of the server register it.
Task<Result<void>> Life::forget(WorkspaceId workspace) {
  CO_TRY_VOID(co_await memory.forget_workspace(workspace));
  CO_TRY_VOID(co_await tasks.clear(workspace));
  CO_TRY_VOID(co_await book().forget(workspace));
  CO_TRY_VOID(co_await notifications().forget(workspace));
  CO_TRY_VOID(co_await house.heartbeat.forget(workspace));
  co_return co_await house.activity.forget(std::move(workspace));
}

// --- what people do ------------------------------------------------------------------------------

void Life::note(Ledger& ledger, std::string fact, bool is_so) const {
  if (is_so) ledger.acknowledged.insert(std::move(fact));
}

bool Life::submit(Ledger& ledger, InboundMessage message) {
  const std::string id = message.message_id.value_or("");
  ledger.tried.insert(id);
  const auto taken = finish(runner().submit(std::move(message)));
  note(ledger, id, taken.has_value());
  return taken.has_value();
}

bool Life::chat(Ledger& ledger, const std::string& peer, const std::string& said,
                const std::string& id) {
  ledger.tried.insert(id);
  const auto taken = finish(runner().submit(chat_from(peer, said, id)));
  note(ledger, id, taken.has_value());
  if (!taken) return false;
  const auto outcome = finish(runner().wait(*taken->resolved.turn, leaving.get_token()));
  note(ledger, id + " answered", outcome.has_value());
  return outcome.has_value();
}

bool Life::phones(Ledger& ledger, const std::string& peer, const std::string& said,
                  const std::string& id) {
  ledger.tried.insert(id);
  WhatsAppMessage message;
  message.from = message.sender_e164 = peer;
  message.body = said;
  message.account_id = "bridge";
  message.message_id = id;
  const auto answer = finish(door.receive(std::move(message)));
  note(ledger, id, answer.has_value());
  return answer.has_value();
}

Task<Result<void>> Life::reload() {
  const std::string problem = co_await house.heartbeat.reload(here);
  if (!problem.empty()) co_return fail(Errc::kInvalid, problem);
  co_return Result<void>{};
}

Session Life::talked(const std::string& peer, int exchanges, std::size_t bytes) {
  Session session;
  for (int i = 0; i < exchanges; ++i) {
    const std::string said = fmt::format("{} asks {} ", peer, i) + std::string(bytes, 'x');
    auto resolved = finish(kernel().resolve(chat_from(peer, said)));
    EXPECT_TRUE(resolved) << resolved.error();
    if (!resolved) break;
    session = resolved->session;
    const auto told = finish(kernel().record_turn({.session = session.id,
                                                   .workspace = session.workspace,
                                                   .user_message = said,
                                                   .assistant_response = "fine",
                                                   .action_type = {},
                                                   .message_id = {}}));
    EXPECT_TRUE(told) << told.error();
  }
  return session;
}

// --- what is there -------------------------------------------------------------------------------

std::int64_t Life::number(std::string_view sql, std::vector<Value> params) const {
  const auto rows = database.read({sql, std::move(params)});
  EXPECT_TRUE(rows) << sql << ": " << rows.error();
  return rows && !rows->empty() ? rows->front().integer(0) : -1;
}

std::string Life::text(std::string_view sql) const {
  const auto rows = database.read({sql, {}, 100'000});
  EXPECT_TRUE(rows) << sql << ": " << rows.error();
  std::string out;
  if (!rows) return out;
  for (const Row& row : *rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += " | ";
      if (const auto* words = std::get_if<std::string>(&row.value(i))) out += *words;
      if (const auto* digits = std::get_if<std::int64_t>(&row.value(i))) {
        out += std::to_string(*digits);
      }
    }
    out += "\n";
  }
  return out;
}

std::string Life::transcript(const std::string& key) const {
  const auto rows =
      database.read({"SELECT m.role, m.content FROM messages m JOIN conversations c ON "
                     "c.conversation_id = m.conversation_id WHERE c.session_key = $1 ORDER BY seq",
                     {key},
                     100'000});
  EXPECT_TRUE(rows) << rows.error();
  std::string out;
  for (const Row& row : *rows) {
    out += row.text(0) + ": " + readable_text(*decode_content(row.text(1))) + "\n";
  }
  return out;
}

Job Life::job(const std::string& id) {
  auto found = book().get(here, id);
  EXPECT_TRUE(found) << id << ": " << found.error();
  return found ? *found : Job{};
}

}  // namespace rouse::sim::canon
