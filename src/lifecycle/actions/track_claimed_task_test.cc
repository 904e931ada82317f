#include "lifecycle/actions/actions_for_tests.h"

namespace rouse {
namespace {

class TrackClaimedTask : public ActionTest {
 protected:
  // What the tool did, as it tells of it afterwards.
  std::int64_t after(TaskStep step, std::int64_t number, boost::json::object input) {
    const auto done = house_.world.run(house_.tasks->change(
        house_.event.turn.workspace,
        {.number = number, .step = step, .by = "agent", .reason = "obsolete"}));
    EXPECT_TRUE(done) << done.error();
    house_.event.tool = "tasks";
    house_.event.tool_class = "task";
    house_.event.tool_input = std::move(input);
    EXPECT_TRUE(house_.run(actions::track_claimed_task()));
    return house_.variables.number("claimed_task");
  }
};

TEST_F(TrackClaimedTask, ATaskIsClaimedAndClosedByItsNumber) {
  house_.add_task("mend the gate");
  EXPECT_EQ(after(TaskStep::kClaim, 1, {{"action", "claim"}, {"number", 1}}), 1);
  EXPECT_EQ(after(TaskStep::kClose, 1, {{"action", "close"}, {"number", 1}}), 0);
}

TEST_F(TrackClaimedTask, ATaskIsClaimedAndClosedByItsTitle) {
  house_.add_task("mend the gate");
  house_.add_task("paint the fence");
  EXPECT_EQ(after(TaskStep::kClaim, 2, {{"action", "claim"}, {"title", "paint the fence"}}), 2);
  EXPECT_EQ(after(TaskStep::kClose, 1, {{"action", "close"}, {"title", "mend the gate"}}), 2)
      << "another one ended";
  EXPECT_EQ(after(TaskStep::kClose, 2, {{"action", "close"}, {"title", "paint the fence"}}), 0);
}

TEST_F(TrackClaimedTask, AClaimThatFailedClaimsNothing) {
  house_.add_task("mend the gate");
  house_.event.tool_failed = true;
  EXPECT_EQ(after(TaskStep::kClaim, 1, {{"action", "claim"}, {"number", 1}}), 0);
}

}  // namespace
}  // namespace rouse
