// Automations killed at every single write: while they are claimed, run, fail and are tried again,
// and while somebody makes, pauses, resumes, edits and removes them. Afterwards each due instant
// has exactly one row, each run is in the transcript once, and nothing stays on the way
// (CR-5, CR-17, CR-28, CR-30).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/sim/automation_life.h"
#include "tests/sim/kill_at_every_write.h"

namespace rouse::sim {
namespace {

struct ScheduleLife {
  ScheduleLife(World& world, std::string_view wall) {
    world.clock().step_wall(*from_iso(wall) - world.clock().wall_now());
    auto opened = world.open_store();
    if (!opened) return;
    database = *opened;
    model->otherwise = [](const ModelRequest&) { return ScriptedAnswer::says("done"); };
    house = std::make_unique<ScheduleHouseForTests>(world, *database, model, outside);
    house->scheduler.configure({.crashes_to_hold = 0});
    if (!world.run(house->start())) drop(world);
  }
  void drop(World& world) {
    if (!house) return;
    house->scheduler.stop();
    world.settle();
    world.run(house->stop());
    world.run_for(seconds(1));
    house.reset();
  }
  Database* database = nullptr;
  OutsideForTests outside;
  std::shared_ptr<ScriptedModel> model = std::make_shared<ScriptedModel>();
  std::unique_ptr<ScheduleHouseForTests> house;
};

JobWish wish(std::string key, Schedule schedule) {
  return {.workspace = Workspaces::default_id(),
          .id = key,
          .message = "look after it",
          .session_key = "api:a",
          .schedule = std::move(schedule),
          .key = key};
}
const Schedule kHalfPast{.expr = "30 * * * *"};
const Schedule kQuarterTo{.expr = "45 * * * *"};
const Schedule kFortyPast{.expr = "40 * * * *"};

void prepare(World& world, Ledger& ledger) {
  ScheduleLife life(world, "2026-03-01T08:00:00.000Z");
  ASSERT_TRUE(life.house);
  const Schedule at{.kind = ScheduleKind::kAt, .at = *from_iso("2026-03-01T08:30:00.000Z")};
  for (const JobWish& one : {wish("hourly", kHalfPast), wish("once", at),
                             wish("changed", kQuarterTo), wish("paused", kQuarterTo)}) {
    const auto made = world.run(life.house->book.create(one));
    ASSERT_TRUE(made) << made.error();
    ledger.acknowledged.insert(*one.key);
  }
  life.drop(world);
  world.close_store();
}

// Two come due together; the first fails and is tried again.
void come_due(World& world, Ledger& /*ledger*/) {
  ScheduleLife life(world, "2026-03-01T08:29:59.900Z");
  if (!life.house) return;
  life.model->then(ScriptedAnswer::fails(ModelErrc::kOverloaded));
  world.run_for(seconds(35));
  life.drop(world);
}

void change(World& world, Ledger& ledger) {
  ScheduleLife life(world, "2026-03-01T08:35:00.000Z");
  if (!life.house) return;
  JobBook& book = life.house->book;
  const WorkspaceId here = Workspaces::default_id();
  const auto acknowledge = [&](const char* what, bool done) {
    if (done) ledger.acknowledged.insert(what);
  };
  acknowledge("is paused", world.run(book.pause(here, "paused", "api", "")).has_value());
  JobEdit edit;
  edit.schedule = kFortyPast;
  ledger.numbers["edited"] = world.clock().wall_now().unix_ms;
  acknowledge("is changed", world.run(book.edit(here, "changed", edit, "api")).has_value());
  acknowledge("made", world.run(book.create(wish("made", kFortyPast))).has_value());
  acknowledge("is resumed", world.run(book.resume(here, "paused", "api")).has_value());
  acknowledge("is removed", world.run(book.remove(here, "hourly", "api")).has_value());
  life.drop(world);
}

Schedule schedule_of(Database& database, std::string_view key) {
  const auto rows = database.read({"SELECT expr FROM jobs WHERE job_id = $1", {std::string(key)}});
  return {.expr = rows->front().text(0)};
}

void check_dues(Database& database, const Ledger& ledger) {
  DueBook dues;
  const auto jobs = database.read(
      {"SELECT number, job_id, schedule_kind, at_ms, expr, created_ms FROM jobs", {}});
  ASSERT_TRUE(jobs) << jobs.error();
  for (const Row& row : *jobs) {
    Schedule schedule{.expr = row.text(4)};
    if (row.text(2) == "at") schedule = {.kind = ScheduleKind::kAt, .at = {row.integer(3)}};
    const bool edited = row.text(1) == "changed" && schedule == kFortyPast;
    dues.began(row.integer(0), edited ? kQuarterTo : schedule, {row.integer(5)});
    if (edited) dues.changed(row.integer(0), schedule, {ledger.numbers.at("edited")});
  }
  dues.check_coverage(database, "after the kill");
}

// What everybody may rely on; how a run ended may differ, since one that is tried again may die.
std::string story(Database& database) {
  std::string out;
  const auto rows = database.read(
      {"SELECT j.job_id, j.state, o.due_ms, o.count, o.state IN ('skipped', 'missed') "
       "FROM jobs j LEFT JOIN occurrences o ON o.job = j.number ORDER BY j.job_id, o.due_ms",
       {}});
  for (const Row& row : *rows) {
    out += fmt::format("{} {}", row.text(0), row.text(1));
    if (!row.is_null(2)) {
      out += fmt::format(" {} {} {}", to_iso(WallTime{row.integer(2)}), row.integer(3),
                         row.integer(4) != 0 ? "not run" : "run");
    }
    out += "\n";
  }
  return out;
}

std::string recover(World& world, const Ledger& ledger) {
  ScheduleLife life(world, "2026-03-01T08:50:30.000Z");
  EXPECT_TRUE(life.house);
  if (!life.house) return "nothing";
  world.run_for(seconds(20));
  Database& database = *life.database;
  expect_session_invariants(database, "after the kill");
  expect_runs_match_targets(database, "after the kill");
  expect_nothing_open(database, "after the kill");
  check_dues(database, ledger);
  for (const char* key : {"hourly", "once", "changed", "paused", "made"}) {
    if (ledger.acknowledged.contains(key)) {
      EXPECT_TRUE(life.house->book.get(Workspaces::default_id(), key)) << key << " is lost";
    }
  }
  if (ledger.acknowledged.contains("is changed")) {
    EXPECT_EQ(schedule_of(database, "changed"), kFortyPast);
  }
  if (ledger.acknowledged.contains("is removed")) {
    EXPECT_EQ(life.house->book.get(Workspaces::default_id(), "hourly")->state, JobState::kRemoved);
  }
  const auto once = life.house->book.get(Workspaces::default_id(), "once");
  EXPECT_EQ(once->state, JobState::kDone);
  std::string out = story(database);
  life.drop(world);
  world.close_store();
  return out;
}

TEST(AutomationKilledAtEveryWrite, EachInstantHasOneRowAndEachRunIsSaidOnce) {
  KillScenario scenario;
  scenario.steps = {
      {"prepared", prepare, true}, {"come due", come_due}, {"changed", change, kSlowBuild}};
  scenario.boot = [](World& world) {
    ScheduleLife life(world, "2026-03-01T08:50:30.000Z");
    world.run_for(seconds(2));
    life.drop(world);
  };
  scenario.recover = recover;
  scenario.stride = kSlowBuild ? 3 : 1;
  scenario.writes = World::Writes::kBare;
  const KillReport report = kill_at_every_write(scenario, 61);
  EXPECT_GT(report.kills * scenario.stride, 100);
}

}  // namespace
}  // namespace rouse::sim
