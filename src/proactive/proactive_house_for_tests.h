// The whole loop of proactivity over a simulated world: conversations and an agent, the scheduler,
// the chronicle that writes punchlines, the heartbeat that reads them, and who is told. Put
// together as the server does it. The files a person edits are texts in memory.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "activity/activity_log.h"
#include "activity/chronicle.h"
#include "agent/cheap_model.h"
#include "proactive/heartbeat.h"
#include "schedule/schedule_house_for_tests.h"

namespace rouse {

class ProactiveHouseForTests {
 public:
  using Files = std::map<std::string, std::string, std::less<>>;

  // `files` outlives the house; without a cheap model there is none.
  ProactiveHouseForTests(sim::World& world, Database& database, std::shared_ptr<Model> model,
                         std::shared_ptr<Model> cheap_model, OutsideForTests& outside,
                         const Files& files)
      : schedule(world, database, std::move(model), outside),
        notifications(database, world.clock(), world.random(), events()),
        meter(schedule.agent.house.spend(), database),
        cheap([asked = std::move(cheap_model)] { return asked; }, world.clock(), &meter),
        activity(database),
        heartbeat({world.clock(), world.random(), database, schedule.agent.kernel.kernel,
                   schedule.agent.kernel.workspaces, schedule.runner(), schedule.book,
                   schedule.ledger, schedule.desk, events(), notifications,
                   schedule.agent.house.spend(), activity, schedule.agent.log, world.loop()}),
        chronicle({world.loop(), world.clock(), database, schedule.agent.kernel.kernel,
                   schedule.agent.kernel.summariser, events(), schedule.agent.log}),
        clock_(world.clock()) {
    if (cheap.available()) schedule.agent.kernel.summariser.use_model(&cheap);
    heartbeat.use_models(
        [this](const std::string&) { return cheap.available() ? &cheap : nullptr; });
    heartbeat.use_prices([this](const std::string&, const OneShotQuestion& question) {
      return cheap.price_of(question);
    });
    heartbeat.use_files([&files](const WorkspaceId&, const std::string& name,
                                 std::size_t) -> Result<std::optional<std::string>> {
      const auto found = files.find(name);
      if (found == files.end()) return std::optional<std::string>();
      return std::optional(found->second);
    });
    schedule.scheduler.use_system([this](Job job, Occurrence occurrence, std::stop_token stop) {
      return heartbeat.run(std::move(job), std::move(occurrence), std::move(stop));
    });
    schedule.agent.kernel.kernel.on_messages(
        [this](auto&&...) { chronicle.messages_were_added(); });
  }

  // As the server starts.
  Task<Result<void>> start() {
    CO_TRY_VOID(co_await schedule.agent.kernel.workspaces.ensure_default());
    CO_TRY_VOID(schedule.agent.kernel.kernel.load());
    CO_TRY_VOID(schedule.book.load());
    CO_TRY_VOID(schedule.ledger.load());
    CO_TRY_VOID(co_await schedule.agent.house.recover());
    problem = co_await heartbeat.reload(Workspaces::default_id());
    CO_TRY_VOID(chronicle.start());
    schedule.scheduler.start();
    for (int i = 0; i < 100 && !schedule.scheduler.settled(); ++i) {
      (void)co_await clock_.wait_for(millis(1));
    }
    co_return co_await schedule.runner().resume_waiting();
  }
  Task<void> stop() {
    co_await chronicle.stop();
    cheap.stop();
    co_await schedule.stop();
  }
  EventLog& events() { return schedule.agent.house.events(); }

  ScheduleHouseForTests schedule;
  Notifications notifications;
  BookMeter meter;
  CheapModel cheap;
  ActivityLog activity;
  Heartbeat heartbeat;
  Chronicle chronicle;
  std::string problem;  // of the last reload

 private:
  Clock& clock_;
};

}  // namespace rouse
