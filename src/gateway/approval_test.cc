// Approvals through the whole gateway: who sees them, who answers, and what the second one is told.
#include "agent/approval_desk.h"
#include "channel/scripted_runner_for_tests.h"
#include "gateway/conversations_for_tests.h"
#include "gateway/routes/approval_routes.h"

namespace rouse {
namespace {

class GatedTool final : public Tool {
 public:
  GatedTool() {
    info_.name = "shell";
    info_.risk = RiskTier::kRequiresApproval;
    info_.side_effects = true;
  }
  [[nodiscard]] const ToolInfo& info() const override { return info_; }
  Task<ToolResult> run(ToolCall, std::stop_token) override { co_return ToolResult{}; }

 private:
  ToolInfo info_;
};

class ApprovalApiTest : public ConversationApiTest {
 protected:
  void SetUp() override {
    ConversationApiTest::SetUp();
    events_ = std::make_unique<EventLog>(*database_);
    runner_ = std::make_unique<ScriptedRunner>(house_->kernel);
    desk_ = std::make_unique<ApprovalDesk>(
        ApprovalDesk::Parts{world_.loop(), world_.clock(), world_.random(), *database_,
                            house_->kernel, *events_, house_->log});
    desk_->use_runner(*runner_);
    routes_ = std::make_unique<ApprovalRoutes>(*desk_, house_->kernel, house_->workspaces);
    routes_->add_to(house_->table);
  }

  std::string asks(const std::string& command, const std::string& peer = "+1",
                   const std::string& workspace = "ws_default", bool tainted = false) {
    const auto said =
        world_.run(house_->kernel.accept({.workspace = *WorkspaceId::parse(workspace),
                                          .key = {"whatsapp", peer},
                                          .account = "default",
                                          .message_id = {},
                                          .content = text_content("please", kFromSender)}));
    EXPECT_TRUE(said) << said.error();
    const ToolCall call{.id = "c1",
                        .arguments = R"({"command":")" + command + R"("})",
                        .workspace = said->session.workspace,
                        .conversation = said->session.conversation,
                        .session = said->session.id,
                        .turn = *said->turn,
                        .turn_kind = "user",
                        .zone = "UTC",
                        .tainted = tainted};
    const auto ruling = desk_->rule_on(tool_, call, {});
    EXPECT_TRUE(ruling && ruling->approval);
    EXPECT_TRUE(world_.run(database_->write(Write{ruling->statements})));
    return ruling->approval->id.str();
  }
  Answer decide(const std::string& id, const std::string& body, const std::string& token = "") {
    return ask("POST", "/api/approvals/" + id, token, body);
  }

  GatedTool tool_;
  std::unique_ptr<EventLog> events_;
  std::unique_ptr<ScriptedRunner> runner_;
  std::unique_ptr<ApprovalDesk> desk_;
  std::unique_ptr<ApprovalRoutes> routes_;
};

TEST_F(ApprovalApiTest, OneIsShownWithWhatItWouldDoAndWhyItIsAsked) {
  const auto one = get<ApprovalDetail>("/api/approvals/" + asks("make", "+1", "ws_default", true));
  EXPECT_EQ(one.tool, "shell");
  EXPECT_EQ(one.arguments, R"({"command":"make"})");
  EXPECT_EQ(one.state, "pending");
  EXPECT_EQ(one.reason, "tainted");
  EXPECT_TRUE(one.tainted);
  EXPECT_TRUE(one.why.contains("words from outside")) << one.why;
  EXPECT_FALSE(one.decided_at);
  EXPECT_TRUE(one.expires_at.starts_with("2026-01-02T"));
}

TEST_F(ApprovalApiTest, TheyAreListedByStateAndConversationPageByPage) {
  const std::string a = asks("1"), b = asks("2"), c = asks("3", "+2");
  ASSERT_EQ(decide(a, R"({"decision":"deny"})").status, 200);
  auto page = get<ApprovalList>("/api/approvals?limit=2");
  ASSERT_EQ(page.items.size(), 2u);
  EXPECT_EQ(page.items[0].approval_id, c);
  ASSERT_TRUE(page.next_cursor);
  page = get<ApprovalList>("/api/approvals?limit=2&cursor=" + *page.next_cursor);
  ASSERT_EQ(page.items.size(), 1u);
  EXPECT_EQ(page.items[0].approval_id, a);
  EXPECT_FALSE(page.next_cursor);
  EXPECT_EQ(get<ApprovalList>("/api/approvals?state=pending").items.size(), 2u);
  page = get<ApprovalList>("/api/approvals?state=pending&conversation_id=whatsapp%3A%2B1");
  ASSERT_EQ(page.items.size(), 1u);
  EXPECT_EQ(page.items[0].approval_id, b);
  EXPECT_EQ(ask("GET", "/api/approvals?state=maybe").status, 400);
  EXPECT_EQ(ask("GET", "/api/approvals?cursor=9").status, 400);
  EXPECT_EQ(ask("GET", "/api/approvals?conversation_id=conv_gone").status, 404);
}

TEST_F(ApprovalApiTest, AnAnswerIsTakenOnceAndTheSecondIsToldWhoWasFaster) {  // AP-1
  const std::string id = asks("make");
  const Answer yes = decide(id, R"({"decision":"approve","scope":"conversation","note":"ok"})");
  ASSERT_EQ(yes.status, 200) << yes.body;
  const auto view = *decode_json<ApprovalDetail>(yes.body);
  EXPECT_EQ(view.state, "approved");
  EXPECT_EQ(view.scope, "conversation");
  EXPECT_EQ(view.decided_by, "api");
  EXPECT_EQ(view.note, "ok");
  EXPECT_TRUE(view.decided_at);
  EXPECT_EQ(runner_->accepted.size(), 1u);
  const Answer no = decide(id, R"({"decision":"deny"})");
  EXPECT_EQ(no.status, 409);
  EXPECT_EQ(no.error(), "approval_decided");
  EXPECT_TRUE(no.body.contains("was approved at")) << no.body;
}

TEST_F(ApprovalApiTest, AnAnswerThatMakesNoSenseIsRefused) {
  const std::string id = asks("make");
  for (const char* body :
       {R"({})", R"({"decision":"maybe"})", R"({"decision":"deny","scope":"always"})",
        R"({"decision":"approve","scope":"forever"})"}) {
    EXPECT_EQ(decide(id, body).status, 400) << body;
  }
  EXPECT_EQ(decide("apr_gone", R"({"decision":"approve"})").error(), "approval_not_found");
  EXPECT_EQ(decide("apr_gone", R"({"decision":"approve"})").status, 404);
  EXPECT_EQ(ask("GET", "/api/approvals/nonsense").status, 400);
  EXPECT_TRUE(runner_->accepted.empty());
}

TEST_F(ApprovalApiTest, APersonSeesAndAnswersOnlyWhatIsTheirs) {  // SC-2
  const std::string team = make_workspace();
  const std::string token = make_token(team);
  const std::string ours = asks("make"), theirs = asks("make", "+9", team);
  EXPECT_EQ(ask("GET", "/api/approvals/" + ours, token).status, 404);
  EXPECT_EQ(decide(ours, R"({"decision":"approve"})", token).status, 404);
  EXPECT_EQ(ask("GET", "/api/approvals?workspace_id=ws_default", token).status, 403);
  const auto list = get<ApprovalList>("/api/approvals", token);
  ASSERT_EQ(list.items.size(), 1u);
  EXPECT_EQ(list.items[0].approval_id, theirs);
  EXPECT_EQ(ask("GET", "/api/approvals/" + theirs).status, 404) << "an admin names the workspace";
  EXPECT_EQ(ask("GET", "/api/approvals/" + theirs + "?workspace_id=" + team).status, 200);
  EXPECT_EQ(decide(theirs, R"({"decision":"approve","scope":"always"})", token).status, 200);
  EXPECT_TRUE(get<PermissionList>("/api/permissions").items.empty());
  EXPECT_EQ(get<PermissionList>("/api/permissions", token).items.size(), 1u);
}

TEST_F(ApprovalApiTest, APermissionIsListedAndTakenBack) {
  const std::string id = asks("make");
  ASSERT_EQ(decide(id, R"({"decision":"approve","scope":"always"})").status, 200);
  const auto list = get<PermissionList>("/api/permissions");
  ASSERT_EQ(list.items.size(), 1u);
  EXPECT_EQ(list.items[0].approval_id, id);
  EXPECT_EQ(list.items[0].covers, R"({"command":"make"})");
  EXPECT_FALSE(list.items[0].conversation_id);
  const std::string path = "/api/permissions/" + list.items[0].permission_id;
  const std::string token = make_token(make_workspace());
  EXPECT_EQ(ask("DELETE", path, token).error(), "permission_not_found");
  EXPECT_EQ(ask("DELETE", path).status, 200);
  EXPECT_EQ(ask("DELETE", path).status, 404);
  EXPECT_TRUE(get<PermissionList>("/api/permissions").items.empty());
}

}  // namespace
}  // namespace rouse
