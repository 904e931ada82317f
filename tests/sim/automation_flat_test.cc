// A job that comes due each minute for weeks: what is kept of it stays as small as that of a daily
// one, and no instant is lost from the count (CR-33, S3-30).
#include <map>
#include <set>
#include <string>

#include "tests/sim/automation_life.h"

namespace rouse {
namespace {

constexpr int kGatedDays = sim::kSlowBuild ? 3 : 30;
constexpr int kBoundDays = sim::kSlowBuild ? 1 : 30;

constexpr int kSettledAfter = 10;        // days until every bound is reached
constexpr std::int64_t kSlackRows = 60;  // folded when it is worth it
constexpr std::int64_t kMinutesOfDay = 24 * 60;

class FlatLedgerTest : public ScheduleTest {
 protected:
  std::int64_t covered() {
    return count(
        "SELECT (SELECT SUM(count) FROM occurrences) + "
        "(SELECT COALESCE(SUM(count), 0) FROM occurrence_days)");
  }
  void expect_bounded(int day) {
    EXPECT_LE(count("SELECT COUNT(*) FROM occurrences"), kRowsKept + kSlackRows) << "day " << day;
    EXPECT_LE(count("SELECT COUNT(*) FROM runs"), kRowsKept + kSlackRows) << "day " << day;
    EXPECT_LE(count("SELECT COUNT(*) FROM occurrence_days"), 3 * (day + 1)) << "day " << day;
    EXPECT_EQ(covered(), day * kMinutesOfDay) << "day " << day;
  }
  Task<void> prune(WorkspaceId workspace) {
    while (true) {
      const auto gone = co_await house_->agent.house.events().prune(workspace);
      if (!gone || *gone == 0) co_return;
    }
  }
  // Rows by table, without what the index of texts keeps for itself.
  std::map<std::string, std::int64_t> table_sizes() {
    std::map<std::string, std::int64_t> out;
    const auto tables = database_->read(
        {"SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_%\\_%' "
         "ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
         {},
         200});
    EXPECT_TRUE(tables) << tables.error();
    for (const Row& row : *tables) {
      // The text of a statement must outlive the store.
      const std::string& sql = *statements_.insert("SELECT COUNT(*) FROM " + row.text(0)).first;
      out[row.text(0)] = count(sql);
    }
    return out;
  }
  // Pages in use, without what is free for later.
  std::int64_t pages() {
    return count(
        "SELECT (SELECT page_count FROM pragma_page_count) - "
        "(SELECT freelist_count FROM pragma_freelist_count)");
  }

  std::set<std::string> statements_;
};

TEST_F(FlatLedgerTest, AGatedJobOfAMinuteLeavesTheStoreAsItIs) {
  house_->scheduler.use_gate([](Job, std::stop_token) -> Task<Result<bool>> { co_return false; });
  JobWish w = wish("watch", "* * * * *");
  w.extra.gate = ScriptGate{"false"};
  create(w);
  world_.run_for(seconds(30));
  std::int64_t after_first = 0;
  for (int day = 1; day <= kGatedDays; ++day) {
    world_.run_for(days(1));
    expect_bounded(day);
    if (day == 1) after_first = pages();
  }
  EXPECT_LE(pages(), after_first + 2) << "flat";
  EXPECT_TRUE(model_->requests.empty());
}

// Its transcript is what was said, and grows; nothing else does.
TEST_F(FlatLedgerTest, ABoundJobOfAMinuteKeepsABoundedRecord) {
  // A small window: what is shown here is the store, not the size of prompts.
  model_->described.context_window = 4'000;
  house_->agent.house.events().on_prune(
      [this](WorkspaceId workspace) { world_.loop().spawn("prune", prune(std::move(workspace))); });
  const Job made = create(wish("watch", "* * * * *"));
  world_.run_for(seconds(30));
  std::int64_t most = 0;
  std::map<std::string, std::int64_t> first;
  for (int day = 1; day <= kBoundDays; ++day) {
    for (int hour = 0; hour < 24; ++hour) {
      world_.run_for(hours(1));
      model_->requests.clear();
    }
    expect_bounded(day);
    const std::int64_t bytes = count("SELECT SUM(LENGTH(prompt) + LENGTH(variables)) FROM runs");
    if (day == 1) most = bytes + bytes / 4;
    EXPECT_LE(bytes, most) << "day " << day;
    if (day == kSettledAfter) first = table_sizes();
  }
  EXPECT_EQ(count("SELECT COUNT(*) FROM turns WHERE kind = 'automation'"),
            kBoundDays * kMinutesOfDay);
  EXPECT_EQ(job(made).state, JobState::kActive);
  // What was said, and where it was folded for a prompt.
  const std::set<std::string> said{"messages", "turns", "inbound", "compactions"};
  for (const auto& [table, rows] : table_sizes()) {
    if (first.empty()) break;
    const std::int64_t then = first[table];
    if (said.contains(table)) {
      EXPECT_NEAR(rows * kSettledAfter, then * kBoundDays, rows / 10) << table << " grows evenly";
    } else {
      EXPECT_LE(rows, then + kSlackRows + 3 * kBoundDays) << table << " doesn't grow";
    }
  }
}

TEST_F(FlatLedgerTest, AJobThatIsHeldUpForWeeksHasOneRowForAllOfIt) {
  const Job made = create(each("watch", minutes(1)));
  down_for(days(30));
  world_.run_for(seconds(30));
  const Lines all = rows(made);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_NE(all[0].find(fmt::format(": {} missed superseded", 30 * kMinutesOfDay - 1)),
            std::string::npos)
      << all[0];
}

}  // namespace
}  // namespace rouse
