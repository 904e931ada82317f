// The scheduler with everything it drives, over a simulated world: conversations, an agent whose
// model plays a script, the book of jobs, the ledger, the desk, the clockwork. Put together as the
// server does it.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "agent/agent_for_tests.h"
#include "schedule/scheduler.h"
#include "session/invariants_for_tests.h"

namespace rouse {

class ScheduleHouseForTests {
 public:
  ScheduleHouseForTests(sim::World& world, Database& database, std::shared_ptr<Model> model,
                        OutsideForTests& outside)
      : clock(world.clock()),
        agent(world, database, std::move(model), outside),
        book(database, world.clock(), world.random(), agent.kernel.workspaces,
             agent.house.events()),
        ledger(database),
        desk({world.loop(), world.clock(), world.random(), database, agent.kernel.kernel,
              agent.house.runner(), book, ledger, agent.house.events(), agent.log}),
        scheduler({world.loop(), world.clock(), database, book, ledger, desk, agent.house.events(),
                   agent.log}) {
    agent.house.use_occasions(&desk);
    agent.house.runner().add_participant(desk);
  }

  // As the server starts.
  Task<Result<void>> start() {
    CO_TRY_VOID(co_await agent.kernel.workspaces.ensure_default());
    CO_TRY_VOID(agent.kernel.kernel.load());
    CO_TRY_VOID(book.load());
    CO_TRY_VOID(ledger.load());
    CO_TRY_VOID(co_await agent.house.recover());
    scheduler.start();
    for (int i = 0; i < 100 && !scheduler.settled(); ++i) (void)co_await clock.wait_for(millis(1));
    co_return co_await agent.house.runner().resume_waiting();
  }
  Task<void> stop() {
    co_await scheduler.stop_in_order();
    co_await agent.house.runner().stop(seconds(1));
  }
  AgentTurnRunner& runner() { return agent.house.runner(); }

  Clock& clock;
  AgentHouseForTests agent;
  JobBook book;
  OccurrenceLedger ledger;
  AutomationDesk desk;
  Scheduler scheduler;
};

// A test with such a house and a few words: a person who chats, jobs, what became of them.
class ScheduleTest : public testing::Test {
 protected:
  using Lines = std::vector<std::string>;
  using Run = rouse::Run;  // not GoogleTest's

  void SetUp() override {
    model_->otherwise = [](const ModelRequest&) { return ScriptedAnswer::says("done"); };
    at("2026-11-15T08:00:00.000Z");
    begin();
  }
  void TearDown() override {
    if (house_) end();
  }

  // --- lives
  virtual void prepare() {}  // what else belongs to the house, before it starts
  void begin() {
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    database_ = *opened;
    house_ = std::make_unique<ScheduleHouseForTests>(world_, *database_, model_, outside_);
    house_->scheduler.configure(options_);
    house_->scheduler.on_problem([this](const std::string& told) { problems_.push_back(told); });
    prepare();
    const auto started = world_.run(house_->start());
    ASSERT_TRUE(started) << started.error();
    world_.run_for(millis(50));  // what the last life left is settled
  }
  void end() {
    world_.run(house_->stop());
    expect_session_invariants(*database_, "at the end");
    world_.settle();
    house_.reset();
    world_.close_store();
  }
  // Nobody is there for a while.
  void down_for(Millis length) {
    end();
    world_.clock().advance(length);
    begin();
  }
  // The process dies; what was written stays.
  void kill() {
    house_->scheduler.stop();
    world_.settle();
    world_.disk().kill_now();
    world_.run_for(seconds(1));
    world_.run(house_->runner().stop(Millis{0}));  // what hangs would never let go of its memory
    house_.reset();
    world_.drop_store();
    world_.disk().power_cycle(sqlite::Unsynced::kKeepAll);
  }
  void at(std::string_view iso) { world_.clock().step_wall(*from_iso(iso) - now()); }
  void until(std::string_view iso) { world_.run_for(*from_iso(iso) - now()); }
  [[nodiscard]] WallTime now() { return world_.clock().wall_now(); }

  // --- jobs
  static JobWish wish(std::string message, std::string expr, std::string zone = "UTC") {
    return {.workspace = Workspaces::default_id(),
            .message = std::move(message),
            .session_key = "api:a",
            .schedule = {.expr = std::move(expr), .zone = std::move(zone)}};
  }
  static JobWish once(std::string message, std::string_view iso) {
    JobWish out = wish(std::move(message), "");
    out.schedule = {.kind = ScheduleKind::kAt, .at = *from_iso(iso)};
    return out;
  }
  static JobWish each(std::string message, Millis every) {
    JobWish out = wish(std::move(message), "");
    out.schedule = {.kind = ScheduleKind::kEvery, .every = every};
    return out;
  }
  Job create(JobWish wish) {
    auto made = world_.run(house_->book.create(std::move(wish)));
    EXPECT_TRUE(made) << made.error();
    return made ? made->job : Job{};
  }
  Job job(const Job& which) {
    auto found = house_->book.get(which.number);
    EXPECT_TRUE(found) << found.error();
    return found ? *found : Job{};
  }
  // Oldest first: "2026-11-15T08:30 ok", ranges as "… to …: 3 skipped overlap".
  Lines rows(const Job& of) {
    auto found = world_.run(house_->ledger.of_job(of.number, {}, 1000));
    EXPECT_TRUE(found) << found.error();
    Lines out;
    for (const Occurrence& one : *found) {
      std::string line = to_iso(one.due).substr(0, 16);
      if (one.is_range())
        line += fmt::format(" to {}: {}", to_iso(one.last).substr(0, 16), one.count);
      line += " " + one.state;
      if (!one.reason.empty()) line += " " + one.reason;
      out.push_back(line);
    }
    std::ranges::reverse(out);
    return out;
  }
  std::vector<Run> runs(const Job& of) {
    auto found = world_.run(house_->ledger.runs(of.workspace, of.number,
                                                std::numeric_limits<std::int64_t>::max(), 500));
    EXPECT_TRUE(found) << found.error();
    std::ranges::reverse(*found);
    return *found;
  }
  std::int64_t count(std::string_view sql) {
    auto found = database_->read({sql, {}});
    EXPECT_TRUE(found) << found.error();
    return found->front().integer(0);
  }

  // --- people
  TurnId submit(InboundMessage message) {
    auto taken = world_.run(house_->runner().submit(std::move(message)));
    EXPECT_TRUE(taken) << taken.error();
    return *taken->resolved.turn;
  }
  TurnOutcome wait(const TurnId& turn) {
    auto outcome = world_.run(house_->runner().wait(turn, {}));
    EXPECT_TRUE(outcome) << outcome.error();
    return outcome ? *outcome : TurnOutcome{};
  }
  std::string say(std::string text, std::string answer = "ok") {
    model_->then(ScriptedAnswer::says(std::move(answer)));
    return wait(submit(chat_from("a", std::move(text)))).response;
  }
  std::string write(std::string peer, std::string text, std::string answer = "ok") {
    model_->then(ScriptedAnswer::says(std::move(answer)));
    return wait(submit(message_from(std::move(peer), std::move(text)))).response;
  }
  std::vector<Message> transcript(const std::string& key = "api:a") {
    const auto found = house_->agent.kernel.kernel.find_conversation(Workspaces::default_id(), key);
    EXPECT_TRUE(found) << found.error();
    if (!found) return {};
    auto tail = house_->agent.kernel.kernel.messages().tail(found->id, {}, 1000);
    EXPECT_TRUE(tail) << tail.error();
    std::ranges::reverse(*tail);
    return *tail;
  }
  Lines lines(const std::string& key = "api:a") {
    Lines out;
    for (const Message& message : transcript(key)) {
      out.push_back(message.role + ": " + readable_text(message.content));
    }
    return out;
  }
  // What the model was told last, all of it.
  std::string told() {
    std::string out;
    for (const PromptMessage& message : model_->requests.back().messages) {
      for (const PromptBlock& block : message.blocks) out += block.text + "\n";
    }
    return out;
  }

  sim::World world_{31};
  Database* database_ = nullptr;
  OutsideForTests outside_;
  SchedulerOptions options_;
  std::shared_ptr<ScriptedModel> model_ = std::make_shared<ScriptedModel>();
  std::unique_ptr<ScheduleHouseForTests> house_;
  Lines problems_;
};

}  // namespace rouse
