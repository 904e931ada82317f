// Heartbeats through the whole gateway: how they stand, a beat now, what became of each, and the
// two files that a person saves.
#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "gateway/agent_gateway_for_tests.h"
#include "gateway/routes/heartbeat_routes.h"

namespace rouse {
namespace {

class HeartbeatApiTest : public AgentGatewayTest {
 protected:
  void SetUp() override {
    world_.clock().step_wall(*from_iso("2026-11-16T08:10:00.000Z") - world_.clock().wall_now());
    std::string folder = testing::TempDir() + "/heartbeat-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    AgentGatewayTest::SetUp();
    if (HasFatalFailure()) return;
    parts_ = std::make_unique<HeartbeatParts>(*this);
    ASSERT_EQ(world_.run(parts_->heartbeat.reload(Workspaces::default_id())), "");
  }
  void TearDown() override {
    parts_.reset();
    std::filesystem::remove_all(folder_);
  }

  struct HeartbeatParts {
    explicit HeartbeatParts(HeartbeatApiTest& test)
        : events(test.doors_->agent.events()),
          desk({test.world_.loop(), test.world_.clock(), test.world_.random(), *test.database_,
                test.house_->kernel, test.doors_->agent.runner(), test.house_->jobs,
                test.house_->ledger, events, test.house_->log}),
          notifications(*test.database_, test.world_.clock(), test.world_.random(), events),
          activity(*test.database_),
          heartbeat({test.world_.clock(), test.world_.random(), *test.database_,
                     test.house_->kernel, test.house_->workspaces, test.doors_->agent.runner(),
                     test.house_->jobs, test.house_->ledger, desk, events, notifications,
                     test.doors_->agent.spend(), activity, test.house_->log, test.world_.loop()}),
          routes(heartbeat, test.house_->jobs, test.house_->ledger, test.house_->workspaces,
                 test.world_.clock(), test.folder_) {
      heartbeat.use_files([folder = test.folder_](const WorkspaceId& workspace,
                                                  const std::string& name, std::size_t most) {
        return read_workspace_file(folder, workspace, name, most);
      });
      routes.add_to(test.house_->table);
    }
    EventLog& events;
    AutomationDesk desk;
    Notifications notifications;
    ActivityLog activity;
    Heartbeat heartbeat;
    HeartbeatRoutes routes;
  };

  template <class T>
  T decoded(const Answer& answer) {
    EXPECT_EQ(answer.status, 200) << answer.body;
    auto out = decode_json<T>(answer.body);
    EXPECT_TRUE(out) << out.error();
    return out ? std::move(*out) : T{};
  }
  HeartbeatsView show() { return decoded<HeartbeatsView>(send({.target = "/api/heartbeat"})); }
  Answer put(const std::string& target, const std::string& text, const std::string& tag,
             std::optional<std::string> file = {}) {
    return send({.method = "PUT",
                 .target = target,
                 .body = encode_json(HeartbeatSave{text, tag, std::move(file)})});
  }
  std::string saved(const std::string& name) {
    return read_file(folder_ + "/" + name, 100'000).value_or("nothing");
  }
  std::string token_of(const std::string& workspace) {
    const Answer made = post("/api/tokens", fmt::format(R"({{"name":"t","role":"user",)"
                                                        R"("workspace":"{}"}})",
                                                        workspace));
    return decode_json<MadeToken>(made.body)->token;
  }
  Answer ask_as(const std::string& token, const std::string& method, const std::string& target,
                const std::string& body = "") {
    return send({.method = method,
                 .target = target,
                 .body = body,
                 .headers = {{"authorization", "Bearer " + token}},
                 .owner = false});
  }

  std::string folder_;
  std::unique_ptr<HeartbeatParts> parts_;
};

// S2-20, S2-25, S2-48
TEST_F(HeartbeatApiTest, WithoutAFileTheUsualOneIsShownWithWordsNextOrdersAndWhatTheyCost) {
  const HeartbeatsView all = show();
  ASSERT_EQ(all.heartbeats.size(), 1U);
  const HeartbeatView& one = all.heartbeats.front();
  EXPECT_TRUE(one.enabled);
  EXPECT_EQ(one.words, "every 30 minutes between 07:00 and 23:00");
  EXPECT_EQ(one.active_hours, "07:00-23:00");
  EXPECT_TRUE(one.next_run_at);
  EXPECT_FALSE(one.last);
  EXPECT_EQ(one.today.beats, 0);
  EXPECT_FALSE(one.problem);
  ASSERT_FALSE(one.orders.empty());
  EXPECT_EQ(one.orders.front().kind, "check");
  for (const StandingOrderView& order : one.orders) EXPECT_NE(order.kind, "always") << order.text;
  ASSERT_EQ(all.files->size(), 2U);
  EXPECT_FALSE(all.files->at(0).exists);
  EXPECT_EQ(all.files->at(0).etag, "");
  EXPECT_TRUE(read_heartbeat_file(all.files->at(0).text)) << "what a person begins with is right";
  EXPECT_EQ(all.files->at(1).text, shipped_orders());
}

// Rule 9
TEST_F(HeartbeatApiTest, ASavedFileIsAsThePersonWroteItAndHoldsAtOnce) {
  const std::string text = "{\n  \"interval_minutes\": 20,\n  \"active_hours\": null\n}\n";
  const auto after = decoded<HeartbeatsView>(put("/api/heartbeat", text, ""));
  EXPECT_EQ(saved("heartbeat.json"), text);
  EXPECT_EQ(after.heartbeats.front().interval_minutes, 20);
  EXPECT_FALSE(after.heartbeats.front().active_hours);
  EXPECT_EQ(after.files->front().text, text);
  EXPECT_FALSE(after.files->front().etag.empty());
  const Answer late = put("/api/heartbeat", "{}", "");
  EXPECT_EQ(late.status, 409) << late.body;
  EXPECT_EQ(saved("heartbeat.json"), text);
  EXPECT_EQ(put("/api/heartbeat", "{}", after.files->front().etag).status, 200);
  EXPECT_EQ(saved("heartbeat.json"), "{}");
}

TEST_F(HeartbeatApiTest, WhatCannotBeUnderstoodIsNotWritten) {
  const auto refused = [this](const std::string& text) {
    const Answer answer = put("/api/heartbeat", text, "");
    EXPECT_EQ(answer.status, 400) << answer.body;
    return decode_json<ErrorBody>(answer.body)->message;
  };
  EXPECT_NE(refused("{\n\"interval_minutes\": }").find("heartbeat.json: not valid JSON at line 2"),
            std::string::npos);
  EXPECT_NE(refused(R"({"enabledd": true})").find("did you mean 'enabled'"), std::string::npos);
  EXPECT_NE(refused("{}" + std::string(kHeartbeatFileBytes, ' ')).find("bytes at most"),
            std::string::npos);
  EXPECT_FALSE(path_exists(folder_ + "/heartbeat.json"));
  EXPECT_EQ(put("/api/heartbeat/orders", std::string(kOrdersBytes + 1, 'x'), "").status, 400);
  EXPECT_FALSE(path_exists(folder_ + "/heartbeat-prompt.md"));
  EXPECT_EQ(post("/api/heartbeat/run", "[]").status, 400);
  EXPECT_EQ(send({.method = "PUT", .target = "/api/heartbeat", .body = R"({"text":"{}"})"}).status,
            400)
      << "which version was changed must be said";
}

// S2-28
TEST_F(HeartbeatApiTest, StandingOrdersAreSavedTheSameWayAndOnlyWhereOneFollowsThem) {
  const std::string text = "- check: overdue_tasks 2d\n- Is there a meeting soon?\n";
  const auto after = decoded<HeartbeatsView>(put("/api/heartbeat/orders", text, ""));
  EXPECT_EQ(saved("heartbeat-prompt.md"), text);
  const auto& orders = after.heartbeats.front().orders;
  ASSERT_EQ(orders.size(), 2U);
  EXPECT_EQ(orders[0].kind + " " + orders[0].text, "check check: overdue_tasks 2d");
  EXPECT_EQ(orders[1].kind, "always");
  EXPECT_EQ(put("/api/heartbeat/orders", "x", "").status, 409);
  const std::string tag = after.files->at(1).etag;
  EXPECT_EQ(put("/api/heartbeat/orders", "- check: no_such_thing\n", tag).status, 400);
  for (const char* file : {"../rouse.yaml", "heartbeat.json", "/etc/passwd"}) {
    EXPECT_EQ(put("/api/heartbeat/orders", text, "", file).status, 400) << file;
  }
  EXPECT_EQ(saved("heartbeat-prompt.md"), text);
}

// S2-29, S2-31, U5
TEST_F(HeartbeatApiTest, ABeatNowAnswersWhatItCameToAndIsInTheHistory) {
  const auto beat = decoded<BeatView>(post("/api/heartbeat/run", "{}"));
  EXPECT_EQ(beat.verdict, "nothing");
  EXPECT_EQ(beat.text, "checked, nothing to report");
  EXPECT_EQ(beat.calls, 0);
  EXPECT_FALSE(beat.skipped);
  EXPECT_FALSE(beat.scheduled_for);
  const HeartbeatsView all = show();
  EXPECT_EQ(all.heartbeats.front().last->text, beat.text);
  EXPECT_EQ(all.heartbeats.front().today.beats, 1);
  const auto page = decoded<BeatPage>(send({.target = "/api/heartbeat/history"}));
  ASSERT_EQ(page.items.size(), 1U);
  EXPECT_EQ(page.items.front().status, "empty");
  EXPECT_FALSE(page.next_cursor);
  EXPECT_EQ(post("/api/heartbeat/run", R"({"name":"nobody"})").status, 404);
  EXPECT_EQ(send({.target = "/api/heartbeat/history?name=nobody"}).status, 404);
  EXPECT_EQ(send({.target = "/api/heartbeat/history?cursor=7"}).status, 400);
}

// UX-2
TEST_F(HeartbeatApiTest, BeatsAndSkipsAreOneHistoryPageByPage) {
  const Job job = *house_->jobs.get(Workspaces::default_id(), "heartbeat");
  const WallTime now = world_.clock().wall_now();
  for (int i = 1; i <= 3; ++i) {
    ASSERT_EQ(post("/api/heartbeat/run", "{}").status, 200);
    world_.clock().advance(minutes(10));
    Occurrence skipped{.job = job.number,
                       .due = world_.clock().wall_now(),
                       .last = world_.clock().wall_now(),
                       .state = std::string(kSkipped),
                       .reason = "conversation_busy",
                       .ready = now,
                       .claimed = now,
                       .ended = now};
    ASSERT_TRUE(world_.run(database_->write(Write{{OccurrenceLedger::insert(skipped)}})));
    world_.clock().advance(minutes(10));
  }
  std::vector<std::string> seen;
  std::string cursor;
  for (int page = 0; page < 20; ++page) {
    const auto part =
        decoded<BeatPage>(send({.target = "/api/heartbeat/history?limit=2" +
                                          (cursor.empty() ? "" : "&cursor=" + cursor)}));
    for (const BeatView& one : part.items) seen.push_back(one.skipped ? one.reason : one.verdict);
    if (!part.next_cursor) break;
    cursor = *part.next_cursor;
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"conversation_busy", "nothing", "conversation_busy",
                                            "nothing", "conversation_busy", "nothing"}));
  const auto skip = show().heartbeats.front().last_skip;
  ASSERT_TRUE(skip);
  EXPECT_EQ(skip->text, "the conversation was busy all the while");
}

// AP-7
TEST_F(HeartbeatApiTest, OthersSeeTheirOwnAndOnlyAnAdminChangesAnything) {
  const std::string here = token_of("ws_default");
  const auto mine = decoded<HeartbeatsView>(ask_as(here, "GET", "/api/heartbeat"));
  EXPECT_EQ(mine.heartbeats.size(), 1U);
  EXPECT_FALSE(mine.files) << "the texts are the owner's";
  const std::string body = encode_json(HeartbeatSave{"{}", "", {}});
  EXPECT_EQ(ask_as(here, "PUT", "/api/heartbeat", body).status, 403);
  EXPECT_EQ(ask_as(here, "PUT", "/api/heartbeat/orders", body).status, 403);
  const std::string other =
      decode_json<MadeWorkspace>(post("/kernel/workspaces", R"({"type":"team"})").body)
          ->workspace_id;
  const std::string there = token_of(other);
  EXPECT_TRUE(decoded<HeartbeatsView>(ask_as(there, "GET", "/api/heartbeat")).heartbeats.empty());
  EXPECT_EQ(ask_as(there, "POST", "/api/heartbeat/run", "{}").status, 404);
  EXPECT_EQ(put("/api/heartbeat?workspace_id=" + other, R"({"interval_minutes":60})", "").status,
            200);
  EXPECT_EQ(saved("workspaces/" + other + "/heartbeat.json"), R"({"interval_minutes":60})");
  EXPECT_EQ(decoded<HeartbeatsView>(ask_as(there, "GET", "/api/heartbeat")).heartbeats.size(), 1U);
  EXPECT_EQ(show().heartbeats.front().interval_minutes, 30);
}

}  // namespace
}  // namespace rouse
