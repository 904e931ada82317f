// Compacting a conversation over the API: rights, shape, and that nothing said is lost by it.
#include "agent/compaction/asked_compaction.h"
#include "gateway/agent_gateway_for_tests.h"
#include "gateway/routes/compaction_routes.h"

namespace rouse {
namespace {

class HooksForTests final : public TurnHooks {
 public:
  Task<HookAnswer> pre_compact(TurnContext turn) override {
    asked = turn.conversation.str();
    co_return answer;
  }
  HookAnswer answer;
  std::string asked;
};

class CompactionApiTest : public AgentGatewayTest {
 protected:
  void SetUp() override {
    script_ = std::make_shared<ScriptedModel>();
    model_ = script_;
    AgentGatewayTest::SetUp();
    if (HasFatalFailure()) return;
    compaction_ = std::make_unique<Wired>(*this);
  }
  void leave_house() override {
    compaction_.reset();
    AgentGatewayTest::leave_house();
  }

  struct Wired {
    explicit Wired(CompactionApiTest& test)
        : asked(test.doors_->agent.prompts(), test.house_->kernel, test.hooks_,
                test.doors_->agent.compactor()),
          routes(asked, test.doors_->agent.compactor().book(), test.house_->kernel,
                 test.house_->workspaces) {
      routes.add_to(test.house_->table);
    }
    AskedCompaction asked;
    CompactionRoutes routes;
  };

  void talk_long() {
    for (int i = 0; i < 20; ++i) {
      script_->then(ScriptedAnswer::says(
          fmt::format("Plant number {} wants sun, clay and much water in the dry months.", i)));
      const Answer answer =
          post("/api/chat",
               fmt::format(
                   R"({{"session_id":"garden","message":"Please tell me about plant {}."}})", i));
      EXPECT_EQ(answer.status, 200) << answer.body;
    }
  }
  CompactAnswer compact() {
    const Answer answer = post(kGarden + "/compact", "{}");
    EXPECT_EQ(answer.status, 200) << answer.body;
    return decode_json<CompactAnswer>(answer.body).value_or(CompactAnswer{});
  }
  template <class T>
  T get(const std::string& target) {
    const Answer answer = send({.target = target});
    EXPECT_EQ(answer.status, 200) << target << ": " << answer.body;
    return decode_json<T>(answer.body).value_or(T{});
  }

  const std::string kGarden = "/api/conversations/garden";
  HooksForTests hooks_;
  std::shared_ptr<ScriptedModel> script_;
  std::unique_ptr<Wired> compaction_;
};

TEST_F(CompactionApiTest, ALongConversationIsCompactedAndStaysReadable) {  // SE-3
  talk_long();
  const CompactAnswer made = compact();
  EXPECT_TRUE(made.compacted) << made.message;
  EXPECT_EQ(made.messages, 34);
  ASSERT_TRUE(made.compaction);
  EXPECT_EQ(made.compaction->through_seq, 34);
  EXPECT_EQ(made.compaction->reason, "asked");
  EXPECT_FALSE(made.compaction->turn_id);
  EXPECT_TRUE(made.compaction->in_use);
  EXPECT_LT(made.compaction->tokens_after, made.compaction->tokens_before);
  EXPECT_EQ(get<MessageList>(kGarden + "/messages").items.size(), 40U);
  EXPECT_EQ(hooks_.asked, get<ConversationView>(kGarden).conversation_id);

  const CompactAnswer again = compact();
  EXPECT_FALSE(again.compacted);
  EXPECT_TRUE(again.message.contains("nothing to compact"));
}

TEST_F(CompactionApiTest, RulesAreAskedOnlyWhenSomethingIsFolded) {
  for (int i = 0; i < 8; ++i) {
    script_->then(ScriptedAnswer::says("Yes."));
    EXPECT_EQ(post("/api/chat", R"({"session_id":"garden","message":"Ok?"})").status, 200);
    EXPECT_FALSE(compact().compacted);  // a summary would be longer
  }
  EXPECT_EQ(hooks_.asked, "");
}

TEST_F(CompactionApiTest, AllThatWereMadeAreListed) {
  talk_long();
  compact();
  talk_long();
  compact();
  const auto first = get<CompactionList>(kGarden + "/compactions?limit=1");
  ASSERT_EQ(first.items.size(), 1U);
  EXPECT_EQ(first.items[0].through_seq, 74);
  EXPECT_EQ(first.items[0].from_seq, 35);
  EXPECT_TRUE(first.items[0].in_use);
  ASSERT_TRUE(first.next_cursor);
  const auto second =
      get<CompactionList>(kGarden + "/compactions?limit=1&cursor=" + *first.next_cursor);
  ASSERT_EQ(second.items.size(), 1U);
  EXPECT_EQ(second.items[0].through_seq, 34);
  EXPECT_FALSE(second.items[0].in_use);
  EXPECT_FALSE(second.next_cursor);
  EXPECT_EQ(send({.target = kGarden + "/compactions?cursor=x"}).status, 400);
}

TEST_F(CompactionApiTest, ARuleOfItsLifeCanForbidIt) {
  talk_long();
  hooks_.answer = HookAnswer::block("not while the release is out");
  const CompactAnswer answer = compact();
  EXPECT_FALSE(answer.compacted);
  EXPECT_EQ(answer.message, "It was not compacted: not while the release is out");
  EXPECT_TRUE(get<CompactionList>(kGarden + "/compactions").items.empty());
}

TEST_F(CompactionApiTest, NobodyCompactsTheConversationsOfOthers) {  // SC-2
  talk_long();
  const auto other =
      decode_json<MadeWorkspace>(post("/kernel/workspaces", R"({"type":"personal"})").body);
  const Answer made = post(
      "/api/tokens", R"({"name":"t","role":"user","workspace":")" + other->workspace_id + "\"}");
  const std::string token = "Bearer " + decode_json<MadeToken>(made.body)->token;
  const auto status = [&](std::string method, std::string target, bool known) {
    Ask ask{.method = std::move(method), .target = std::move(target), .owner = false};
    if (known) ask.headers["authorization"] = token;
    return send(std::move(ask)).status;
  };
  for (const char* method : {"POST", "GET"}) {
    const std::string target =
        kGarden + (std::string_view(method) == "POST" ? "/compact" : "/compactions");
    EXPECT_EQ(status(method, target, true), 404);
    EXPECT_EQ(status(method, target + "?workspace_id=ws_default", true), 403);
    EXPECT_EQ(status(method, target, false), 401);
  }
  EXPECT_EQ(post("/api/conversations/nobody/compact", "").status, 404);
}

}  // namespace
}  // namespace rouse
