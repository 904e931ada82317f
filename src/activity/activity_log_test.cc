#include "activity/activity_log.h"

#include "activity/activity_for_tests.h"
#include "activity/activity_view.h"

namespace rouse {
namespace {

using ActivityLogTest = ActivityTest;
constexpr auto kMessage = ActivityType::kMessage;
constexpr auto kHeartbeat = ActivityType::kHeartbeat;
constexpr auto kScheduled = ActivityType::kScheduled;

Activity in_project(Activity row, std::string project) {
  row.project = std::move(project);
  return row;
}

// S2-03, S2-04
TEST_F(ActivityLogTest, ARowIsOneLineAndNeverEmptyAndNumbersGrow) {
  write(row(1, kMessage, "two\nlines"));
  write(row(2, kMessage, ""));
  write(row(3, kMessage, std::string(5'000, 'x') + "ü"));
  const auto found = page().rows;
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[2].id, 1);
  EXPECT_EQ(found[0].id, 3);
  EXPECT_EQ(found[2].summary, "two lines");
  EXPECT_FALSE(found[1].summary.empty());
  EXPECT_LE(found[0].summary.size(), kActivityBytes);
  for (const auto type : {"message", "heartbeat", "scheduled", "background", "system"}) {
    EXPECT_EQ(activity_type_name(*parse_activity_type(type)), type);
  }
}

TEST_F(ActivityLogTest, EachRowIsAnEventThatHoldsIt) {
  Activity beat = row(1, kHeartbeat, "said \"hello\"");
  beat.details = R"({"verdict":"notify"})";
  write(beat);
  const auto events = house_->events.after(Workspaces::default_id(), 0, 10);
  ASSERT_TRUE(events && events->size() == 1);
  EXPECT_EQ(events->front().type, "activity");
  const auto body = parse_json(events->front().body);
  ASSERT_TRUE(body) << events->front().body;
  const auto view = from_json<ActivityView>(body->as_object().at("activity"));
  ASSERT_TRUE(view) << view.error();
  EXPECT_EQ(view->id, 1);
  EXPECT_EQ(view->type, "heartbeat");
  EXPECT_EQ(view->summary, "said \"hello\"");
  EXPECT_EQ(encode_json(view->details), R"({"verdict":"notify"})");
}

// S2-03, S2-05, S2-07: as the seed wrote them, with the store's spelling of parameters.
TEST_F(ActivityLogTest, TheSelectsOfTheSeedWorkAndWalkAnIndex) {
  for (int i = 0; i < 30; ++i) {
    write(in_project(row(i, i % 2 == 0 ? kHeartbeat : kScheduled, fmt::format("row {}", i)),
                     i % 3 == 0 ? "atlas" : "other"));
  }
  struct Select {
    std::string_view sql, plan;
    std::vector<Value> params;
    std::size_t rows;
  };
  const std::int64_t start = 1'767'225'600'000 + 9 * 60'000;
  const std::vector<Select> selects{
      {"SELECT summary FROM activity\nWHERE type = 'heartbeat' AND project = $1\n"
       "ORDER BY ts DESC LIMIT 20;",
       "EXPLAIN QUERY PLAN SELECT summary FROM activity\nWHERE type = 'heartbeat' AND project = "
       "$1\nORDER BY ts DESC LIMIT 20;",
       {"atlas"},
       5},
      {"SELECT * FROM activity\nWHERE project = $1\nORDER BY ts DESC LIMIT 50;",
       "EXPLAIN QUERY PLAN SELECT * FROM activity\nWHERE project = $1\nORDER BY ts DESC "
       "LIMIT 50;",
       {"atlas"},
       10},
      {"SELECT * FROM activity\nWHERE ts > $1\nORDER BY ts DESC;",
       "EXPLAIN QUERY PLAN SELECT * FROM activity\nWHERE ts > $1\nORDER BY ts DESC;",
       {start},
       20},
      {"SELECT * FROM activity\nWHERE type = 'scheduled' AND ts > $1\nORDER BY ts DESC;",
       "EXPLAIN QUERY PLAN SELECT * FROM activity\nWHERE type = 'scheduled' AND ts > "
       "$1\nORDER BY ts DESC;",
       {start},
       10}};
  for (const Select& select : selects) {
    const auto found = database_->read({select.sql, select.params});
    ASSERT_TRUE(found) << found.error();
    EXPECT_EQ(found->size(), select.rows) << select.sql;
    const auto plan = database_->read({select.plan, select.params});
    ASSERT_TRUE(plan) << plan.error();
    ASSERT_EQ(plan->size(), 1u) << select.sql;  // no sorting
    EXPECT_TRUE(plan->front().text(3).starts_with("SEARCH activity USING INDEX idx_"))
        << plan->front().text(3);
  }
}

TEST_F(ActivityLogTest, EveryFilterWalksItsOwnIndex) {
  const std::vector<std::pair<std::string_view, std::string>> walks{
      {"EXPLAIN QUERY PLAN SELECT * FROM activity WHERE workspace_id = $1 AND '' = $2 AND ts >= $3 "
       "AND (ts, id) < ($4, $5) ORDER BY ts DESC, id DESC LIMIT $6",
       "idx_activity_workspace (workspace_id=? AND ts>? AND ts<?)"},
      {"EXPLAIN QUERY PLAN SELECT * FROM activity WHERE workspace_id = $1 AND type = $2 AND ts >= "
       "$3 AND (ts, id) < ($4, $5) ORDER BY ts DESC, id DESC LIMIT $6",
       "idx_activity_type (workspace_id=? AND type=? AND ts>? AND ts<?)"},
      {"EXPLAIN QUERY PLAN SELECT * FROM activity WHERE workspace_id = $1 AND project = $2 AND ts "
       ">= $3 AND (ts, id) < ($4, $5) ORDER BY ts DESC, id DESC LIMIT $6",
       "idx_activity_project (workspace_id=? AND project=? AND ts>? AND ts<?)"},
      {"EXPLAIN QUERY PLAN SELECT * FROM activity WHERE workspace_id = $1 AND conversation_id = $2 "
       "AND ts >= $3 AND (ts, id) < ($4, $5) ORDER BY ts DESC, id DESC LIMIT $6",
       "idx_activity_conversation (conversation_id=? AND ts>? AND ts<?)"}};
  for (const auto& [sql, index] : walks) {
    const auto plan = database_->read({sql, {"ws_default", "", 0, 1, 1, 10}});
    ASSERT_TRUE(plan) << plan.error();
    ASSERT_EQ(plan->size(), 1u);
    EXPECT_EQ(plan->front().text(3), "SEARCH activity USING INDEX " + index);
  }
}

// S2-07
TEST_F(ActivityLogTest, RowsAreFilteredByTypeProjectConversationTimeAndWords) {
  write(in_project(row(1, kMessage, "Fixed the ÜBER bug"), "atlas"));
  write(row(2, kHeartbeat, "checked"));
  Activity there = in_project(row(3, kScheduled, "Morning briefing"), "atlas");
  there.conversation = *ConversationId::parse("conv_a");
  write(there);
  Activity foreign = row(4, kMessage, "of somebody else");
  foreign.workspace = *WorkspaceId::parse("ws_other");
  write(foreign);
  const auto found = [this](ActivityFilter filter) { return words(page(std::move(filter)).rows); };
  const WallTime first = row(1, kMessage, "").at, third = row(3, kMessage, "").at;
  EXPECT_EQ(found({}), (Lines{"Morning briefing", "checked", "Fixed the ÜBER bug"}));
  EXPECT_EQ(found({.workspace = {}, .type = kHeartbeat}), Lines{"checked"});
  EXPECT_EQ(found({.workspace = {}, .project = "atlas"}),
            (Lines{"Morning briefing", "Fixed the ÜBER bug"}));
  EXPECT_EQ(found({.workspace = {}, .type = kMessage, .project = "atlas"}),
            Lines{"Fixed the ÜBER bug"});
  EXPECT_EQ(found({.workspace = {}, .conversation = there.conversation}),
            Lines{"Morning briefing"});
  EXPECT_EQ(found({.workspace = {}, .since = first, .until = third}),
            (Lines{"checked", "Fixed the ÜBER bug"}));
  EXPECT_EQ(found({.workspace = {}, .since = first + millis(1), .until = third}), Lines{"checked"});
  EXPECT_EQ(found({.workspace = {}, .text = "über"}), Lines{"Fixed the ÜBER bug"});
  EXPECT_EQ(found({.workspace = {}, .text = "100%_nothing"}), Lines{});
}

TEST_F(ActivityLogTest, PagesGoOnWhereTheLastOneEndedEvenAtOneInstant) {
  for (int i = 0; i < 25; ++i) write(row(i / 10, kMessage, std::to_string(i)));
  Lines all;
  std::optional<ActivityPlace> before;
  int pages = 0;
  do {
    const ActivityPage found = page({}, before, 10);
    EXPECT_LE(found.rows.size(), 10u);
    for (const std::string& one : words(found.rows)) all.push_back(one);
    before = found.next;
    if (before) EXPECT_EQ(parse_place(place_text(*before)), before);
    ++pages;
  } while (before);
  EXPECT_EQ(pages, 3);
  ASSERT_EQ(all.size(), 25u);
  for (int i = 0; i < 25; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], std::to_string(24 - i));
}

TEST_F(ActivityLogTest, ASearchLooksAtABoundedNumberOfRowsAPage) {
  ASSERT_TRUE(world_.run(database_->write(
      one("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) "
          "INSERT INTO activity (id, ts, type, summary, workspace_id, details) "
          "SELECT i, i, 'message', 'row ' || i, 'ws_default', '{}' FROM n",
          {}))));
  const ActivityPage first = page({.workspace = {}, .text = "ROW 77"}, {}, 200);
  ASSERT_TRUE(first.next);
  EXPECT_EQ(first.next->id, 10'001);
  EXPECT_EQ(first.rows.size(), 0u);
  const ActivityPage second = page({.workspace = {}, .text = "row 77"}, first.next, 200);
  EXPECT_EQ(second.rows.size(), 111u);
  EXPECT_FALSE(second.next);
}

TEST_F(ActivityLogTest, WhoFollowsGetsWhatIsWrittenWhateverItsTime) {
  write(row(5, kMessage, "first"));
  write(row(1, kMessage, "late, about earlier work"));
  const auto next = [this](std::int64_t after) {
    return *world_.run(house_->activity.after({.workspace = Workspaces::default_id()}, after, 10));
  };
  EXPECT_EQ(words(next(1).rows), Lines{"late, about earlier work"});
  EXPECT_EQ(next(1).looked_upto, 2);
  EXPECT_EQ(next(2).rows.size(), 0u);
  EXPECT_EQ(next(2).looked_upto, 2);
  EXPECT_EQ(*house_->activity.newest_id(), 2);
}

// S2-26, HB-3
TEST_F(ActivityLogTest, TodayLeavesQuietBeatsOut) {
  for (int i = 0; i < 200; ++i) {
    Activity beat = row(i, kHeartbeat, "checked, nothing to report");
    beat.details = R"({"verdict":"nothing"})";
    write(beat);
  }
  Activity alert = row(300, kHeartbeat, "the draft waits");
  alert.details = R"({"verdict":"notify"})";
  write(alert);
  write(row(1, kMessage, "work"));
  write(row(0, kMessage, "yesterday"));
  const auto found = world_.run(
      house_->activity.today(Workspaces::default_id(), std::nullopt, row(1, kMessage, "").at, 100));
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(words(*found), (Lines{"the draft waits", "work"}));
}

std::string exported(sim::World& world, ActivityLog& log, ActivityFormat format) {
  std::string out;
  struct Take {
    static Task<Result<void>> take(std::string& to, std::string piece) {
      to += piece;
      co_return Result<void>{};
    }
  };
  const auto done = world.run(log.write_out(
      {.workspace = Workspaces::default_id()}, format,
      [](const std::string& key) { return "The " + key; },
      [&out](std::string piece) { return Take::take(out, std::move(piece)); }));
  EXPECT_TRUE(done) << done.error();
  return out;
}

TEST_F(ActivityLogTest, ExportsAreCsvThatNoSpreadsheetRunsAndJson) {
  write(in_project(row(0, kMessage, "=HYPERLINK(\"http://x\"), said \"so\""), "atlas"));
  write(row(1, kHeartbeat, "plain"));
  EXPECT_EQ(exported(world_, house_->activity, ActivityFormat::kCsv),
            "id,ts,ts_ms,type,project,project_alias,session,conversation,turn,run,summary,details"
            "\r\n2,2026-01-01T00:01:00.000Z,1767225660000,heartbeat,,,,,,,plain,{}\r\n"
            "1,2026-01-01T00:00:00.000Z,1767225600000,message,atlas,The atlas,,,,,"
            "\"'=HYPERLINK(\"\"http://x\"\"), said \"\"so\"\"\",{}\r\n");
  const auto parsed = parse_json(exported(world_, house_->activity, ActivityFormat::kJson));
  ASSERT_TRUE(parsed && parsed->is_array());
  EXPECT_EQ(parsed->get_array().size(), 2u);
  const std::string lines = exported(world_, house_->activity, ActivityFormat::kJsonl);
  EXPECT_EQ(std::ranges::count(lines, '\n'), 2);
}

TEST_F(ActivityLogTest, AnEmptyExportIsStillAFile) {
  EXPECT_TRUE(exported(world_, house_->activity, ActivityFormat::kCsv).ends_with("details\r\n"));
  EXPECT_TRUE(parse_json(exported(world_, house_->activity, ActivityFormat::kJson)));
}

TEST_F(ActivityLogTest, AWorkspaceIsForgottenAndItsNumbersAreNotGivenAgain) {
  for (int i = 0; i < 600; ++i) write(row(i, kMessage, "x"));
  ASSERT_TRUE(world_.run(house_->activity.forget(Workspaces::default_id())));
  EXPECT_EQ(page().rows.size(), 0u);
  write(row(1, kMessage, "new"));
  EXPECT_EQ(page().rows.front().id, 601);
}

}  // namespace
}  // namespace rouse
