// The activity log over a simulated world: conversations in which something is said, a model for
// punchlines that does as it is told, and what became of it.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "activity/activity_log.h"
#include "activity/chronicle.h"
#include "session/kernel_for_tests.h"

namespace rouse {

class PunchlinesForTests final : public OneShot {
 public:
  explicit PunchlinesForTests(Clock& clock) : clock_(clock) {}
  Task<Result<std::string>> ask(OneShotQuestion question) override {
    questions.push_back(question);
    co_await clock_.wait_for(takes);
    if (fails) co_return fail(Errc::kIo, "the model is out of order");
    co_return fmt::format("Line {}.", questions.size());
  }
  std::vector<OneShotQuestion> questions;
  Millis takes = millis(10);
  bool fails = false;

 private:
  Clock& clock_;
};

// One life of the process.
class ActivityHouseForTests {
 public:
  ActivityHouseForTests(sim::World& world, Database& database)
      : world_(world),
        database_(database),
        kernel(world, database),
        events(database),
        model(world.clock()),
        log([this] { return world_.clock().wall_now(); }, redactor_,
            [this](std::string_view line) { logged += line; }),
        activity(database),
        chronicle({world.loop(), world.clock(), database, kernel.kernel, kernel.summariser, events,
                   log}) {
    kernel.kernel.on_messages([this](auto&&...) { chronicle.messages_were_added(); });
  }

  Task<Result<void>> start() {
    CO_TRY_VOID(co_await kernel.start());
    co_return chronicle.start();
  }

  // A turn of any kind that is over, as its close leaves it; what is "" was not said. False: the
  // store didn't take it.
  bool work(const std::string& peer, TurnKind kind, std::string asked, std::string answered,
            std::optional<std::string> reason = {}) {
    auto taken = world_.run(kernel.kernel.resolve(message_from(peer, "hello", {}, channel)));
    if (!taken) return false;
    const WallTime now = world_.clock().wall_now();
    Turn turn{.number = kernel.kernel.numbers().next_turn(),
              .id = TurnId::make(now, world_.random()),
              .workspace = taken->session.workspace,
              .conversation = taken->session.conversation,
              .session = taken->session.id,
              .kind = kind,
              .state = "running",
              .attempts = 1,
              .queued = now,
              .started = now};
    last_turn = turn.id;
    conversation = turn.conversation;
    Write write{{TurnQueue::insert(turn)}};
    turn.state = "done";
    turn.verdict = "spoke";
    turn.ended = now;
    turn.reason = std::move(reason);
    write.statements.push_back(TurnQueue::close(turn, "running"));
    auto seq = kernel.kernel.messages().last_seq(turn.conversation);
    if (!seq) return false;
    const auto say = [&](std::string role, Content content) {
      write.statements.push_back(
          Messages::append({.position = kernel.kernel.numbers().next_message(),
                            .conversation = turn.conversation,
                            .seq = ++*seq,
                            .session = turn.session,
                            .turn = turn.id,
                            .role = std::move(role),
                            .source = channel,
                            .content = std::move(content),
                            .created = now}));
    };
    if (!asked.empty()) say("user", text_content(std::move(asked), from));
    ContentBlock tool{.type = "tool_result", .from = "agent", .text = "SECRET TOOL OUTPUT"};
    say("tool", {tool});
    if (!answered.empty()) say("assistant", text_content(std::move(answered), kFromAgent));
    if (!world_.run(database_.write(std::move(write)))) return false;
    chronicle.messages_were_added();
    return true;
  }

 private:
  sim::World& world_;
  Database& database_;
  Redactor redactor_;

 public:
  std::string logged;
  std::string channel = "whatsapp";
  std::string from{kFromSender};
  TurnId last_turn;
  ConversationId conversation;
  KernelHouse kernel;
  EventLog events;
  PunchlinesForTests model;
  Log log;
  ActivityLog activity;
  Chronicle chronicle;
};

class ActivityTest : public testing::Test {
 protected:
  using Lines = std::vector<std::string>;

  void SetUp() override { begin(); }
  void TearDown() override {
    if (house_) end();
  }
  void begin() {
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    database_ = *opened;
    house_ = std::make_unique<ActivityHouseForTests>(world_, *database_);
    if (with_model_) house_->kernel.summariser.use_model(&house_->model);
    const auto started = world_.run(house_->start());
    ASSERT_TRUE(started) << started.error();
  }
  void end() {
    world_.run(house_->chronicle.stop());
    world_.settle();
    house_.reset();
    world_.close_store();
  }
  // The process dies; what was written stays.
  void kill() {
    world_.settle();
    world_.disk().kill_now();
    world_.run(house_->chronicle.stop());
    world_.run_for(minutes(1));
    house_.reset();
    world_.drop_store();
    world_.disk().power_cycle(sqlite::Unsynced::kKeepAll);
  }
  void say(const std::string& text, const std::string& answer = "ok",
           TurnKind kind = TurnKind::kUser) {
    ASSERT_TRUE(house_->work("+1", kind, text, answer));
  }
  void write(Activity row) {
    const auto written = world_.run(database_->write(Write{log_activity(row)}));
    ASSERT_TRUE(written) << written.error();
  }
  static Activity row(std::int64_t minute, ActivityType type, std::string summary) {
    Activity out;
    out.at = WallTime{1'767'225'600'000} + minutes(minute);
    out.type = type;
    out.summary = std::move(summary);
    out.workspace = Workspaces::default_id();
    return out;
  }
  ActivityPage page(ActivityFilter filter = {}, std::optional<ActivityPlace> before = {},
                    std::size_t limit = 100) {
    if (filter.workspace.empty()) filter.workspace = Workspaces::default_id();
    auto found = world_.run(house_->activity.page(std::move(filter), before, limit));
    EXPECT_TRUE(found) << found.error();
    return found ? std::move(*found) : ActivityPage{};
  }
  static Lines words(const std::vector<Activity>& rows) {
    Lines out;
    for (const Activity& one : rows) out.push_back(one.summary);
    return out;
  }
  // Oldest first: "message: Line 1."
  Lines rows() {
    Lines out;
    for (const Activity& one : page().rows) {
      out.push_back(fmt::format("{}: {}", activity_type_name(one.type), one.summary));
    }
    std::ranges::reverse(out);
    return out;
  }
  std::int64_t count(std::string_view sql) {
    auto found = database_->read({sql, {}});
    EXPECT_TRUE(found) << found.error();
    return found->front().integer(0);
  }

  sim::World world_{7};
  Database* database_ = nullptr;
  bool with_model_ = true;
  std::unique_ptr<ActivityHouseForTests> house_;
};

}  // namespace rouse
