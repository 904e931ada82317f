// A house with heartbeats over a simulated world: the scheduler, the files as texts, an adviser in
// place of the cheap model, and what was told to people.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "proactive/heartbeat.h"
#include "proactive/heartbeat_watch.h"
#include "schedule/schedule_house_for_tests.h"

namespace rouse {

// Answers what it is told to, and remembers what it was asked.
class AdviserForTests final : public OneShot {
 public:
  explicit AdviserForTests(Clock& clock) : clock_(clock) {}
  Task<Result<std::string>> ask(OneShotQuestion question) override {
    CO_TRY(OneShotAnswer answer, co_await consult(std::move(question)));
    co_return answer.text;
  }
  Task<Result<OneShotAnswer>> consult(OneShotQuestion question) override {
    asked.push_back(question);
    Result<OneShotAnswer> answer = otherwise;
    if (!next.empty()) {
      answer = next.front();
      next.pop_front();
    }
    (void)co_await clock_.wait_for(takes + step * static_cast<std::int64_t>(asked.size()));
    co_return answer;
  }
  static OneShotAnswer says(std::string text) {
    return {.text = std::move(text), .tokens_in = 500, .tokens_out = 20, .cost_micros = 1'000};
  }
  static OneShotAnswer reports(std::string_view verdict, std::string_view text) {
    OneShotAnswer out = says("");
    out.form = fmt::format(R"({{"verdict":"{}","text":"{}"}})", verdict, json_escape(text));
    return out;
  }

  std::vector<OneShotQuestion> asked;
  std::deque<Result<OneShotAnswer>> next;
  Result<OneShotAnswer> otherwise = says("HEARTBEAT_OK");
  Millis takes = millis(200);
  Millis step = {};  // longer each time

 private:
  Clock& clock_;
};

class HeartbeatTest : public ScheduleTest {
 protected:
  void SetUp() override {
    world_.set_longest_disk_delay(millis(0));
    ScheduleTest::SetUp();
  }
  void TearDown() override {
    if (house_) rest();
  }

  // --- lives
  void prepare() override {
    AgentHouseForTests& agent = house_->agent;
    auto& events = agent.house.events();
    activity_ = std::make_unique<ActivityLog>(*database_);
    notifications_ =
        std::make_unique<Notifications>(*database_, world_.clock(), world_.random(), events);
    heartbeat_ = std::make_unique<Heartbeat>(Heartbeat::Parts{
        world_.clock(), world_.random(), *database_, agent.kernel.kernel, agent.kernel.workspaces,
        house_->runner(), house_->book, house_->ledger, house_->desk, events, *notifications_,
        agent.house.spend(), *activity_, agent.log, world_.loop()});
    heartbeat_->use_models([this](const std::string& role) -> OneShot* {
      roles_.push_back(role);
      return has_model_ ? &adviser_ : nullptr;
    });
    heartbeat_->use_files([this](const WorkspaceId&, const std::string& name,
                                 std::size_t) -> Result<std::optional<std::string>> {
      const auto found = files_.find(name);
      if (found == files_.end()) return std::optional<std::string>();
      return std::optional(found->second);
    });
    heartbeat_->use_commands([this](Job job, std::stop_token) { return run_command(job); });
    house_->scheduler.use_system([this](Job job, Occurrence occurrence, std::stop_token stop) {
      return heartbeat_->run(std::move(job), std::move(occurrence), std::move(stop));
    });
    watch_ = std::make_unique<HeartbeatWatch>(HeartbeatWatch::Parts{
        world_.loop(), world_.clock(), *database_, *notifications_, agent.log});
    watch_->on_problem([this](const std::string& problem) { alarms_.push_back(problem); });
    heartbeat_->on_change([this] { watch_->nudge(); });
  }
  // In good order, and back after a while.
  void rest() {
    watch_->stop();
    end();
    watch_.reset();
    heartbeat_.reset();
  }
  void away_for(Millis length) {
    rest();
    world_.clock().advance(length);
    begin();
    reload();
  }
  std::string reload() { return world_.run(heartbeat_->reload(here_)); }
  std::string settings(std::string json) {
    files_["heartbeat.json"] = std::move(json);
    return reload();
  }
  void orders(std::string text) { files_["heartbeat-prompt.md"] = std::move(text); }
  Task<Result<bool>> run_command(Job job) {
    commands_.push_back(job.extra.gate->command);
    co_return command_;
  }

  // --- what came of it
  Job beat_job(const std::string& id = "heartbeat") {
    auto found = house_->book.get(here_, id);
    EXPECT_TRUE(found) << found.error();
    return found ? *found : Job{};
  }
  // Of the heartbeat's job, oldest first.
  std::vector<Beat> beats(const std::string& name = "") {
    auto rows = world_.run(heartbeat_->history(here_, name, 0, 1'000));
    EXPECT_TRUE(rows) << rows.error();
    std::vector<Beat> out;
    for (const Activity& row : *rows) out.push_back(beat_of(row));
    std::ranges::reverse(out);
    return out;
  }
  Lines summaries() {
    Lines out;
    for (const Beat& beat : beats()) out.push_back(beat.summary);
    return out;
  }
  Lines told_people() {
    Lines out;
    const auto rows = database_->read({"SELECT text FROM notifications ORDER BY number", {}});
    for (const Row& row : *rows) out.push_back(row.text(0));
    return out;
  }
  Beat now_beat(const std::string& name = "") {
    auto beat = world_.run(heartbeat_->beat_now(here_, name));
    EXPECT_TRUE(beat) << beat.error();
    return beat ? *beat : Beat{};
  }
  void log(std::string summary, ActivityType type = ActivityType::kMessage,
           std::string details = "{}") {
    Write write{log_activity({.at = now(),
                              .type = type,
                              .summary = std::move(summary),
                              .workspace = here_,
                              .details = std::move(details)})};
    ASSERT_TRUE(world_.run(database_->write(std::move(write))));
  }
  HeartbeatStatus status() {
    auto found = world_.run(heartbeat_->status(here_));
    EXPECT_TRUE(found) << found.error();
    return found && !found->empty() ? found->front() : HeartbeatStatus{};
  }

  const WorkspaceId here_ = Workspaces::default_id();
  AdviserForTests adviser_{world_.clock()};
  bool has_model_ = true;
  Result<bool> command_ = true;
  Lines commands_, roles_, alarms_;
  std::map<std::string, std::string> files_;
  std::unique_ptr<ActivityLog> activity_;
  std::unique_ptr<Notifications> notifications_;
  std::unique_ptr<Heartbeat> heartbeat_;
  std::unique_ptr<HeartbeatWatch> watch_;
};

}  // namespace rouse
