#include "proactive/standing_orders.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

using Lines = std::vector<std::string>;

// S2-28
TEST(StandingOrders, PlainLinesAreOrdersAndDependOnTheTime) {
  const StandingOrders seed = parse_standing_orders(
      "Check if any drafted emails haven't been sent after 4+ hours.\n"
      "Check if there's a meeting in the next 30 minutes I should prepare for.\n");
  EXPECT_EQ(seed.always.size(), 2U);
  EXPECT_TRUE(seed.needs_model());
}

// HB-4
TEST(StandingOrders, HeadingsCommentsAndBlankLinesAreNobodysOrder) {
  const StandingOrders none = parse_standing_orders(
      "# Orders\n\n<!-- look at\nthe mail -->\n---\n## More\n<!-- open to the end\n- x\n");
  EXPECT_FALSE(none.needs_model());
  EXPECT_TRUE(none.checks.empty());
  EXPECT_EQ(none.hash, parse_standing_orders("").hash);
  EXPECT_EQ(parse_standing_orders("# a\n- x\n").hash, parse_standing_orders("* x").hash);
  EXPECT_NE(parse_standing_orders("- y").hash, parse_standing_orders("- x").hash);
}

TEST(StandingOrders, ChecksAndWhatDependsOnChangeAreToldApart) {
  const StandingOrders orders = parse_standing_orders(
      "- check: failed_runs\n"
      "* [ ] CHECK: overdue_tasks 2d\n"
      "1. check: command \"git -C ~/x status --porcelain\"\n"
      "- Look after the mail\n  and the post (On change)\n"
      "- What time is it?\n");
  ASSERT_EQ(orders.checks.size(), 3U);
  EXPECT_EQ(orders.checks[0], (CheckOrder{CheckKind::kFailedRuns, hours(24)}));
  EXPECT_EQ(orders.checks[1], (CheckOrder{CheckKind::kOverdueTasks, days(2)}));
  EXPECT_EQ(orders.checks[2].command, "git -C ~/x status --porcelain");
  EXPECT_EQ(orders.on_change, (Lines{"Look after the mail and the post"}));
  EXPECT_EQ(orders.always, (Lines{"What time is it?"}));
  EXPECT_TRUE(orders.problems.empty());
}

TEST(StandingOrders, AnUnknownCheckIsToldWithItsLineAndTheOthersGoOn) {
  const StandingOrders orders = parse_standing_orders(
      "# Orders\n- check: faild_runs\n- check: overdue_tasks soon\n- check: command\n"
      "- check: idle_approvals\n");
  ASSERT_EQ(orders.problems.size(), 3U);
  EXPECT_EQ(orders.problems[0],
            "line 2: there is no check 'faild_runs'; those that exist: failed_runs, "
            "overdue_reminders, overdue_tasks, unanswered_questions, idle_approvals, command");
  EXPECT_TRUE(orders.problems[1].starts_with("line 3: check: overdue_tasks"));
  ASSERT_EQ(orders.checks.size(), 1U);
  EXPECT_EQ(orders.checks[0].age, minutes(60));
}

TEST(StandingOrders, TheShippedOnesNeverDependOnTheTime) {
  const StandingOrders shipped = parse_standing_orders(shipped_orders());
  EXPECT_TRUE(shipped.always.empty());
  EXPECT_TRUE(shipped.problems.empty());
  EXPECT_EQ(shipped.checks.size(), 4U);
  EXPECT_EQ(shipped.on_change.size(), 1U);
}

}  // namespace
}  // namespace rouse
