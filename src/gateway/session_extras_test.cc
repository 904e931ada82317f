// Why, projects and agents through the whole gateway: shapes, rights, and errors for people.
#include "gateway/gateway_for_tests.h"

namespace rouse {
namespace {

class SessionExtrasTest : public GatewayTest {
 protected:
  std::string resolve(const std::string& peer, const std::string& text,
                      const std::string& workspace = "ws_default") {
    const Answer answer =
        post("/kernel/sessions/resolve",
             fmt::format(R"({{"workspace_id":"{}","remote_jid":"{}","user_message":"{}"}})",
                         workspace, peer, text));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return decode_json<ResolveAnswer>(answer.body).value_or(ResolveAnswer{}).session_id;
  }
  Answer get(const std::string& target) { return send({.target = target}); }
  Answer put(const std::string& target, const std::string& body) {
    return send({.method = "PUT", .target = target, .body = body});
  }
  Answer remove(const std::string& target) { return send({.method = "DELETE", .target = target}); }

  std::string make_workspace() {
    return decode_json<MadeWorkspace>(post("/kernel/workspaces", "{}").body)->workspace_id;
  }
  std::string user_token(const std::string& workspace) {
    const Answer made =
        post("/api/tokens", fmt::format(R"({{"name":"ida","workspace":"{}"}})", workspace));
    return decode_json<MadeToken>(made.body)->token;
  }
  Answer as(const std::string& token, Ask ask) {
    ask.owner = false;
    ask.headers["authorization"] = "Bearer " + token;
    return send(std::move(ask));
  }
};

TEST_F(SessionExtrasTest, WhyAnswersForASessionAConversationAndAKey) {  // UX-1
  const std::string session = resolve("+1", "hello");
  world_.run_for(minutes(2));
  resolve("+1", "again");
  const Answer answer = get("/api/sessions/" + session + "/why");
  ASSERT_EQ(answer.status, 200) << answer.body;
  const auto story = decode_json<StoryView>(answer.body);
  ASSERT_TRUE(story) << story.error();
  EXPECT_EQ(story->session.session_id, session);
  EXPECT_EQ(story->session_key, "whatsapp:+1");
  ASSERT_EQ(story->story.size(), 3u);
  EXPECT_EQ(story->story[0].what, "opened");
  EXPECT_EQ(story->story[0].decision, "new");
  EXPECT_EQ(story->story[0].reason, "first_message");
  EXPECT_EQ(story->story[0].facts->at("policy"), "no_session");
  EXPECT_EQ(story->story[1].facts->at("messages"), 1);
  EXPECT_EQ(story->story[2].what, "active");
  EXPECT_NE(answer.body.find(R"("facts":null)"), std::string::npos);
  EXPECT_TRUE(answer.body.ends_with(R"("next_cursor":null})"));
  ASSERT_EQ(post("/kernel/sessions/" + session + "/close", "").status,
            200);  // its story stands still
  const std::string closed = get("/api/sessions/" + session + "/why").body;
  EXPECT_NE(closed.find(R"("what":"closed")"), std::string::npos);
  EXPECT_EQ(get("/api/sessions/" + story->conversation_id + "/why").body, closed);
  EXPECT_EQ(get("/api/sessions/whatsapp%3A%2B1/why").body, closed);
}

TEST_F(SessionExtrasTest, AKeyMeansTheNewestSessionOfItsConversation) {
  const std::string first = resolve("+1", "hello");
  const std::string second = resolve("+1", "start over");
  ASSERT_NE(first, second);
  const auto story = decode_json<StoryView>(get("/api/sessions/whatsapp%3A%2B1/why").body);
  EXPECT_EQ(story->session.session_id, second);
}

TEST_F(SessionExtrasTest, WhyOfWhatIsNotThereSaysWhatItTakes) {
  for (const char* name : {"sess_nothere", "conv_nothere", "whatsapp%3A%2B9", "x"}) {
    const Answer answer = get(fmt::format("/api/sessions/{}/why", name));
    EXPECT_EQ(answer.status, 404) << name;
    EXPECT_EQ(answer.error(), "session_not_found");
    EXPECT_NE(answer.body.find("sess_…, conv_… or a key like"), std::string::npos);
  }
  const std::string session = resolve("+1", "hello");
  EXPECT_EQ(get("/api/sessions/" + session + "/why?cursor=x").status, 400);
  EXPECT_EQ(get("/api/sessions/" + session + "/why?cursor=77").status, 400);
}

TEST_F(SessionExtrasTest, NobodyHearsOfTheSessionsOfOthers) {  // SC-2
  const std::string team = make_workspace();
  const std::string ours = resolve("+1", "hello");
  const std::string theirs = resolve("+1", "hello", team);
  const std::string token = user_token(team);
  EXPECT_EQ(as(token, {.target = "/api/sessions/" + theirs + "/why"}).status, 200);
  EXPECT_EQ(as(token, {.target = "/api/sessions/" + ours + "/why"}).status, 404);
  EXPECT_EQ(as(token, {.target = "/api/sessions/" + ours + "/why?workspace_id=ws_default"}).status,
            403);
  EXPECT_EQ(get("/api/sessions/" + theirs + "/why").status, 200) << "an admin may";
  EXPECT_EQ(get("/api/sessions/" + theirs + "/why?workspace_id=ws_default").status, 404);
  const auto story =
      decode_json<StoryView>(get("/api/sessions/whatsapp%3A%2B1/why?workspace_id=" + team).body);
  EXPECT_EQ(story->session.session_id, theirs);
}

TEST_F(SessionExtrasTest, AProjectIsSavedReadListedAndDeleted) {
  EXPECT_EQ(get("/api/projects").body, R"({"items":[],"next_cursor":null})");
  const std::string saved = R"({"key":"rouse","alias":"Rouse","path":"/src/rouse","source":"api"})";
  EXPECT_EQ(put("/api/projects/rouse", R"({"path":"/src/rouse","alias":"Rouse"})").body, saved);
  EXPECT_EQ(get("/api/projects/rouse").body, saved);
  EXPECT_EQ(get("/api/projects").body, R"({"items":[)" + saved + R"(],"next_cursor":null})");
  EXPECT_EQ(remove("/api/projects/rouse").status, 200);
  EXPECT_EQ(get("/api/projects/rouse").status, 404);
  EXPECT_EQ(remove("/api/projects/rouse").error(), "project_not_found");
}

TEST_F(SessionExtrasTest, AProjectOfTheConfigIsShownAsSuchAndNotChangedHere) {
  put("/api/projects/rouse", R"({"path":"/saved"})");
  house_->projects.configure({{"rouse", "Rouse", "/file"}});
  const Answer shown = get("/api/projects/rouse");
  EXPECT_EQ(decode_json<ProjectView>(shown.body)->source, "config");
  EXPECT_NE(shown.body.find("rouse.yaml wins"), std::string::npos);
  EXPECT_EQ(put("/api/projects/rouse", R"({"path":"/other"})").status, 409);
}

TEST_F(SessionExtrasTest, WrongProjectsAndAgentsAreRefusedWithAReason) {
  EXPECT_EQ(put("/api/projects/Rouse", R"({"path":"/x"})").status, 400);
  EXPECT_NE(put("/api/projects/rouse", R"({"path":"x"})").body.find("must be absolute"),
            std::string::npos);
  EXPECT_NE(put("/api/projects/rouse", "{}").body.find("path"), std::string::npos);
  EXPECT_EQ(put("/api/agents/coder", R"({"tools":"[]"})").status, 400);
  EXPECT_EQ(put("/api/agents/co%20der", "{}").status, 400);
  EXPECT_EQ(get("/api/projects?limit=0").status, 400);
  EXPECT_EQ(get("/api/projects?workspace_id=ws_gone").status, 404);
}

TEST_F(SessionExtrasTest, AnAgentIsSavedReadListedByPageAndDeleted) {
  EXPECT_EQ(put("/api/agents/coder", R"({"instructions":"Test first.","model":"main"})").body,
            R"({"name":"coder","instructions":"Test first.","model":"main","tools":"{}"})");
  put("/api/agents/butler", "{}");
  const auto page = decode_json<AgentList>(get("/api/agents?limit=1").body);
  ASSERT_EQ(page->items.size(), 1u);
  EXPECT_EQ(page->next_cursor, "butler");
  const auto rest = decode_json<AgentList>(get("/api/agents?limit=1&cursor=butler").body);
  EXPECT_EQ(rest->items.front().name, "coder");
  EXPECT_FALSE(rest->next_cursor);
  EXPECT_EQ(remove("/api/agents/coder").status, 200);
  EXPECT_EQ(get("/api/agents/coder").error(), "agent_not_found");
}

TEST_F(SessionExtrasTest, AUserHasTheProjectsAndAgentsOfItsOwnWorkspaceOnly) {  // SC-2
  const std::string team = make_workspace();
  const std::string token = user_token(team);
  put("/api/projects/ours", R"({"path":"/ours"})");
  put("/api/agents/ours", "{}");
  for (const char* kind : {"projects", "agents"}) {
    const std::string path = fmt::format("/api/{}", kind);
    EXPECT_EQ(as(token, {.target = path}).body, R"({"items":[],"next_cursor":null})");
    EXPECT_EQ(as(token, {.target = path + "/ours"}).status, 404);
    EXPECT_EQ(as(token, {.target = path + "?workspace_id=ws_default"}).status, 403);
  }
  EXPECT_EQ(get("/api/projects/ours?workspace_id=" + team).status, 404);
}

}  // namespace
}  // namespace rouse
