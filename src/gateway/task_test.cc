// Tasks and skills through the whole gateway: whose they are, and what a client is told.
#include <filesystem>

#include "base/temp_dir_for_tests.h"
#include "gateway/conversations_for_tests.h"
#include "gateway/routes/skill_routes.h"
#include "gateway/routes/task_routes.h"

namespace rouse {
namespace {

class TaskApiTest : public ConversationApiTest {
 protected:
  void SetUp() override {
    ConversationApiTest::SetUp();
    events_ = std::make_unique<EventLog>(*database_);
    book_ = std::make_unique<TaskBook>(*database_, world_.clock(), world_.random(), *events_);
    tasks_ = std::make_unique<TaskRoutes>(*book_, house_->workspaces);
    tasks_->add_to(house_->table);
    files_ = std::make_unique<PersonFiles>(dir_.path(), world_.clock());
    skills_ = std::make_unique<SkillRoutes>(*files_, house_->workspaces);
    skills_->add_to(house_->table);
  }
  Answer patch(const std::string& number, const std::string& body) {
    return ask("PATCH", "/api/tasks/" + number, "", body);
  }
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(dir_ / name).parent_path());
    dir_.write(name, text);
  }

  TempDir dir_;
  std::unique_ptr<EventLog> events_;
  std::unique_ptr<TaskBook> book_;
  std::unique_ptr<TaskRoutes> tasks_;
  std::unique_ptr<PersonFiles> files_;
  std::unique_ptr<SkillRoutes> skills_;
};

TEST_F(TaskApiTest, ATaskIsAddedClaimedAndDone) {
  const Answer made = post("/api/tasks", R"({"title":"buy milk","project":"home"})");
  EXPECT_EQ(made.status, 201);
  EXPECT_TRUE(made.body.starts_with(
      R"({"number":1,"title":"buy milk","detail":"","state":"open","project":"home",)"
      R"("commits":[],"from":"owner","created_at":"2026-01-01T)"))
      << made.body;
  EXPECT_EQ(decode_json<TaskView>(patch("1", R"({"action":"claim","by":"Ada"})").body)->claimed_by,
            "Ada");
  const Answer late = patch("1", R"({"action":"claim"})");
  EXPECT_EQ(late.status, 409);
  EXPECT_EQ(late.error(), "task_wrong_state");
  const auto done =
      *decode_json<TaskView>(patch("1", R"({"action":"complete","commits":["3f2a91c"]})").body);
  EXPECT_EQ(done.state, "done");
  EXPECT_EQ(done.commits.size(), 1u);
  EXPECT_TRUE(done.ended_at);
  EXPECT_EQ(get<TaskView>("/api/tasks/1").state, "done");
}

TEST_F(TaskApiTest, ListsComeInPages) {
  for (int i = 0; i < 3; ++i) post("/api/tasks", R"({"title":"x"})");
  patch("2", R"({"action":"close","reason":"no need"})");
  const auto first = get<TaskPage>("/api/tasks?limit=2");
  ASSERT_EQ(first.items.size(), 2u);
  EXPECT_EQ(first.items[0].number, 3);
  EXPECT_EQ(first.next_cursor, "2");
  const auto rest = get<TaskPage>("/api/tasks?limit=2&cursor=2");
  ASSERT_EQ(rest.items.size(), 1u);
  EXPECT_FALSE(rest.next_cursor);
  EXPECT_EQ(get<TaskPage>("/api/tasks?state=active").items.size(), 2u);
  EXPECT_EQ(get<TaskPage>("/api/tasks?state=closed").items[0].reason, "no need");
}

TEST_F(TaskApiTest, WhatIsWrongIsTold) {
  EXPECT_EQ(post("/api/tasks", R"({"title":" "})").status, 400);
  EXPECT_EQ(post("/api/tasks", R"({"title":"x","project":"No Key"})").status, 400);
  EXPECT_EQ(ask("GET", "/api/tasks?state=lost").status, 400);
  EXPECT_EQ(ask("GET", "/api/tasks?cursor=x").status, 400);
  EXPECT_EQ(ask("GET", "/api/tasks/0").status, 400);
  EXPECT_EQ(ask("GET", "/api/tasks/7").error(), "task_not_found");
  post("/api/tasks", R"({"title":"x"})");
  EXPECT_EQ(patch("1", R"({"action":"dance"})").status, 400);
  EXPECT_EQ(patch("1", R"({"action":"close"})").status, 400);
}

TEST_F(TaskApiTest, APersonSeesOnlyItsOwn) {  // SC-2
  const std::string team = make_workspace();
  const std::string token = make_token(team);
  post("/api/tasks", R"({"title":"the owner's"})");
  EXPECT_TRUE(get<TaskPage>("/api/tasks", token).items.empty());
  EXPECT_EQ(ask("GET", "/api/tasks/1", token).status, 404);
  EXPECT_EQ(ask("PATCH", "/api/tasks/1", token, R"({"action":"complete"})").status, 404);
  EXPECT_EQ(ask("GET", "/api/tasks?workspace_id=ws_default", token).status, 403);
  EXPECT_EQ(ask("GET", "/api/skills?workspace_id=ws_default", token).status, 403);
}

TEST_F(TaskApiTest, SkillsAreListedWithWhatIsWrong) {
  write("skills/tea/SKILL.md", "---\nname: tea\ndescription: brewing\n---\nSteep it.");
  write("skills/bad/SKILL.md", "---\nname: bad\n---\n");
  const auto list = get<SkillList>("/api/skills");
  ASSERT_EQ(list.items.size(), 1u);
  EXPECT_EQ(list.items[0].name, "tea");
  EXPECT_FALSE(list.items[0].text);
  ASSERT_EQ(list.problems.size(), 1u);
  EXPECT_EQ(list.problems[0], "skills/bad/SKILL.md line 1: the front matter needs a description");
  EXPECT_EQ(get<SkillView>("/api/skills/tea").text, "Steep it.");
  EXPECT_EQ(ask("GET", "/api/skills/coffee").status, 404);
}

}  // namespace
}  // namespace rouse
