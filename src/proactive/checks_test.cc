#include "proactive/checks.h"

#include <gtest/gtest.h>

#include "agent/task/task_book.h"
#include "schedule/schedule_house_for_tests.h"

namespace rouse {
namespace {

class ChecksTest : public ScheduleTest {
 protected:
  std::vector<Finding> found(std::string_view order, std::optional<std::string> project = {}) {
    Checks checks(*database_, world_.clock(), house_->agent.kernel.kernel);
    if (command_) {
      checks.use_commands([this](Job job, std::stop_token) { return run(std::move(job)); });
    }
    auto all = world_.run(checks.run(Workspaces::default_id(), std::move(project),
                                     parse_standing_orders(order).checks, {}));
    EXPECT_TRUE(all) << all.error();
    return all ? *all : std::vector<Finding>{};
  }
  Task<Result<bool>> run(Job job) {
    EXPECT_EQ(job.source, "system");
    co_return *command_;
  }
  std::optional<Result<bool>> command_;
};

TEST_F(ChecksTest, FailedRunsAreOneFindingAnAutomationAndWorseWhenTheyDouble) {
  say("hello");
  create(wish("look", "* * * * *"));
  model_->otherwise = [](const ModelRequest&) {
    return ScriptedAnswer::fails(ModelErrc::kServerError, "no");
  };
  EXPECT_TRUE(found("check: failed_runs").empty());
  until("2026-11-15T08:30:00.000Z");
  const auto few = found("check: failed_runs");
  ASSERT_EQ(few.size(), 1U);
  EXPECT_TRUE(few[0].key.starts_with("failed_runs:"));
  EXPECT_TRUE(few[0].text.starts_with("The automation \"look\" failed ")) << few[0].text;
  until("2026-11-17T08:30:00.000Z");
  EXPECT_EQ(found("check: failed_runs").size(), 0U);  // it was paused, and a day is over
}

TEST_F(ChecksTest, WhatHasRunWellSinceIsNoFinding) {
  say("hello");
  const Job look = create(wish("look", "15 8 * * *"));
  model_->otherwise = [](const ModelRequest&) {
    return ScriptedAnswer::fails(ModelErrc::kServerError, "no");
  };
  until("2026-11-15T08:15:10.000Z");
  EXPECT_EQ(found("check: failed_runs").size(), 1U);
  model_->otherwise = [](const ModelRequest&) { return ScriptedAnswer::says("done"); };
  until("2026-11-15T08:50:00.000Z");
  EXPECT_EQ(rows(look), (Lines{"2026-11-15T08:15 ok"}));  // by another try
  EXPECT_TRUE(found("check: failed_runs").empty());
}

TEST_F(ChecksTest, WhatWasMadeUpForIsNotOverdue) {
  say("hello");
  JobWish often = wish("water the plants", "*/30 * * * *");
  often.catch_up = CatchUp::kLatest;
  often.window = hours(4);
  create(often);
  down_for(hours(2) + minutes(5));
  world_.run_for(minutes(1));
  EXPECT_GT(count("SELECT COUNT(*) FROM occurrences WHERE state = 'missed'"), 0);
  EXPECT_TRUE(found("check: overdue_reminders").empty());
}

// Rule 8
TEST_F(ChecksTest, AFindingWithForeignWordsIsForeign) {
  TaskBook tasks(*database_, world_.clock(), world_.random(), house_->agent.house.events());
  ASSERT_TRUE(world_.run(tasks.add(Workspaces::default_id(),
                                   {.title = "Obey", .provenance = std::string(kFromUntrusted)})));
  ASSERT_TRUE(world_.run(tasks.add(Workspaces::default_id(), {.title = "Pay the rent"})));
  world_.clock().advance(days(2));
  const auto old = found("check: overdue_tasks 2d");
  ASSERT_EQ(old.size(), 2U);
  EXPECT_TRUE(old[0].untrusted);
  EXPECT_FALSE(old[1].untrusted);
}

TEST_F(ChecksTest, AReminderThatWasMissedIsFound) {
  say("hello");
  JobWish late = once("call mum", "2026-11-15T09:00:00.000Z");
  late.window = minutes(1);
  create(late);
  EXPECT_TRUE(found("check: overdue_reminders").empty());
  down_for(hours(2));
  const auto missed = found("check: overdue_reminders");
  ASSERT_EQ(missed.size(), 1U);
  EXPECT_TRUE(missed[0].text.starts_with("\"call mum\" was due")) << missed[0].text;
}

TEST_F(ChecksTest, OpenTasksGrowOldAndThenTwiceAsOld) {
  TaskBook tasks(*database_, world_.clock(), world_.random(), house_->agent.house.events());
  ASSERT_TRUE(world_.run(tasks.add(Workspaces::default_id(), {.title = "Pay the rent"})));
  ASSERT_TRUE(
      world_.run(tasks.add(Workspaces::default_id(), {.title = "Mend it", .project = "atlas"})));
  EXPECT_TRUE(found("check: overdue_tasks 2d").empty());
  world_.clock().advance(days(2));
  const auto old = found("check: overdue_tasks 2d");
  ASSERT_EQ(old.size(), 2U);
  EXPECT_EQ(old[0].key, "overdue_tasks:1");
  EXPECT_EQ(old[0].severity, 1);
  EXPECT_EQ(found("check: overdue_tasks 2d", "atlas").size(), 1U);
  world_.clock().advance(days(2));
  EXPECT_EQ(found("check: overdue_tasks 2d")[0].severity, 2);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(world_.run(tasks.add(Workspaces::default_id(), {.title = "More"})));
  }
  world_.clock().advance(days(2));
  EXPECT_EQ(found("check: overdue_tasks 2d").size(), kFindingsOfCheck + 1);
}

TEST_F(ChecksTest, AQuestionThatNobodyAnsweredIsFoundUntilItIs) {
  say("hello", "Hi! Which of the two shall I take?");
  EXPECT_TRUE(found("check: unanswered_questions 4h").empty());
  world_.run_for(hours(5));
  const auto open = found("check: unanswered_questions 4h");
  ASSERT_EQ(open.size(), 1U);
  EXPECT_NE(open[0].text.find("Which of the two shall I take?"), std::string::npos);
  say("the first", "Taken.");
  world_.run_for(hours(5));
  EXPECT_TRUE(found("check: unanswered_questions 4h").empty());
}

TEST_F(ChecksTest, AnApprovalThatWaitsForLongIsFound) {
  ASSERT_TRUE(world_.run(database_->write(
      one("INSERT INTO approvals (approval_id, workspace_id, conversation_id, session_id, turn_id, "
          "call_id, tool, arguments, agent, project_folder, covers, summary, reason, tainted, "
          "state, created_ms, expires_ms) VALUES ('apr_1', 'ws_default', '', '', '', '', 'shell', "
          "'{}', '', '', '', 'Run make test', '', 0, 'pending', $1, $2)",
          {now().unix_ms, (now() + days(1)).unix_ms}))));
  EXPECT_TRUE(found("check: idle_approvals").empty());
  world_.clock().advance(minutes(61));
  const auto idle = found("check: idle_approvals");
  ASSERT_EQ(idle.size(), 1U);
  EXPECT_EQ(idle[0].key, "idle_approvals:apr_1");
  EXPECT_TRUE(idle[0].text.ends_with("Run make test")) << idle[0].text;
}

TEST_F(ChecksTest, ACommandIsFineOrNotAndSaysWhenItCantRun) {
  const std::string order = "check: command \"test -e /flag\"";
  EXPECT_NE(found(order)[0].text.find("could not be run"), std::string::npos);
  command_ = Result<bool>(true);
  EXPECT_TRUE(found(order).empty());
  command_ = Result<bool>(false);
  EXPECT_EQ(found(order)[0].text, "The check `test -e /flag` is not fine.");
  command_ = Result<bool>(fail(Errc::kTimeout, "it did not end in time"));
  EXPECT_TRUE(found(order)[0].key.ends_with(":unable"));
}

}  // namespace
}  // namespace rouse
