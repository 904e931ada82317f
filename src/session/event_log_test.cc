#include "session/event_log.h"

#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/sim/world.h"

namespace rouse {
namespace {

class EventLogTest : public testing::Test {
 protected:
  static WorkspaceId workspace(int number) {
    return *WorkspaceId::parse(fmt::format("ws_{}", number));
  }
  void append(const WorkspaceId& to, int many) {
    Write write;
    for (int i = 0; i < many; ++i) {
      write.statements.push_back(
          EventLog::append({.workspace = to, .type = "chat_cleared", .created = {}}));
    }
    ASSERT_TRUE(world_.run(database_->write(std::move(write))));
  }
  void commit(const WorkspaceId& to, int times) {
    for (int i = 0; i < times; ++i) log_.committed(to);
  }
  Task<void> prune_all(WorkspaceId of) {
    while (true) {
      const auto gone = co_await log_.prune(of);
      if (!gone || *gone == 0) co_return;
    }
  }

  sim::World world_{5};
  Database* database_ = *world_.open_store();
  EventLog log_{*database_};
};

TEST_F(EventLogTest, NumbersHaveNoGapWithinAWorkspace) {
  append(workspace(1), 2);
  append(workspace(2), 1);
  append(workspace(1), 1);
  EXPECT_EQ(*log_.last_seq(workspace(1)), 3);
  EXPECT_EQ(*log_.last_seq(workspace(2)), 1);
  EXPECT_EQ(log_.after(workspace(1), 1, 10)->size(), 2U);
}

TEST_F(EventLogTest, AsksForAPruneEverySoManyCommitsOfAWorkspace) {
  std::vector<WorkspaceId> asked;
  log_.on_prune([&](WorkspaceId one) { asked.push_back(std::move(one)); });
  commit(workspace(1), kCommitsToPrune - 1);
  commit(workspace(2), kCommitsToPrune - 1);
  EXPECT_TRUE(asked.empty());
  commit(workspace(2), 1);
  EXPECT_EQ(asked, std::vector{workspace(2)});
  commit(workspace(2), kCommitsToPrune - 1);
  EXPECT_EQ(asked.size(), 1U) << "it counts from the beginning";
  commit(workspace(1), 1);
  EXPECT_EQ(asked.size(), 2U);
}

TEST_F(EventLogTest, HoweverManyWorkspacesThereAreNoneGrowsUncounted) {
  std::set<WorkspaceId> asked;
  log_.on_prune([&](const WorkspaceId& one) { asked.insert(one); });
  constexpr int kMany = 5'000;
  for (int i = 0; i < kMany; ++i) commit(workspace(i), 1);
  EXPECT_GT(asked.size(), 3'900U) << "those who fell out of the count";
  for (int i = 0; i < kMany; ++i) {
    if (!asked.contains(workspace(i))) commit(workspace(i), kCommitsToPrune - 1);
  }
  EXPECT_EQ(asked.size(), std::size_t{kMany});
}

TEST_F(EventLogTest, PrunedUntilNothingGoesItKeepsTheNewest) {
  log_.on_prune([&](WorkspaceId one) { world_.loop().spawn("prune", prune_all(std::move(one))); });
  append(workspace(1), static_cast<int>(kEventsKept) + 1'234);
  commit(workspace(1), kCommitsToPrune);
  world_.run_for(seconds(10));
  EXPECT_EQ(*log_.first_seq(workspace(1)), 1'235);
  EXPECT_EQ(*log_.last_seq(workspace(1)), kEventsKept + 1'234);
}

}  // namespace
}  // namespace rouse
