// The activity log through the gateway: whose it is, what a client is told, files.
#include "activity/activity_log.h"
#include "gateway/conversations_for_tests.h"
#include "gateway/routes/activity_routes.h"

namespace rouse {
namespace {

class ActivityApiTest : public ConversationApiTest {
 protected:
  void SetUp() override {
    ConversationApiTest::SetUp();
    if (HasFatalFailure()) return;
    log_ = std::make_unique<ActivityLog>(*database_);
    routes_ = std::make_unique<ActivityRoutes>(
        *log_, house_->kernel, house_->projects, house_->workspaces, world_.clock(),
        [](const Workspace& one) { return one.timezone.value_or("UTC"); });
    routes_->add_to(house_->table);
  }
  void write(std::string summary, Millis ago = {}, ActivityType type = ActivityType::kMessage,
             std::optional<std::string> project = {}, std::string workspace = "ws_default",
             std::optional<ConversationId> conversation = {}) {
    Activity row;
    row.at = world_.clock().wall_now() - ago;
    row.type = type;
    row.project = std::move(project);
    row.summary = std::move(summary);
    row.workspace = *WorkspaceId::parse(workspace);
    row.conversation = std::move(conversation);
    ASSERT_TRUE(world_.run(database_->write(Write{log_activity(row)})));
  }
  std::vector<std::string> found(const std::string& query, const std::string& token = "") {
    std::vector<std::string> out;
    for (const ActivityView& one : get<ActivityList>("/api/activity?" + query, token).items) {
      out.push_back(one.summary);
    }
    return out;
  }
  using Lines = std::vector<std::string>;

  std::unique_ptr<ActivityLog> log_;
  std::unique_ptr<ActivityRoutes> routes_;
};

// S2-06
TEST_F(ActivityApiTest, ARowHasItsProjectsKeyAndItsAlias) {
  ASSERT_EQ(
      ask("PUT", "/api/projects/atlas", "", R"({"alias":"Atlas V3","path":"/srv/atlas"})").status,
      200);
  write("Fixed a bug", {}, ActivityType::kScheduled, "atlas");
  write("Elsewhere", {}, ActivityType::kMessage, "gone");
  const auto page = get<ActivityList>("/api/activity");
  ASSERT_EQ(page.items.size(), 2u);
  EXPECT_EQ(page.items[0].project_alias, "gone");
  const ActivityView& row = page.items[1];
  EXPECT_EQ(row.project, "atlas");
  EXPECT_EQ(row.project_alias, "Atlas V3");
  EXPECT_EQ(row.type, "scheduled");
  EXPECT_EQ(row.ts, to_iso({row.ts_ms}));
  EXPECT_TRUE(row.details.is_object());
  EXPECT_EQ(page.last_id, 2);
  EXPECT_FALSE(page.next_cursor);
}

// S2-07
TEST_F(ActivityApiTest, ItIsFilteredByEverythingThatHelps) {
  talk("+1", "hello");
  const auto there = house_->kernel.find_conversation(Workspaces::default_id(), "whatsapp:+1");
  ASSERT_TRUE(there) << there.error();
  write("three days ago", days(3));
  write("an hour ago", hours(1), ActivityType::kHeartbeat);
  write("now", {}, ActivityType::kMessage, "atlas", "ws_default", there->id);
  EXPECT_EQ(found(""), (Lines{"now", "an hour ago", "three days ago"}));
  EXPECT_EQ(found("type=heartbeat"), Lines{"an hour ago"});
  EXPECT_EQ(found("project=atlas"), Lines{"now"});
  EXPECT_EQ(found("conversation=whatsapp:%2B1"), Lines{"now"});
  EXPECT_EQ(found("since=2h"), (Lines{"now", "an hour ago"}));
  EXPECT_EQ(found("since=7d&until=2d"), Lines{"three days ago"});
  EXPECT_EQ(found("since=2025-12-01T00:00:00Z&until=2025-12-30"), Lines{"three days ago"});
  EXPECT_EQ(found("since=today"), Lines{"now"});  // the clock says midnight in UTC
  EXPECT_EQ(found("q=HOUR"), Lines{"an hour ago"});
  EXPECT_EQ(ask("GET", "/api/activity?type=thing").status, 400);
  EXPECT_EQ(ask("GET", "/api/activity?since=soon").status, 400);
  EXPECT_EQ(ask("GET", "/api/activity?cursor=x").status, 400);
  EXPECT_EQ(ask("GET", "/api/activity?after=x").status, 400);
  EXPECT_EQ(ask("GET", "/api/activity?conversation=nobody").status, 404);
}

TEST_F(ActivityApiTest, PagesAndFollowing) {
  for (int i = 0; i < 5; ++i) write(std::to_string(i));
  const auto first = get<ActivityList>("/api/activity?limit=3");
  ASSERT_TRUE(first.next_cursor);
  EXPECT_EQ(found("limit=3&cursor=" + *first.next_cursor), (Lines{"1", "0"}));
  EXPECT_EQ(first.last_id, 5);
  EXPECT_EQ(found("after=5"), Lines{});
  write("new");
  EXPECT_EQ(found("after=5"), Lines{"new"});
  EXPECT_EQ(get<ActivityList>("/api/activity?after=5").last_id, 6);
}

TEST_F(ActivityApiTest, NobodySeesAnotherWorkspace) {
  const std::string other = make_workspace(), token = make_token(other);
  write("the owner's");
  write("theirs", {}, ActivityType::kMessage, {}, other);
  EXPECT_EQ(found("", token), Lines{"theirs"});
  EXPECT_EQ(found("after=0", token), Lines{"theirs"});
  EXPECT_EQ(found(""), Lines{"the owner's"});
  EXPECT_EQ(found("workspace_id=" + other), Lines{"theirs"});
  EXPECT_EQ(ask("GET", "/api/activity?workspace_id=ws_default", token).status, 403);
  EXPECT_EQ(ask("GET", "/api/activity/export?workspace_id=ws_default", token).status, 403);
  EXPECT_EQ(ask("GET", "/api/activity/export", token).body.find("the owner's"), std::string::npos);
}

TEST_F(ActivityApiTest, TheLogIsAFileInThreeFormats) {
  for (int i = 0; i < 700; ++i) write("row", {}, ActivityType::kMessage, "atlas");
  write("=1+1");
  const Answer csv = ask("GET", "/api/activity/export");
  EXPECT_EQ(csv.status, 200);
  EXPECT_EQ(csv.headers.at("content-disposition"), "attachment; filename=\"rouse-activity.csv\"");
  EXPECT_EQ(std::ranges::count(csv.body, '\n'), 702);
  EXPECT_NE(csv.body.find("\"'=1+1\""), std::string::npos);
  const auto json = parse_json(ask("GET", "/api/activity/export?format=json&project=atlas").body);
  ASSERT_TRUE(json) << json.error();
  EXPECT_EQ(json->get_array().size(), 700u);
  EXPECT_EQ(ask("GET", "/api/activity/export?format=xml").status, 400);
  stream_.pieces_taken = 1;
  EXPECT_FALSE(ask("GET", "/api/activity/export").broken);  // the client left; nothing went wrong
}

}  // namespace
}  // namespace rouse
