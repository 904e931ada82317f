#include "schedule/job_activity.h"

#include "schedule/schedule_house_for_tests.h"

namespace rouse {
namespace {

class JobActivityTest : public ScheduleTest {
 protected:
  // Oldest first: "system: The automation …".
  Lines told() {
    const auto found = database_->read({"SELECT type, summary FROM activity ORDER BY id", {}, 100});
    EXPECT_TRUE(found) << found.error();
    Lines out;
    for (const Row& row : *found) out.push_back(row.text(0) + ": " + row.text(1));
    return out;
  }
  const WorkspaceId here_ = Workspaces::default_id();
};

// Issue 7: system events that matter, in the write of what they tell about
TEST_F(JobActivityTest, EachChangeIsToldWithWhoDidIt) {
  JobWish w = wish("news", "0 9 * * *");
  w.source = "web";
  const Job made = create(w);
  JobEdit edit;
  edit.schedule = Schedule{.expr = "0 10 * * *", .zone = "UTC"};
  ASSERT_TRUE(world_.run(house_->book.edit(here_, made.id, edit, "cli")));
  ASSERT_TRUE(world_.run(house_->book.pause(here_, made.id, "api", "on holiday")));
  ASSERT_TRUE(world_.run(house_->book.resume(here_, made.id, "agent")));
  ASSERT_TRUE(world_.run(house_->book.remove(here_, made.id, "conversation")));
  EXPECT_EQ(
      told(),
      (Lines{"system: The automation \"news\" was created in the web app: every day at 09:00, UTC.",
             "system: The automation \"news\" was edited on the command line: every day at 10:00, "
             "UTC.",
             "system: The automation \"news\" was paused over the API: on holiday.",
             "system: The automation \"news\" was resumed by the agent.",
             "system: The automation \"news\" was removed with its conversation."}));
}

TEST_F(JobActivityTest, OursAreNotTold) {
  JobWish w = wish("dream", "0 9 * * *");
  w.kind = JobKind::kSystem;
  w.source = "system";
  create(w);
  down_for(days(2));
  world_.run_for(seconds(30));
  EXPECT_EQ(told(), Lines{});
}

// CR-32
TEST_F(JobActivityTest, APauseOfOursSaysWhyAndHowToGoOn) {
  const Job made = create(wish("news", "30 8 * * *"));
  model_->then(ScriptedAnswer::fails(ModelErrc::kUnauthorized));
  until("2026-11-15T08:31:00.000Z");
  ASSERT_GE(told().size(), 2U);
  EXPECT_EQ(told()[1], fmt::format("system: The automation \"news\" is paused: the model's key was "
                                   "refused. `rouse automations resume {}` starts it again.",
                                   made.id));
}

// One row for a span, however many instants
TEST_F(JobActivityTest, WhatWasMissedIsOneRow) {
  JobWish w = each("watch", minutes(1));
  w.catch_up = CatchUp::kSkip;
  create(w);
  down_for(hours(10));
  world_.run_for(seconds(30));
  const Lines all = told();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[1].starts_with("system: The automation \"watch\" was missed 600 times, from "))
      << all[1];
  EXPECT_TRUE(all[1].ends_with(" because rouse was not running then, and it makes up for nothing."))
      << all[1];
}

// A run without a conversation is told by its first sentences; one that is tried again is not yet.
TEST_F(JobActivityTest, AnIsolatedRunIsOneRowOfBackgroundWork) {
  JobWish w = wish("scan", "30 8 * * *");
  w.kind = JobKind::kIsolated;
  w.session_key.clear();
  const Job made = create(w);
  model_->then(ScriptedAnswer::fails(ModelErrc::kOverloaded));
  model_->then(
      ScriptedAnswer::says("All is well. Two files are new.\nHere is a long list of them."));
  until("2026-11-15T08:32:00.000Z");
  const Lines all = told();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1], "background: scan: All is well. Two files are new.");
  const auto linked =
      database_->read({"SELECT COUNT(*) FROM activity WHERE run_id = $1", {runs(made).back().id}});
  EXPECT_EQ(linked->front().integer(0), 1);
}

TEST_F(JobActivityTest, AnIsolatedRunThatFailsSaysSo) {
  JobWish w = wish("scan", "30 8 * * *");
  w.kind = JobKind::kIsolated;
  w.session_key.clear();
  create(w);
  model_->then(ScriptedAnswer::fails(ModelErrc::kContextFull));
  until("2026-11-15T08:32:00.000Z");
  ASSERT_EQ(told().size(), 2U);
  EXPECT_TRUE(told()[1].starts_with("background: The automation \"scan\" failed: ")) << told()[1];
}

// A gate's no stands in the ledger; the log has nothing of it.
TEST_F(JobActivityTest, AGateThatSaysNoIsNotTold) {
  house_->scheduler.use_gate([](Job, std::stop_token) -> Task<Result<bool>> { co_return false; });
  JobWish w = wish("watch", "* * * * *");
  w.extra.gate = ScriptGate{"false"};
  create(w);
  world_.run_for(hours(1));
  EXPECT_EQ(told().size(), 1U);
}

}  // namespace
}  // namespace rouse
