// The prompt of a conversation and of a turn through the whole gateway: names, rights, shape.
#include "gateway/conversations_for_tests.h"
#include "gateway/routes/prompt_routes.h"

namespace rouse {
namespace {

class PreviewForTests final : public PromptPreview {
 public:
  Task<Result<PromptView>> of_conversation(WorkspaceId workspace,
                                           ConversationId conversation) override {
    asked = workspace.str();
    co_return view(conversation.str(), {});
  }
  Task<Result<PromptView>> of_turn(WorkspaceId workspace, TurnId turn) override {
    asked = workspace.str();
    if (turn.str() != "turn_1") co_return fail(Errc::kNotFound, "there is no such turn");
    co_return view("conv_1", turn.str());
  }
  std::string asked;

 private:
  static PromptView view(std::string conversation, std::optional<std::string> turn) {
    PromptView out = describe_prompt({{{.name = "identity", .text = "You are Ada."}}}, {}, {});
    out.conversation_id = std::move(conversation);
    out.turn_id = std::move(turn);
    return out;
  }
};

class PromptApiTest : public ConversationApiTest {
 protected:
  void SetUp() override {
    ConversationApiTest::SetUp();
    routes_ = std::make_unique<PromptRoutes>(preview_, house_->kernel, house_->workspaces);
    routes_->add_to(house_->table);
  }
  PreviewForTests preview_;
  std::unique_ptr<PromptRoutes> routes_;
};

TEST_F(PromptApiTest, AConversationShowsWhatItsNextTurnWouldSend) {
  talk("+1", "hello");
  const auto prompt = get<PromptView>("/api/conversations/whatsapp%3A%2B1/prompt");
  ASSERT_EQ(prompt.sections.size(), 1U);
  EXPECT_EQ(prompt.sections[0].name, "identity");
  EXPECT_EQ(prompt.sections[0].text, "You are Ada.");
  EXPECT_EQ(prompt.total.bytes, 12);
  EXPECT_FALSE(prompt.turn_id);
  EXPECT_EQ(preview_.asked, "ws_default");
  EXPECT_EQ(
      get<PromptView>("/api/conversations/" + prompt.conversation_id + "/prompt").conversation_id,
      prompt.conversation_id);
}

TEST_F(PromptApiTest, ATurnShowsWhatItSent) {
  EXPECT_EQ(get<PromptView>("/api/turns/turn_1/prompt").turn_id, "turn_1");
  for (const char* turn : {"turn_2", "conv_1", "x"}) {
    EXPECT_EQ(ask("GET", fmt::format("/api/turns/{}/prompt", turn)).status, 404) << turn;
  }
}

TEST_F(PromptApiTest, NobodySeesThePromptsOfOthers) {  // SC-2
  talk("+1", "hello");
  const std::string ida = make_workspace();
  const std::string token = make_token(ida);
  EXPECT_EQ(ask("GET", "/api/conversations/whatsapp%3A%2B1/prompt", token).status, 404);
  EXPECT_EQ(
      ask("GET", "/api/conversations/whatsapp%3A%2B1/prompt?workspace_id=ws_default", token).status,
      403);
  EXPECT_EQ(ask("GET", "/api/turns/turn_1/prompt", token).status, 200);
  EXPECT_EQ(preview_.asked, ida);  // the preview is told whose eyes these are
  EXPECT_EQ(send({.target = "/api/turns/turn_1/prompt", .owner = false}).status, 401);
}

}  // namespace
}  // namespace rouse
