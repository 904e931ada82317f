// Chapter: automations are made, edited, paused and removed, by people, agents and files (CR-20,
// CR-28, CR-30). A change is there whole or not at all, and what it overtook has its row.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "schedule/import/legacy_import.h"
#include "tests/sim/canon/canon.h"

namespace rouse::sim::canon {
namespace {

const std::string kFile = R"({"jobs": [
  {"id": "stays", "cron": "0 8 * * *", "sessionId": "main", "prompt": "Stay."},
  {"id": "moves", "cron": "0 9 * * *", "sessionId": "main", "prompt": "Move."},
  {"id": "goes", "cron": "0 10 * * *", "sessionId": "main", "prompt": "Go."}]})";
const std::string kFileNow = R"({"jobs": [
  {"id": "stays", "cron": "0 8 * * *", "sessionId": "main", "prompt": "Stay."},
  {"id": "moves", "cron": "0 19 * * *", "sessionId": "main", "prompt": "Move."},
  {"id": "comes", "cron": "0 11 * * *", "sessionId": "main", "prompt": "Come."}]})";

const std::string kForeign = R"({"version": 1, "jobs": [
  {"id": "aa11", "name": "daily", "schedule": {"kind": "cron", "expr": "0 9 * * *"},
   "payload": {"kind": "agent_turn", "message": "Check", "sessionKey": "websocket:main"}},
  {"id": "bb22", "name": "old", "enabled": false, "schedule": {"kind": "every", "everyMs": 600000},
   "payload": {"kind": "agent_turn", "message": "Old", "deliver": true, "channel": "telegram",
               "to": "42"}},
  {"id": "cc33", "name": "hourly", "schedule": {"kind": "cron", "expr": "5 * * * *"},
   "payload": {"kind": "agent_turn", "message": "Look", "sessionKey": "websocket:main"}}]})";

JobWish hourly() {
  return {.workspace = Workspaces::default_id(),
          .id = "hourly",
          .message = "look after it",
          .session_key = "api:a",
          .schedule = {.expr = "30 * * * *"},
          .key = "hourly"};
}
void make_hourly(Life& life, Ledger&) { EXPECT_TRUE(life.finish(life.book().create(hourly()))); }

std::string jobs(const Life& life) {
  return life.text("SELECT job_id, state, expr FROM jobs ORDER BY job_id");
}

// CR-20: asked for twice, made once
Canon made() {
  const auto act = [](Life& life, Ledger& ledger) {
    life.note(ledger, "made", life.finish(life.book().create(hourly())).has_value());
  };
  return {.name = "AnAutomationIsMade",
          .act = act,
          .again = once_more(act),
          .check = [](Life& life, const Ledger&) -> std::string {
            EXPECT_EQ(jobs(life), "hourly | active | 30 * * * *\n");
            return jobs(life);
          }};
}

// What somebody changes about it, and how the row then begins; done again, it changes nothing.
Canon changed(std::string name, std::function<Task<Result<Job>>(Life&)> change,
              std::string expected, std::string if_not = "hourly | active | 30 * * * *\n") {
  const auto act = [change = std::move(change)](Life& life, Ledger& ledger) {
    life.note(ledger, "changed", life.finish(change(life)).has_value());
  };
  return {.name = std::move(name),
          .prepare = make_hourly,
          .act = act,
          .check = [expected = std::move(expected), if_not = std::move(if_not)](
                       Life& life, const Ledger& ledger) -> std::string {
            const std::string now = jobs(life);
            EXPECT_TRUE(now == expected || now == if_not) << now;
            if (ledger.acknowledged.contains("changed")) EXPECT_EQ(now, expected);
            EXPECT_EQ(life.number("SELECT COUNT(*) FROM occurrences WHERE due_ms = $1",
                                  {from_iso("2026-03-02T08:30:00.000Z")->unix_ms}),
                      1)
                << "what it overtook";
            return now;
          }};
}

Task<Result<Job>> edited(Life& life) {
  JobEdit edit;
  edit.schedule = Schedule{.expr = "45 * * * *"};
  edit.message = "look after something else";
  return life.book().edit(life.here, "hourly", edit, "api");
}

// S3-08 to S3-13: the agent makes one in the middle of its turn
Canon made_by_an_agent() {
  Canon out{
      .name = "AnAgentMakesAReminder",
      .act = [](Life& life, Ledger& ledger) { life.chat(ledger, "a", "remind me at noon", "m1"); },
      .check = [](Life& life, const Ledger& ledger) -> std::string {
        const std::int64_t made = life.number("SELECT COUNT(*) FROM jobs");
        EXPECT_LE(made, 1);
        if (ledger.acknowledged.contains("m1 answered")) EXPECT_EQ(made, 1);
        return "";
      }};
  out.setting.model = [](const Life&, const ModelRequest& request) {
    return request.messages.back().blocks.back().kind == BlockKind::kToolResult
               ? ScriptedAnswer::says("I will.")
               : ScriptedAnswer::calls_tool(
                     "cron_1", "cron", R"({"action":"add","message":"lunch","cron":"0 12 * * *"})");
  };
  return out;
}

// S2-34: the file is the truth about its jobs, also if it was read by halves
Canon declared() {
  const auto act = [](Life& life, Ledger& ledger) {
    const auto applied = life.finish(life.schedule_file.apply(life.here, kFileNow));
    life.note(ledger, "applied", applied.has_value());
  };
  return {.name = "ScheduleJsonIsEdited",
          .prepare =
              [](Life& life, Ledger&) {
                EXPECT_TRUE(life.finish(life.schedule_file.apply(life.here, kFile)));
              },
          .act = act,
          .again = once_more(act),
          .check = [](Life& life, const Ledger&) -> std::string {
            EXPECT_EQ(jobs(life),
                      "comes | active | 0 11 * * *\ngoes | removed | 0 10 * * *\n"
                      "moves | active | 0 19 * * *\nstays | active | 0 8 * * *\n");
            return jobs(life);
          }};
}

Canon imported() {
  const auto act = [](Life& life, Ledger& ledger) {
    const auto taken = life.finish(
        import_foreign_jobs(life.book(), life.here, kForeign, life.world.clock().wall_now()));
    life.note(ledger, "imported", taken.has_value());
  };
  return {.name = "AnotherSystemsJobsAreTakenOver",
          .act = act,
          .again = once_more(act),
          .check = [](Life& life, const Ledger&) -> std::string {
            const std::string now = life.text("SELECT name, kind, state FROM jobs ORDER BY name");
            EXPECT_EQ(now,
                      "daily | bound | active\nhourly | bound | active\n"
                      "old | legacy | paused\n");
            return now;
          },
          .acted_at = "2026-03-02T09:10:00.000Z"};
}

}  // namespace

std::vector<Canon> automations_change() {
  return {made(),
          changed("AnAutomationIsEdited", edited, "hourly | active | 45 * * * *\n"),
          changed(
              "AnAutomationIsPaused",
              [](Life& life) { return life.book().pause(life.here, "hourly", "api", "enough"); },
              "hourly | paused | 30 * * * *\n"),
          changed(
              "AnAutomationIsRemoved",
              [](Life& life) { return life.book().remove(life.here, "hourly", "api"); },
              "hourly | removed | 30 * * * *\n"),
          made_by_an_agent(),
          declared(),
          imported()};
}

}  // namespace rouse::sim::canon
