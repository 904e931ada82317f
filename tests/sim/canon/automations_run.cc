// Chapter: automations come due, are missed, run, wait and are brought to where they belong (CR-5,
// CR-17, CR-23, CR-28, S2-42). Each due instant has exactly one row, whoever died when.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/sim/canon/canon.h"

namespace rouse::sim::canon {
namespace {

JobWish wish(const std::string& id, std::string expr, std::string zone = "UTC") {
  return {.workspace = Workspaces::default_id(),
          .id = id,
          .message = "look after it",
          .session_key = "api:a",
          .schedule = {.expr = std::move(expr), .zone = std::move(zone)},
          .key = id};
}
JobWish once(const std::string& id, std::string_view iso) {
  JobWish out = wish(id, "");
  out.schedule = {.kind = ScheduleKind::kAt, .at = *from_iso(iso)};
  return out;
}

std::function<void(Life&, Ledger&)> making(std::vector<JobWish> wishes) {
  return [wishes = std::move(wishes)](Life& life, Ledger&) {
    for (const JobWish& one : wishes) {
      const auto made = life.finish(life.book().create(one));
      EXPECT_TRUE(made) << made.error();
    }
  };
}

void a_minute(Life& life, Ledger&) { life.rest(minutes(1)); }

// "hourly 2026-03-02T09:00 1 run", a line each.
std::string ledger_of(const Life& life) {
  const auto rows = life.database.read(
      {"SELECT j.job_id, o.due_ms, o.count, o.state IN ('skipped', 'missed') FROM occurrences o "
       "JOIN jobs j ON j.number = o.job ORDER BY 1, 2",
       {}});
  std::string out;
  for (const Row& row : *rows) {
    out += fmt::format("{} {} {} {}\n", row.text(0), to_iso({row.integer(1)}).substr(0, 16),
                       row.integer(2), row.integer(3) != 0 ? "not run" : "run");
  }
  return out;
}

Canon comes_due(std::string name, std::vector<JobWish> wishes, std::string expected) {
  return {.name = std::move(name),
          .prepare = making(std::move(wishes)),
          .act = a_minute,
          .check = [expected = std::move(expected)](Life& life, const Ledger&) -> std::string {
            EXPECT_EQ(ledger_of(life), expected);
            return life.text("SELECT name, state FROM jobs ORDER BY name") + ledger_of(life);
          },
          .prepared_at = "2026-03-02T08:10:00.000Z",
          .acted_at = "2026-03-02T08:59:58.000Z",
          .recovered_at = "2026-03-02T09:05:00.000Z"};
}

// CR-1 to CR-3: nobody was there for three instants
Canon catches_up() {
  std::vector<JobWish> wishes{wish("all", "*/20 * * * *"), wish("latest", "*/20 * * * *"),
                              wish("skip", "*/20 * * * *")};
  wishes[0].catch_up = CatchUp::kAll;
  wishes[1].catch_up = CatchUp::kLatest;
  wishes[2].catch_up = CatchUp::kSkip;
  Canon out = comes_due("MissedInstantsAreCaughtUpWith", std::move(wishes),
                        "all 2026-03-02T08:20 1 run\nall 2026-03-02T08:40 1 run\n"
                        "all 2026-03-02T09:00 1 run\n"
                        "latest 2026-03-02T08:20 2 not run\nlatest 2026-03-02T09:00 1 run\n"
                        "skip 2026-03-02T08:20 3 not run\n");
  out.killed_at_start = true;
  out.acted_at = "2026-03-02T09:03:00.000Z";
  out.recovered_at = "2026-03-02T09:08:00.000Z";
  return out;
}

// CR-23: 02:30 isn't there; CR-24: 01:30 is there twice
Canon clocks_go_forward() {
  Canon out =
      comes_due("ClocksGoForwardOverAnInstant", {wish("gap", "30 2 * * *", "America/New_York")},
                "gap 2026-03-08T07:00 1 run\n");
  out.prepared_at = "2026-03-08T01:00:00.000Z";
  out.acted_at = "2026-03-08T06:59:58.000Z";
  out.recovered_at = "2026-03-08T07:45:00.000Z";
  return out;
}
Canon clocks_go_back() {
  Canon out =
      comes_due("ClocksGoBackOverAnInstant", {wish("twice", "30 1 * * *", "America/New_York")},
                "twice 2026-11-01T05:30 1 run\n");
  out.prepared_at = "2026-11-01T01:00:00.000Z";
  out.acted_at = "2026-11-01T05:29:58.000Z";
  out.recovered_at = "2026-11-01T06:45:00.000Z";  // after 01:30 came again
  return out;
}

// CR-12: a failure is tried again, within the same occurrence
Canon fails_and_tries_again() {
  Canon out = comes_due("ARunFailsAndIsTriedAgain", {wish("hourly", "0 * * * *")},
                        "hourly 2026-03-02T09:00 1 run\n");
  out.setting.model = [](const Life& life, const ModelRequest&) {
    return life.acts() ? ScriptedAnswer::fails(ModelErrc::kOverloaded)
                       : ScriptedAnswer::says("done");
  };
  return out;
}

// CR-14: it waits in its lane, and what a person wrote goes first
Canon waits_for_a_person() {
  Canon out = comes_due("ARunWaitsForAPersonsTurn", {wish("hourly", "0 * * * *")},
                        "hourly 2026-03-02T09:00 1 run\n");
  out.act = [](Life& life, Ledger& ledger) {
    if (!life.submit(ledger, chat_from("a", "think", "m1"))) return;
    life.submit(ledger, chat_from("a", "and then?", "m2"));
    life.rest(minutes(1));
  };
  out.setting.model = [](const Life&, const ModelRequest& request) {
    return request.messages.back().blocks.back().kind == BlockKind::kToolResult
               ? ScriptedAnswer::says("done")
               : ScriptedAnswer::calls_tool(fmt::format("look_{}", request.messages.size()),
                                            "look");
  };
  return out;
}

// S2-42, CR-33: nothing of an isolated run stays but its record and what it brought
Canon brings_its_output() {
  JobWish job = once("scout", "2026-03-02T09:00:00.000Z");
  job.kind = JobKind::kIsolated;
  job.session_key = "";
  job.extra.output = JobOutput{.file = {}, .notify = true, .session_key = "api:a"};
  Canon out = comes_due("AnIsolatedRunBringsItsOutput", {job}, "scout 2026-03-02T09:00 1 run\n");
  const auto prepare = out.prepare;
  out.prepare = [prepare](Life& life, Ledger& ledger) {
    life.talked("a", 1, 10);
    prepare(life, ledger);
  };
  out.check = [](Life& life, const Ledger&) -> std::string {
    EXPECT_EQ(life.number("SELECT COUNT(*) FROM conversations"), 1) << "its own is gone";
    EXPECT_EQ(life.number("SELECT COUNT(*) FROM messages WHERE role = 'user'"), 2);
    EXPECT_EQ(life.number("SELECT COUNT(*) FROM notifications"), 1);
    EXPECT_EQ(life.number("SELECT COUNT(*) FROM tombstones"), 0);
    return life.text("SELECT state FROM jobs");
  };
  return out;
}

// CR-6: a reminder is said once and is done with
Canon reminds_once() {
  Canon out = comes_due("AReminderIsSaidOnce", {once("tea", "2026-03-02T09:00:00.000Z")},
                        "tea 2026-03-02T09:00 1 run\n");
  const auto check = out.check;
  out.check = [check](Life& life, const Ledger& ledger) {
    EXPECT_EQ(life.job("tea").state, JobState::kDone);
    return check(life, ledger);
  };
  return out;
}

// CR-4: the window is over; it is told, not done
Canon is_too_late() {
  JobWish job = once("tea", "2026-03-02T08:20:00.000Z");
  job.window = minutes(10);
  Canon out = comes_due("AReminderWasMissedForGood", {job}, "tea 2026-03-02T08:20 1 not run\n");
  out.check = [](Life& life, const Ledger&) -> std::string {
    EXPECT_EQ(ledger_of(life), "tea 2026-03-02T08:20 1 not run\n");
    EXPECT_EQ(life.number("SELECT COUNT(*) FROM messages WHERE role = 'user'"), 1) << "told once";
    return "";
  };
  out.killed_at_start = true;
  return out;
}

}  // namespace

std::vector<Canon> automations_run() {
  return {comes_due("SeveralComeDueTogether",
                    {wish("hourly", "0 * * * *"), wish("daily", "0 9 * * *"),
                     once("once", "2026-03-02T09:00:00.000Z")},
                    "daily 2026-03-02T09:00 1 run\nhourly 2026-03-02T09:00 1 run\n"
                    "once 2026-03-02T09:00 1 run\n"),
          catches_up(),
          clocks_go_forward(),
          clocks_go_back(),
          fails_and_tries_again(),
          waits_for_a_person(),
          brings_its_output(),
          reminds_once(),
          is_too_late()};
}

}  // namespace rouse::sim::canon
